"""Proofs about threads that wait for ever are noticed."""

from __future__ import annotations

import pytest

from sa.base.diagnostic import Diagnostic
from sa.base.limits import Limits
from sa.conditions.blocked import blocked
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.smt.session import Session
from tests.endtoend.asking import read


def _warnings(abstract: str, concrete: str) -> list[Diagnostic]:
    (result,) = refine(*read(abstract, concrete), Options(Limits())).results
    assert result.relation is not None
    return list(blocked(Session(Limits()), result.goal, result.relation))


SHOWS = "global x : int = 0; thread T { rely unchanged x; @a skip; }"


def test_a_thread_that_waits_for_what_never_comes_is_noticed() -> None:
    (found,) = _warnings(SHOWS, "global x : int = 0; thread T { rely unchanged x; await x == 1; @b skip; }")
    assert found.code == "SA509"


@pytest.mark.parametrize(
    "concrete",
    [
        "global x : int = 0; thread T { rely true; await x == 1; @a skip; }",
        "global x : int = 0; thread T { rely unchanged x; if (x == 0) { @a skip; } }",
        "global x : int = 0; thread T { rely unchanged x; while (true) { skip; } }",
    ],
)
def test_a_thread_that_may_go_on_is_not_warned_of(concrete: str) -> None:
    assert not _warnings(SHOWS.replace("unchanged x", "true") if "rely true" in concrete else SHOWS, concrete)
