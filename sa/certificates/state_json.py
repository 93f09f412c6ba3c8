"""States and steps as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sa.automata.automaton import Automaton, Edge, Variable
from sa.automata.trace import Configuration, Move
from sa.certificates.shape import Entry, Json, plain
from sa.terms.sort import Value
from sa.terms.term import Var


def values_json(values: Mapping[Var, Value]) -> Json:
    """Values by the names of their variables."""
    return {v.name: plain(x, v.sort) for v, x in values.items()}


def state_json(there: Configuration) -> Json:
    """A state: where it is, and all values."""
    return {"at": there.location, "values": values_json(there.values)}


def move_json(move: Move, automaton: Automaton) -> Json:
    """A step along an edge, by its number."""
    return {
        "edge": automaton.edges.index(move.edge),
        "choices": values_json(move.choices),
        "after": state_json(move.after),
    }


def read_values(entry: Entry, variables: Iterable[Variable]) -> dict[Var, Value]:
    """A value for each variable and for nothing else, in their order. Raises Malformed."""
    known = tuple(variables)
    found = entry.fields(*(v.var.name for v in known))
    return {v.var: x.of_sort(v.var.sort) for v, x in zip(known, found, strict=True)}


def read_state(entry: Entry, automaton: Automaton) -> Configuration:
    """A state of an automaton. Raises Malformed."""
    place, values = entry.fields("at", "values")
    return Configuration(place.text(), read_values(values, automaton.variables))


def read_edge(entry: Entry, automaton: Automaton) -> Edge:
    """An edge by its number. Raises Malformed."""
    return automaton.edges[entry.index(len(automaton.edges))]


def read_move(entry: Entry, automaton: Automaton) -> Move:
    """A step. Raises Malformed."""
    number, choices, after = entry.fields("edge", "choices", "after")
    edge = read_edge(number, automaton)
    return Move(edge, read_values(choices, edge.choices), read_state(after, automaton))
