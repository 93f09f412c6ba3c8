"""Turns of a cycle in an answer are accepted where induction shows them, and rejected where anything is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.relation import TURN, AbstractPath, EdgeAnswer, Relation, Turns
from sa.certificates.relation_json import read_relation, relation_json
from sa.certificates.shape import Entry
from sa.checker.check import Accepted, check
from sa.engines.goals import decide
from sa.terms import build
from sa.terms.term import Var
from tests.simulation.examples import goal_of

ABSTRACT = "local i, s, n : int = 0; havoc n; assume n >= 0; while (i < n) { i := i + 1; s := s + 3; } @a(i, s) skip;"
CONCRETE = "local n : int = 0; havoc n; assume n >= 0; @a(n, 3 * n) skip;"


@pytest.fixture(scope="module")
def proved() -> tuple[Goal, Relation]:
    goal = goal_of(ABSTRACT, CONCRETE)
    evidence = decide(goal, Limits()).evidence
    assert isinstance(evidence, Relation)
    assert any(path.turns for answer in evidence.answers for path in answer.answers)
    return goal, evidence


def changed(relation: Relation, change: Callable[[Turns], Turns]) -> Relation:
    """The relation with all turns changed, in answers that have some."""

    def path(old: AbstractPath) -> AbstractPath:
        return replace(old, turns=tuple(change(t) for t in old.turns))

    def answer(old: EdgeAnswer) -> EdgeAnswer:
        return replace(old, answers=tuple(path(p) for p in old.answers))

    return replace(relation, answers=tuple(answer(a) for a in relation.answers))


def accepted(goal: Goal, relation: Relation) -> bool:
    return isinstance(check(goal, relation, Limits()), Accepted)


def named(turns: Turns, name: str) -> Var:
    return next(v for v, _ in turns.after if v.name.endswith(f".{name}"))


def test_the_proof_is_accepted(proved: tuple[Goal, Relation]) -> None:
    assert accepted(*proved)


def test_it_is_the_same_after_writing_and_reading(proved: tuple[Goal, Relation]) -> None:
    goal, relation = proved
    assert read_relation(Entry(relation_json(relation)), goal) == relation


def twice(turns: Turns) -> Turns:
    s = named(turns, "s")
    return replace(turns, after=tuple((v, build.add(t, TURN) if v is s else t) for v, t in turns.after))


def forgetful(turns: Turns) -> Turns:
    return replace(turns, after=turns.after[:1])


def right_only_once(turns: Turns) -> Turns:
    """What one turn does, whatever their number."""
    first = build.integer(1)
    return replace(turns, after=tuple((v, build.ite(build.eq(TURN, first), t, v)) for v, t in turns.after))


def right_but_for_the_first(turns: Turns) -> Turns:
    once = build.eq(TURN, build.integer(1))
    return replace(turns, after=tuple((v, build.ite(once, v, t)) for v, t in turns.after))


def one_more(turns: Turns) -> Turns:
    return replace(turns, count=build.add(turns.count, build.ONE))


def one_less(turns: Turns) -> Turns:
    return replace(turns, count=build.add(turns.count, build.integer(-1)))


def endless(turns: Turns) -> Turns:
    return replace(turns, count=TURN)


def reversed_cycle(turns: Turns) -> Turns:
    return replace(turns, cycle=tuple(reversed(turns.cycle)))


def elsewhere(turns: Turns) -> Turns:
    return replace(turns, position=turns.position + 1)


def nothing(turns: Turns) -> Turns:
    return replace(turns, cycle=())


@pytest.mark.parametrize(
    "change",
    [
        twice,
        forgetful,
        right_only_once,
        right_but_for_the_first,
        one_more,
        one_less,
        endless,
        reversed_cycle,
        elsewhere,
        nothing,
    ],
)
def test_turns_that_are_wrong_are_rejected(proved: tuple[Goal, Relation], change: Callable[[Turns], Turns]) -> None:
    goal, relation = proved
    assert not accepted(goal, changed(relation, change))


def test_a_guard_that_fails_in_the_middle_is_seen() -> None:
    loop = "local i : int = 0; while (i < 9) {{ {} i := i + 1; }} @a(i) skip;"
    goal, other = (goal_of(loop.format(text), "@a(9) skip;") for text in ("assume i != 20;", "assume i != 5;"))
    evidence = decide(goal, Limits()).evidence
    assert isinstance(evidence, Relation)
    assert accepted(goal, evidence)
    assert not accepted(other, evidence)
