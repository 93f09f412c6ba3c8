"""Closed goals refuted among concrete states: a play wherever the oracle knows of one, and never a wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge
from sa.base.limits import LimitReached, Limits, limits
from sa.certificates.goal import Goal
from sa.certificates.play import Exhausted, Play, Position, Step, following
from sa.checker.check import Accepted, check
from sa.checker.ruling import Rejected
from sa.question.goals import goals
from sa.terms import build
from sa.terms.term import Term
from sa.values.guessed_moves import Guess
from sa.values.search import _game, _starts, search
from sa.values.search_bounds import Closed, Sought
from tests.endtoend.asking import read
from tests.generators.automata import Sample, random_goal
from tests.oracle.game import Ending
from tests.oracle.replay import judge

SPECS = Path(__file__).parents[2] / "specs" / "closed"
GENEROUS = 200_000

abs_x = build.variable("abs.x")


def _closed(number: int) -> Iterator[Sample]:
    """So many random closed goals in which Spoiler chooses the initial states, with their answers."""
    samples = (random_goal(seed) for seed in count())
    return islice((s for s in samples if s.goal.closed and not s.goal.choose_init), number)


def _asked(abstract: str, concrete: str) -> Goal:
    return goals(*read(abstract, concrete), whole=True)[0]


def _of_spec(name: str) -> Goal:
    there = SPECS / name
    return _asked((there / "abs.sa").read_text(), (there / "conc.sa").read_text())


def _refuted(goal: Goal, budget: int = GENEROUS) -> Play | None:
    found = search(goal, limits(60.0, None), Sought(budget))
    return None if isinstance(found, Closed) else found


def _is_right(goal: Goal, play: Play) -> bool:
    accepted = isinstance(check(goal, play, limits(60.0, None)), Accepted)
    return accepted and judge(goal, play).fault is None


def test_answers_that_were_cut_short_are_not_all() -> None:
    """Abstract threads that count silently have answers without an end: the limit of time ends the search for them."""
    goal = _asked(
        "global n : int = 0; thread T { while (*) { n := n + 1; } assume n < 0; @a skip; }",
        "thread T { @a skip; }",
    )
    with pytest.raises(LimitReached):
        search(goal, limits(0.5, None), Sought(10**9, states=10**9))
    game = _game(goal, (), Sought(10**9, states=10**9), limits(0.0, None))
    concrete, abstract = next(states for _, states in _starts(game) if states is not None)
    stride = game.concrete.steps(concrete).strides[0]
    ends = game.following.first(abstract, stride.action, stride.after)
    with pytest.raises(LimitReached):
        ends.at(0)
    assert ends.at(0) is None and ends.partial


def _assert_like_the_oracle(samples: Iterator[Sample]) -> None:
    played = total = 0
    for sample in samples:
        play = _refuted(sample.goal)
        total += 1
        # Initial states that are uncovered or break ι at once are found elsewhere; a play may be there all the same.
        if play is not None:
            assert not sample.decision.simulated, f"a play for what is simulated, seed {sample.seed}"
            assert _is_right(sample.goal, play), f"a wrong play, seed {sample.seed}"
            played += 1
        else:
            assert sample.decision.ending is not Ending.LOST, f"no play, seed {sample.seed}"
    assert total / 5 < played < total, "the goals hold and fail"


def test_on_finite_goals_there_is_a_play_where_the_oracle_sees_a_loss() -> None:
    _assert_like_the_oracle(_closed(40))


@pytest.mark.fuzz
@pytest.mark.parametrize("number", [600])
def test_on_hundreds_of_finite_goals_there_is_a_play_where_the_oracle_sees_a_loss(number: int) -> None:
    _assert_like_the_oracle(_closed(number))


@pytest.mark.parametrize("name", ["gcd/broken-environment", "gcd/broken-stale-read", "strength-reduction/broken-step"])
def test_programs_with_loops_over_integers_are_refuted(name: str) -> None:
    goal = _of_spec(name)
    play = _refuted(goal)
    assert play is not None
    assert _is_right(goal, play)


def test_what_holds_is_not_refuted() -> None:
    assert _refuted(_of_spec("gcd"), 20_000) is None
    assert _refuted(_of_spec("invariant-hoisting"), 20_000) is None


def _without_bounds(automaton: Automaton) -> Automaton:
    def widened(edge: Edge) -> Edge:
        return replace(edge, choices=tuple(replace(c, low=None, high=None) for c in edge.choices))

    return replace(automaton, edges=tuple(widened(e) for e in automaton.edges))


def test_with_abstract_choices_among_all_integers_no_play_is_wrong() -> None:
    """The finite goals with the ranges of abstract choices taken away; the checker asks the solver for the rest."""
    played = 0
    for sample in (s for s in _closed(60) if "abstract choices" in s.tags):
        goal = replace(sample.goal, abstract=_without_bounds(sample.goal.abstract))
        play = _refuted(goal)
        if play is not None:
            played += 1
            assert isinstance(check(goal, play, limits(60.0, None)), Accepted), f"a wrong play, seed {sample.seed}"
    assert played


ANY = "global x : int = 0; thread T { havoc x; @seen(x) skip; }"


def test_a_havoc_that_may_answer_with_a_value_never_tried_refutes_nothing() -> None:
    """No constant of the programs is near 123456789, which x becomes by arithmetic."""
    concrete = "global x : int = 0; thread T { x := 123456 * 1000 + 789; @seen(x) skip; }"
    assert _refuted(_asked(ANY, concrete)) is None


def test_a_havoc_behind_a_false_guard_is_no_answer() -> None:
    abstract = "global x : int = 0; thread T { if (x > 0) { havoc x; } }"
    play = _refuted(_asked(abstract, "global x : int = 0; thread T { x := 1; }"))
    assert isinstance(play, Position)


def test_a_havoc_that_its_guard_determines_is_one_answer_and_the_solver_excludes_others() -> None:
    abstract = "global x : int = 0; thread T { atomic { havoc x; assume x == 2; } }"
    goal = _asked(abstract, "global x : int = 0; thread T { x := 1; }")
    play = _refuted(goal)
    assert isinstance(play, Position) and isinstance(play.move, Step)
    assert play.move.exhausted is Exhausted.SOLVER
    assert isinstance(check(goal, play, limits(60.0, None)), Accepted)


def test_silent_steps_without_end_are_not_taken_for_all_answers() -> None:
    """The abstract counter may take any number of silent steps before it shows what it has counted."""
    abstract = "global x : int = 0; thread T { local n : int = 0; while (*) { n := n + 1; } @seen(n) skip; }"
    concrete = "global x : int = 0; thread T { @seen(100000) skip; }"
    assert _refuted(_asked(abstract, concrete)) is None


STEPS = "global x : int = 0; thread T { x := 1; x := 2; x := 3; }"


def test_the_shortest_play_is_found_first() -> None:
    """A wrong value at once and another one later: one step is enough."""
    play = _refuted(_asked(STEPS, "global x : int = 0; thread T { x := 7; x := 8; }"))
    assert isinstance(play, Position) and isinstance(play.move, Step)
    assert not any(isinstance(reply.then, Position) for reply in play.move.replies)


def test_simple_initial_values_come_first() -> None:
    abstract = "global x, y : int; init x > 0; thread T { x := y; }"
    play = _refuted(_asked(abstract, "global x, y : int; init x > 0; thread T { x := y + 1; }"))
    assert isinstance(play, Position)
    assert sorted(set(play.concrete.values.values())) == [0, 1]


def test_a_budget_ends_the_search_and_more_of_it_finds_the_play() -> None:
    goal = _of_spec("gcd/broken-environment")
    assert _refuted(goal, 100) is None
    assert _refuted(goal, 10_000) is not None


def test_the_same_question_gets_the_same_play() -> None:
    goal = _of_spec("gcd/broken-environment")
    assert _refuted(goal) == _refuted(goal)


def test_variables_that_do_not_matter_have_their_simplest_values() -> None:
    """The copies are written before they are read."""
    play = _refuted(_of_spec("gcd/broken-environment"))
    assert isinstance(play, Position)
    named = {v.name: x for v, x in play.concrete.values.items()}
    assert (named["conc.T1.x1"], named["conc.T1.x2"]) == (0, 0)


def test_time_that_is_up_is_no_answer() -> None:
    with pytest.raises(LimitReached):
        search(_of_spec("gcd"), Limits(deadline=0.0), Sought(GENEROUS))


def test_where_the_environment_moves_or_duplicator_chooses_the_start_there_is_nothing_to_look_at() -> None:
    goal = _of_spec("gcd/broken-environment")
    assert _refuted(replace(goal, closed=False)) is None
    assert _refuted(replace(goal, choose_init=True)) is None


def test_silent_loops_that_only_count_up_have_finitely_many_answers_that_matter() -> None:
    """The abstract x never shrinks, so answers in which it is too large are left out."""
    goal = _of_spec("lost-update")
    play = _refuted(goal)
    assert play is not None
    assert isinstance(check(goal, play, limits(60.0, None)), Accepted)
    assert isinstance(play, Position) and isinstance(play.move, Step)
    assert {b.location for b in play.move.beyond} == {q.name for q in goal.abstract.locations}


COUNTING = """
global x : int = 0;
thread T1 { while (true) { x := x + 1; } }
thread T2 { while (true) { x := x STEP; } }
"""


def test_a_number_that_may_come_back_leaves_no_answers_out() -> None:
    """With a thread that counts down the abstract x reaches every value: the concrete copy is simulated."""
    abstract = COUNTING.replace("STEP", "- 1")
    concrete = "global x : int = 0; thread T1 { x := 5; } thread T2 { x := -3; }"
    assert _refuted(_asked(abstract, f"{concrete} refinement r {{ relate x; silent exit; }}")) is None


@pytest.mark.parametrize("spoilt", [build.TRUE, build.le(abs_x, build.ZERO), build.le(build.ZERO, abs_x)])
def test_states_beyond_that_may_be_left_or_are_related_are_noticed(spoilt: Term) -> None:
    goal = _of_spec("lost-update")
    play = _refuted(goal)
    assert isinstance(play, Position) and isinstance(play.move, Step)
    for one in play.move.beyond:
        beyond = tuple(replace(b, states=spoilt) if b == one else b for b in play.move.beyond)
        ruling = check(goal, replace(play, move=replace(play.move, beyond=beyond)), limits(60.0, None))
        assert isinstance(ruling, Rejected)
        assert ruling.obligation == "beyond"


#: What is written before the loop is anything; from the loop on the number only grows.
FED = """
global data : int = 7; global valid : bool = false;
thread Feed { data := 3; valid := true; while (true) { data := data + 1; } }
thread Use { while (true) { if (valid) { @use(data) skip; } } }
"""


def test_a_number_that_only_grows_from_a_location_on_leaves_answers_out_there() -> None:
    goal = _asked(FED, FED.replace("@use(data)", "@use(data - 1)"))
    play = _refuted(goal)
    assert isinstance(play, Position)
    assert isinstance(check(goal, play, limits(60.0, None)), Accepted)
    reached: list[Position] = [play]
    for position in reached:
        reached.extend(then for then in following(position) if isinstance(then, Position))
    steps = [p.move for p in reached if isinstance(p.move, Step) and p.move.beyond]
    places = {q.name for q in goal.abstract.locations}
    assert steps and all({b.location for b in step.beyond} < places for step in steps)


def test_states_that_steps_leave_are_not_beyond_at_a_location_that_leads_to_others() -> None:
    """What is beyond at some locations only is rejected where a step leads out of them, and so is a location twice."""
    goal = _of_spec("lost-update")
    play = _refuted(goal)
    assert isinstance(play, Position) and isinstance(play.move, Step)
    beyond = play.move.beyond
    for spoilt in (*(tuple(b for b in beyond if b != left) for left in beyond), (*beyond, beyond[0])):
        ruling = check(goal, replace(play, move=replace(play.move, beyond=spoilt)), limits(60.0, None))
        assert isinstance(ruling, Rejected)


#: One counter against two whose sum it is: the abstract side may count silently without end, but not past the sum.
COUNTED = """
global n : int = 0;
thread A { while (true) { n := n + 1; } }
thread R { local lo, s : int = 0;
  while (true) { lo := n; atomic { havoc s; assume lo <= s && s <= n; @sum(s) skip; } } }
