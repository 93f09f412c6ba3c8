"""Facts that depend on flags: what holds at a location while Boolean locals, or equations between locals, are true.

Who takes a lock by hand tests a local that says whether the attempt was successful: `while (!got) { got := cas(m,
false, true); }`. The lock is held at the head of the loop if the flag is set. So facts are found of threads whose
locations have copies for the values of such flags, and said of the written locations under these values. Whose turn a
ticket says it is shows in an equation of two locals: what is served was read, and is what was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, edges_from
from sa.smt.session import Session
from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Bool, IsZero, Term, Var, sort_of
from sa.transform.available import Available
from sa.transform.facts import Facts, Spot, facts_of, written_invariants
from sa.transform.values import constants

#: How many flags of a thread are told apart.
FLAGS = 2


class _Copies(Struct, frozen=True, eq=False):
    """A thread with locations that say what its flags are, and by its location and their values the name of each."""

    thread: Automaton
    names: Mapping[tuple[str, tuple[bool, ...]], str]
    flags: tuple[Term, ...]

    def at(self, place: str) -> Iterator[tuple[Term, str | None]]:
        """What the flags may be at a written location, each with the name of the copy if steps lead there."""
        for values in _every(self.flags):
            yield build.land(*_say(self.flags, values)), self.names.get((place, values))


def facts_under_flags(threads: tuple[Automaton, ...], session: Session) -> Facts | None:
    """Joint facts under the values of flags; None where no thread has any. Raises LimitReached."""
    copies = tuple(map(_copies, threads))
    if not any(c.flags for c in copies):
        return None
    found = facts_of(tuple(c.thread for c in copies), session)
    met, apart = set[frozenset[Spot]](), dict[frozenset[Spot], Term]()
    for (one, first), (other, second) in combinations(enumerate(copies), 2):
        for p, q in product(threads[one].locations, threads[other].locations):
            pair = frozenset({(one, p.name), (other, q.name)})
            ways = list(product(first.at(p.name), second.at(q.name)))
            never = [
                build.lnot(build.land(mine, theirs))
                for (mine, a), (theirs, b) in ways
                if a is not None and b is not None and frozenset({(one, a), (other, b)}) not in found.met
            ]
            if len(never) < sum(a is not None and b is not None for (_, a), (_, b) in ways):
                met.add(pair)
                apart[pair] = build.land(*never)
    true = tuple(_folded(t, c, its) for t, c, its in zip(threads, copies, found.true, strict=True))
    written = written_invariants(threads)
    return Facts(threads, true, frozenset(met), written, joint=True, lost=True, apart=apart, draws=found.draws)


def _folded(thread: Automaton, copies: _Copies, true: Available) -> Available:
    """What holds at the written locations: of each copy what holds there, if the flags are so."""
    found = dict[str, frozenset[Term]]()
    for place in (q.name for q in thread.locations):
        here = [(said, None if name is None else true.get(name)) for said, name in copies.at(place)]
        reached = [frozenset(facts) for _, facts in here if facts is not None]
        if reached or place == thread.initial:
            always = frozenset.intersection(*reached) if reached else frozenset[Term]()
            some = (build.implies(said, f) for said, facts in here if facts is not None for f in set(facts) - always)
            never = (build.lnot(said) for said, facts in here if facts is None)
            found[place] = always | {f for f in (*some, *never) if f is not build.TRUE}
    return found


def _copies(thread: Automaton) -> _Copies:
    start, leaving = constants(build.conjuncts(thread.init)), edges_from(thread)
    flags = tuple(f for f in _flags(thread) if isinstance(substitute(f, start), Bool))[:FLAGS]
    first = thread.initial, tuple(substitute(f, start) is build.TRUE for f in flags)
    names, pending, edges = {first: _name(*first)}, [first], list[Edge]()
    while pending:
        place, values = pending.pop()
        known = {f: build.boolean(x) for f, x in zip(flags, values, strict=True)}
        for edge in leaving[place]:
            updates = {v: _under(t, known) for v, t in edge.updates}
            after = [_under(substitute(f, dict(edge.updates)), known) for f in flags]
            for target in _every(flags):
                guard = build.land(_under(edge.guard, known), *_say(after, target))
                if guard is build.FALSE:
                    continue
                there = edge.target, target
                if there not in names:
                    names[there] = _name(*there)
                    pending.append(there)
                kept = tuple((v, _decided(t, guard)) for v, t in updates.items() if v not in flags)
                made = replace(edge, source=names[place, values], target=names[there], guard=guard, updates=kept)
                edges.append(made)
    places = {q.name: q for q in thread.locations}
    locations = list[Location]()
    for (place, values), name in names.items():
        known = {f: build.boolean(x) for f, x in zip(flags, values, strict=True)}
        locations.append(replace(places[place], name=name, inv=_under(places[place].inv, known)))
    init = substitute(thread.init, {f: start[f] for f in flags if isinstance(f, Var)})
    made_of = replace(thread, initial=_name(*first), locations=tuple(locations), init=init, edges=tuple(edges))
    return _Copies(made_of, names, flags)


def _flags(thread: Automaton) -> Iterator[Term]:
    """The Boolean locals that are tested, then the equations between two locals that are."""
    own = frozenset(v.var for v in thread.variables if v.kind is Kind.LOCAL)
    tests = dict.fromkeys(f for e in thread.edges for f in build.conjuncts(e.guard) if f.free and f.free <= own)
    yield from dict.fromkeys(v for f in tests for v in sorted(f.free, key=lambda v: v.key) if v.sort == BOOL)
    yield from (f for f in tests if isinstance(f, IsZero) and len(f.free) == 2)


def _under(term: Term, known: Mapping[Term, Term]) -> Term:
    """The term with the values of flags put in; of equations where they are conjuncts."""
    term = substitute(term, {f: x for f, x in known.items() if isinstance(f, Var)})
    if sort_of(term) != BOOL:
        return term
    denied = {build.lnot(f): build.lnot(x) for f, x in known.items()}
    return build.land(*(known.get(c, denied.get(c, c)) for c in build.conjuncts(term)))


def _decided(term: Term, guard: Term) -> Term:
    """The term where the guard is true, as far as that decides its conditions outright: an attempt that is successful
    takes the lock.
    """
    known = frozenset(build.conjuncts(guard))
    while (on := condition_in(term)) is not None and (on in known or build.lnot(on) in known):
        term = decided(term, on, on in known)
    return term


def _name(place: str, values: tuple[bool, ...]) -> str:
    return "@".join((place, *("1" if x else "0" for x in values)))


def _every(flags: tuple[Term, ...]) -> Iterator[tuple[bool, ...]]:
    return product((False, True), repeat=len(flags))


def _say(flags: Sequence[Term], values: tuple[bool, ...]) -> Iterator[Term]:
    return (v if x else build.lnot(v) for v, x in zip(flags, values, strict=True))
