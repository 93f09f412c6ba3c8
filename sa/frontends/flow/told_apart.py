"""Locations told apart by the permissions that a thread has there: few bits, which only actions change.

What is known of a state depends on them, and a conjunction for each location says more than one for all permissions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label, Location, edges_from, location_of
from sa.frontends.flow.simplify import simplified
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Int, Term, Var

#: So many locations are few enough.
MOST_LOCATIONS = 400

#: A location and the values of the bits there, None where they are not known yet.
_Place: TypeAlias = tuple[str, tuple[int | None, ...]]


def by_permissions(automaton: Automaton, bits: Sequence[Var]) -> Automaton:
    """The automaton with a location for each combination of bits; as it is if those are too many.

    A bit is written by nothing but constants, itself, and choices of the same step.
    """
    leaving = edges_from(automaton)
    first: _Place = automaton.initial, (None,) * len(bits)
    places, pending, edges = {first: automaton.initial}, [first], list[Edge]()
    while pending:
        here = pending.pop()
        for edge in leaving[here[0]]:
            for made, there in _cases(edge, here, bits):
                if there not in places:
                    places[there] = _name(there)
                    pending.append(there)
                    if len(places) > MOST_LOCATIONS:
                        return automaton
                edges.append(replace(made, source=places[here], target=places[there]))
    locations: list[Location] = []
    for place, name in places.items():
        locations.append(replace(location_of(automaton, place[0]), name=name))
    return replace(automaton, locations=tuple(locations), edges=tuple(edges))


def _name(place: _Place) -> str:
    known = "".join("_" if b is None else str(b) for b in place[1])
    return f"{place[0]}_{known}" if known else place[0]


def _cases(edge: Edge, here: _Place, bits: Sequence[Var]) -> Iterator[tuple[Edge, _Place]]:
    """The edge for each value of the choices that become bits."""
    known: dict[Var, Term] = {v: build.integer(b) for v, b in zip(bits, here[1], strict=True) if b is not None}
    updates = dict(edge.updates)
    after = [substitute(updates.get(v, v), known) for v in bits]
    own = {c.var for c in edge.choices}
    chosen = list(dict.fromkeys(t for t in after if isinstance(t, Var) and t in own))
    for values in product((0, 1), repeat=len(chosen)):
        picked: dict[Var, Term] = {v: build.integer(n) for v, n in zip(chosen, values, strict=True)}
        made = _with(edge, {**known, **picked})
        if made.guard is not build.FALSE:
            there = [substitute(t, picked) for t in after]
            yield made, (edge.target, tuple(t.value if isinstance(t, Int) else None for t in there))


def _with(edge: Edge, known: Mapping[Var, Term]) -> Edge:
    label = edge.label
    if label is not None:
        label = Label(label.action, tuple(simplified(substitute(t, known)) for t in label.values))
    return replace(
        edge,
        guard=simplified(substitute(edge.guard, known)),
        label=label,
        updates=tuple((v, simplified(substitute(t, known))) for v, t in edge.updates),
        choices=tuple(c for c in edge.choices if c.var not in known),
    )
