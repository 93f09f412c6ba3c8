"""Numbers that take few values: what is found contains all that they take, and is control."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import pytest

from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.explicit.search import Effort as States
from sa.explicit.search import search
from sa.explicit.system import system
from sa.explicit.transition_system import whole
from sa.hybrid.engine import by_counters
from sa.hybrid.value_sets import guessed, with_few
from sa.terms.term import Var
from tests.hybrid.test_engine import judged
from tests.language.texts import program_of

#: Any positive numbers go through a ring of three places, under a lock.
RING = """
global l, head, tail, full : int = 0;
global a, b, c : int = 0;
thread P { local v : int = 0; while (true) {
  havoc v; assume v > 0; await l == 0 && full != 3 { l := 1; }
  if (tail == 0) { a := v; } else if (tail == 1) { b := v; } else { c := v; }
  tail := (tail + 1) % 3; await full != 3 { full := full + 1; } l := 0; } }
thread C { local w : int = 1; while (true) {
  await l == 0 && full != 0 { l := 1; }
  if (head == 0) { w := a; } else if (head == 1) { w := b; } else { w := c; }
  head := (head + 1) % 3; await full != 0 { full := full - 1; } l := 0; } }
invariant positive : C.w > 0;
"""


def ranges(text: str) -> dict[str, tuple[int | None, int | None]]:
    w = with_few(whole(program_of(text).threads, Bad(None, None)))
    return {str(v.var.name): (v.low, v.high) for v in w.variables}


def answer(text: str) -> str:
    """What `counters` says of the claim, after the checker has accepted it."""
    program = program_of(text)
    bad = Bad(None, program.invariants[0].formula)
    return judged(program.threads, bad, by_counters)


def test_places_in_a_ring_and_how_full_it_is_take_few_values() -> None:
    found = ranges(RING)
    assert (found["head"], found["tail"], found["full"]) == ((0, 2), (0, 2), (0, 3))
    assert found["a"] == (None, None)


def test_what_grows_for_ever_or_has_no_first_value_has_no_range() -> None:
    text = "global x, n : int = 0; global y : int; thread T { while (true) { n := n + 1; y := x; x := 1 - x; } }"
    assert ranges(text) == {"x": (0, 1), "n": (None, None), "y": (None, None)}


def test_any_positive_numbers_go_through_a_ring() -> None:
    assert answer(RING) == "proved"
    assert answer(RING.replace("full != 0 {", "full != 1 {")) == "refuted"


#: How full a buffer is is tested a step before it changes, under a lock. What went in is there, or went out.
MONITOR = """
global l, n, put, taken : int = 0; global buf : int[2] = 0;
thread P {{ local v : int = 0; while (true) {{ havoc v; lock(l);
  if (n < {room}) {{ buf[n] := v; put := put + v; n := n + 1; }} unlock(l); }} }}
thread C {{ local v : int = 0; while (true) {{ lock(l);
  if (n > 0) {{ n := n - 1; v := buf[n]; buf[n] := 0; taken := taken + v; }} unlock(l); }} }}
invariant balance : l == 0 ==> put - taken == buf[0] + buf[1];
"""


def test_what_was_tested_steps_before_limits_a_number_that_counts() -> None:
    assert "n" not in {name for name, (low, _) in ranges(MONITOR.format(room=2)).items() if low is not None}
    assert answer(MONITOR.format(room=2)) == "proved"
    assert answer(MONITOR.format(room=2).replace("taken + v", "taken + 1")) != "proved"


def test_a_number_that_goes_beyond_its_limits_is_data_and_others_stay_control() -> None:
    text = """global n, x, sum : int = 0; thread T { while (true) { n := n + 1;
      if (x < 2) { x := x + 1; sum := sum + 1; } else { x := 0; sum := sum - 2; } } }
      invariant low : !(x > 2) && !(n < 0);"""
    found = guessed(whole(program_of(text).threads, Bad(None, None)))
    assert {str(v.name): limits for v, limits in found.items()} == dict.fromkeys(("n", "x", "sum"), (-1, 14))
    assert answer(text) == "proved"
    # It is no reason to believe that it stays within them.
    assert answer(text.replace("!(n < 0)", "n < 14")) != "proved"


def test_without_such_numbers_nothing_is_tried() -> None:
    text = "global n : int; init n >= 0; thread T { while (true) { n := n + 1; } } invariant up : n >= 0;"
    assert answer(text) == "open"


def _random(seed: int) -> str:
    """Threads that count up to limits, go round, copy, and pass on what they choose."""
    rng = Random(seed)
    steps = (
        "await x < 3 { x := x + 1; }",
        "await x != 0 { x := x - 1; }",
        "y := (y + 1) % 3;",
        "y := x;",
        "if (x == y) { d := 1; } else { x := 0; }",
        "d := e;",
        "e := d;",
        "havoc e; assume e >= 0;",
        "await y == 1 { d := -d; }",
        "await d > 0 { x := 2 - x; }",
        "m := y;",
        "if (m > 1) { y := 0; }",
        "if (z < 2) { z := z + 1; d := z; }",
        "if (z > 0) { z := z - 1; }",
    )
    bodies = (" ".join(rng.choice(steps) for _ in range(rng.randint(3, 6))) for _ in range(2))
    threads = " ".join(f"thread T{n} {{ local m : int = 0; while (*) {{ {body} }} }}" for n, body in enumerate(bodies))
    claims = (
        "x < 3",
        "x < 2",
        "y < 2",
        "y + x < 4",
        "d >= 0",
        "d < 2",
        "x != 2 || d == 0",
        "e + x >= 0",
        "T1.m <= x",
        "z < 4",
    )
    claim = rng.choice(claims)
    return f"global x, y, z, d, e : int = 0; {threads} invariant claim : {claim};"


def _agree(seeds: Iterable[int]) -> Counter[str]:
    """Answers by kind. Enumeration over some values finds no run to what is proved, and no value outside of a range."""
    counts = Counter[str]()
    for seed in seeds:
        text = _random(seed)
        program = program_of(text)
        bad = Bad(None, program.invariants[0].formula)
        found = answer(text)
        counts[found] += 1
        w = with_few(whole(program.threads, bad))
        known = {v.var: v for v in w.variables if v.low is not None}
        assert (
            found != "proved"
            or not search(system(program.threads, (bad,)), States(5_000, 16, reduced=False), Limits()).bad
        ), seed
        for v in known:
            assert _stays(text, v, known[v].low, known[v].high), (seed, v.name)
    return counts


def _stays(text: str, var: Var, low: int | None, high: int | None) -> bool:
    """Whether enumeration finds no state in which a variable is outside of a range."""
    claim = f"{low} <= {var.name} && {var.name} <= {high}"
    program = program_of(f"{text[: text.index('invariant')]} invariant range : {claim};")
    bad = Bad(None, program.invariants[0].formula)
    return not search(system(program.threads, (bad,)), States(5_000, 16, reduced=False), Limits()).bad


def test_random_programs_have_the_answers_that_enumeration_does_not_contradict() -> None:
    counts = _agree(range(5))
    assert min(counts["proved"], counts["refuted"]) > 0


@pytest.mark.fuzz
def test_many_random_programs_have_the_answers_that_enumeration_does_not_contradict() -> None:
    """It takes some eight minutes."""
    counts = _agree(range(100, 700))
    assert min(counts["proved"], counts["refuted"]) > 60
