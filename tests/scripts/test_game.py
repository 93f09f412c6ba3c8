"""The tiny semantics, by its smallest cases, and the weak simulation game against the oracle's."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Kind
from sa.certificates.goal import Goal, iota_of
from tests.generators.automata import random_goal
from tests.oracle import explicit as oracle
from tests.oracle.formula import predicate
from tests.oracle.game import decide
from tests.scripts.finite import Explicit, composition, explicit, mask_of, pairwise_compatible, product
from tests.scripts.game import greatest, standard
from tests.scripts.generating import saturated
from tests.scripts.sampling import TINY, Shape, automaton, threads
from tests.scripts.writing import thread, written


def test_an_automaton_is_read_as_it_was_written() -> None:
    rng = Random(0)
    for a in (automaton(rng, Shape()) for _ in range(200)):
        assert thread(written(a)) == a


def test_the_frame_keeps_the_other_threads_local() -> None:
    sets, idle = thread("1x2; init 0; 0 t 0: 0>1"), thread("1x2x2; init 0.1")
    with_frame, without = (explicit(product(sets, idle, frame)) for frame in (True, False))
    assert with_frame.component == (0b0100, 0b1000, 0, 0)
    assert without.component == (0b1100, 0b1100, 0, 0)


def test_composition_is_associative() -> None:
    rng = Random(1)
    for _ in range(200):
        a, b, c = threads(rng, 3, TINY)
        left, right = composition([a, b, c]), product(a, product(b, c))
        assert (left.init, left.inv, left.env) == (right.init, right.inv, right.env)
        assert explicit(left).steps == explicit(right).steps


def test_saturated_automata_are_compatible_and_a_missing_environment_step_is_noticed() -> None:
    rng = Random(2)
    assert all(pairwise_compatible(saturated(threads(rng, 3, TINY))) for _ in range(200))
    sets, idle = thread("1x2; init 0; 0 t 0: 0>1"), thread("1x2; init 0")
    assert not pairwise_compatible([sets, idle])
    assert pairwise_compatible([sets, thread("1x2; init 0; env 0>1")])
    assert not pairwise_compatible([sets, thread("1x2; init 0; inv 0: 0; env 0>1")])


def translated(x: oracle.Explicit, labels: dict[oracle.Action, int]) -> tuple[Explicit, dict[oracle.State, int]]:
    """The oracle's automaton as masks; its states are numbered so that valuations need no further number."""
    number = {s: i for i, s in enumerate(oracle.all_states(x))}
    steps = [[0] * len(number) for _ in labels]
    env = [0] * len(number)
    for s, i in number.items():
        env[i] = mask_of(number[t] for t in oracle.environment_steps(x, s))
        for step in oracle.component_steps(x, s):
            if step.action in labels:
                steps[labels[step.action]][i] |= 1 << number[step.after]
    init = mask_of(number[s] for s in oracle.initial_states(x))
    inv = (1 << len(number)) - 1
    return Explicit(len(number), init, inv, tuple(map(tuple, steps)), tuple(env)), number


def agrees(goal: Goal) -> bool:
    """Whether the pairs that the oracle kept are those of the game here, among all that the oracle looked at."""
    decision = decide(goal)
    one, two = oracle.explicit(goal.concrete), oracle.explicit(goal.abstract)
    every = [(x, s) for x in (one, two) for s in oracle.all_states(x)]
    actions = {step.action for x, s in every for step in oracle.component_steps(x, s)} - {None}
    labels: dict[oracle.Action, int] = {None: 0, **{a: i for i, a in enumerate(sorted(actions, key=str), 1)}}
    (x1, number1), (x2, number2) = translated(one, labels), translated(two, labels)
    iota = predicate(iota_of(goal), (*one.order, *two.order))
    rows = tuple(mask_of(j for t, j in number2.items() if iota(s.row + t.row)) for s in number1)
    theta = greatest(x1, x2, rows, standard(x1, x2))
    judged = {*decision.theta, *decision.rank}
    return all(((theta[number1[s]] >> number2[t] & 1) == 1) == ((s, t) in decision.theta) for s, t in judged)


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 400), marks=pytest.mark.fuzz)])
def test_the_game_agrees_with_the_oracle(seeds: range) -> None:
    # An open goal of the oracle asks for the matching of environments besides; parameters agree there by fiat.
    goals = [replace(random_goal(seed).goal, closed=True) for seed in seeds]
    plain = [g for g in goals if not any(v.kind is Kind.PARAM for v in g.concrete.variables)]
    assert [g.name for g in plain if not agrees(g)] == []
