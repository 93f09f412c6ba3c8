"""Locations told apart by values that a thread has there: permissions, and where pointers point that were given.

What is known of a state depends on them, and a conjunction for each location says more than one for all values. Steps
are simpler, too, where it is known what they access.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label
from sa.automata.ranges import values_of
from sa.automata.trace_partitioning import partitioned
from sa.frontends.flow.simplify import simplified
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Int, Ite, Term, Var

#: So many locations are few enough.
MOST_LOCATIONS = 400

#: The values of the variables at a location, None where they are not known.
_Values: TypeAlias = tuple[int | None, ...]


def told_apart(automaton: Automaton, variables: Sequence[Var]) -> Automaton:
    """The automaton with a location for each combination of values; as it is if those are too many.

    Values are known where constants are written, or what depends on choices of the same step that have a range.
    """
    first: _Values = (None,) * len(variables)
    seen = dict[int, int]()
    found = partitioned(
        automaton,
        first,
        lambda _, edge, values: _cases(edge, values, variables),
        lambda place, values, _: _name(place, values, seen),
        MOST_LOCATIONS,
    )
    return automaton if found is None else found.automaton


def _name(place: str, values: _Values, seen: dict[int, int]) -> str:
    """A name for a location, in which numbers that are no bits are counted as they are `seen`."""
    known = ""
    for value in values:
        if value is None:
            known += "_"
        else:
            known += str(value) if value in (0, 1) else f"p{seen.setdefault(value, len(seen) + 1)}"
    return f"{place}_{known}" if known else place


def _cases(edge: Edge, here: _Values, variables: Sequence[Var]) -> Iterator[tuple[Edge, _Values]]:
    """The edge for each value of the choices that the variables get their values from."""
    known: dict[Var, Term] = {v: build.integer(n) for v, n in zip(variables, here, strict=True) if n is not None}
    updates = dict(edge.updates)
    after = [substitute(updates.get(v, v), known) for v in variables]
    free = frozenset[Var]().union(*(t.free for v, t in zip(variables, after, strict=True) if v in updates))
    # Which element of an array a pointer leads to makes no difference for what is known.
    decides = frozenset[Var]().union(*(_deciding(t) for t in after))
    chosen = [c for c in edge.choices if c.var in free & decides and (c.low, c.high) != (None, None)]
    values = [values_of(c) for c in chosen]
    if any(v is None for v in values):
        chosen, values = [], []
    for case in product(*(v or () for v in values)):
        picked: dict[Var, Term] = {c.var: build.constant(n, c.var.sort) for c, n in zip(chosen, case, strict=True)}
        made = _with(edge, {**known, **picked})
        if made.guard is not build.FALSE:
            there = [simplified(substitute(t, picked)) for t in after]
            yield made, tuple(t.value if isinstance(t, Int) else None for t in there)


def _deciding(term: Term) -> frozenset[Var]:
    """The variables that a term is, or that choose what it is."""
    match term:
        case Var():
            return term.free
        case Ite(condition, positive, negative):
            return condition.free | _deciding(positive) | _deciding(negative)
        case _:
            return frozenset()


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
