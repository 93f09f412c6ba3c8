"""Intervals thread by thread: counters are control, so numbers that grow in loops that count keep their bounds."""

from __future__ import annotations

from random import Random

import pytest

from sa.automata.automaton import FAIL, Automaton
from sa.automata.program import Program
from sa.automata.rename import apart
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.ruling import Accepted
from sa.invariants.interval_lemmas import by_intervals
from sa.invariants.intervals import intervals_of, iteration_of
from sa.invariants.own_points import POINTS
from sa.question.asked import Asked, Open
from tests.generators.counting import random_program as sections
from tests.generators.growing import growing_program
from tests.generators.programs import random_program
from tests.invariants.judge import distance, random_question
from tests.language.texts import program_of

CHAIN = """
    global v : int[{n}] = 1;
    thread Last {{ local k : int = 0; while (k < 2) {{ v[{n} - 1] := v[{n} - 1] + 1; k := k + 1; }} }}
    thread T[i : 1..{n} - 2] {{ local k : int = 0; while (k < 2) {{ v[i] := v[i] + v[i + 1]; k := k + 1; }} }}
    thread Main {{ local k : int = 0; while (k < 2) {{ v[0] := v[0] + v[1]; k := k + 1; }} assert v[0] <= {most}; }}
"""
ROWS = """
    global a : 0..3[6]; global s : int[6] = 0;
    thread Row[i : 0..1] { local acc, j : int = 0;
        while (j < 2) { acc := acc + a[i * 2 + j]; s[i * 2 + j] := acc + s[i * 2 + 2 + j]; j := j + 1; } }
    thread Last { local acc, j : int = 0; while (j < 2) { acc := acc + a[4 + j]; s[4 + j] := acc; j := j + 1; } }
    invariant sums : s[0] <= 9 && s[3] <= 12;
"""
PROVED = {
    "a chain in which each adds what the next one has": CHAIN.format(n=4, most=31),
    "a long chain": CHAIN.format(n=12, most=8191),
    "elements whose index is a counter": ROWS,
    "a claim about several threads": "global x, y : int = 0; thread A { x := 1; x := 3; } thread B { y := x + 1; }"
    "invariant together : 0 <= x + y && x + y <= 7;",
    "a test of what only the thread itself writes": "global x : int = 0;"
    "thread A { while (x < 1000000) { x := x + 3; } assert x <= 1000002; } thread B { await x > 5; }",
    "a thread that waits for what never comes": "global x : 0..3 = 0; global y : int = 0;"
    "thread A { await x > 5; y := 1; } thread B { x := 3; } invariant never : y == 0;",
    "what is written under a lock, by as many as there are": "global m : 0..5 = 0; global in : int = 0;"
    "thread T[i : 1..5] { local k : int = 0; while (k < 3) { atomic { await m == 0; m := i; }"
    "in := in + 1; assert in == 1; in := in - 1; m := 0; k := k + 1; } }",
    "what was written before a flag was set": "global x, f : int = 0;"
    "thread A { x := 5; f := 1; } thread B { await f == 1; assert x == 5; }",
    "what a thread wrote that has ended": "global x, done : int = 0;"
    "thread A { x := 1; x := 3; done := 1; } thread B { await done == 1; assert x == 3; x := 4; assert x == 4; }",
    "updates that are lost, where all write more than nothing": "global x : int = 0;"
    "thread T[i : 0..1] { local t : int = 0; t := x; x := t + 1; t := x; x := t + 1; assert x > 0; }",
    "a flag that follows from data is control": "global y : int = 0;"
    "thread A { local b : bool = false; local n : int = 0; havoc n; b := n > 3; if (b) { y := 2; } }"
    "thread B { y := 1; } invariant small : y <= 2;",
    "what is written under a lock whose value does not say by whom": "global m, in : int = 0;"
    "thread T[i : 1..4] { local k, t : int = 0; while (k < 3) { t := 1; while (t != 0) { atomic { t := m; m := 1; } }"
    "in := in + 1; assert in == 1; in := in - 1; m := 0; k := k + 1; } }",
    "what only one may write while others wait, by a count of readers": "global w, x : int = 0;"
    "thread R[i : 1..2] { await w >= 0 { w := w + 1; } assert x == 0; w := w - 1; }"
    "thread W[i : 1..2] { await w == 0 { w := -1; } x := i; x := 0; w := 0; }",
    "what a semaphore of one guards": "global left : int = 1; global in : int = 0;"
    "thread T[i : 1..3] { await left > 0 { left := left - 1; } in := in + 1; assert in == 1; in := 0;"
    "left := left + 1; }",
    "as many at work as there are permits": "global left : int = 2; global busy : int = 0;"
    "thread T[i : 1..4] { local k : int = 0; while (k < 3) { await left > 0 { left := left - 1; } busy := busy + 1;"
    "assert busy <= 2; busy := busy - 1; left := left + 1; k := k + 1; } }",
    "what threads add up in loops that count": "global x : int = 0; global ended : 0..1[3] = 0;"
    "thread T[i : 0..2] { local k : int = 0; while (k < 4) { x := x + 3; k := k + 1; } ended[i] := 1; }"
    "thread Main { await ended[0] == 1; await ended[1] == 1; await ended[2] == 1; assert x == 36; }",
    "a lock that is a truth value": "global m : bool = false; global in : int = 0;"
    "thread T[i : 1..3] { await !m { m := true; } in := in + 1; assert in == 1; in := in - 1; m := false; }",
    "what holds when all who hold a lock have ended": "global m, in : int = 0; global ended : 0..1[2] = 0;"
    "thread T[i : 0..1] { await m == 0 { m := 1; } in := in + 1; in := in - 1; m := 0; ended[i] := 1; }"
    "thread Main { await ended[0] == 1; await ended[1] == 1; assert in == 0; }",
}


