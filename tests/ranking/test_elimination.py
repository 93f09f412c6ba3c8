"""Thread by thread: a loop that is counted excludes what it writes for the loops of others that wait for it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.automata.program import Ends
from sa.base.budget import Budget
from sa.base.limits import LimitReached, Limits, allot
from sa.base.source import Source
from sa.certificates.ends import Ranked, Settled
from sa.certificates.threads import Lemmas
from sa.checker.ranked import check_ranked
from sa.checker.ruling import Accepted
from sa.engines.endings import Way, by_each_thread, by_threads_alone, decided
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


def found(text: str, ways: tuple[Way, ...] = (by_threads_alone,)) -> Ranked | None:
    made = program(Source("program", text))
    claim = Ends("terminates", tuple(t.name for t in made.threads), made.threads[0].origin)
    budget = Budget(allot(Limits(), 6_000_000), 0)
    answer = decided(made.threads, made.axioms, claim, budget, CLAIMS, ways=ways)
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


#: Remainders get smaller while they are not negative, which no test says; beside it, what has nothing to do with it.
REMAINDERS = """
param A, B : int; init A >= 0 && {0};
thread T {{
    local a : int = A; local b : int = B; local r : int;
    while (b > 0 || b < 0) {{ r := {1}; a := b; b := r; }}
}}
thread U {{ {2} u0 := 1; }}
"""


@pytest.mark.parametrize(
    ("init", "remainder", "ends"), [("B >= 0", "a % b", True), ("true", "a % b", None), ("B >= 0", "b - a % b", None)]
)
@pytest.mark.parametrize("others", [1, 200])
def test_what_has_nothing_to_do_with_a_loop_does_not_matter(
    init: str, remainder: str, ends: bool | None, others: int
) -> None:
    unrelated = " ".join(f"local u{n} : int = 0;" for n in range(others))
    made = found(REMAINDERS.format(init, remainder, unrelated), ways=(by_each_thread,))
    assert (made is not None) == bool(ends)
    assert made is None or any(isinstance(p, Lemmas) for p in made.proofs)


#: Sorting: what the loops compute with has many cases, and what bounds the inner one wraps around.
SORTING = """
global a : int[6];
thread T {{
    local i, j, t : int = 0;
    while (i < 5) {{
        j := 0;
        while (j < (5 - i + 128) % 256 - 128) {{
            if (a[j] > a[j + 1]) {{ t := a[j]; a[j] := a[j + 1]; a[j + 1] := t; }}
            {}
        }}
        i := i + 1;
    }}
}}
"""


@pytest.mark.parametrize(("step", "ends"), [("t := j; j := t + 1;", True), ("t := j; j := t + a[0] - a[0];", False)])
def test_what_does_not_decide_whether_a_loop_is_left_is_sliced_away(step: str, ends: bool) -> None:
    text = SORTING.format(step)
    made = program(Source("sorting.sa", text))
    claim = Ends("terminates", ("T",), made.threads[0].origin)
    budget = Budget(allot(Limits(), 2_000_000), 0)
    try:
        found = decided(made.threads, made.axioms, claim, budget, CLAIMS, ways=(by_threads_alone,)).evidence
    except LimitReached:
        found = None
    assert isinstance(found, Ranked) == ends
