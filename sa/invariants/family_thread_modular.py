"""Horn clauses about each thread and each copy by itself (THEORY section 9): an unknown invariant for each location.

A state of a predicate is that of a thread, or of a copy, at a location. It is closed under its own steps, and under
those of every other thread and of another copy, from states that agree on what is shared. So there are few predicates
where there are many threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind, location_of, variables_of
from sa.automata.family import Family, different, symbolic, symbolic_name
from sa.automata.rename import apart
from sa.conditions.never import taking
from sa.question.asked import Asked
from sa.smt.horn import Atom, Clause
from sa.terms import build
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var


class Apart(Struct, frozen=True):
    """All threads and the first symbolic copy of each family, and second copies by the names of the first ones."""

    asked: Asked
    observers: Sequence[Automaton]
    seconds: Mapping[str, tuple[Family, Automaton]]


def apart_from_each_other(asked: Asked) -> Apart:
    """The threads and copies of a question."""
    firsts = (apart(symbolic(f, 1)) for f in asked.families)
    seconds = {symbolic_name(f, 1): (f, apart(symbolic(f, 2))) for f in asked.families}
    return Apart(asked, (*(apart(t) for t in asked.threads), *firsts), seconds)


def predicate_at(thread: str, place: str) -> str:
    """The name of what is unknown of a thread at a location."""
    return f"{thread} at {place}"


def own_parameters(s: Apart) -> Mapping[str, Sequence[Var]]:
    """The predicates with the variables that they are about."""
    return {predicate_at(t.name, q.name): tuple(v.var for v in t.variables) for t in s.observers for q in t.locations}


def own_clauses(s: Apart) -> Iterator[Clause]:
    """Initial states, own steps, and steps of others."""
    known = build.land(*different(s.asked.families, tuple(2 for _ in s.asked.families)))
    for thread in s.observers:
        first = location_of(thread, thread.initial)
        start = build.land(known, s.asked.init, thread.init, first.inv)
        yield Clause((), start, _at(thread, thread.initial, {}))
        for edge in thread.edges:
            after = dict[Var, Term](edge.updates)
            before, there = location_of(thread, edge.source).inv, location_of(thread, edge.target).inv
            taken = build.land(known, before, taking(edge), substitute(there, after))
            yield Clause((_at(thread, edge.source, {}),), taken, _at(thread, edge.target, after))
        for actor in s.observers:
            if actor is not thread:
                yield from _steps(thread, actor, {}, known)
        if thread.name in s.seconds:
            family, second = s.seconds[thread.name]
            own = variables_of(family.thread, Kind.LOCAL)
            names: dict[Var, Term] = {local_of(v, thread.name): local_of(v, second.name) for v in own}
            yield from _steps(thread, second, names, known)


def _steps(observer: Automaton, actor: Automaton, names: Mapping[Var, Term], known: Term) -> Iterator[Clause]:
    """The actor's steps as the observer sees them; `names` are those of its locals for those of the first copy."""
    shared = frozenset(variables_of(actor, Kind.GLOBAL))
    for edge in actor.edges:
        after: dict[Var, Term] = {v: t for v, t in edge.updates if v in shared}
        if not after:
            continue
        acting = observer if names else actor
        who = _at(acting, edge.source, names)
        landed = substitute(location_of(actor, edge.target).inv, dict(edge.updates))
        taken = build.land(known, location_of(actor, edge.source).inv, taking(edge), landed)
        for place in observer.locations:
            here = build.land(taken, place.inv, substitute(place.inv, after))
            yield Clause((_at(observer, place.name, {}), who), here, _at(observer, place.name, after))


def _at(thread: Automaton, place: str, after: Mapping[Var, Term]) -> Atom:
    return Atom(predicate_at(thread.name, place), tuple(after.get(v.var, v.var) for v in thread.variables))
