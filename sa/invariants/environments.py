"""Claims that each thread proves in the environment of those that it needs, the ones without needs first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.certificates.run import Bad
from sa.certificates.threads import Annotated, Keeps
from sa.conditions.never import excluded, failing_edges
from sa.invariants.environment_clauses import keeps_out, needs, written_out
from sa.invariants.hierarchy import Hierarchy, hierarchy, main_threads
from sa.invariants.thread_modular import Cells, TooMany, annotated, cells
from sa.question.asked import Asked, Excluded, Note
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term, Var

#: Solver resources for each question whether invariants exclude something: what follows from them follows soon.
SOON = 500_000


def by_environments(main: str | None, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded | Note]:
    """What polyhedra of each thread in its environment exclude, of a `main` thread if one is named.

    With one, it is told what that thread needs of the others. Raises LimitReached.
    """
    if main is not None and main not in (t.name for t in asked.threads):
        return
    threads = tuple(apart(t) for t in asked.threads)
    known = hierarchy(threads, frozenset(_claimed(asked, threads)), budget.bounds)
    of_bad = {b: main_threads(asked.threads, b) for b in asked.bads}
    if main is not None:
        chosen = next(n for n, t in enumerate(asked.threads) if t.name == main)
        of_bad = {b: (chosen,) for b, numbers in of_bad.items() if chosen in numbers}
    mains = tuple(dict.fromkeys(n for numbers in of_bad.values() for n in numbers))
    start = build.land(*(t.init for t in threads), *(a.formula for a in asked.axioms))
    try:
        found = cells(known, mains, start, budget.bounds)
    except TooMany:
        report(Event("nothing is tried", {"a thread has too many points": len(threads)}))
        return
    made = list[Automaton]()
    for number, written in enumerate(asked.threads):
        made.append(_with(written, annotated(known.members[number], written, found.get(number))))
    for settled in _excluded(asked, budget, tuple(of_bad), made):
        # Nobody goes on listening when everything is settled.
        if main is not None:
            yield from (
                Note(words, True) for words in _told(asked, known, found, mains[0], settled.bads, start, budget)
            )
        yield settled


def _told(
    asked: Asked,
    known: Hierarchy,
    found: Mapping[int, Cells],
    main: int,
    bads: Sequence[Bad],
    start: Term,
    budget: Budget,
) -> Iterator[str]:
    """In words: the order of the threads, and what each needs of those before it."""
    names = [t.name for t in asked.threads]
    order = [" and ".join(names[n] for n in level) for level in known.levels([main])]
    yield f"order of the threads: {', '.join(order)}; none needs a later one"
    goal = partial(keeps_out, known.members[main], asked.threads[main], bads, bounds=budget.bounds)
    for need in needs(known, found, main, goal, start, budget.bounds):
        others = ", ".join(names[n] for n in known.sources[need.thread])
        if need.clauses is None:
            yield f"{names[need.thread]} needs to know how {others} change variables, not only what holds of these"
        elif not need.clauses:
            yield f"{names[need.thread]} needs nothing of {others}"
        else:
            yield f"{names[need.thread]} needs of {others}: {'; '.join(written_out(need.clauses))}"


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


def _excluded(asked: Asked, budget: Budget, bads: Sequence[Bad], made: Sequence[Automaton]) -> Iterator[Excluded]:
    session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
    separate = tuple(apart(t) for t in made)
    found = [n for bad in bads if (n := excluded(session, asked.threads, separate, bad)) is not None]
    if found:
        together = tuple(Annotated(t, a) for t, a in zip(asked.threads, made, strict=True))
        proof = Keeps(together, tuple(found), asked.axioms)
        yield Excluded(tuple(n.bad for n in found), proof, "polyhedra of threads in their environments")
