"""Programs with arrays, asked as any others: what is answered is right, and what engines cannot do is UNKNOWN."""

from __future__ import annotations

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.engines.verify import Options as Verifying
from sa.engines.verify import verify
from tests.generators.arrayed import arrayed

WRITER = """
global arraya : int; global i : int;
init arraya == all(0) && i == 0;
thread T {{
  while (i < 5) {{ atomic {{ arraya := put(arraya, i, {value}); i := i + 1; }} }}
  assert get(arraya, 0) == 1;
}}
"""

SHOWN = """
global arraya : int;
init arraya == all(0);
thread T {{ local x : 0..3; havoc x; arraya := put(arraya, {at}, x); @go(get(arraya, {at})) skip; }}
"""


def test_a_program_that_keeps_its_assertion_is_proved() -> None:
    """All five elements are written before one of them is read."""
    answer = verify(arrayed(WRITER.format(value="1")), Verifying(limits(20, None)))
    assert answer.verdict is Verdict.PROVED


def test_a_broken_assertion_about_an_element_is_refuted_by_a_run() -> None:
    """Zero is written instead."""
    answer = verify(arrayed(WRITER.format(value="i")), Verifying(limits(20, None)))
    assert answer.verdict is Verdict.REFUTED


def test_threads_that_do_the_same_with_arrays_refine_each_other() -> None:
    """The element that is shown is the one that was chosen, wherever it was kept."""
    outcome = refine(arrayed(SHOWN.format(at="3")), arrayed(SHOWN.format(at="3")), None, Options(limits(20, None)))
    assert outcome.verdict is Verdict.PROVED


def test_a_thread_that_shows_another_element_does_not_refine() -> None:
    """One shows what was there at first, the other what it chose; what is in the array is the same on both sides."""
    before = SHOWN.replace("@go(get(arraya, {at}))", "@go(get(arraya, 4))").format(at="3")
    one, other = arrayed(SHOWN.format(at="3")), arrayed(before)
    assert refine(other, one, None, Options(limits(20, None))).verdict is Verdict.REFUTED
    assert refine(one, other, None, Options(limits(20, None))).verdict is Verdict.REFUTED
