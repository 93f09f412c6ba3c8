"""A composition taken apart again: the threads that a joint automaton is made of.

Rounds are turns of threads, so whoever has only the composition needs them back. Nothing depends on this being right:
what is found is a run of the composition, step by step, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, composed, mover
from sa.terms.build import conjuncts, land
from sa.terms.name import off_thread
from sa.terms.substitute import called, substitute
from sa.terms.term import Term, Var


class Part(Struct, frozen=True, eq=False):
    """A thread of a composition over the composition's names.

    `numbers` are, for each of its edges, those of the composition's by the joint location that they leave.
    """

    name: str
    places: tuple[Location, ...]
    initial: str
    edges: tuple[Edge, ...]
    numbers: tuple[Mapping[str, int], ...]


def parts_of(whole: Automaton) -> tuple[Part, ...]:
    """The threads of a composition; of one thread, that thread alone."""
    if not whole.locations[0].parts:
        numbers = tuple({edge.source: n} for n, edge in enumerate(whole.edges))
        return (Part(whole.name, whole.locations, whole.initial, whole.edges, numbers),)
    count = len(whole.locations[0].parts)
    names = list(composed(whole))
    if len(names) != count:
        names = [f"T{i}" for i in range(count)]
    joint = {q.name: q for q in whole.locations}
    found: list[dict[Edge, dict[str, int]]] = [{} for _ in range(count)]
    for number, edge in enumerate(whole.edges):
        before, after = joint[edge.source], joint[edge.target]
        moved = names.index(edge.thread) if edge.thread in names else mover(before, after)
        for i in range(count) if moved is None else (moved,):
            own = replace(edge, source=before.parts[i], target=after.parts[i])
            found[i].setdefault(own, {})[edge.source] = number
    return tuple(_part(whole, joint, names[i], i, found[i]) for i in range(count))


def _part(
    whole: Automaton, joint: Mapping[str, Location], name: str, index: int, found: Mapping[Edge, Mapping[str, int]]
) -> Part:
    """A thread. A step that stays where it is belongs to a thread that can make it wherever the others are."""
    by_place: dict[str, list[Location]] = {}
    for q in whole.locations:
        by_place.setdefault(q.parts[index], []).append(q)
    edges = {e: n for e, n in found.items() if e.source != e.target or len(n) == len(by_place[e.source])}
    places = tuple(_place(own, among) for own, among in by_place.items())
    return Part(name, places, joint[whole.initial].parts[index], tuple(edges), tuple(edges.values()))


def _place(name: str, among: Sequence[Location]) -> Location:
    """A thread's location: its invariant is what all joint ones have in common."""
    common = [c for c in conjuncts(among[0].inv) if all(c in conjuncts(q.inv) for q in among)]
    return Location(name, land(*common), None, among[0].origin)


def thread_of(whole: Automaton, part: Part, init: Term, edges: tuple[Edge, ...], shared: frozenset[Var]) -> Automaton:
    """The thread with these `edges`, with locals of its own, and those that are `shared` as globals.

    Side by side the threads have the names of the composition again. `init` is over these, `edges` over its own.
    """
    own = names_in(whole, part, shared)
    variables = tuple(
        replace(v, var=own.get(v.var, v.var), kind=Kind.LOCAL if v.var in own else _kind(v.kind))
        for v in whole.variables
        if v.kind is not Kind.LOCAL or v.var in own or v.var in shared
    )
    places = tuple(replace(q, inv=substitute(q.inv, own), env=None) for q in part.places)
    return Automaton(part.name, variables, places, part.initial, init, edges, whole.origin)


def _kind(kind: Kind) -> Kind:
    return kind if kind is Kind.PARAM else Kind.GLOBAL


def names_in(whole: Automaton, part: Part, shared: frozenset[Var]) -> dict[Var, Var]:
    """The names that the locals of a composition have in their thread, but for the shared ones."""
    return {v: called(v, off_thread(v.name)) for v in locals_of(whole, part) if v not in shared}


def locals_of(whole: Automaton, part: Part) -> list[Var]:
    """The variables of a composition that are a thread's own."""
    alone = not whole.locations[0].parts
    own = [v.var for v in whole.variables if v.kind is Kind.LOCAL]
    return [v for v in own if alone or v.name.thread == part.name]
