"""Engines for programs with finitely many reachable states, and for runs over small values where there are more.

A search that ends settles all that is asked: by runs for what happens, by all states for the rest. One that does not
end has runs only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import inf

from msgspec.structs import replace

from sa.automata.ranges import is_large
from sa.base.budget import Budget, Report
from sa.base.limits import LimitReached, remaining
from sa.explicit.evidence import proof, run_into
from sa.explicit.layout import Slot
from sa.explicit.search import Effort, Search, search
from sa.explicit.system import System, system
from sa.explicit.walks import walked
from sa.question.asked import Asked, Excluded, Refuted
from sa.terms.term import Var

#: A quick search, whose runs are shortest ones; longer ones, the second where values do not seem to grow; long ones,
#: the second where no numbers are large.
QUICK = Effort(30_000, 16, reduced=False)
LONGER = Effort(100_000, 1_000, reduced=True, by_levels=300_000)
LIKELY = Effort(400_000, 1_000, reduced=True, by_levels=1_500_000)
LONG = Effort(2_000_000, 70_000, reduced=True, by_levels=20_000_000)
LONGEST = Effort(4_000_000, 70_000, reduced=True, by_levels=40_000_000)
#: Few of many states, but far: runs through long loops, and over values that are chosen many times.
BEAM = Effort(60_000, 4, reduced=True, beam=40)


def by_few_states(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Refuted]:
    """What a quick search settles, or a longer one where values do not seem to grow. Raises LimitReached."""
    found = _quick(asked, budget, report)
    if found.ended or not _is_likely(found):
        yield from _settled(asked, found)
        return
    longer = search(found.system, LIKELY, budget.bounds, report)
    yield from _settled(asked, longer if longer.ended else found)
    if not longer.ended:
        yield from _by_beam(asked, found, budget, report)


def by_far_states(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Refuted]:
    """Where values grow, or not all are tried: what a longer search settles, or runs that a beam finds.

    Such programs have most often infinitely many states. Raises LimitReached.
    """
    found = _quick(asked, budget, report)
    if found.ended or _is_likely(found):
        return
    if found.exact:
        longer = search(found.system, LONGER, budget.bounds, report)
        found = longer if longer.ended else found
    yield from _settled(asked, found)
    if not found.ended:
        yield from _by_beam(asked, found, budget, report)


def _quick(asked: Asked, budget: Budget, report: Report) -> Search:
    """A quick search, which is made once. Raises LimitReached."""
    key = "quick states", asked.bads
    return asked.shared.once(key, lambda: search(system(asked.threads, asked.bads), QUICK, budget.bounds, report))


def _is_likely(found: Search) -> bool:
    """Whether there may be finitely many states, though more than were looked at."""
    return found.exact and not _grows(found)


def _by_beam(asked: Asked, found: Search, budget: Budget, report: Report) -> Iterator[Excluded | Refuted]:
    """Runs that a beam finds into what was not found yet. Raises LimitReached."""
    far = search(found.system, BEAM, budget.bounds, report)
    further = {number: state for number, state in far.bad.items() if number not in found.bad}
    yield from _settled(asked, replace(far, bad=further))


def by_walks(asked: Asked, budget: Budget, report: Report) -> Iterator[Refuted]:
    """Runs that chance finds, where not all states could be looked at. Raises LimitReached."""
    quick = _quick(asked, budget, report)
    if quick.ended:
        return
    known = set(quick.bad)
    for found in walked(quick.system, budget.seed, budget.bounds, report):
        yield from _runs(asked, replace(found, bad={n: state for n, state in found.bad.items() if n not in known}))
        known.update(found.bad)


def by_all_states(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Refuted]:
    """What a long search settles, in which steps that need not be interleaved are not.

    A search that a limit ended is made again only where more work is left, and one that gave up not at all. Raises
    LimitReached.
    """
    s, units = system(asked.threads, asked.bads), remaining(budget.bounds)
    in_vain = asked.shared.once(("all states in vain", asked.bads), list[float])
    if any((inf if units is None else units) <= spent for spent in in_vain):
        return
    try:
        found = search(s, LONG if _unbounded(s) else LONGEST, budget.bounds, report)
    except LimitReached:
        in_vain += () if units is None else (units,)
        raise
    in_vain += () if found.ended else (inf,)
    yield from _settled(asked, found)


def _unbounded(s: System) -> list[Var]:
    """The numbers in a state that are large."""
    kept = s.shared.union(*(here for by_place in s.kept for here in by_place))
    return [v.var for v in s.variables.values() if v.var in kept and is_large(v)]


def _grows(found: Search) -> bool:
    """Whether large numbers are further out among later states than among the first ones."""
    early = list(islice(found.reached, len(found.reached) // 4))
    for v in _unbounded(found.system):
        slot = found.layout.slots[v]

        def ends(states: Iterable[int], slot: Slot = slot) -> tuple[int, int]:
            values = [state >> slot.shift & slot.mask for state in states]
            return min(values), max(values)

        if early and ends(early) != ends(found.reached):
            return True
    return False


def _settled(asked: Asked, found: Search) -> Iterator[Excluded | Refuted]:
    never = tuple(b for number, b in enumerate(asked.bads) if number not in found.bad)
    if found.complete and never:
        count = len(found.reached)
        how = f"all {count} states" if count != 1 else "the only state"
        yield Excluded(never, proof(found, never, asked.axioms), how)
    yield from _runs(asked, found)


def _runs(asked: Asked, found: Search) -> Iterator[Refuted]:
    for number in found.bad:
        run = run_into(found, number)
        if run is not None:
            steps = len(run.turns)
            yield Refuted(asked.bads[number], run, f"a run of {steps} step{'' if steps == 1 else 's'}")
