"""Automata as JSON, formulas as `.sa` text."""

from __future__ import annotations

from typing import Any

from sa.automata.automaton import Automaton, Edge, Location, Variable
from sa.report.json import span_json
from sa.terms.printer import show

AUTOMATA_FORMAT = "sacheck-automata/1"


def automata_json(automata: tuple[Automaton, ...]) -> dict[str, Any]:
    """The automata with everything that they declare."""
    return {"format": AUTOMATA_FORMAT, "automata": [_automaton(a) for a in automata]}


def _automaton(automaton: Automaton) -> dict[str, Any]:
    return {
        "name": automaton.name,
        "variables": [_variable(v) for v in automaton.variables],
        "initial": automaton.initial,
        "init": show(automaton.init),
        "locations": [_location(location) for location in automaton.locations],
        "edges": [_edge(edge) for edge in automaton.edges],
        "span": span_json(automaton.origin.span),
    }


def _variable(variable: Variable) -> dict[str, Any]:
    return {
        "name": variable.var.name,
        "sort": variable.var.sort.name,
        "kind": variable.kind.value,
        "low": variable.low,
        "high": variable.high,
        "ghost": variable.ghost,
    }


def _location(location: Location) -> dict[str, Any]:
    env = None if location.env is None else show(location.env)
    return {"name": location.name, "inv": show(location.inv), "env": env, "span": span_json(location.origin.span)}


def _edge(edge: Edge) -> dict[str, Any]:
    label = edge.label
    return {
        "source": edge.source,
        "target": edge.target,
        "label": {"action": label.action, "values": [show(v) for v in label.values]} if label else None,
        "guard": show(edge.guard),
        "updates": {variable.name: show(term) for variable, term in edge.updates},
        "choices": [_variable(c) for c in edge.choices],
        "span": span_json(edge.origin.span),
    }
