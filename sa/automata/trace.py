"""Runs as plain values: what simulation of a program and counterexamples are made of."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from sa.automata.automaton import Edge
from sa.terms.sort import Value
from sa.terms.term import Var


class Configuration(Struct, frozen=True):
    """A state of an automaton: a location and a value for each of its variables."""

    location: str
    values: Mapping[Var, Value]


class Move(Struct, frozen=True):
    """A component step that was taken: the edge, the values of its choices, and where it led."""

    edge: Edge
    choices: Mapping[Var, Value]
    after: Configuration
