"""Sums of numbers and locations that steps keep in balance: what is found holds in every state that is reached."""

from __future__ import annotations

import pytest

from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.explicit.search import Effort, search
from sa.explicit.system import system
from sa.invariants.constants import constants
from sa.invariants.place_invariants import Guess, equations
from sa.terms.build import variable
from sa.terms.printer import show
from tests.generators.programs import random_program
from tests.language.texts import program_of


def found(text: str) -> tuple[str, ...]:
    return tuple(show(e) for e in equations([apart(t) for t in program_of(text).threads]))


def test_what_a_semaphore_lacks_is_held_at_locations() -> None:
    text = (
        "param K : int; global s : int = K; thread T { while (true) { await s > 0 { s := s - 1; } IN: s := s + 1; } }"
    )
    assert found(text) == ("(if at T.IN then 1 else 0) + s == K",)


def test_numbers_that_grow_in_step_are_in_balance() -> None:
    text = "global x, y : int = 0; thread A { while (true) { atomic { x := x + 2; y := y - 1; } } }"
    assert found(text) == ("x + 2 * y == 0",)


@pytest.mark.parametrize(("last", "said"), [(4294967295, ("(if at T.IN then -1 else 0) + s == 0",)), (2, ())])
def test_a_number_that_goes_around_is_counted_as_if_it_did_not(last: int, said: tuple[str, ...]) -> None:
    """Of few values nobody knows which way they went."""
    text = f"""
        global s : 0..{last} = 0;
        thread T {{ while (true) {{
          s := if s < {last} then s + 1 else s - {last}; IN: s := if 0 < s then s - 1 else s + {last};
        }} }}
    """
    assert found(text) == said


def test_steps_that_fail_are_in_nobody_s_way() -> None:
    """They all lead to one location, from places that weigh differently; there the sums are only guesses."""
    text = """
        global m, n : 0..1 = 0;
        thread T { while (true) { m := m + 1; A: n := n + 1; B: n := n - 1; C: m := m - 1; } }
    """
    said = found(text)
    assert any("n ==" in e and "m" not in e for e in said) and any("m ==" in e and "n ==" not in e for e in said)


def test_what_nobody_knows_must_cancel_out() -> None:
    text = """
        global x, y, z : int = 0; global n : int;
        thread A { while (true) { atomic { x := x + n; y := y + n; } } }
        thread B { while (true) { z := z + n; } }
    """
    assert found(text) == ("x == y",)


def test_a_flag_that_one_thread_sets_and_clears_says_where_the_thread_is() -> None:
    text = "global f : bool = false; thread A { while (true) { f := true; IN: f := false; } } thread B { await f; }"
    assert found(text) == ("(if at A.IN then -1 else 0) + (if f then 1 else 0) == 0",)


def test_what_is_moved_from_one_number_to_another_is_on_its_way_in_between() -> None:
    text = "global a, b : int = 0; thread T { local x : int; while (true) { havoc x; a := a - x; IN: b := b + x; } }"
    assert found(text) == ("(if at T.IN then T.x else 0) + a + b == 0",)


def test_what_others_may_change_on_the_way_is_in_no_balance() -> None:
    text = "global a, b, x : int = 0; thread T { a := a - x; IN: b := b + x; }"
    assert found(text + " thread U { skip; }")
    assert not [e for e in found(text + " thread U { while (true) { havoc x; } }") if "b" in e]


def test_a_compare_and_swap_adds_where_it_does_something() -> None:
    text = (
        "global s, n : int = 0; thread T { local r : int = 0; local ok : bool = false;"
        " while (true) { r := s; atomic { ok := cas(s, r, r + 1); if (ok) { n := n + 1; } } } } thread U { s := s; }"
    )
    assert any("n == s" in e or "s == n" in e for e in found(text)), found(text)


def test_flags_of_a_handshake_are_supposed_to_change() -> None:
    text = """
        global req, ack : bool = false;
        thread C { while (true) { req := true; await ack; ack := false; } }
        thread S { while (true) { await req; req := false; WORK: ack := true; } }
    """
    threads = [apart(t) for t in program_of(text).threads]
    assert not tuple(equations(threads))
    assert len(tuple(equations(threads, Guess.CHANGED))) == 1


def test_a_number_that_is_set_where_its_value_is_not_known_is_in_no_balance() -> None:
    assert not found("global x : int = 0; thread A { x := 1; } thread B { while (true) { x := 0; } }")


def test_constants_are_joined_where_ways_meet() -> None:
    program = program_of("thread A { local a, b : int = 0; if (*) { a := 1; b := 2; } else { b := 2; } L: skip; }")
    (thread,) = program.threads
    known = constants(thread, frozenset(v.var for v in thread.variables))
    assert known["L"] == {variable("b"): 2}


@pytest.mark.parametrize("seed", range(40))
def test_sums_are_in_balance_in_every_state(seed: int) -> None:
    program = program_of(random_program(seed, threads=2))
    made = tuple(equations([apart(t) for t in program.threads]))
    if not made:
        return
    bads = [Bad(None, e) for e in made]
    result = search(system(program.threads, bads), Effort(20_000, 16, reduced=False), Limits())
    assert not result.bad
