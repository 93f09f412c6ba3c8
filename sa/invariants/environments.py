"""Claims that each thread proves in the environment of those that it needs, the ones without needs first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.certificates.threads import Annotated, Keeps
from sa.conditions.never import excluded, failing_edges
from sa.invariants.hierarchy import hierarchy, main_threads
from sa.invariants.thread_modular import TooMany, annotated, cells
from sa.question.asked import Asked, Excluded
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term, Var

#: Solver resources for each question whether invariants exclude something: what follows from them follows soon.
SOON = 500_000


def by_environments(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What polyhedra of each thread in its environment exclude. Raises LimitReached."""
    threads = tuple(apart(t) for t in asked.threads)
    claimed = frozenset(_claimed(asked, threads))
    known = hierarchy(threads, claimed, budget.bounds)
    mains = tuple(dict.fromkeys(n for b in asked.bads for n in main_threads(asked.threads, b)))
    start = build.land(*(t.init for t in threads), *(a.formula for a in asked.axioms))
    try:
        found = cells(known, mains, start, budget.bounds)
    except TooMany:
        report(Event("nothing is tried", {"a thread has too many points": len(threads)}))
        return
    made = list[Automaton]()
    for number, written in enumerate(asked.threads):
        said = annotated(known.members[number], written, found[number]) if number in found else {}
        made.append(_with(written, said))
    yield from _excluded(asked, budget, made)


def _claimed(asked: Asked, threads: Sequence[Automaton]) -> Iterator[Var]:
    """What claims about states mention, and the parameters that checks mention."""
    for bad in asked.bads:
        if bad.claim is not None:
            yield from bad.claim.free
        for original, thread in zip(asked.threads, threads, strict=True):
            wanted = set(failing_edges(original, bad.failing))
            for edge, own in zip(original.edges, thread.edges, strict=True):
                if edge in wanted:
                    yield from (v for v in variables_of(thread, Kind.PARAM) if v in own.guard.free)


def _with(written: Automaton, said: Mapping[str, Term]) -> Automaton:
    locations = (
        replace(q, inv=build.land(q.inv, said.get(q.name, build.TRUE)), env=build.TRUE) for q in written.locations
    )
    return replace(written, locations=tuple(locations))


def _excluded(asked: Asked, budget: Budget, made: Sequence[Automaton]) -> Iterator[Excluded]:
    session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
    separate = tuple(apart(t) for t in made)
    found = [n for bad in asked.bads if (n := excluded(session, asked.threads, separate, bad)) is not None]
    if found:
        together = tuple(Annotated(t, a) for t, a in zip(asked.threads, made, strict=True))
        proof = Keeps(together, tuple(found), asked.axioms)
        yield Excluded(tuple(n.bad for n in found), proof, "polyhedra of threads in their environments")
