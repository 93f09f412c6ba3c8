"""What random runs suggest is related: it holds where they came, is enough for proofs, and proves nothing wrong."""

from __future__ import annotations

from sa.base.budget import Budget
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.certificates.goal import Goal
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.question.goals import goals
from sa.refinement.paired_runs import paired_states
from sa.refinement.sampled import formulas_of
from sa.refinement.sampled_relations import suggested
from sa.terms.evaluate import holds
from sa.terms.printer import show
from sa.values.search import terms_of
from tests.endtoend.asking import read

QUEUE = """
global q : seq<int, 2> = {};
thread P { local v : int; while (true) { havoc v; @put(v) send(q, v); } }
thread C { local v : int; while (true) { @get(first(q)) v := receive(q); } }
"""
RING = """
global buf : int[2];
global head, tail : int = 0;
thread P { local v : int; while (true) { havoc v; await tail - head < 2; buf[tail % 2] := v; @put(v) tail += 1; } }
thread C { local v : int; while (true) { await head < tail; v := buf[head % 2]; @get(v) head += 1; } }
"""


COUNTER = """
global n : int = 0;
thread P { while (true) { atomic { n := n + 1; @put skip; } } }
thread C { while (true) { atomic { await n > 0; n := n - 1; @get skip; } } }
"""
LOSSY = """
global c : int = 0;
thread P { while (true) { if (*) { atomic { c := c + 1; @put skip; } } else { @put skip; } } }
thread C { while (true) { atomic { await c > 0; c := c - 1; @get skip; } } }
refinement actions { relate true; }
"""


def _whole(abstract: str, concrete: str) -> Goal:
    (goal,) = goals(*read(abstract, concrete), whole=True)
    return goal


def _verdict(abstract: str, concrete: str) -> Verdict:
    return refine(*read(abstract, concrete), Options(limits(120.0, None))).verdict


def test_a_queue_is_found_in_a_ring_case_by_case() -> None:
    said = {show(f) for f in suggested(_whole(QUEUE, RING), Budget(limits(60.0, None)))}
    assert "abs.q_len + conc.head == conc.tail" in said
    assert "conc.buf[0] == abs.q[1] || conc.head % 2 != 1 || abs.q_len != 2" in said


def test_a_ring_refines_a_queue() -> None:
    assert _verdict(QUEUE, RING) is Verdict.PROVED


def test_a_ring_that_overflows_does_not() -> None:
    assert _verdict(QUEUE, RING.replace("< 2;", "< 3;")) is Verdict.REFUTED


def test_a_buffer_that_loses_some_never_has_more() -> None:
    assert [show(f) for f in suggested(_whole(COUNTER, LOSSY), Budget(limits(60.0, None)))] == ["conc.c <= abs.n"]


def test_a_buffer_that_gains_some_may_have_more() -> None:
    gains = LOSSY.replace("else { @put skip; }", "else { c := c + 1; }")
    assert suggested(_whole(COUNTER, gains), Budget(limits(60.0, None))) == ()


def test_a_buffer_with_one_place_that_is_overwritten_never_has_more() -> None:
    assert _verdict(COUNTER, LOSSY.replace("c := c + 1", "c := 1")) is Verdict.PROVED


def test_what_is_suggested_holds_in_all_states_that_were_seen() -> None:
    goal = _whole(QUEUE, RING)
    variables, rows = paired_states(goal, Budget(limits(60.0, None)))
    said = formulas_of(variables, 4, rows, tuple(terms_of(goal)))
    assert said
    assert all(holds(f, dict(zip(variables, row, strict=True))) for f in said for row in rows)
