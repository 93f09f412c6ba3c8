"""Searches through all states: nothing that can happen is missed, whatever is left out of states and of steps."""

from __future__ import annotations

from typing import NoReturn

import pytest

from sa.automata.automaton import Kind, Variable
from sa.automata.program import Program
from sa.base.limits import LimitReached, Limits, limits
from sa.certificates.packed import HAS_NUMPY
from sa.certificates.run import Bad, Failing
from sa.explicit.instantiate import extensions, picks
from sa.explicit.search import Effort, Search, search
from sa.explicit.system import system
from sa.terms import build
from tests.explicit.judging import LEVELS, PLAIN, REDUCED, REDUCED_LEVELS, compared, searched
from tests.generators.arrayed import arrayed
from tests.language.texts import program_of

ANY = Bad(Failing(), None)


def both(text: str | Program) -> tuple[Search, Search]:
    """The plain and the reduced search about failures and claims; by levels they find the same."""
    program = program_of(text) if isinstance(text, str) else text
    bads = (ANY, *(Bad(None, i.formula) for i in program.invariants))
    plain, reduced = (searched(program.threads, bads, effort) for effort in (PLAIN, REDUCED))
    for found, effort in ((plain, LEVELS), (reduced, REDUCED_LEVELS)):
        same = searched(program.threads, bads, effort)
        assert set(same.bad) == set(found.bad)
        assert not found.complete or len(same.reached) == len(found.reached)
    return plain, reduced


def complete(text: str) -> bool:
    """Whether a search about failures knows that it has seen everything."""
    return search(system(program_of(text).threads, (ANY,)), Effort(1_000, 16, reduced=False), Limits()).complete


def test_a_search_knows_when_it_has_seen_everything() -> None:
    assert complete("global x : 0..9; thread A { while (true) { havoc x; assert x < 10; } }")
    assert not complete("global x : int; thread A { assert x == x * x * x || x > 1 || x < -1; }")
    assert not complete("global x : int = 0; thread A { havoc x; assert x != 1000; }")
    assert not complete("global x : int = 0; thread A { while (x >= 0) { x := x + 1; } assert false; }")
    assert not complete("function f(int) : int; global x : int = 0; thread A { x := f(x); assert x == 0; }")


def test_choosing_values_of_a_step_keeps_to_the_time() -> None:
    """Some steps choose among very many values, and a search takes few of them."""
    x, y = (Variable(build.variable(name), Kind.LOCAL) for name in "xy")
    how = picks(build.le(build.ZERO, build.add(x.var, y.var)), (), (x, y), range(100))
    assert len(extensions(how, (), 50_000)[0]) > 1_000
    with pytest.raises(LimitReached):
        extensions(how, (), 50_000, limits(0.0, None))


def test_what_does_not_matter_is_no_part_of_a_state() -> None:
    assert complete("global x : int; thread A { skip; }")
    assert complete("global x : int = 0; thread A { while (true) { x := x + 1; } }")
    assert complete("function f(int) : int; global x : int = 0; thread A { x := f(x); }")
    plain, _ = both("global x : 0..9 = 0; thread A { local t : 0..9; havoc t; x := 1; assert x == 1; }")
    assert len(plain.reached) < 10


def test_values_without_a_range_need_not_be_small() -> None:
    text = "global x : int = 1; thread A { local k : 0..80 = 0; while (k < 80) { x := 2 * x; k := k + 1; } }"
    plain, _ = both(text + "invariant positive : x > 0;")
    assert plain.complete
    assert len(plain.reached) > 80


def test_where_there_are_too_many_initial_states_a_search_looks_at_a_few_and_goes_on() -> None:
    """As in a heap whose cells hold anything at first; what is wrong comes after all of them were written."""
    cells = "abcdefgh"
    writes = " ".join(f"{c} := 1;" for c in cells)
    text = f"""global {", ".join(cells)} : 0..9; global done : 0..1 = 0;
      thread A {{ {writes} done := 1; }} thread B {{ await done == 1; assert %s; }}"""
    for total, wrong in ((9, {0}), (8, set[int]())):
        claim = f"{' + '.join(cells)} == {total}"
        found = search(system(program_of(text % claim).threads, (ANY,)), Effort(1_000, 16, reduced=False), Limits())
        assert set(found.bad) == wrong
        assert not found.complete