"""
SPLIT = """
global c, d : int = 0;
thread A { while (true) { c := c + 1; d := d + 1; } }
thread R { local p, q : int = 0; p := c; while (true) { q := d; @sum(p + q) skip; } }
refinement r { abstract "abs.sa"; concrete "conc.sa"; relate abs.n == conc.c + conc.d; }
"""


def test_what_is_past_a_sum_of_concrete_numbers_is_left_out() -> None:
    goal = _asked(COUNTED, SPLIT)
    play = _refuted(goal)
    assert play is not None and _is_right(goal, play)


def test_what_may_come_back_is_not_past() -> None:
    back = COUNTED.replace("n := n + 1;", "n := n + 1; if (*) { n := n - 3; }")
    assert _refuted(_asked(back, SPLIT), 20_000) is None


#: While the lock is held the numbers need not be equal. Two numbers that count together are counted apart.
TOGETHER = """
global m, n : int = 0;
thread A { while (true) { atomic { m := m + 1; n := n + 1; } } }
thread B { while (true) { skip; } }
"""
APART = """
global l, x, y : int = 0;
thread A { while (true) { lock(l); x := x + 1; BETWEEN y := y + 1; unlock(l); } }
thread B { while (true) { lock(l); unlock(l); } }
refinement r { abstract "abs.sa"; concrete "conc.sa"; relate conc.l == 0 ==> conc.x == abs.m && conc.y == abs.n; }
"""


def test_a_number_that_is_equal_under_a_condition_leaves_answers_out_where_it_holds() -> None:
    """Where the lock is free between the two, no number of silent rounds makes both sides equal."""
    goal = _asked(TOGETHER, APART.replace("BETWEEN", "unlock(l); lock(l);"))
    # While the lock is held everything is an answer, so the steps that win are told, and not each answer.
    assert isinstance(search(goal, Limits(), Sought(GENEROUS)), Guess)
    assert not isinstance(search(_asked(TOGETHER, APART.replace("BETWEEN", "")), Limits(), Sought(2_000)), Guess)
