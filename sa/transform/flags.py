"""Facts that depend on flags: what holds at a location while Boolean locals of the thread have certain values.

Who takes a lock by hand tests a local that says whether the attempt was successful: `while (!got) { got := cas(m,
false, true); }`. The lock is held at the head of the loop if the flag is set. So facts are found of threads whose
locations have copies for the values of such locals, and said of the written locations under these values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, edges_from
from sa.smt.session import Session
from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var
from sa.transform.available import Available
from sa.transform.facts import Facts, Spot, facts_of, written_invariants
from sa.transform.values import constants

#: How many flags of a thread are told apart.
FLAGS = 2


class _Copies(Struct, frozen=True, eq=False):
    """A thread with locations that say what its flags are, and by its location and their values the name of each."""

    thread: Automaton
    names: Mapping[tuple[str, tuple[bool, ...]], str]
    flags: tuple[Var, ...]

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
    return Facts(threads, true, frozenset(met), written_invariants(threads), joint=True, lost=True, apart=apart)


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
    start = constants(build.conjuncts(thread.init))
    tested = frozenset[Var]().union(*(e.guard.free for e in thread.edges))
    own = (v.var for v in thread.variables if v.kind is Kind.LOCAL and v.var.sort == BOOL)
    flags = tuple(v for v in own if v in tested and v in start)[:FLAGS]
    first = thread.initial, tuple(start[v] is build.TRUE for v in flags)
    names, pending, edges, leaving = {first: _name(*first)}, [first], list[Edge](), edges_from(thread)
    while pending:
        place, values = pending.pop()
        known: dict[Var, Term] = {v: build.boolean(x) for v, x in zip(flags, values, strict=True)}
        for edge in leaving[place]:
            after = {v: substitute(t, known) for v, t in edge.updates}
            for target in _every(flags):
                landed = _say(tuple(after.get(v, known[v]) for v in flags), target)
                guard = build.land(substitute(edge.guard, known), *landed)
                if guard is build.FALSE:
                    continue
                there = edge.target, target
                if there not in names:
                    names[there] = _name(*there)
                    pending.append(there)
                kept = tuple((v, _decided(t, guard)) for v, t in after.items() if v not in flags)
                made = replace(edge, source=names[place, values], target=names[there], guard=guard, updates=kept)
                edges.append(made)
    places = {q.name: q for q in thread.locations}
    locations = list[Location]()
    for (place, values), name in names.items():
        known = {v: build.boolean(x) for v, x in zip(flags, values, strict=True)}
        locations.append(replace(places[place], name=name, inv=substitute(places[place].inv, known)))
    init = substitute(thread.init, {v: start[v] for v in flags})
    made_of = replace(thread, initial=_name(*first), locations=tuple(locations), init=init, edges=tuple(edges))
    return _Copies(made_of, names, flags)


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


def _every(flags: tuple[Var, ...]) -> Iterator[tuple[bool, ...]]:
    return product((False, True), repeat=len(flags))


def _say(flags: tuple[Term, ...], values: tuple[bool, ...]) -> Iterator[Term]:
    return (v if x else build.lnot(v) for v, x in zip(flags, values, strict=True))
