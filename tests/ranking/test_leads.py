"""What `leads` claims, thread by thread: while it is open, all threads would at last wait for one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import pytest
from msgspec.structs import replace

from sa.base.budget import Budget
from sa.base.limits import LimitReached, Limits, allot
from sa.base.source import Source
from sa.certificates.ends import Ranked, Spot, Unanswered
from sa.checker.ranked import check_ranked
from sa.checker.ruling import Accepted
from sa.engines.endings import by_each_thread, by_threads_alone, decided
from sa.engines.portfolio_of_claims import CLAIMS
from sa.language.elaborate.program import program
from sa.terms.build import FALSE, TRUE, lnot
from tests.oracle.endings import graph
from tests.ranking.programs import program as random_program
from tests.ranking.test_against_the_oracle import holds_by_definition

#: A ticket lock whose numbers grow for ever: whoever has drawn a ticket is served.
TICKETS = """
global next, serving : int = 0;
thread T[i : 1..2] {{
    local mine : int = 0; local waiting : bool = false;
    while (true) {{
        atomic {{ mine := next; next := next + 1; waiting := true; }}
        while (serving != mine) {{ skip; }}
        waiting := false;
        {}
    }}
}}
leads T[1].waiting ~> !T[1].waiting;
fair;
"""
#: A number that one thread lowers is waited for, and another thread steps for ever.
LOWERED = """
param N : int; init N >= 0; global n : int = N; global asked : bool = false;
thread asks {{ asked := true; while (true) {{ skip; }} }}
thread lowers {{ while ({}) {{ n := n - 1; }} }}
thread beside {{ while (true) {{ skip; }} }}
leads asked ~> n == 0;
fair;
"""
#: What waits for an event may be blocked.
BLOCKED = """
param N : int; global x : int = N; global go, done : bool = false;
thread waits {{ await go; done := true; }}
thread gives {{ {} }}
leads x == N ~> done;
fair;
"""


def found(text: str, units: int = 60_000_000) -> Ranked | None:
    """The evidence that is found thread by thread, judged."""
    made = program(Source("program", text))
    (claim,) = made.ends
    budget = Budget(allot(Limits(), units), 0)
    answer = decided(made.threads, made.axioms, claim, budget, CLAIMS, ways=(by_threads_alone, by_each_thread))
    return answer.evidence if isinstance(answer.evidence, Ranked) else None


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (TICKETS.format("serving := serving + 1;"), True),
        (TICKETS.format("if (mine == 0) { serving := serving + 1; }"), False),
        (LOWERED.format("n > 0"), True),
        (LOWERED.format("n > 1"), False),
        (BLOCKED.format("go := true;"), True),
        (BLOCKED.format("if (x > 5) { go := true; }"), False),
        (BLOCKED.format("go := true;").replace("x == N", "x < 5"), True),
        (BLOCKED.format("go := true; go := false;"), False),
    ],
)
def test_what_is_open_is_fulfilled(text: str, holds: bool) -> None:
    """And not without fairness."""
    assert (found(text) is not None) == holds
    assert found(text.replace("fair;", ""), 1_000_000) is None


@pytest.mark.slow
def test_three_are_served_in_turn() -> None:
    """That a step is taken only where it lowers the rank is shown of states first."""
    three = TICKETS.replace("1..2", "1..3")
    assert found(three.format("serving := serving + 1;"), 400_000_000) is not None


@pytest.fixture(scope="module")
def made() -> Ranked:
    """Evidence for the third program."""
    answer = found(BLOCKED.format("go := true;"))
    assert answer is not None and isinstance(check_ranked(answer, Limits()), Accepted)
    return answer


def _each(change: Callable[[Spot], Spot]) -> Callable[[Unanswered], Unanswered]:
    return lambda u: replace(u, spots=tuple(map(change, u.spots)))


CHANGES: dict[str, Callable[[Unanswered], Unanswered]] = {
    "there are no spots": lambda u: replace(u, spots=()),
    "nothing is kept": lambda u: replace(u, kept=FALSE),
    "spots hold nowhere": _each(lambda s: replace(s, formula=FALSE)),
    "spots are negated": _each(lambda s: replace(s, formula=lnot(s.formula))),
    "spots say nothing": _each(lambda s: replace(s, formula=TRUE)),
    "there is no such thread": _each(lambda s: replace(s, thread=9)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_changed_evidence_is_rejected(what: str, made: Ranked) -> None:
    """Each part is needed."""
    assert isinstance(made.reason, tuple)
    changed = tuple(CHANGES[what](r) if isinstance(r, Unanswered) else r for r in made.reason)
    assert changed != made.reason
    assert not isinstance(check_ranked(replace(made, reason=changed), Limits()), Accepted)


def test_parts_are_needed_and_the_claim_is_this_one(made: Ranked) -> None:
    """Nothing may be left out, and nothing else is shown."""
    assert isinstance(made.reason, tuple)
    for ends in (
        replace(made.ends, fair=False),
        replace(made.ends, until=None),
        replace(made.ends, until=FALSE),
        replace(made.ends, since=TRUE, until=made.ends.since),
    ):
        assert not isinstance(check_ranked(replace(made, ends=ends), Limits()), Accepted), ends
    assert not isinstance(check_ranked(replace(made, reason=(*made.reason, *made.reason)), Limits()), Accepted)
    assert not isinstance(check_ranked(replace(made, reason=made.reason[:-1]), Limits()), Accepted)


def compared(seeds: Iterable[int]) -> Counter[bool]:
    """Whether what is shown of random programs holds by definition; how often something is shown, and not."""
    tally = Counter[bool]()
    for seed in seeds:
        p = program(Source(f"seed {seed}", random_program(seed)))
        states = graph(p.threads, 400)
        for ends in () if states is None else (replace(e, fair=True) for e in p.ends if e.until is not None):
            assert states is not None
            budget = Budget(allot(Limits(), 2_000_000), 0)
            try:
                answer = decided(p.threads, p.axioms, ends, budget, CLAIMS, ways=(by_threads_alone, by_each_thread))
            except LimitReached:
                continue
            shown = isinstance(answer.evidence, Ranked)
            assert not shown or holds_by_definition(states, ends), (seed, ends.name)
            tally[shown] += holds_by_definition(states, ends)
    return tally


def test_what_is_shown_of_random_programs_holds() -> None:
    """And some of what holds is shown."""
    assert compared(range(2, 6))[True] >= 3


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(10))
def test_what_is_shown_of_many_random_programs_holds(part: int) -> None:
    """The same for many seeds."""
    assert compared(range(5_000 + 100 * part, 5_100 + 100 * part))[True] > 20
