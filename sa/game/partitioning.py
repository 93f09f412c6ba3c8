"""Automata with values of control variables as part of their locations: flags, locks, who holds them.

A variable is control where only constants, other control variables and conditions decide its value, or where it has
few values and only control is computed into it. So is the remainder of a number that a step asks for. What is true of
the data where a lock is held then is a fact of a location, and not one under a condition; and what cannot be reached
while it is held is not there at all. Steps are as they were, but for conditions on which value comes next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable
from sa.automata.live import live
from sa.automata.ranges import within
from sa.automata.remainders import with_remainders
from sa.automata.trace_partitioning import partitioned
from sa.terms import build
from sa.terms.cases import outcomes
from sa.terms.solve import solution
from sa.terms.sort import BOOL, INT, ArraySort
from sa.terms.substitute import substitute
from sa.terms.term import Bool, Int, Ite, Member, Term, Var

#: An edge that would become more edges than this does not say which values come next.
CASES = 16

#: What the control variables are at a location: None where that is not known, or nobody reads it any more.
_Values: TypeAlias = tuple[Term | None, ...]


class Unfolded(Struct, frozen=True, eq=False):
    """An automaton whose locations are copies of others, and what each of them and each edge is a copy of.

    `values` says at each location what the control variables are.
    """

    automaton: Automaton
    place: Mapping[str, str]
    edge: tuple[int, ...]
    values: Mapping[str, Term]


class _Put(Struct, eq=False):
    """Values put into terms, with a memory: in a composition the same terms meet the same few values everywhere."""

    known: dict[tuple[Term, tuple[Term | None, ...]], Term] = field(default_factory=dict)

    def into(self, term: Term, values: Mapping[Var, Term]) -> Term:
        """The term with these values."""
        key = term, tuple(map(values.get, term.free))
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = substitute(term, values)
        return found


def unfolded(
    automaton: Automaton, read: frozenset[Var], few: int, most: int, counting: bool = False, alone: bool = True
) -> Unfolded | None:
    """The automaton with control variables as part of its locations; None where it would have more than `most`.

    `read` are variables that others look at. A range of more than `few` values is data; so are locals without a range,
    unless they are `counting`: each round of a loop `i := i + 1` up to a constant has locations of its own then. Where
    the automaton is not `alone`, only locals are control: its environment writes the others.
    """
    (told,), meaning = with_remainders((automaton,))
    tracked = _tracked(told, few, counting, alone)
    alive = _alive(told, read if alone else read.union(*(q.env.free for q in told.locations if q.env is not None)))
    places = {q.name: q for q in told.locations}
    begun = dict(filter(None, (solution(c, frozenset(tracked)) for c in build.conjuncts(told.init))))
    first = _point(automaton.initial, {v: _known(begun.get(v)) for v in tracked}, tracked, alive)
    put = _Put()

    def follow(number: int, edge: Edge, here: _Values) -> Iterator[tuple[Edge, _Values]]:
        for condition, there in _targets(told.edges[number], here, tracked, alive, places, put):
            yield replace(edge, guard=build.land(edge.guard, substitute(condition, meaning))), there

    def said(here: _Values) -> Term:
        return substitute(build.land(*_equations(here, tracked)), meaning)

    found = partitioned(
        automaton,
        first,
        follow,
        lambda place, _, number: f"{place}#{number}",
        most,
        lambda location, here: replace(location, inv=build.land(location.inv, said(here))),
    )
    if found is None:
        return None
    return Unfolded(
        found.automaton, found.place(), found.edges, {name: said(at) for (_, at), name in found.names.items()}
    )


def _equations(here: _Values, tracked: Sequence[Var]) -> Iterator[Term]:
    return (build.eq(v, x) for v, x in zip(tracked, here, strict=True) if x is not None)


def _point(
    place: str, values: Mapping[Var, Term | None], tracked: Sequence[Var], alive: Mapping[str, frozenset[Var]]
) -> _Values:
    return tuple(values[v] if v in alive[place] else None for v in tracked)


def _alive(automaton: Automaton, read: frozenset[Var]) -> Mapping[str, frozenset[Var]]:
    # Ranges are always kept to, so that nothing depends on them.
    ranges = frozenset(c for v in automaton.variables for c in build.conjuncts(within(v)))
    bare = (
        replace(q, inv=build.land(*(c for c in build.conjuncts(q.inv) if c not in ranges))) for q in automaton.locations
    )
    return live(replace(automaton, locations=tuple(bare)), read)


def _targets(
    edge: Edge,
    here: _Values,
    tracked: Sequence[Var],
    alive: Mapping[str, frozenset[Var]],
    places: Mapping[str, Location],
    put: _Put,
) -> Iterator[tuple[Term, _Values]]:
    """Where an edge may lead, and each time the condition on the state before it."""
    before = dict(zip(tracked, here, strict=True))
    known: dict[Var, Term] = {v: x for v, x in before.items() if x is not None}
    guard = put.into(edge.guard, known)
    if guard is build.FALSE:
        return
    kept = alive[edge.target]
    written = {v: tuple(_cases(put.into(t, known))) for v, t in edge.updates if v in before and v in kept}
    ways = 1
    for cases in written.values():
        ways *= len(cases)
    if ways > CASES:
        written = dict.fromkeys(written, ((build.TRUE, None),))
    for chosen in product(*written.values()):
        condition = build.land(*(c for c, _ in chosen))
        if build.land(guard, condition) is build.FALSE:
            continue
        after = {**before, **{v: x for v, (_, x) in zip(written, chosen, strict=True)}}
        found = {v: x for v, x in after.items() if x is not None}
        if all(put.into(c, found) is not build.FALSE for c in build.conjuncts(places[edge.target].inv)):
            yield condition, _point(edge.target, after, tracked, alive)


def _cases(term: Term) -> Iterator[tuple[Term, Term | None]]:
    """The values that a term may have, each with its condition; None for one that is not known."""
    return ((condition, _known(value)) for condition, value in outcomes(term))


def _known(term: Term | None) -> Term | None:
    return term if isinstance(term, Int | Bool | Member) else None


def _tracked(automaton: Automaton, few: int, counting: bool, alone: bool) -> tuple[Var, ...]:
    """The largest part of the variables whose values only the part itself and conditions decide."""
    kinds = (Kind.GLOBAL, Kind.LOCAL) if alone else (Kind.LOCAL,)
    left = {v.var: v for v in automaton.variables if v.kind in kinds and not isinstance(v.var.sort, ArraySort)}
    falling = True
    while falling:
        written = ((v, t) for e in automaton.edges for v, t in e.updates if v in left)
        fallen = {v for v, t in written if not _is_decided(left[v], t, left, few, counting)}
        left = {v: x for v, x in left.items() if v not in fallen}
        falling = bool(fallen)
    return tuple(left)


def _is_decided(variable: Variable, term: Term, left: Mapping[Var, Variable], few: int, counting: bool) -> bool:
    match term:
        case Int() | Bool() | Member():
            return True
        case Var():
            return term in left
        case Ite(_, positive, negative):
            return all(_is_decided(variable, t, left, few, counting) for t in (positive, negative))
        case _ if variable.var.sort == BOOL:
            return True
        case _ if variable.var.sort == INT:
            if not term.free <= left.keys():
                return False
            if variable.low is None or variable.high is None:
                return counting and variable.kind is Kind.LOCAL
            return variable.high - variable.low < few
        case _:
            return False
