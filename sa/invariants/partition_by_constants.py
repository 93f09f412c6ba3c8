"""Automata with the values in their locations that locals have which only get constants, or whether what they test of
their locals is so.

After a compare-and-swap a location stands for two: where it did what it was asked to, and where it did not. So does
one after `v := fetch_add(left, -1)`, if `v > 0` is tested next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Variable, edges_from, variables_of
from sa.automata.components import reachable
from sa.automata.live import live
from sa.automata.trace_partitioning import partitioned
from sa.invariants.cases import TwoValued, cases
from sa.invariants.houdini import atoms_of
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.sort import BOOL
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import Bool, Forall, Int, Member, Term, Var, children

#: Locations with values at most, and tests of locals.
POINTS, TESTS = 60, 4

#: The locals that get only constants, each with its value at a location; None is any value.
_Known: TypeAlias = tuple[tuple[Var, Term | None], ...]


class Points(Struct, frozen=True):
    """The automaton, for each of its locations what it stands for, the locals whose values are in them, and tests."""

    automaton: Automaton
    meant: Mapping[str, tuple[str, Term]]
    known: frozenset[Var]
    tests: frozenset[Term] = frozenset()


def points(thread: Automaton, two: TwoValued) -> Points:
    """The thread with values in its locations; as it is where these are too many."""
    split = [cases(edge, two) for edge in thread.edges]
    own = _constant(thread, [e for edges in split for e in edges])
    while True:
        made = _spread(thread, split, own)
        known = [(place, values) for place, values in made.meant.values()]
        partly = {v for v in own if own[v] is None and _is_partly_known(v, known)}
        if not partly:
            return made
        own = {v: t for v, t in own.items() if v not in partly}


def points_by_tests(thread: Automaton, two: TwoValued) -> Points:
    """The same with what the thread tests of its own variables in its locations, where it tests it later."""
    tests = _tests(thread)
    flags = {test: build.variable(f"#test {n}", BOOL) for n, test in enumerate(tests)}
    made = points(_flagged(thread, flags), two)
    meaning: dict[Var, Term] = {flag: test for test, flag in flags.items()}
    meant = {name: (place, substitute(values, meaning)) for name, (place, values) in made.meant.items()}
    return replace(made, meant=meant, tests=frozenset(f for t in tests for f in (t, build.lnot(t))))


def _tests(thread: Automaton) -> list[Term]:
    """What guards say of locals that steps give values to, each or its negation."""
    moved = {v for e in thread.edges for v, t in e.updates if not isinstance(t, Int | Bool | Member)}
    own = frozenset(variables_of(thread, Kind.LOCAL))
    rigid = frozenset(variables_of(thread, Kind.PARAM))
    found = dict[Term, None]()
    for test in (a for e in thread.edges for a in atoms_of(e.guard)):
        local = test.free & own
        if local & moved and test.free <= own | rigid and build.lnot(test) not in found:
            found[test] = None
    return list(found)[:TESTS]


def _flagged(thread: Automaton, flags: Mapping[Term, Var]) -> Automaton:
    """The thread with a flag for each test, which it tests instead: nothing is known of it at the start."""
    instead: dict[Term, Term] = dict(flags)
    instead |= {build.lnot(test): build.lnot(flag) for test, flag in flags.items()}

    def told(term: Term) -> Term:
        if term in instead:
            return instead[term]
        return term if isinstance(term, Forall) or not children(term) else rebuild(term, told)

    def flagged(edge: Edge) -> Edge:
        after = dict[Var, Term](edge.updates)
        more = ((f, substitute(t, after)) for t, f in flags.items() if not t.free.isdisjoint(after))
        return replace(edge, guard=told(edge.guard), updates=(*edge.updates, *((f, told(t)) for f, t in more)))

    declared = tuple(Variable(f, Kind.LOCAL) for f in flags.values())
    return replace(thread, variables=(*thread.variables, *declared), edges=tuple(map(flagged, thread.edges)))


def _is_partly_known(var: Var, meant: Sequence[tuple[str, Term]]) -> bool:
    """Whether some location stands for values of a variable and for any value, too."""
    told: dict[str, set[bool]] = {}
    for place, values in meant:
        told.setdefault(place, set()).add(var in values.free)
    return any(len(found) > 1 for found in told.values())


def _spread(thread: Automaton, split: Sequence[Sequence[Edge]], own: Mapping[Var, Term | None]) -> Points:
    """The thread with the values of its `own` variables in its locations; None is any value, also where nobody reads it
    any more and it may still have the value that it begins with.
    """
    loose = frozenset(v for v, t in own.items() if t is None)
    read = live(thread, frozenset()) if loose else {}
    unwritten = {v: _unwritten(thread, v) for v in loose}

    def follow(number: int, _: Edge, here: _Known) -> Iterator[tuple[Edge, _Known]]:
        values = {v: t for v, t in here if t is not None}
        for edge in split[number]:
            guard = substitute(edge.guard, values)
            if guard is build.FALSE:
                continue
            updates = tuple((v, substitute(t, values)) for v, t in edge.updates)
            after = dict(here) | {v: t for v, t in updates if v in own}
            after |= {v: None for v in loose if edge.target in unwritten[v] and v not in read[edge.target]}
            yield replace(edge, guard=guard, updates=updates), tuple(after.items())

    found = partitioned(thread, tuple(own.items()), follow, lambda _, __, number: str(number), POINTS)
    if found is None:
        return Points(thread, {q.name: (q.name, build.TRUE) for q in thread.locations}, frozenset())
    meant = {
        name: (q, build.land(*(build.eq(v, t) for v, t in known if t is not None)))
        for (q, known), name in found.names.items()
    }
    return Points(found.automaton, meant, frozenset(own))


def _unwritten(thread: Automaton, var: Var) -> frozenset[str]:
    """Locations that can be reached without a step that writes a variable."""
    leaving = edges_from(thread)

    def passed(place: str) -> Iterator[str]:
        return (e.target for e in leaving.get(place, ()) if all(v is not var for v, _ in e.updates))

    return frozenset(reachable((thread.initial,), passed))


def _constant(thread: Automaton, edges: Sequence[Edge]) -> dict[Var, Term | None]:
    """Locals that get constants only, with their first values where these are known."""
    said = (solution(f, f.free) for f in build.conjuncts(thread.init) if len(f.free) == 1)
    begun = {s[0]: s[1] for s in said if s is not None and isinstance(s[1], Int | Bool | Member)}
    other = {v for e in edges for v, t in e.updates if not isinstance(t, Int | Bool | Member)}
    moved = {v for e in edges for v, _ in e.updates}
    return {v: begun.get(v) for v in variables_of(thread, Kind.LOCAL) if v in moved - other}