def test_a_beam_finds_what_is_far_and_never_claims_to_have_seen_everything() -> None:
    """Each round chooses a value, and no two choices lead to the same state; the other thread may move for ever."""
    text = """global total : int = 0; thread A { while (true) { skip; } }
    thread B { local k : 0..20 = 0; local v : int;
               while (k < 20) { havoc v; total := 3 * total + v; k := k + 1; } assert total % 3 != 1; }"""
    s = system(program_of(text).threads, (ANY,))
    assert not search(s, Effort(2_000, 16, reduced=True), Limits()).bad
    assert search(s, Effort(20_000, 4, reduced=True, beam=20), Limits()).bad
    never = system(program_of(text.replace("!= 1", "!= 7")).threads, (ANY,))
    found = search(never, Effort(20_000, 4, reduced=True, beam=20), Limits())
    assert not found.bad
    assert not found.complete


@pytest.mark.parametrize(("total", "bad"), [(3, set[int]()), (4, {0})])
def test_arrays_are_values_like_others(total: int, bad: set[int]) -> None:
    text = f"""global arraya : int; init arraya == all(0);
    thread A {{ arraya := put(arraya, 1, 1); arraya := put(arraya, 2, 2);
                assert get(arraya, 1) + get(arraya, 2) == {total}; }}
    thread B {{ arraya := put(arraya, 5, 7); }}"""
    for found in both(arrayed(text)):
        assert set(found.bad) == bad


def test_steps_of_threads_that_do_not_meet_are_not_interleaved() -> None:
    text = "thread T{0} {{ local t : 0..9 = 0; t := t + 1; t := 2 * t; t := t + 1; assert t == 3; }}\n"
    plain, reduced = both("".join(text.format(i) for i in range(3)))
    assert len(reduced.reached) * 5 < len(plain.reached)


#: Threads, one of which could keep the others waiting for something that they do, or that a claim sees.
TRAPS = {
    "a silent loop": ("thread A { while (true) { skip; } } thread B { x := 1; assert x == 0; }", {0}),
    "a loop over a local": (
        "thread A { local t : 0..1 = 0; while (true) { t := 1 - t; } } thread B { assert x == 1; }",
        {0},
    ),
    "a thread that is stuck": ("thread A { local t : 0..1 = 0; assume t == 1; } thread B { assert false; }", {0}),
    "locations of two threads": (
        "thread A { skip; L: skip; } thread B { skip; M: skip; } invariant apart : !(at A.L && at B.M);",
        {1},
    ),
    "a location of another thread": (
        "thread A { local t : 0..1 = 0; t := 1; t := 0; } thread B { skip; M: skip; } invariant i : !(at B.M);",
        {1},
    ),
    "a value in between": (
        "thread A { x := 1; x := 2; } thread B { skip; M: skip; } invariant i : !(x == 1 && at B.M);",
        {1},
    ),
}


@pytest.mark.parametrize("name", TRAPS)
def test_a_reduction_does_not_lose_what_others_do(name: str) -> None:
    text, bad = TRAPS[name]
    for found in both("global x : 0..2 = 0; " + text):
        assert set(found.bad) == bad


def test_searches_agree_with_enumeration() -> None:
    counts = compared(range(10))
    assert min(counts["proved"], counts["refuted"]) > 1
    assert counts["reduced states"] < 0.8 * counts["states"]
    assert counts["by levels"] > 9 or not HAS_NUMPY


@pytest.mark.skipif(not HAS_NUMPY, reason="numpy is not installed")
def test_searches_agree_with_enumeration_where_steps_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from sa.terms.columns import NoColumns

    def nothing(*_: object) -> NoReturn:
        raise NoColumns

    monkeypatch.setattr("sa.explicit.columns.over_columns", nothing)
    monkeypatch.setattr("sa.checker.states_by_columns.over_columns", nothing)
    compared(range(40, 45))


@pytest.mark.fuzz
def test_many_searches_agree_with_enumeration() -> None:
    counts = compared(range(1_000, 4_000))
    assert min(counts["proved"], counts["refuted"]) > 1_000
