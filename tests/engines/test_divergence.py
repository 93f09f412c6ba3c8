"""A play counts only where the abstract side is known not to go on silently for ever, if its loops are taken to end."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.divergence import VALUES, counted
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.engines.refine import refine
from tests.endtoend.asking import read

CONCRETE = "thread T { @say(2) skip; }"


def lost(abstract: str, prefix: str = "") -> Outcome:
    """The outcome for an abstract thread that says something else: REFUTED."""
    found = refine(*read(f"{prefix} {abstract}", f"{prefix} {CONCRETE}"), Options(limits(20.0, None)))
    assert found.verdict is Verdict.REFUTED
    return found


def picking(last: int | None, left: str) -> str:
    """A thread that picks a number up to the last one, any if None, and stays in a loop for some before it speaks."""
    range_ = "int" if last is None else f"0..{last}"
    return f"thread T {{ local k : {range_} = 0; havoc k; while ({left}) {{ skip; }} @say(1) skip; }}"


@pytest.mark.parametrize(
    ("last", "left", "verdict"),
    [
        (VALUES - 1, "k == 5", Verdict.UNKNOWN),
        (VALUES - 1, "k == 5 && k == 6", Verdict.REFUTED),
        (VALUES, "k == 5 && k == 6", Verdict.UNKNOWN),
        (None, "k == 5 && k == 6", Verdict.UNKNOWN),
    ],
)
def test_where_not_all_values_are_tried_the_answer_is_unknown(last: int | None, left: str, verdict: Verdict) -> None:
    outcome = counted(lost(picking(last, left)))
    assert outcome.verdict is verdict
    assert all((r.play is None) == (verdict is Verdict.UNKNOWN) for r in outcome.results)


def test_where_a_step_cannot_be_evaluated_the_answer_is_unknown() -> None:
    outcome = lost(picking(3, "k == 5"))
    assert counted(outcome).verdict is Verdict.REFUTED
    text = "function f(int) : int; " + picking(3, "f(k) == 5")
    unknown = read(text, CONCRETE)[0].threads[0]
    results = tuple(replace(r, goal=replace(r.goal, abstract=unknown)) for r in outcome.results)
    assert counted(replace(outcome, results=results)).verdict is Verdict.UNKNOWN


def test_what_conditions_determine_is_computed() -> None:
    """The quotient of a division by a variable is chosen, and there is one."""
    loop = "while (k > 1) { atomic { havoc q; assume 5 * q <= 12 && 12 < 5 * q + 5; k := 11 - 5 * q; } }"
    abstract = f"thread T {{ local k, q : int = 7; {loop} @say(k) skip; }}"
    assert counted(lost(abstract)).verdict is Verdict.REFUTED
    # With a smaller one the loop goes on.
    assert counted(lost(abstract.replace("12 < 5 * q + 5", "0 < q + 5 * k"))).verdict is Verdict.UNKNOWN
