"""Claims about infinite runs of random finite programs against all their states (`tests/oracle/endings.py`)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from sa.automata.program import Ends, Program
from sa.base.budget import Budget
from sa.base.limits import LimitReached, Limits, allot
from sa.base.source import Source
from sa.base.verdict import Unknown
from sa.certificates.ends import Lasso
from sa.engines.endings import WAYS, Way, by_all_threads, by_each_thread, by_states, decided
from sa.engines.portfolio_of_claims import CLAIMS
from sa.language.elaborate.program import program
from tests.oracle.endings import Graph, goes_on, graph, leads, nobody_is_stuck, true_in
from tests.ranking.programs import program as random_program

#: Each way by itself, and all of them: a way that is asked second would hardly be tested.
EACH: dict[str, tuple[Way, ...]] = {
    "threads": (by_each_thread,),
    "together": (by_all_threads,),
    "states": (by_states,),
    "all": WAYS,
}
#: Units: what is guessed of states, and false, takes all that there are.
UNITS = {"threads": 1_000_000, "together": 1_000_000, "states": 20_000_000, "all": 40_000_000}


def holds_by_definition(g: Graph, ends: Ends) -> bool:
    if ends.until is None:
        movers = frozenset(n for n, t in enumerate(g.threads) if t.name in ends.threads)
        return not goes_on(g, movers, ends.fair)
    return leads(g, ends.since, ends.until, ends.fair)


def answer(p: Program, ends: Ends, name: str) -> bool | None:
    budget = Budget(allot(Limits(), UNITS[name]), 0)
    try:
        found = decided(p.threads, p.axioms, ends, budget, CLAIMS, ways=EACH[name])
    except LimitReached:
        return None
    return None if isinstance(found.evidence, Unknown) else not isinstance(found.evidence, Lasso)


def compared(seed: int, tally: dict[tuple[str, bool | None], int], names: Iterable[str] = EACH) -> None:
    p = program(Source(f"seed {seed}", random_program(seed)))
    g = graph(p.threads, 400)
    if g is None:
        return
    (progress,) = p.invariants
    never = all(map(true_in(g, progress.formula), g.steps))
    assert never == nobody_is_stuck(g), (seed, "progress")
    for ends in p.ends:
        expected = holds_by_definition(g, ends)
        for name in names:
            found = answer(p, ends, name)
            tally[name, found] = tally.get((name, found), 0) + 1
            assert found in (None, expected), (seed, ends.name, ends.fair, name, expected)
            assert found is not None or name in ("threads", "together"), (seed, ends.name, "is not decided")


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_those_of_the_definitions(seed: int) -> None:
    compared(seed, {}, ("all",))


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(30))
def test_many_answers_are_those_of_the_definitions(block: int) -> None:
    tally = dict[tuple[str, bool | None], int]()
    for seed in range(100 * block + 100, 100 * block + 200):
        compared(seed, tally)
    assert all(tally.get((name, True), 0) > 5 for name in EACH)
    assert all(tally.get((name, False), 0) > 5 for name in ("states", "all"))
