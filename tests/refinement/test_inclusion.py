"""Short runs on few values that no abstract run matches, best first: found whatever the size of the composition."""

from __future__ import annotations

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, limits
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.checker.check import Accepted, check
from sa.explicit.joint import apart
from sa.explicit.stubborn_sets import standings, stubborn
from sa.question.asked import GoalAsked
from sa.refinement import inclusion
from sa.refinement.inclusion import by_inclusion
from tests.refinement.escaping import compared, goal_of, length


def refuted(goal: Goal, steps: int = 20_000, seed: int = 0) -> Play | None:
    """The play along a run, by so many steps."""
    try:
        found = next(by_inclusion(steps, GoalAsked(goal), Budget(limits(60.0, None), seed), unheard), None)
    except LimitReached:
        return None
    return None if found is None else found.evidence


#: A cell is read, and somebody else may write it twice, so that it looks as if nobody had, before it is taken.
TAKE = """
thread Put {{ local v : int = 0; while (true) {{ havoc v; atomic {{ assume !full; cell := v; full := true; }} }} }}
thread Take[i : 1..2] {{
  local v : int = 0;
  local ok : bool = false;
  while (true) {{ {take} @taken(v) skip; }}
}}
"""
CELL = "global cell : int = 0; global full : bool = false;"
AT_ONCE = TAKE.format(take="atomic { assume full; v := cell; full := false; }")
STALE = TAKE.format(take="assume full; v := cell; atomic { assume full; full := false; }")


def accepted(goal: Goal, play: Play | None) -> bool:
    return play is not None and isinstance(check(goal, play, limits(60.0, None)), Accepted)


def test_a_stale_value_that_three_threads_are_needed_for_is_found_and_accepted() -> None:
    goal = goal_of(AT_ONCE, STALE, CELL)
    assert accepted(goal, refuted(goal))
    assert refuted(goal_of(AT_ONCE, AT_ONCE, CELL)) is None


#: Two semaphores that are a lock each, and a buffer: which of two takers shows its value first is not the order.
BUFFER = """
thread Put {{ local x : 0..7 = 0; while (true) {{ havoc x; {put} }} }}
thread Get[i : 1..2] {{ local y : 0..7 = 0; local k : 0..1 = 0; while (true) {{ {get} }} }}
"""
QUEUE = BUFFER.format(put="@put(x) send(q, x);", get="@got(i, first(q)) y := receive(q);")
PUT = "acquire(room); buf[at_] := x; at_ := 1 - at_; @put(x) release(items);"
GET = "acquire(items); acquire(m); k := out; {read} out := 1 - out; {show} release(m); {late}"
SHOW = "@got(i, y) release(room);"
SLOTS = "global room : 0..2 = 2; global items : 0..2 = 0; global m : 0..1 = 1; "
SLOTS += "global at_, out : 0..1 = 0; global buf : 0..7[2] = 0;"


def buffer(read: str, show: str, late: str) -> Goal:
    return goal_of(
        f"global q : seq<0..7, 2> = {{}}; {QUEUE}",
        f"{SLOTS} {BUFFER.format(put=PUT, get=GET.format(read=read, show=show, late=late))}",
        "",
    )


def test_a_value_that_is_read_after_the_lock_is_found_and_told_with_sets_of_values() -> None:
    late = buffer("", "", f"y := buf[k]; {SHOW}")
    assert accepted(late, refuted(late, 60_000))


@pytest.mark.fuzz
def test_a_value_that_is_read_under_the_lock_is_no_difference() -> None:
    assert refuted(buffer("y := buf[k];", SHOW, ""), 20_000) is None


def test_a_value_that_is_missing_on_few_values_refutes_nothing() -> None:
    """Two values that are tried are not enough for the abstract side to answer; there are others."""
    concrete = "thread T { local v : int; havoc v; @a(1) skip; }"
    abstract = "thread T { local v : int; havoc v; assume v > 100 && v < 102; @a(v - 100) skip; }"
    assert refuted(goal_of(abstract, concrete)) is None


def test_steps_that_are_not_needed_are_left_out() -> None:
    walk = "thread T {{ while (*) {{ x := x + 1; @now(x) skip; }} @end({shown}) skip; }}"
    play = refuted(goal_of(walk.format(shown="x"), walk.format(shown="x + 1")))
    assert play is not None and length(play) <= 3


