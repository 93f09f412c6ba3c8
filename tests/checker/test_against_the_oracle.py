"""The checker accepts what the oracle has decided, and of a simulation changed a little exactly what is still one."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.certificates.play import Position, Step
from sa.checker.check import check
from sa.checker.ruling import Accepted
from sa.terms.build import TRUE
from tests.checker.plays import Node, by_solver, changed, play_of
from tests.checker.relations import is_simulation, relation_of
from tests.generators.automata import Sample, random_goal
from tests.oracle.game import Pair, decide

QUICK = range(20)
#: The seeds of 20 to 1,000, twenty at a time.
SLOW = [
    pytest.param(range(first, first + 20), marks=pytest.mark.slow if first < 40 else pytest.mark.fuzz)
    for first in range(20, 1_000, 20)
]


def accepted(sample: Sample, theta: frozenset[Pair]) -> bool:
    return isinstance(check(sample.goal, relation_of(sample.goal, theta), Limits()), Accepted)


def mutants(sample: Sample) -> list[frozenset[Pair]]:
    """θ without some pair, and with some pair that the game removed."""
    rng, theta = Random(sample.seed), sorted(sample.decision.theta)
    lost = sorted(sample.decision.rank)
    less = [frozenset(theta) - {rng.choice(theta)} for _ in range(2) if theta]
    more = [frozenset(theta) | {rng.choice(lost)} for _ in range(2) if lost]
    return [*less, *more]


@pytest.mark.parametrize("seeds", [QUICK, *SLOW], ids=str)
def test_a_relation_is_accepted_exactly_when_it_is_a_simulation(seeds: range) -> None:
    seen: Counter[bool] = Counter()
    for sample in map(random_goal, seeds):
        for theta in (sample.decision.theta, *mutants(sample)):
            expected = is_simulation(sample.goal, theta)
            assert accepted(sample, theta) is expected, sample.seed
            seen[expected] += 1
    assert seen[True] > len(seeds) / 4 and seen[False] > len(seeds) / 4


@pytest.mark.parametrize("seeds", [QUICK, *SLOW], ids=str)
def test_the_plays_of_lost_games_are_accepted(seeds: range) -> None:
    lost = [s for s in map(random_goal, seeds) if not s.decision.simulated]
    assert lost
    for sample in lost:
        play = play_of(sample.goal, sample.decision)
        assert check(sample.goal, play, Limits()) == Accepted(), sample.seed
        assert check(sample.goal, by_solver(play), Limits()) == Accepted(), sample.seed


@pytest.mark.parametrize("seeds", [QUICK, *SLOW], ids=str)
def test_an_answer_left_out_is_missed(seeds: range) -> None:
    tried = 0
    for sample in map(random_goal, seeds):
        if not sample.decision.simulated:
            touched: list[Position] = []

            def shorten(node: Node, touched: list[Position] = touched) -> Node:
                """Leave out one answer that ends where ι holds."""
                if not isinstance(node, Position) or not isinstance(node.move, Step):
                    return node
                lasting = [i for i, r in enumerate(node.move.replies) if isinstance(r.then, Position)]
                if not lasting:
                    return node
                touched.append(node)
                replies = tuple(r for i, r in enumerate(node.move.replies) if i != lasting[0])
                return replace(node, move=replace(node.move, replies=replies))

            cut = changed(play_of(sample.goal, sample.decision), shorten)
            if touched:
                assert not isinstance(check(sample.goal, cut, Limits()), Accepted), sample.seed
                tried += 1
    assert tried


@pytest.mark.parametrize("seeds", [QUICK, *SLOW], ids=str)
def test_evidence_about_a_goal_changed_a_little_counts_only_where_it_is_true(seeds: range) -> None:
    """The abstract side loses an edge, or its environment may do anything, and with that the verdict changes."""
    wrong = 0
    for sample in map(random_goal, seeds):
        abstract = sample.goal.abstract
        weaker = [replace(abstract, edges=abstract.edges[:i] + abstract.edges[i + 1 :]) for i in range(3)]
        wilder = replace(abstract, locations=tuple(replace(q, env=TRUE) for q in abstract.locations))
        for other in (*weaker, wilder):
            changed_goal = replace(sample.goal, abstract=other)
            decision = decide(changed_goal)
            if decision.simulated is sample.decision.simulated:
                continue
            evidence = (
                relation_of(changed_goal, decision.theta) if decision.simulated else play_of(changed_goal, decision)
            )
            wrong += 1
            assert not isinstance(check(sample.goal, evidence, Limits()), Accepted), sample.seed
    assert wrong
