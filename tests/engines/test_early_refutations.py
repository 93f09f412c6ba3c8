"""Broken programs are refuted by short runs, before proofs are looked for at length: each beside its correct twin."""

from __future__ import annotations

import pytest

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine
from tests.endtoend.asking import read

#: Two slots with flags, used in turn. The reader that gives its slot back before it has read it is the broken one.
QUEUE = """
global q : seq<0..15, 2> = {};
thread Send { local x : 0..15 = 0; while (true) { havoc x; @send(x) send(q, x); } }
thread Receive { local y : 0..15 = 0; while (true) { @got(first(q)) y := receive(q); } }
"""
SLOTS = """
global slot : 0..15[2] = 0;
global full : bool[2] = false;
thread Send {{
  local x : 0..15 = 0;
  local k : 0..1 = 0;
  while (true) {{ havoc x; await !full[k]; slot[k] := x; @send(x) full[k] := true; k := 1 - k; }}
}}
thread Receive {{
  local y : 0..15 = 0;
  local k : 0..1 = 0;
  while (true) {{ await full[k]; {read} k := 1 - k; }}
}}
"""
IN_TIME = SLOTS.format(read="y := slot[k]; @got(y) full[k] := false;")
TOO_LATE = SLOTS.format(read="full[k] := false; @got(slot[k]) y := slot[k];")

#: A lock of tickets for any number of threads; the broken one reads the next ticket and writes it back in two steps.
COUNTED = """
global total, number : int = 0;
thread Add[i : *] {
  local d : int = 0;
  while (true) { havoc d; @added(d) atomic { total := total + d; number := number + 1; } }
}
thread Look { local a, b : int = 0; while (true) { atomic { a := total; b := number; } @seen(a, b) skip; } }
"""
TICKETS = """
global next, serving, sum, made : int = 0;
thread Add[i : *] {{
  local d, t, me : int = 0;
  while (true) {{
    havoc d;
    {take}
    await serving == me;
    t := sum;
    sum := t + d;
    @added(d) made := made + 1;
    serving := serving + 1;
  }}
}}
thread Look {{
  local a, b, me : int = 0;
  while (true) {{
    me := fetch_add(next, 1);
    await serving == me;
    a := sum;
    b := made;
    serving := serving + 1;
    @seen(a, b) skip;
  }}
}}
"""
AT_ONCE = TICKETS.format(take="me := fetch_add(next, 1);")
IN_TWO_STEPS = TICKETS.format(take="me := next; next := me + 1;")


def _asked(abstract: str, concrete: str) -> Outcome:
    return refine(*read(abstract, concrete), Options(limits(None, None)))


@pytest.mark.parametrize(("abstract", "broken"), [(QUEUE, TOO_LATE), (COUNTED, IN_TWO_STEPS)], ids=["slots", "tickets"])
def test_what_a_short_run_shows_is_refuted_with_little_work(abstract: str, broken: str) -> None:
    outcome = _asked(abstract, broken)
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.units < 12_000_000


@pytest.mark.slow
def test_the_slots_that_are_read_in_time_are_a_queue() -> None:
    assert _asked(QUEUE, IN_TIME).verdict is Verdict.PROVED


@pytest.mark.fuzz
def test_tickets_that_are_taken_at_once_are_not_refuted() -> None:
    assert refine(*read(COUNTED, AT_ONCE), Options(limits(60.0, None))).verdict is not Verdict.REFUTED
