"""Claims about a closed program: by invariants of its threads, by joint ones, or refuted by a run.

Each function answers for itself, as far as it can, what is asked; their order is that of
`engines.portfolio_of_claims`. Nothing is believed yet: the checker looks at all evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from sa.automata.automaton import Automaton
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.certificates.run import Bad
from sa.certificates.threads import Annotated, Keeps
from sa.conditions.never import excluded
from sa.generation.generate import Generated, generate, invariants, unbounded
from sa.generation.visibility import Level
from sa.question.asked import Asked, Excluded, Note
from sa.smt.session import Session

#: Joint locations up to which boxes may tell them apart.
FEW = 200


#: Solver resources for each question whether invariants exclude something: what follows from them follows soon.
SOON = 500_000


#: What an invariant of a thread speaks of on each level, in words.
_SEEN = {
    Level.HIDDEN: "over shared variables",
    Level.LOCATIONS: "with locations",
    Level.LOCALS: "with locations and locals",
}


def by_boxes(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Note]:
    """What boxes exclude, with the threads' locations too where those are few. Raises LimitReached."""
    few = len(asked.threads) > 1 and prod(len(t.locations) for t in asked.threads) <= FEW
    open_ = asked.bads
    for level in (Level.HIDDEN, Level.LOCATIONS):
        if level is Level.HIDDEN or few:
            report(Event(f"boxes {_SEEN[level]}"))
            for found in _accepted(asked, budget, _generated(asked, budget, level), open_, f"boxes {_SEEN[level]}"):
                open_ = _without(open_, found)
                yield found
        if not open_:
            return
    yield from (Note(words) for words in unbounded(_generated(asked, budget, Level.HIDDEN)).values())


def _without(bads: tuple[Bad, ...], found: Excluded) -> tuple[Bad, ...]:
    return tuple(b for b in bads if b not in found.bads)


def _session(asked: Asked, budget: Budget) -> Session:
    return Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)


def _generated(asked: Asked, budget: Budget, level: Level) -> Generated:
    return asked.shared.once((asked.threads, level), lambda: generate(asked.threads, level, budget.bounds))


def _accepted(asked: Asked, budget: Budget, known: Generated, bads: Sequence[Bad], how: str) -> Iterator[Excluded]:
    """What the invariants exclude."""
    made, session = invariants(known), _session(asked, budget)
    separate = tuple(apart(t) for t in made)
    found = [n for bad in bads if (n := excluded(session, asked.threads, separate, bad)) is not None]
    if found:
        annotated = tuple(Annotated(t, a) for t, a in zip(asked.threads, made, strict=True))
        yield Excluded(tuple(n.bad for n in found), Keeps(annotated, tuple(found), asked.axioms), how)


def too_many(threads: Sequence[Automaton], most: int, report: Report) -> bool:
    """Whether there are more joint locations than an engine looks at; if so that is reported."""
    number = prod(len(t.locations) for t in threads)
    if number > most:
        report(Event("nothing is tried", {"joint locations are too many": number}))
    return number > most
