"""Thread by thread under fairness: what waits for a thread that can always step does not wait for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from sa.automata.program import Ends
from sa.base.budget import Budget
from sa.base.limits import Limits, allot
from sa.base.source import Source
from sa.certificates.ends import Elimination, Ranked, Spot, Unjust
from sa.checker.ranked import check_ranked
from sa.checker.ruling import Accepted
from sa.engines.endings import by_each_thread, by_threads_alone, decided
from sa.engines.portfolio_of_claims import CLAIMS
from sa.language.elaborate.program import program
from sa.terms.build import FALSE, TRUE, lnot

#: Turns that are taken by a ticket, so many times that nobody knows how many.
TICKETS = """
param N : int; global next, served : int = 0;
thread T[i : 1..2] {{
    local k, mine : int = 0;
    while (k < N) {{
        atomic {{ mine := next; next := next + 1; }}
        while (served != mine) {{ skip; }}
        {}
        k := k + 1;
    }}
}}
"""
#: A spin lock that is taken a few times; `{}` gives it back.
SPINS = """
global held : bool = false;
thread T[i : 1..2] {{
    local k : int = 0; local was : bool = false;
    while (k < 3) {{
        atomic {{ was := held; held := true; }}
        while (was) {{ atomic {{ was := held; held := true; }} }}
        {}
        k := k + 1;
    }}
}}
"""
#: One thread is helped now by this one, and now by that one: whoever has something left.
BOTH = """
param N : int; init N >= 0; global a, b : int = N;
thread waits {{ while (a + b > 0) {{ skip; }} }}
thread first {{ while (a > 0) {{ a := a - 1; }} }}
thread second {{ while ({}) {{ b := b - 1; }} }}
"""
#: Numbers go round between two threads, and get fewer.
ROUND = """
param N : int; init N >= 0; global a : int = N; global b : int = 0;
thread left {{
    while (a + b > 0) {{ atomic {{ if (a >= 2) {{ a := a - 2; b := b + {}; }} else if (a == 1) {{ a := 0; }} }} }}
}}
thread right {{
    while (a + b > 0) {{ atomic {{ if (b >= 2) {{ b := b - 2; a := a + 1; }} else if (b == 1) {{ b := 0; }} }} }}
}}
"""
#: Each waits for the other one, {0} the other way round.
CROSSED = """
global x, y : bool = false;
thread A {{ while (!y) {{ skip; }} {0} }}
thread B {{ {1} while (!x) {{ skip; }} }}
"""


def found(text: str, fair: bool = True) -> Ranked | None:
    made = program(Source("program", text))
    claim = Ends("terminates", tuple(t.name for t in made.threads), made.threads[0].origin, fair=fair)
    budget = Budget(allot(Limits(), 60_000_000), 0)
    ways = (by_threads_alone, by_each_thread)
    answer = decided(made.threads, made.axioms, claim, budget, CLAIMS, ways=ways)
    return answer.evidence if isinstance(answer.evidence, Ranked) else None


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (TICKETS.format("served := served + 1;"), True),
        (TICKETS.format("if (k > 0) { served := served + 1; }"), False),
        (SPINS.format("held := false;"), True),
        (SPINS.format("if (k == 0) { held := false; }"), False),
        (BOTH.format("b > 0"), True),
        (BOTH.format("b > 1"), False),
        (ROUND.format("1"), True),
        (ROUND.format("4"), False),
        (CROSSED.format("x := true;", "y := true;"), True),
        (CROSSED.format("x := true;", "") + "thread C { await x; y := true; }", False),
    ],
)
def test_what_waits_for_what_can_step_ends(text: str, ends: bool) -> None:
    assert (found(text) is not None) == ends
    assert found(text, fair=False) is None


def _kept(change: Callable[[Spot], Spot]) -> Callable[[Unjust], Unjust]:
    return lambda u: replace(u, spots=tuple(map(change, u.spots)))


CHANGES: dict[str, Callable[[Unjust], Elimination]] = {
    "there are no spots": lambda u: replace(u, spots=()),
    "spots hold nowhere": _kept(lambda s: replace(s, formula=FALSE)),
    "spots are negated": _kept(lambda s: replace(s, formula=lnot(s.formula))),
    "spots say nothing": _kept(lambda s: replace(s, formula=TRUE)),
    "passing is resting": _kept(lambda s: replace(s, passes=not s.passes)),
    "spots are elsewhere": _kept(lambda s: replace(s, location=0)),
    "there is no such thread": _kept(lambda s: replace(s, thread=9)),
    "another step": lambda u: replace(u, strict=()),
}


@pytest.fixture(scope="module")
def made() -> Ranked:
    answer = found(ROUND.format("1"))
    assert answer is not None and isinstance(check_ranked(answer, Limits()), Accepted)
    return answer


@pytest.mark.parametrize("what", CHANGES)
def test_changed_evidence_is_rejected(what: str, made: Ranked) -> None:
    assert isinstance(made.reason, tuple)
    changed = tuple(CHANGES[what](r) if isinstance(r, Unjust) else r for r in made.reason)
    assert changed != made.reason
    assert not isinstance(check_ranked(replace(made, reason=changed), Limits()), Accepted)


def test_evidence_is_rejected_without_fairness_and_without_any_part(made: Ranked) -> None:
    assert isinstance(made.reason, tuple)
    assert not isinstance(check_ranked(replace(made, ends=replace(made.ends, fair=False)), Limits()), Accepted)
    assert not isinstance(check_ranked(replace(made, proofs=()), Limits()), Accepted)
    for n in range(len(made.reason)):
        less = (*made.reason[:n], *made.reason[n + 1 :])
        assert not isinstance(check_ranked(replace(made, reason=less), Limits()), Accepted), n
