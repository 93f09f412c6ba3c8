"""Proofs by all pairs of states: what is complete is accepted, and what was changed is rejected or still true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.pairs import SideStates, StatePairs
from sa.certificates.pairs_json import read_simulation, simulation_json
from sa.certificates.shape import Entry
from sa.checker.check import check
from sa.checker.ruling import Accepted, Rejected
from sa.terms.build import variable
from sa.terms.sort import INT
from tests.generators.automata import random_goal
from tests.values.proofs import asked, proof_of

ABSTRACT = """global x : 0..3 = 0;
thread T { local n : 0..3 = 0; while (true) { atomic { x := (x + 1) % 3; } @seen(x) skip; } }"""
CONCRETE = """global x : 0..3 = 0;
thread T { local n : 0..3 = 0; while (true) { n := x; n := n + 1; if (n == 3) { n := 0; } x := n; @seen(x) skip; } }"""


@pytest.fixture
def goal() -> Goal:
    return asked(ABSTRACT, CONCRETE)


@pytest.fixture
def made(goal: Goal) -> StatePairs:
    found = proof_of(goal)
    assert found is not None
    return found


def _ruling(goal: Goal, made: StatePairs) -> object:
    return check(goal, made, Limits())


def test_all_pairs_are_accepted(goal: Goal, made: StatePairs) -> None:
    assert _ruling(goal, made) == Accepted()


def test_no_pair_may_be_left_out(goal: Goal, made: StatePairs) -> None:
    for pair in made.pairs:
        assert isinstance(_ruling(goal, replace(made, pairs=made.pairs - {pair})), Rejected)


def test_nothing_is_no_proof(goal: Goal, made: StatePairs) -> None:
    assert _ruling(goal, replace(made, pairs=frozenset())) == Rejected(
        "start", "a pair of initial states is missing", goal.concrete.initial
    )


def test_a_pair_that_breaks_iota_is_noticed(goal: Goal, made: StatePairs) -> None:
    every = range(len(made.concrete.states) * len(made.abstract.states))
    assert isinstance(_ruling(goal, replace(made, pairs=frozenset(every))), Rejected)


def test_what_matters_has_to_be_kept(goal: Goal, made: StatePairs) -> None:
    """A variable is forgotten at a location where it is kept: the checker does not guess it."""
    used = {place for place, _ in made.concrete.states}
    for number, kept in enumerate(made.concrete.kept):
        for v in kept if number in used else ():
            less = (*made.concrete.kept[:number], kept - {v}, *made.concrete.kept[number + 1 :])
            known = [w.var for w in goal.concrete.variables if w.var in kept]
            states = tuple(
                (p, tuple(x for w, x in zip(known, row, strict=True) if w is not v) if p == number else row)
                for p, row in made.concrete.states
            )
            ruling = _ruling(goal, replace(made, concrete=SideStates(less, states)))
            assert isinstance(ruling, Rejected), (number, v)


def test_what_is_no_listing_is_rejected_and_raises_nothing(goal: Goal, made: StatePairs) -> None:
    first, other = made.concrete, variable("conc.unknown", INT)
    width = len(made.abstract.states)
    for changed in (
        replace(made, concrete=replace(first, kept=first.kept[1:])),
        replace(made, concrete=replace(first, kept=(first.kept[0] | {other}, *first.kept[1:]))),
        replace(made, concrete=replace(first, states=((99, ()), *first.states[1:]))),
        replace(made, concrete=replace(first, states=((first.states[0][0], ()), *first.states[1:]))),
        replace(made, concrete=replace(first, states=(*first.states, first.states[0]))),
        replace(made, pairs=made.pairs | {len(first.states) * width}),
        replace(made, openings=()),
        replace(made, openings=(((other, other),),)),
    ):
        assert isinstance(_ruling(goal, changed), Rejected)


def test_an_open_goal_is_not_proved_by_pairs(goal: Goal, made: StatePairs) -> None:
    assert isinstance(_ruling(replace(goal, closed=False), made), Rejected)
    assert isinstance(_ruling(replace(goal, choose_init=True), made), Rejected)


def test_as_json_it_is_read_back(goal: Goal, made: StatePairs) -> None:
    written = json.loads(json.dumps(simulation_json(made, goal)))
    kind, entry = Entry(written).only()
    again = read_simulation(kind, entry, goal)
    assert isinstance(again, StatePairs)
    assert (again.pairs, again.openings) == (made.pairs, made.openings)
    for mine, theirs in ((again.concrete, made.concrete), (again.abstract, made.abstract)):
        assert (mine.kept, mine.states) == (theirs.kept, theirs.states)


def _corrupted(made: StatePairs, rng: Random) -> Iterator[StatePairs]:
    """Proofs with a pair more or less, two pairs exchanged for others, or a value changed."""
    width, height = len(made.abstract.states), len(made.concrete.states)
    pairs = sorted(made.pairs)
    if pairs:
        yield replace(made, pairs=made.pairs - {rng.choice(pairs)})
        yield replace(made, pairs=made.pairs - {rng.choice(pairs)} | {rng.randrange(width * height)})
    if width * height:
        yield replace(made, pairs=made.pairs | {rng.randrange(width * height)})
    states = list(made.concrete.states)
    if states:
        at = rng.randrange(len(states))
        place, row = states[at]
        if row:
            i = rng.randrange(len(row))
            value = row[i]
            changed = (not value) if isinstance(value, bool) else value + 1 if isinstance(value, int) else value
            states[at] = place, (*row[:i], changed, *row[i + 1 :])
            yield replace(made, concrete=replace(made.concrete, states=tuple(states)))


def _assert_no_corrupted_proof_of_what_is_false(seeds: range) -> int:
    """Pairs that prove the goal without one of its concrete edges, corrupted or not, prove it only if it holds."""
    tried = 0
    for seed in seeds:
        sample = random_goal(seed)
        if not sample.goal.closed or sample.goal.choose_init:
            continue
        rng, edges = Random(seed), sample.goal.concrete.edges
        for number in range(len(edges)):
            fewer = replace(sample.goal.concrete, edges=edges[:number] + edges[number + 1 :])
            made = proof_of(replace(sample.goal, concrete=fewer))
            for changed in () if made is None else (made, *_corrupted(made, rng)):
                tried += 1
                if check(sample.goal, changed, Limits()) == Accepted():
                    assert sample.decision.simulated, seed
    return tried


def test_corrupted_pairs_prove_nothing_that_is_false() -> None:
    assert _assert_no_corrupted_proof_of_what_is_false(range(50)) > 50


@pytest.mark.fuzz
def test_thousands_of_corrupted_pairs_prove_nothing_that_is_false() -> None:
    assert _assert_no_corrupted_proof_of_what_is_false(range(1_000, 4_000)) > 3_000
