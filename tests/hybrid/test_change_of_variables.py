"""Remainders and differences as variables of their own: the same steps in other words, and what they settle."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.certificates.run import Bad
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import COORDINATES
from sa.engines.verify import Options, verify
from sa.explicit.transition_system import Whole, whole
from sa.hybrid.change_of_variables import Coordinates, coordinates
from sa.hybrid.engine import by_coordinates
from sa.hybrid.exploring import EQUALITIES
from sa.question.asked import Asked
from sa.terms.evaluate import evaluate
from sa.terms.sort import Value
from sa.terms.term import Var
from tests.language.texts import program_of

RING = """
global buf : int[3] = 0; global head, tail : int = 0;
thread P {{ local n : int = 0;
  while (true) {{ await tail - head < {room}; buf[tail % 3] := n; n := n + 1; tail := tail + 1; }} }}
thread C {{ local m, got : int = 0;
  while (true) {{ await head < tail; got := buf[head % 3]; assert got == m; m := m + 1; head := head + 1; }} }}
"""

PLACES = """
global buf : int[3] = 0; global h, t, count, l : int = 0;
thread P {{ local x : int = 0;
  while (true) {{ await l == 0 && count < {room} {{ l := 1; }} buf[t] := x; x := x + 1;
    t := (t + 1) % 3; count := count + 1; l := 0; }} }}
thread C {{ local y, z : int = 0;
  while (true) {{ await l == 0 && count > 0 {{ l := 2; }} z := buf[h]; h := (h + 1) % 3; count := count - 1; l := 0;
    assert z == y; y := y + 1; }} }}
"""

TICKETS = """
global next, serving, inside : int = 0;
thread T[i : 1..3] {{ local mine : int = 0;
  while (true) {{ mine := fetch_add(next, 1); while (serving < {last}) {{ skip; }}
    inside := inside + 1; assert inside == 1; inside := inside - 1; serving := serving + 1; }} }}
"""

ARRAY_LOCK = """
global slot : bool[4] = {{true, false, false, false}}; global next, inside : int = 0;
thread T[i : 1..3] {{ local mine : int = 0;
  while (true) {{ mine := fetch_add(next, 1); await slot[mine % 4]; {take}
    inside := inside + 1; assert inside == 1; inside := inside - 1; slot[(mine + 1) % 4] := true; }} }}
"""

RACE = """
global a, b : int = 0;
thread A {{ while (true) {{ a := a + 1; }} }}
thread B {{ while (true) {{ if (b < a) {{ b := b + {step}; }} }} }}
invariant less : b <= a;
"""

#: Numbers that wrap around after the last one of their range, written as cases.
AROUND = """
global buf : int[4] = 0; global head, tail : 0..{last} = 0;
thread P {{ local n : int = 0; local t : 0..{last} = 0;
  while (true) {{ t := tail; await (if head <= t then t - head else t - head + {last} + 1) < {room}; n := n + 1;
    buf[t % 4] := n; tail := if t < {last} then t + 1 else 0; }} }}
thread C {{ local m : int = 0; local h : 0..{last} = 0;
  while (true) {{ h := head; await tail != h; assert buf[h % 4] == m + 1; m := m + 1;
    head := if h < {last} then h + 1 else 0; }} }}
"""

AROUND_TICKETS = """
global next, serving : 0..{last} = 0; global inside : int = 0;
thread T[i : 1..3] {{ local mine : 0..{last} = 0;
  while (true) {{ atomic {{ mine := next; next := if next < {last} then next + 1 else 0; }} await serving == mine;
    inside := inside + 1; assert inside == 1; inside := inside - 1;
    serving := if serving < {last} then serving + {step} else {step} - 1; }} }}