def excluded(threads: tuple[Automaton, ...], bads: tuple[Bad, ...]) -> tuple[Bad, ...]:
    """What is excluded; the checker accepts all of it."""
    done = list[Bad]()
    for found in by_intervals(Asked(threads, bads, ()), Budget(Limits()), unheard):
        if isinstance(found, Open):
            continue
        assert isinstance(found.evidence, Lemmas)
        assert check_lemmas(found.evidence, Limits()) == Accepted()
        done += found.bads
    return tuple(done)


def bads(program: Program) -> tuple[Bad, ...]:
    """What is claimed, as something bad."""
    return (Bad(Failing(), None), *(Bad(None, i.formula) for i in program.invariants))


@pytest.mark.parametrize("name", PROVED)
def test_intervals_settle(name: str) -> None:
    program = program_of(PROVED[name])
    assert excluded(program.threads, bads(program)) == bads(program)


@pytest.mark.parametrize("name", list(PROVED)[:2])
def test_bounds_are_the_least_ones(name: str) -> None:
    text = PROVED[name]
    program = program_of(text.replace("<= 31", "<= 30").replace("<= 8191", "<= 8190"))
    assert not excluded(program.threads, bads(program))


WRONG = {
    "a lock that one thread does not take": "global m : 0..2 = 0; global in : int = 0;"
    "thread A { atomic { await m == 0; m := 1; } in := in + 1; assert in == 1; in := in - 1; m := 0; }"
    "thread B { in := 1; }",
    "a flag that is set too early": "global x, f : int = 0;"
    "thread A { f := 1; x := 5; } thread B { await f == 1; assert x == 5; }",
    "a flag that is set again": "global x, f : int = 0;"
    "thread A { x := 5; f := 1; x := 6; f := 1; } thread B { await f == 1; assert x == 5; }",
    "a lock that another thread lets go": "global m : 0..2 = 0; global in : int = 0;"
    "thread T[i : 1..2] { atomic { await m == 0; m := i; } in := in + 1; assert in == 1; in := in - 1; m := 0; }"
    "thread C { m := 0; }",
    "a semaphore of two": "global left : int = 2; global in : int = 0;"
    "thread T[i : 1..3] { await left > 0 { left := left - 1; } in := in + 1; assert in == 1; in := 0;"
    "left := left + 1; }",
    "a writer that does not wait for readers": "global w, x : int = 0;"
    "thread R[i : 1..2] { await w >= 0 { w := w + 1; } assert x == 0; w := w - 1; }"
    "thread W { await w >= 0 { w := -1; } x := 1; x := 0; w := 0; }",
    "more permits than may be at work": "global left : int = 3; global busy : int = 0;"
    "thread T[i : 1..4] { await left > 0 { left := left - 1; } busy := busy + 1; assert busy <= 2; busy := busy - 1;"
    "left := left + 1; }",
    "a sum before the last one has ended": "global x : int = 0; global ended : 0..1[2] = 0;"
    "thread T[i : 0..1] { local k : int = 0; while (k < 4) { x := x + 3; k := k + 1; } ended[i] := 1; }"
    "thread Main { await ended[0] == 1; assert x == 24; }",
    "a sum that one of them takes back": "global x : int = 0; global ended : 0..1[2] = 0;"
    "thread T[i : 0..1] { local k : int = 0; while (k < 4) { x := x + 3; k := k + 1; } if (x < 14) { x := x - 1; }"
    "ended[i] := 1; } thread Main { await ended[0] == 1; await ended[1] == 1; assert x == 24; }",
    "a lock that is let go twice": "global m, in : int = 0;"
    "thread T[i : 1..3] { await m == 0 { m := 1; } in := in + 1; assert in == 1; in := in - 1; m := 0; m := 0; }",
}


