"""Proofs about threads that wait for ever are noticed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.base.diagnostic import Diagnostic
from sa.base.limits import Limits
from sa.certificates.relation import Relation
from sa.conditions.blocked import blocked
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.smt.session import Session
from sa.terms import build
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


def test_a_place_that_no_state_is_in_is_not_taken_for_a_thread_that_waits() -> None:
    """The relation has a pair there whose lemmas no state satisfies."""
    waiting = "global x : int = 0; thread T { rely unchanged x; await x == 1; @b skip; }"
    (result,) = refine(*read(SHOWS, waiting), Options(Limits())).results
    assert isinstance(result.relation, Relation)
    pairs = tuple(replace(p, lemmas=(build.FALSE,)) for p in result.relation.pairs)
    assert not list(blocked(Session(Limits()), result.goal, replace(result.relation, pairs=pairs)))


def test_the_warning_points_at_the_statement_that_waits() -> None:
    (found,) = _warnings(SHOWS, "global x : int = 0; thread T { rely unchanged x; skip; await x == 1; @b skip; }")
    assert found.span is not None
    assert found.span.source.text[found.span.start : found.span.end].startswith("await x == 1")
