"""Differences between variables at joint locations: tickets and rings over all integers, nothing wrong at random."""

from __future__ import annotations

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Joint, Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted
from sa.conditions.composition import product
from sa.hybrid.engine import by_equalities
from sa.hybrid.exploring import EQUALITIES
from sa.invariants.zone_propagation import Others, differences
from sa.question.asked import Asked, Excluded
from sa.terms import build
from tests.generators.programs import random_program
from tests.invariants.judge import distance, random_question
from tests.language.texts import program_of

PROGRAMS = {
    "the holder of a ticket is alone": (
        "global t, s : int = 0; global cs : 0..2 = 0; thread C[i : 1..2] { local m : int = 0; while (*) {"
        "m := fetch_add(t, 1); await s == m { cs := i; } assert cs == i; atomic { s := s + 1; cs := 0; } } }",
        True,
    ),
    "which it is not where tickets are read and drawn in two steps": (
        "global t, s : int = 0; global cs : 0..2 = 0; thread C[i : 1..2] { local m : int = 0; while (*) {"
        "m := t; t := m + 1; await s == m { cs := i; } assert cs == i; atomic { s := s + 1; cs := 0; } } }",
        False,
    ),
    "a ring has as much room as it has": (
        "global put, got : int = 0; thread P { while (*) { await put - got < 4; put := put + 1; "
        "assert put - got <= 4; } } thread Q { while (*) { await got < put; got := got + 1; } }",
        True,
    ),
    "by condition, where another variable says who may write": (
        "global turn : bool; global x, y : int = 0; thread P { while (*) { await turn; x := x + 1; await x > y; y := x;"
        "turn := false; } } thread Q { while (*) { await !turn; assert x == y; turn := true; } }",
        True,
    ),
    "values at the places of a few flags": (
        "global open : bool = false; global x : int = 0; thread P { while (*) { x := -1; open := false; x := 1;"
        "open := true; await !open; } } thread Q { while (*) { await open; assert x >= 0; open := false; } }",
        True,
    ),
    "by condition": (
        "global x, y : int = 0; thread P { while (*) { atomic { if (x <= y) { x := y + 1; } else { y := x + 1; } }"
        "assert x != y; } }",
        True,
    ),
}


def accepted(answer: Excluded) -> bool:
    match answer.evidence:
        case Joint() as joint:
            return check_joint(joint, Limits()) == Accepted()
        case Lemmas() as lemmas:
            return check_lemmas(lemmas, Limits()) == Accepted()
        case _:
            return False


@pytest.mark.parametrize(("text", "holds"), PROGRAMS.values(), ids=PROGRAMS)
def test_what_differences_exclude(text: str, holds: bool) -> None:
    program = program_of(text)
    asked = Asked(program.threads, (Bad(Failing(), None),), program.axioms)
    found = list(by_equalities(EQUALITIES, asked, Budget(Limits()), unheard))
    assert bool(found) == holds
    for answer in found:
        assert accepted(answer)


@pytest.mark.parametrize("seed", range(40))
def test_what_can_happen_is_not_excluded(seed: int) -> None:
    threads, bad = random_question(seed)
    for answer in by_equalities(EQUALITIES, Asked(threads, (bad,), ()), Budget(Limits()), unheard):
        # Where the oracle's ranges cut steps the evidence is refused.
        if accepted(answer):
            assert distance(threads, bad) is None


@pytest.mark.parametrize("seed", range(40))
def test_what_is_found_is_inductive(seed: int) -> None:
    program = program_of(random_program(seed, 2))
    for answer in by_equalities(
        EQUALITIES, Asked(program.threads, (Bad(Failing(), None),), ()), Budget(Limits()), unheard
    ):
        assert accepted(answer)


def test_so_it_is_over_all_locations_of_random_programs() -> None:
    for seed in range(40):
        program = program_of(random_program(seed, 2))
        whole = product(program.threads)
        known = differences(whole, Others.STILL, Limits())
        parts = {q.name: q.parts for q in whole.locations}
        joint = tuple((parts[q], build.land(*fs)) for q, fs in known.items() if fs != (build.FALSE,))
        assert known
        assert check_joint(Joint(program.threads, joint, (), ()), Limits()) == Accepted(), seed
