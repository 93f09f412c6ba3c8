"""What ranks need to be known of numbers: signs, order, and bounds of quotients."""

from __future__ import annotations

import pytest

from sa.automata.program import Ends
from sa.base.budget import Budget
from sa.base.limits import LimitReached, Limits, allot
from sa.base.source import Source
from sa.base.verdict import Reason
from sa.certificates.ends import Ranked
from sa.engines.endings import by_each_thread, decided
from sa.engines.portfolio_of_claims import CLAIMS
from sa.engines.tried import Diary
from sa.language.elaborate.program import program

SUBTRACTS = """
    local a, b : int;
    if ({0}) {{ while (a != b) {{ if (a > b) {{ a := a - b; }} else {{ b := b - a; }} }} }}
"""
HALVES = """
    local low, mid : int = 0; local high : int; local up : bool;
    while (low < high) {{
        mid := low + (high - low) / 2;
        havoc up;
        if (up) {{ low := {0}; }} else {{ high := mid; }}
    }}
"""


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        (SUBTRACTS.format("a > 0 && b > 0"), True),
        (SUBTRACTS.format("a >= 0 && b > 0"), False),
        (HALVES.format("mid + 1"), True),
        (HALVES.format("mid"), False),
    ],
)
def test_a_rank_is_found_exactly_where_the_loop_ends(body: str, ends: bool) -> None:
    made = program(Source("loop", f"thread T {{ {body} }}"))
    claim = Ends("terminates", ("T",), made.threads[0].origin)
    budget = Budget(allot(Limits(), 3_000_000), 0)
    found = decided(made.threads, made.axioms, claim, budget, CLAIMS, ways=(by_each_thread,))
    assert isinstance(found.evidence, Ranked) == ends


def test_what_was_tried_is_known_of_each_way() -> None:
    # Neither a rank nor a cycle that keeps to one path: the counter comes back only after a million rounds.
    text = "local n : int; local k : int = 0; while (n > 0) { k := k + 1; if (k > 1000000) { k := 0; } }"
    made, diary = program(Source("loop", f"thread T {{ {text} }}")), Diary()
    claim = Ends("terminates", ("T",), made.threads[0].origin)
    with pytest.raises(LimitReached):
        decided(made.threads, made.axioms, claim, Budget(allot(Limits(), 300_000), 0), CLAIMS, diary=diary)
    assert [t.engine for t in diary.turns][:2] == ["ranking:scope=threads", "explicit-state"]
    assert diary.turns[-1].ended is Reason.WORK
