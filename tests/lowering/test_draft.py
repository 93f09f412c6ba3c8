"""Automata made of steps between places, with no syntax behind them."""

from __future__ import annotations

from sa.automata.automaton import EXIT, FAIL, Automaton, Fault, Kind, Label, Origin, Variable
from sa.base.diagnostic import Diagnostic
from sa.base.source import Source, Span
from sa.lowering.draft import END, Draft, add_step, assemble, finish, fresh, location_names
from sa.lowering.paths import Path, Step, Wrong, assume, demand, join, written
from sa.lowering.writes import (
    Target,
    arbitrary,
    choose,
    compare_and_swap,
    exchange,
    lock,
    out_of_range,
    perform,
    unlock,
)
from sa.terms import build
from sa.terms.sort import BOOL
from sa.terms.term import Term, Var

HERE = Span(Source("made", "made"), 0, 4)
X, Y = build.variable("x"), build.variable("y")
RANGES = {X: (0, 3)}
SHARED = (Variable(X, Kind.GLOBAL, 0, 3), Variable(Y, Kind.GLOBAL))
AT_X = Target(SHARED[:1], None, HERE)


def step() -> Step:
    """A step of thread 2."""
    return Step(build.integer(2), RANGES)


def made(paths: list[Path], done: Step) -> Automaton:
    """The automaton of a thread with one step."""
    problems = list[Diagnostic]()
    draft, why = Draft(problems, done.holder), Origin(HERE, "a thread")
    start = fresh(draft)
    draft.order[start] = why
    add_step(draft, start, END, paths, done.failures, why)
    finish(draft, start, why)
    assert not problems
    return assemble(draft, "T", SHARED, start, build.TRUE, None, location_names(draft), why)


def store(value: Term) -> tuple[list[Path], Step]:
    """`x := value`."""
    one = step()
    return perform([Path()], out_of_range(SHARED[0], value, RANGES), {X: value}, HERE, one), one


def test_a_value_that_is_in_range_has_no_failing_edge() -> None:
    automaton = made(*store(build.integer(2)))
    assert [e.label for e in automaton.edges] == [None, Label(EXIT)]
    assert automaton.edges[0].updates == ((X, build.integer(2)),)


def test_a_value_that_may_leave_its_range_fails_there() -> None:
    automaton = made(*store(build.add(X, build.ONE)))
    going, failing = (e for e in automaton.edges if e.source == automaton.initial)
    assert going.guard is build.le(X, build.integer(2))
    assert failing.label == Label(FAIL) and failing.target == FAIL
    assert failing.guard is build.lnot(going.guard)
    assert failing.failure is not None and failing.failure.fault is Fault.RANGE


def test_branches_become_one_edge_with_conditional_values() -> None:
    test = build.le(Y, build.ZERO)
    branches = [(test, [written(Path(), {X: build.ONE})]), (build.lnot(test), [Path()])]
    automaton = made(join(Path(), branches), step())
    assert automaton.edges[0].updates == ((X, build.ite(test, build.ONE, X)),)


def test_writes_read_what_was_written_before() -> None:
    first = written(Path(), {Y: build.add(Y, build.ONE)})
    assert written(first, {Y: build.add(Y, build.ONE)}).store == {Y: build.add(Y, build.integer(2))}


def test_what_goes_wrong_once_is_not_reported_again() -> None:
    one, wrong = step(), Wrong(build.le(Y, build.ZERO), Fault.INDEX)
    path = demand(Path(), [wrong], HERE, one)
    assert path is not None
    assert demand(path, [wrong], HERE, one) is path
    assert [Wrong(f.condition, f.fault) for f in one.failures] == [wrong]


def test_a_way_that_assumes_what_is_false_ends() -> None:
    assert assume(Path(), build.FALSE) is None


def test_choices_of_one_step_have_different_names() -> None:
    one = step()
    path = arbitrary(arbitrary(Path(), SHARED, one), SHARED, one)
    assert len({c.var for c in path.choices}) == 4


def test_a_chosen_element_is_one_choice_for_all_elements() -> None:
    target = Target((SHARED[1], Variable(build.variable("z"), Kind.GLOBAL)), X, HERE)
    (path,) = choose(target, (), [Path()], step())
    assert len(path.choices) == 1
    chosen = path.choices[0].var
    assert path.store[Y] is build.ite(build.eq(X, build.ZERO), chosen, Y)


def test_compare_and_swap_writes_where_it_finds_what_it_expects() -> None:
    flag: Var = build.variable("ok", BOOL)
    result = Target((Variable(flag, Kind.LOCAL),), None, HERE)
    done = exchange(compare_and_swap(AT_X, build.ZERO, build.ONE), result, (), [Path()], HERE, step())
    assert done is not None
    free = build.eq(X, build.ZERO)
    assert done[0].store == {X: build.ite(free, build.ONE, X), flag: free}


def test_an_exchange_into_itself_is_none() -> None:
    assert exchange(compare_and_swap(AT_X, build.ZERO, build.ONE), AT_X, (), [Path()], HERE, step()) is None


def test_locks_hold_the_number_of_the_thread_and_are_unlocked_by_it_alone() -> None:
    one = step()
    (path,) = lock(AT_X, (), [Path()], one)
    assert path.guard is build.eq(X, build.ZERO) and path.store == {X: build.integer(2)} and not one.failures
    (path,) = unlock(AT_X, (), [Path()], one)
    assert path.store == {X: build.ZERO}
    assert [(f.condition, f.fault) for f in one.failures] == [(build.ne(X, build.integer(2)), Fault.LOCK)]
