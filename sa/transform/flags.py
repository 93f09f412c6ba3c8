"""Facts that depend on flags: what holds at a location while Boolean locals, or equations between locals, are true.

Who takes a lock by hand tests a local that says whether the attempt was successful: `while (!got) { got := cas(m,
false, true); }`. The lock is held at the head of the loop if the flag is set. So facts are found of threads whose
locations have copies for the values of such flags, and said of the written locations under these values. Whose turn a
ticket says it is shows in an equation of two locals: what is served was read, and is what was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind
from sa.automata.trace_partitioning import partitioned
from sa.smt.session import Session
from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Bool, IsZero, Term, Var, sort_of
from sa.transform.available import Available
from sa.transform.draws import draws_of
from sa.transform.facts import NOTHING, Apart, Facts, ThreadPlace, facts_of, written_invariants
from sa.transform.values import constants

#: Whether each flag is set.
_Values: TypeAlias = tuple[bool, ...]

#: How many flags of a thread are told apart.
FLAGS = 2


class _Copies(Struct, frozen=True, eq=False):
    """A thread with locations that say what its flags are, and by its location and their values the name of each."""

    thread: Automaton
    names: Mapping[tuple[str, _Values], str]
    flags: tuple[Term, ...]

    def at(self, place: str) -> Iterator[tuple[Term, str | None]]:
        """What the flags may be at a written location, each with the name of the copy if steps lead there."""
        for values in _every(self.flags):
            yield build.land(*_say(self.flags, values)), self.names.get((place, values))


def facts_under_flags(threads: tuple[Automaton, ...], session: Session, always: Apart = NOTHING) -> Facts | None:
    """Joint facts under the values of flags; None where no thread has any. Raises LimitReached."""
    # An equation says whose turn it is where numbers are drawn.
    drawn = bool(draws_of(threads))
    copies = tuple(_copies(t, drawn) for t in threads)
    if not any(c.flags for c in copies):
        return None
    found = facts_of(tuple(c.thread for c in copies), session, always=always)
    met, apart = set[frozenset[ThreadPlace]](), dict[frozenset[ThreadPlace], Term]()
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
    return Facts(
        threads, true, frozenset(met), written, joint=True, lost=True, apart=apart, always=always, draws=found.draws
    )


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


def _copies(thread: Automaton, drawn: bool) -> _Copies:
    start = constants(build.conjuncts(thread.init))
    flags = tuple(f for f in _flags(thread, drawn) if isinstance(substitute(f, start), Bool))[:FLAGS]

    def follow(_: int, edge: Edge, values: _Values) -> Iterator[tuple[Edge, _Values]]:
        known = _known(flags, values)
        after = [_under(substitute(f, dict(edge.updates)), known) for f in flags]
        for target in _every(flags):
            guard = build.land(_under(edge.guard, known), *_say(after, target))
            if guard is not build.FALSE:
                kept = ((v, _decided(_under(t, known), guard)) for v, t in edge.updates if v not in flags)
                yield replace(edge, guard=guard, updates=tuple(kept)), target

    found = partitioned(
        thread,
        tuple(substitute(f, start) is build.TRUE for f in flags),
        follow,
        lambda place, values, _: "@".join((place, *("1" if x else "0" for x in values))),
        told=lambda location, values: replace(location, inv=_under(location.inv, _known(flags, values))),
    )
    assert found is not None
    init = substitute(thread.init, {f: start[f] for f in flags if isinstance(f, Var)})
    return _Copies(replace(found.automaton, init=init), found.names, flags)


def _known(flags: Sequence[Term], values: _Values) -> dict[Term, Term]:
    return {f: build.boolean(x) for f, x in zip(flags, values, strict=True)}


def _flags(thread: Automaton, drawn: bool) -> Iterator[Term]:
    """The Boolean locals that are tested, then, where numbers are `drawn`, the equations between two locals."""
    own = frozenset(v.var for v in thread.variables if v.kind is Kind.LOCAL)
    tests = dict.fromkeys(f for e in thread.edges for f in build.conjuncts(e.guard) if f.free and f.free <= own)
    yield from dict.fromkeys(v for f in tests for v in sorted(f.free, key=lambda v: v.key) if v.sort == BOOL)
    yield from (f for f in tests if drawn and isinstance(f, IsZero) and len(f.free) == 2)


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


def _every(flags: tuple[Term, ...]) -> Iterator[_Values]:
    return product((False, True), repeat=len(flags))


def _say(flags: Sequence[Term], values: _Values) -> Iterator[Term]:
    return (v if x else build.lnot(v) for v, x in zip(flags, values, strict=True))
