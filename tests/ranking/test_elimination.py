"""Thread by thread: a loop that is counted excludes what it writes for the loops of others that wait for it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.automata.program import Ends
from sa.base.budget import Budget
from sa.base.limits import Limits, allot
from sa.base.source import Source
from sa.certificates.ends import Ending, Ranked, Settled
from sa.checker.ranked import check_ranked
from sa.checker.ruling import Accepted
from sa.engines.endings import by_threads_alone, decided
from sa.engines.portfolio_of_claims import CLAIMS
from sa.language.elaborate.program import program

#: A thread that waits again each time it is woken, beside one that wakes it while {0}.
WOKEN = """
global asleep : bool = false; global items : int = 0; global n : int = 3;
thread waits {{ while (items < 3) {{ asleep := true; assume !asleep; }} }}
thread wakes {{ local i : int = 0; while ({0}) {{ i := i + 1; asleep := false; }} }}
"""
#: Compare and swap until nobody was faster, beside a thread that changes the number {0}.
SWAPS = """
global x : int = 0;
thread swaps {{
    local seen : int; local done : bool = false;
    while (!done) {{ seen := x; atomic {{ if (x == seen) {{ x := seen + 1; done := true; }} }} }}
}}
thread changes {{ local i : int = 0; while (i < 5) {{ x := i; {0} }} }}
"""


def found(text: str) -> Ending | None:
    made = program(Source("program", text))
    claim = Ends("terminates", tuple(t.name for t in made.threads), made.threads[0].origin)
    budget = Budget(allot(Limits(), 6_000_000), 0)
    answer = decided(made.threads, made.axioms, claim, budget, CLAIMS, ways=(by_threads_alone,))
    return answer.evidence if isinstance(answer.evidence, Ranked) else None


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (WOKEN.format("i < n"), True),
        (WOKEN.format("true"), False),
        (SWAPS.format("i := i + 1;"), True),
        (SWAPS.format("skip;"), False),
    ],
)
def test_what_waits_for_a_counted_loop_ends(text: str, ends: bool) -> None:
    assert (found(text) is not None) == ends


def test_evidence_without_a_round_or_without_what_settles_is_rejected() -> None:
    made = found(SWAPS.format("i := i + 1;"))
    assert isinstance(made, Ranked) and isinstance(made.reason, tuple)
    rounds = made.reason
    assert any(isinstance(r, Settled) for r in rounds)
    for n in range(len(rounds)):
        changed = replace(made, reason=(*rounds[:n], *rounds[n + 1 :]))
        assert not isinstance(check_ranked(changed, Limits()), Accepted)


#: The distance of two numbers, whichever is below; with a change of one line it stays as it is.
MEETING = "thread T {{ local a, b : int; while (a != b) {{ if (a < b) {{ a := a + 1; }} else {{ {0} }} }} }}"


@pytest.mark.parametrize(
    ("body", "ranked"), [("b := b + 1;", True), ("a := b - 1;", True), ("b := b + 0;", False), ("b := b - 1;", False)]
)
def test_a_rank_may_have_two_forms(body: str, ranked: bool) -> None:
    assert (found(MEETING.format(body)) is not None) == ranked