"""

PROGRAMS = (
    AROUND.format(last=19, room=4),
    AROUND_TICKETS.format(last=20, step=1),
    RING.format(room=3),
    PLACES.format(room=3),
    TICKETS.format(last="mine"),
    ARRAY_LOCK.format(take="slot[mine % 4] := false;"),
    RACE.format(step=1),
    "global x, y : int; thread T { local k : int = 0; while (x - y < 3) { k := x; x := x / 2 + y; y := k % 5 - x; } }",
    "global x, y, z : int; thread T { while (x < y) { x := z; havoc z; y := x % 4; } if (z == y + 2) { z := y % 6; } }",
)


def verdicts(text: str, seconds: float | None = None) -> set[Verdict]:
    """What the engine says of all claims."""
    turns = (Turn(COORDINATES, 1.0),)
    return {f.verdict for f in verify(program_of(text), Options(limits(seconds, None), portfolio=turns)).findings}


def changed(text: str) -> Iterator[tuple[Whole, Coordinates]]:
    """A program and its other coordinates."""
    program = program_of(text)
    w = whole(program.threads, Bad(None, None))
    yield from ((w, made) for made in coordinates(w, [i.formula for i in program.invariants]))


@pytest.mark.parametrize("text", PROGRAMS, ids=range(len(PROGRAMS)))
def test_there_and_back_is_where_one_was(text: str) -> None:
    """For values of all sizes and signs."""
    random, seen = Random(text), 0
    for w, made in changed(text):
        for _ in range(50):
            old = values(w, random)
            new = moved(made, old)
            assert all(evaluate(t, new) == old[v] for v, t in made.there.items())
            seen += 1
    assert seen >= 50


@pytest.mark.parametrize("text", PROGRAMS, ids=range(len(PROGRAMS)))
def test_steps_are_the_same_in_other_words(text: str) -> None:
    """A step and the change of variables may be exchanged, and guards agree."""
    random, taken = Random(text), 0
    for w, made in changed(text):
        pairs = [
            (a, b)
            for here, there in zip(w.arcs, made.whole.arcs, strict=True)
            for one, two in zip(here, there, strict=True)
            for a, b in zip(one, two, strict=True)
        ]
        for _ in range(40):
            old = values(w, random)
            new = moved(made, old)
            for a, b in pairs:
                picked: dict[Var, Value] = {c.var: random.randint(-9, 9) for c in a.choices}
                before, now = {**old, **picked}, {**new, **picked}
                assert evaluate(a.guard, before) == evaluate(b.guard, now)
                after = {**old, **{v: evaluate(t, before) for v, t in a.updates.items()}}
                assert {**new, **{v: evaluate(t, now) for v, t in b.updates.items()}} == moved(made, after)
                taken += 1
    assert taken


def values(w: Whole, random: Random) -> dict[Var, Value]:
    ends = {v.var: (-20 if v.low is None else v.low, 20 if v.high is None else v.high) for v in w.variables}
    return {v: random.choice((low, high, *[random.randint(low, high)] * 3)) for v, (low, high) in ends.items()}


def moved(made: Coordinates, old: dict[Var, Value]) -> dict[Var, Value]:
    """The same state in other coordinates."""
    return {v.var: evaluate(made.back.get(v.var, v.var), old) for v in made.whole.variables}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (RING.format(room=3), RING.format(room=4)),
        (PLACES.format(room=3), PLACES.format(room=4)),
        (TICKETS.format(last="mine"), TICKETS.format(last="mine - 1")),
        (ARRAY_LOCK.format(take="slot[mine % 4] := false;"), ARRAY_LOCK.format(take="")),
        (AROUND.format(last=4294967295, room=4), AROUND.format(last=4294967295, room=5)),
        (AROUND_TICKETS.format(last=4294967295, step=1), AROUND_TICKETS.format(last=4294967295, step=2)),
    ],
    ids=["ring", "places", "tickets", "array lock", "ring that wraps around", "tickets that wrap around"],
)
def test_what_depends_on_places_is_proved_and_nothing_that_is_wrong(right: str, wrong: str) -> None:
    assert verdicts(right) == {Verdict.PROVED}
    found = verdicts(wrong, 5.0)
    assert Verdict.UNKNOWN in found and Verdict.REFUTED not in found


def test_a_guess_that_is_too_small_says_nothing() -> None:
    """The difference grows for ever: no point is left out, there is no answer of that kind."""
    program = program_of(RACE.format(step=1))
    bads = tuple(Bad(None, i.formula) for i in program.invariants)
    asked = Asked(program.threads, bads, ())
    assert not list(by_coordinates(EQUALITIES, asked, Budget(Limits()), unheard))
