"""Proofs about threads that wait for ever are noticed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.base.diagnostic import Diagnostic
from sa.base.limits import Limits
from sa.certificates.pairs import Simulation, StatePairs
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


#: The first thread waits where the second one took its second branch, and goes on where it took the first.
EITHER = """
    global x, y : int = 0;
    thread T { await y == 1; @b skip; }
    thread U { if (*) { y := 1; } else { await x == 1; } @c skip; }
    """


def _told_of_all(program: str, *engines: str) -> tuple[Simulation, list[str]]:
    """The evidence that the whole program refines itself, and the statements that warnings point at."""
    (result,) = refine(*read(program, program), Options(Limits(), whole=True, engines=engines)).results
    assert result.relation is not None
    spans = [w.span for w in blocked(Session(Limits()), result.goal, result.relation)]
    return result.relation, [s.source.text[s.start : s.end] for s in spans if s is not None]


@pytest.mark.parametrize(
    ("engine", "evidence"), [("simulation:answers=first", Relation), ("explicit-state", StatePairs)]
)
def test_of_several_threads_the_one_that_always_waits_is_told_and_no_other(engine: str, evidence: type) -> None:
    relation, told = _told_of_all(EITHER, engine)
    assert isinstance(relation, evidence)
    assert told == ["await x == 1;"]


def test_a_thread_that_waits_beside_one_that_goes_on_is_noticed() -> None:
    program = "global x, y : int = 0; thread T { while (true) { x := x + 1; } } thread U { await y == 1; @b skip; }"
    assert _told_of_all(program)[1] == ["await y == 1;"]
