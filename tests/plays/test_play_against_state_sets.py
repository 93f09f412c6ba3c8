"""Concrete runs that no abstract run matches, whatever values it chooses: found, accepted, and true by enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

import pytest

from sa.automata.trace import Configuration, Move
from sa.base.limits import Limits
from sa.base.source import Source
from sa.certificates.goal import Goal, iota_of
from sa.certificates.play import Play, Position
from sa.checker.check import Accepted, check
from sa.language.elaborate import program
from sa.plays.play_against_state_sets import Chooser, outrun
from sa.question.goals import goals
from sa.smt.session import Session
from sa.terms.evaluate import holds
from tests.generators.automata import random_goal
from tests.oracle.explicit import Explicit, State, component_steps
from tests.oracle.explicit import Step as OracleStep
from tests.oracle.game import board, is_related, openings
from tests.oracle.inclusion import escape
from tests.plays.guesses import goal_of, refuted_by_guess


def accepted(goal: Goal, play: Play) -> bool:
    return isinstance(check(goal, play, Limits()), Accepted)


REFUTED = {
    "a value that was never chosen": (
        "local k, j : int = 0; while (*) { havoc k; j := 2 * k; } @out(j) skip;",
        "@out(3) skip;",
    ),
    "two values that are chosen together": (
        "local k, j, i : int = 0; while (*) { havoc k; atomic { j := k; i := k + 1; } } @out(j, i) skip;",
        "local k : int = 0; havoc k; @out(k, k) skip;",
    ),
    "a choice that a shared variable has shown": (
        "local k : int = 0; while (*) { havoc k; } x := k; while (*) { skip; } @out(k) skip;",
        "local k : int = 0; havoc k; x := k; @out(k + 1) skip;",
    ),
    "a number that only grows": (
        "local k : int = 0; while (*) { k := k + 1; } @out(k) skip; while (*) { k := k + 1; } @out(k) skip;",
        "@out(3) skip; @out(2) skip;",
    ),
    "a loop with a bound that nobody knows, which adds up what it counts": (
        "local i, n, a, b : int = 0; havoc n; while (i < n) { a := a + i; b := b + a; i := i + 1; } @out(a, b) skip;",
        "@out(1, 2) skip;",
    ),
    "multiples of a number that nobody knows": (
        "local i, n, a, s : int = 0; havoc n; havoc a; while (i < n) { s := s + a; i := i + 1; } @out(n, a, s) skip;",
        "@out(2, 3, 7) skip;",
    ),
    "a sum down from a number that nobody knows": (
        "local k, s : int = 0; havoc k; assume k >= 0; while (k > 0) { s := s + k; k := k - 1; } @out(s) skip;",
        "@out(2) skip;",
    ),
    "numbers that grow together": (
        "local k, j : int = 0; while (*) { atomic { k := k + 2; j := j + 3; } } @out(k, j) skip;",
        "@out(4, 9) skip;",
    ),
}


@pytest.mark.parametrize("name", REFUTED)
def test_a_run_that_infinitely_many_choices_do_not_match_is_found_and_accepted(name: str) -> None:
    goal = goal_of(*REFUTED[name])
    play = refuted_by_guess(goal)
    assert isinstance(play, Position) and accepted(goal, play)


def test_parameters_stay_what_they_are_while_a_step_is_answered() -> None:
    abstract = (
        "local k, s : int = 0; while (*) { havoc k; atomic { x := x - k; y := y + k; } } s := x + y; @sum(s) skip;"
    )
    concrete = "local k, s : int = 0; havoc k; x := x - k; s := x + y; @sum(s) skip; y := y + k;"
    shared = "param A, B : int; global {0} : int = A; global {1} : int = B;"
    first = program(Source("abs.sa", shared.format("x", "y") + f"thread T {{ {abstract} }}"))
    renamed = concrete.replace("x", "cx").replace("y", "cy")
    second = program(Source("conc.sa", shared.format("cx", "cy") + f"thread T {{ {renamed} }}"))
    (goal,) = goals(first, second, None, whole=True)
    play = refuted_by_guess(goal)
    assert isinstance(play, Position) and accepted(goal, play)


def test_a_torn_read_is_found_beside_threads_that_count_for_ever() -> None:
    abstract = "global v : int = 0; thread W { while (true) { v := v + 1; } }" + "".join(
        f"thread R{i} {{ local a : int; while (true) {{ a := v; @see{i}(a, a) skip; }} }}" for i in (1, 2)
    )
    concrete = "global x, y : int = 0; thread W { while (true) { x := x + 1; y := y + 1; } }" + "".join(
        f"thread R{i} {{ local a, b : int; while (true) {{ a := x; b := y; @see{i}(a, b) skip; }} }}" for i in (1, 2)
    )
    first, second = program(Source("abs.sa", abstract)), program(Source("conc.sa", concrete))
    (goal,) = goals(first, second, None, whole=True)
    play = refuted_by_guess(goal)
    assert isinstance(play, Position) and accepted(goal, play)


def test_a_sum_that_never_changes_is_known_of_abstract_states_however_many_there_are() -> None:
    moving = "thread S {{ while (true) {{ atomic {{ {0}, {1} := {1}, {0}; }} }} }}" + (
        "thread T {{ local k : int; while (true) {{ havoc k; atomic {{"
        "if (k < {0}) {{ {0}, {1} := {0} + k, {1} - k; }} }} }} }}"
    )
    abstract = f"global a, b : int = 0; {moving.format('a', 'b')}"
    abstract += "thread O { local s : int; while (true) { s := a + b; @s(s) skip; } }"
    concrete = f"global p, q : int = 0; {moving.format('p', 'q')}"
    concrete += "thread O { local s : int; while (true) { s := p; s := s + q; @s(s) skip; } }"
    first, second = program(Source("abs.sa", abstract)), program(Source("conc.sa", concrete))
    (goal,) = goals(first, second, None, whole=True)
    play = refuted_by_guess(goal)
    assert isinstance(play, Position) and accepted(goal, play)


PROVED = {
    "any value": ("local k : int = 0; while (*) { havoc k; } @out(k) skip;", "@out(3) skip;"),
    "a value of a loop": ("local k : int = 0; while (*) { k := k + 3; } @out(k) skip;", "@out(9) skip;"),
    "a large value": ("local k : int = 0; havoc k; @out(k) skip;", "@out(1000003) skip;"),
}


@pytest.mark.parametrize("name", PROVED)
def test_no_run_is_found_where_some_choice_matches(name: str) -> None:
    assert refuted_by_guess(goal_of(*PROVED[name])) is None


def configuration(side: Explicit, state: State) -> Configuration:
    return Configuration(state.location, dict(zip(side.order, state.row, strict=True)))


def move_of(side: Explicit, step: OracleStep) -> Move:
    picked = dict(zip((c.var for c in step.edge.choices), step.choices, strict=True))
    return Move(step.edge, picked, configuration(side, step.after))


def runs(goal: Goal) -> Iterator[tuple[Configuration, Configuration, tuple[Move, ...]]]:
    """The run that escapes by enumeration, from each pair of related initial states that has its concrete one."""
    found = escape(goal, related=True)
    if found is None:
        return

    b = board(goal)

    moves = tuple(move_of(b.concrete, step) for step in found.steps)
    for partner in openings(b)[found.start]:
        pair = configuration(b.concrete, found.start), configuration(b.abstract, partner)
        if holds(iota_of(goal), {**pair[0].values, **pair[1].values}):
            yield *pair, moves


def along(first: Configuration, moves: Sequence[Move]) -> Chooser:
    """The next step of a run, whatever the abstract state."""
    states = (first, *(m.after for m in moves))
    return lambda here, location, against: (m for before, m in zip(states, moves, strict=False) if before == here)


def compared(seeds: range) -> tuple[int, int]:
    """How many runs that escape were found to, and how many there were. All plays must be accepted."""
    found = tried = 0
    found_goals = (s.goal for s in map(random_goal, seeds) if s.goal.closed and not s.decision.simulated)
    for goal in (g for g in found_goals if not g.choose_init):
        for first, second, moves in islice(runs(goal), 2):
            play = outrun(goal, Session(Limits()), first, second, along(first, moves))
            tried += 1
            if play is not None:
                assert accepted(goal, play)
                found += 1
    return found, tried


def test_runs_that_escape_by_enumeration_are_found() -> None:
    found, tried = compared(range(50))
    assert found == tried > 0


@pytest.mark.fuzz
def test_many_runs_that_escape_by_enumeration_are_found() -> None:
    found, tried = compared(range(500, 6000))
    assert found == tried > 300


def walk(goal: Goal, random: Random, length: int) -> tuple[Configuration, Configuration, tuple[Move, ...]] | None:
    """Steps at random from initial states that are related."""
    b, moves = board(goal), list[Move]()
    pairs = [(s1, s2) for s1, partners in openings(b).items() for s2 in partners if is_related(b, (s1, s2))]
    if not pairs:
        return None
    first, second = random.choice(sorted(pairs))
    here = first
    while len(moves) < length and (steps := component_steps(b.concrete, here)):
        moves.append(move_of(b.concrete, step := random.choice(steps)))
        here = step.after
    return configuration(b.concrete, first), configuration(b.abstract, second), tuple(moves)


def unmatched(seeds: range, length: int) -> int:
    """How many runs were tried of goals that hold by enumeration; none may be found to have no abstract one."""
    tried = 0
    for seed in seeds:
        sample = random_goal(seed)
        if sample.goal.closed and sample.decision.simulated and not sample.goal.choose_init:
            run = walk(sample.goal, Random(seed), length)
            if run is not None:
                tried += 1
                first, second, moves = run
                assert outrun(sample.goal, Session(Limits()), first, second, along(first, moves)) is None
    return tried


def test_runs_of_goals_that_hold_by_enumeration_are_matched() -> None:
    assert unmatched(range(40), 6) > 1


@pytest.mark.fuzz
def test_many_runs_of_goals_that_hold_by_enumeration_are_matched() -> None:
    assert unmatched(range(200, 6000), 15) > 300
