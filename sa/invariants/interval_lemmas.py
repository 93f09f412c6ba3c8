"""Claims that intervals settle, thread by thread: which failing steps they exclude, and the lemmas that say why."""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.certificates.run import Bad
from sa.certificates.threads import Lemmas
from sa.conditions.never import failing_edges
from sa.invariants.exclusion import is_at
from sa.invariants.inductive_claims import noted
from sa.invariants.interval_facts import always, bounded_of, facts_of_intervals, is_possible, lemmas_of
from sa.invariants.intervals import Bounded
from sa.invariants.left_open import left_open
from sa.question.asked import Asked, Excluded, Open
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term

#: Solver resources for each claim: what follows from intervals follows soon.
SOON = 300_000


def by_intervals(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Open]:
    """What intervals at the threads' locations exclude. Raises LimitReached."""
    threads, known = tuple(apart(t) for t in asked.threads), bounded_of(asked, budget.bounds)
    report(Event("intervals", {"points": sum(map(len, known.points))}))
    open_ = [bad for bad in asked.bads if not _fails(asked, known, bad)]
    lemmas = lemmas_of(known) if open_ else ()
    session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
    never = tuple(b for b in open_ if b.claim is None or session.implied(b.claim, (*lemmas, *_somewhere(threads))))
    if never:
        yield Excluded(
            never, Lemmas(asked.threads, lemmas, never, asked.axioms), "intervals at each thread's locations"
        )
    if len(never) < len(asked.bads):
        # Bounds that hold always may be of use to others.
        noted(asked, budget, [part for bound in always(known) for part in build.conjuncts(bound)])
        facts = facts_of_intervals(known)
        for bad in asked.bads:
            if bad not in never:
                yield from left_open(asked.threads, known, facts, bad)


def _fails(asked: Asked, known: Bounded, bad: Bad) -> bool:
    """Whether intervals allow a failing step that is asked about."""
    for number, (original, owner) in enumerate(zip(asked.threads, known.owners, strict=True)):
        wanted = set(failing_edges(original, bad.failing))
        for edge, own in zip(original.edges, owner.thread.edges, strict=True):
            if edge in wanted and any(is_possible(known, number, point, own) for point in known.points[number]):
                return True
    return False


def _somewhere(threads: tuple[Automaton, ...]) -> Iterator[Term]:
    return (build.lor(*(is_at(t, q.name) for q in t.locations)) for t in threads)
