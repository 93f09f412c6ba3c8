"""Runs at random that no abstract run matches: found where the shortest is long, accepted, and true by enumeration."""

from __future__ import annotations

from random import Random

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, limits
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.checker.check import Accepted, check
from sa.explicit.instantiate import arrays, at_random, picks
from sa.explicit.live_variables import everything
from sa.explicit.machine import machine
from sa.question.asked import GoalAsked
from sa.refinement.random_runs import by_trials
from sa.terms import build
from sa.terms.sort import INT, ArraySort
from tests.refinement.escaping import compared, goal_of, length


def refuted(goal: Goal, runs: int = 1_000, seed: int = 0) -> Play | None:
    """The play of so many runs."""
    try:
        found = next(by_trials(runs, GoalAsked(goal), Budget(limits(60.0, None), seed), unheard), None)
    except LimitReached:
        return None
    return None if found is None else found.evidence


#: The values that are given decide how often the loop runs, and only where it runs three times is there a difference.
COUNTED = """
thread T {{
  local n, m, k, c : int = 0;
  havoc n; havoc m; @given(n, m) skip;
  while (k < n) {{ if (k < m) {{ c := c + 1; }} else {{ c := 0; }} k := k + 1; }}
  @end(if c > {most} then 1 else 0) skip;
}}
"""


def test_a_play_that_goes_three_times_around_a_loop_is_found_and_accepted() -> None:
    goal = goal_of(COUNTED.format(most=1), COUNTED.format(most=2))
    play = refuted(goal)
    assert play is not None and isinstance(check(goal, play, limits(60.0, None)), Accepted)
    assert refuted(goal_of(COUNTED.format(most=2), COUNTED.format(most=2)), runs=300) is None


def test_a_play_is_short_where_there_are_short_ones() -> None:
    walk = "thread T {{ while (*) {{ x := x + 1; @now(x) skip; }} @end({shown}) skip; }}"
    play = refuted(goal_of(walk.format(shown="x"), walk.format(shown="x + 1")))
    assert play is not None and length(play) <= 3


def test_what_an_action_shows_says_what_is_chosen_however_many_values_there_are() -> None:
    """No list of values contains this one."""
    chosen = "thread T { local k : 0..999999999 = 0; atomic { havoc k; @a(2 * k + 1) skip; } }"
    abstract = goal_of(chosen, "thread T { @a(3) skip; }").abstract
    m = machine(abstract, (0, 1), everything(abstract))
    here = m.looks(m.number_of[abstract.initial], (0,) * len(m.order))
    seen = m.showing(here, ("a", ("int",), (424_243,)))
    assert [s.picked for s in seen.strides] == [(212_121,)] and not seen.open
    for other in (("a", ("int",), (424_242,)), ("a", ("bool",), (True,)), ("b", ("int",), (424_243,))):
        assert not m.showing(here, other).strides


def test_arrays_at_random_are_others_than_those_that_are_tried_everywhere() -> None:
    goal = goal_of("thread T { skip; }", "thread T { local a : int[*]; havoc a; @shown(a[1], a[2]) skip; }")
    (array,) = (v for v in goal.concrete.variables if isinstance(v.var.sort, ArraySort))
    how, dice = picks(build.TRUE, (), (array,), (-1, 0, 1)), Random(1)
    found = {row[0] for _ in range(50) if (row := at_random(how, (), dice)) is not None}
    assert len(found - set(arrays(ArraySort(INT, INT)))) > 10


def _asked(goal: Goal, seed: int) -> Play | None:
    return refuted(goal, runs=400, seed=seed)


def test_what_is_found_is_a_refutation_and_what_escapes_is_mostly_found() -> None:
    counts = compared(range(60), _asked)
    assert counts["escapes, found"] > 3
    assert counts["escapes, not found"] <= counts["escapes, found"] // 4


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_of_many_goals_what_escapes_is_mostly_found(part: int) -> None:
    counts = compared(range(3000 + 500 * part, 3500 + 500 * part), _asked)
    assert counts["escapes, not found"] <= counts["escapes, found"] // 10