def test_who_waits_for_a_lock_does_not_go_with_who_holds_it() -> None:
    """What it would do with the lock conflicts with what its holder does; but the holder must give it back first."""
    section = "lock(l); x := x + 1; x := 2 * x; unlock(l);"
    goal = goal_of("thread A { skip; } thread B { skip; }", f"thread A {{ {section} }} thread B {{ {section} }}", HELD)
    threads = apart(goal.concrete)
    by_place = standings(threads, frozenset())
    inside, waiting = ([q.name for q in t.locations].index(name) for t, name in zip(threads, ("q1", "q0"), strict=True))
    standing = [by_place[0][inside], by_place[1][waiting]]
    assert stubborn(standing, [True, False]) == {0}
    assert stubborn(standing, [True, True]) == {0, 1}


HELD = "global l : int = 0; global x : int = 0;"


def test_the_threads_of_a_composition_are_those_that_it_was_made_of() -> None:
    goal = goal_of("thread A { skip; } thread B { skip; }", "thread A { x := 1; } thread B { x := 2; @b skip; }")
    first, second = apart(goal.concrete)
    assert (first.name, second.name) == ("A", "B")
    assert len(goal.concrete.locations) > len(first.locations) + len(second.locations) - 2
    assert [e.label.action for e in second.edges if e.label] == ["b", "exit"]


def _asked(goal: Goal, seed: int) -> Play | None:
    return refuted(goal, 3_000, seed)


def test_what_is_found_is_a_refutation_and_what_escapes_is_mostly_found() -> None:
    counts = compared(range(40), _asked)
    assert counts["escapes, found"] > 2
    assert counts["escapes, not found"] <= counts["escapes, found"] // 4


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(4))
def test_of_many_goals_what_escapes_is_mostly_found(part: int) -> None:
    counts = compared(range(5000 + 500 * part, 5500 + 500 * part), _asked)
    assert counts["escapes, not found"] <= counts["escapes, found"] // 10


def test_many_sets_of_abstract_states_are_work_like_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that compares each set with all that were met leaves others their part of the work."""
    get = "thread C {{ while (true) {{ atomic {{ await {0} > 0; {0} := {0} - 1; @get skip; }} }} }}"
    put = "thread P { while (true) { atomic { n := n + 1; @put skip; } } }"
    lossy = "thread P { while (true) { if (*) { atomic { c := 1; @put skip; } } else { @put skip; } } }"
    abstract, concrete = (
        f"global n : int = 0; {put} {get.format('n')}",
        f"global c : int = 0; {lossy} {get.format('c')}",
    )
    compared, is_new = [0], inclusion._is_new

    def counted(search: inclusion._Search, state: int, front: frozenset[int]) -> bool:
        compared[0] += len(search.passed.get(state, ()))
        return is_new(search, state, front)

    monkeypatch.setattr(inclusion, "_is_new", counted)
    bounds = limits(60.0, None)
    goal = GoalAsked(goal_of(abstract, concrete, ""))
    assert list(by_inclusion(20_000, goal, Budget(bounds), unheard)) == []
    assert compared[0] > 100_000 and bounds.work.done >= compared[0] / inclusion.COMPARISONS


def test_numbers_that_tests_compare_chosen_ones_with_are_tried() -> None:
    """No small number shows the difference, and many others are compared with something else."""
    other = "global z : int = 0; thread U {{ z := 9; }}"
    text = f"{other} thread T {{{{ local v : int; havoc v; @in(v) skip; if (z == 7) {{{{ skip; }}}} {{out}} }}}}"
    odd = "if (v == 41) { @out(0) skip; } else { @out(v) skip; }"
    goal = goal_of(text.format(out="@out(v) skip;"), text.format(out=odd), "")
    assert accepted(goal, refuted(goal))
    assert inclusion.compared(goal) == (41,)


def test_where_an_inequality_changes_both_sides_are_tried() -> None:
    text = "thread T {{ local v : int; havoc v; @in(v) skip; {out} }} thread U {{ skip; }}"
    goal = goal_of(text.format(out="@out skip;"), text.format(out="if (v < 60) { @out skip; } else { @no skip; }"), "")
    assert accepted(goal, refuted(goal))
    assert set(inclusion.compared(goal)) == {59, 60}


def test_ends_of_ranges_are_no_numbers_to_be_tried() -> None:
    text = "thread T { local v : 0..7; havoc v; if (v == 5) { @a skip; } if (v <= 6) { @b skip; } } thread U { skip; }"
    assert set(inclusion.compared(goal_of(text, text, ""))) == {5, 6}