@pytest.mark.parametrize("name", WRONG)
def test_intervals_do_not_settle(name: str) -> None:
    program = program_of(WRONG[name])
    assert not excluded(program.threads, bads(program))


def test_a_counter_without_a_bound_is_no_control() -> None:
    text = "global x : int = 0; thread A { local k : int = 0; while (true) { k := k + 1; x := 1; } } thread B { skip; }"
    known = intervals_of(iteration_of([apart(t) for t in program_of(text).threads], Limits()), Limits())
    assert len(known.points[0]) < POINTS
    assert dict(known.common)[known.owners[0].thread.variables[0].var] == (0, 1)


def test_what_two_threads_write_is_no_variable_of_either() -> None:
    text = "global x : int = 0; thread A { x := 1; assert x == 1; } thread B { x := 2; }"
    assert not excluded(program_of(text).threads, (Bad(Failing(), None),))


def check(seed: int, number: int) -> bool:
    """Ask about a random program whose integers have no bounds, which the judge gives some. Whether it is excluded."""
    confined, bad = random_question(seed, number)
    threads = program_of(random_program(seed, number)).threads
    asked = bad
    if bad.failing is not None and bad.failing.edge is not None:
        (same,) = (
            t.edges[c.edges.index(bad.failing.edge)]
            for t, c in zip(threads, confined, strict=True)
            if c.name == bad.failing.thread
        )
        asked = Bad(Failing(bad.failing.thread, same), bad.claim)
    found = bool(excluded(threads, (asked,)))
    assert not found or distance(confined, bad) is None
    return found


@pytest.mark.parametrize("seed", range(50))
def test_what_is_excluded_never_happens(seed: int) -> None:
    check(seed, 2)


def check_sections(seed: int) -> tuple[int, int]:
    """How much is excluded, and how much cannot be, of what is bad about sections that a word guards."""
    threads = program_of(sections(Random(seed))).threads
    asked = tuple(
        Bad(Failing(t.name, e), None)
        for t in threads
        for e in t.edges
        if e.label is not None and e.label.action == FAIL
    )
    done = excluded(threads, asked)
    assert all(distance(threads, bad) is None for bad in done), seed
    return len(done), len(asked) - len(done)


def test_sections_that_exclude_each_other_are_told_from_others() -> None:
    """Of some programs; both occur."""
    assert min(map(sum, zip(*map(check_sections, range(24)), strict=True))) > 8


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(10))
def test_sections_that_exclude_each_other_are_told_from_others_in_thousands(block: int) -> None:
    for seed in range(1_000 + 300 * block, 1_300 + 300 * block):
        check_sections(seed)


@pytest.mark.parametrize("seed", range(40))
def test_evidence_about_numbers_that_grow_is_accepted(seed: int) -> None:
    program = program_of(growing_program(Random(seed)))
    excluded(program.threads, bads(program))


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(20))
def test_what_is_excluded_never_happens_in_many_programs(block: int) -> None:
    found = sum(check(seed, 2 + seed % 2) for seed in range(1_000 + 150 * block, 1_150 + 150 * block))
    assert found
