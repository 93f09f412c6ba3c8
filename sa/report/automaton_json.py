"""Automata as JSON, formulas as `.sa` text."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType

from sa.automata.automaton import Automaton, Edge, Kind, Location, Variable
from sa.base.diagnostic import Diagnostic
from sa.report.json import DiagnosticJson, SpanJson, diagnostic_json, span_json
from sa.terms.printer import show


class VariableJson(Struct, frozen=True):
    """A variable; `low` and `high` are its range, null where it has none."""

    name: str
    sort: str
    kind: Kind
    low: int | None
    high: int | None
    ghost: bool


class LocationJson(Struct, frozen=True):
    """A location with its invariant and its environment, null where none is declared."""

    name: str
    inv: str
    env: str | None
    span: SpanJson | None


class ActionJson(Struct, frozen=True):
    """What a step shows."""

    action: str
    values: list[str]


class EdgeJson(Struct, frozen=True):
    """A step: where its guard holds, the updates are made at once, with values for its choices."""

    source: str
    target: str
    label: ActionJson | None
    guard: str
    updates: dict[str, str]
    choices: list[VariableJson]
    span: SpanJson | None


class AutomatonJson(Struct, frozen=True):
    """A thread as an automaton with everything that it declares."""

    name: str
    variables: list[VariableJson]
    initial: str
    init: str
    locations: list[LocationJson]
    edges: list[EdgeJson]
    span: SpanJson | None


class AutomataJson(Struct, frozen=True, tag_field="format", tag="sacheck-automata/1"):
    """`sacheck show`; of `sacheck generate` also the program as text and what there is to say of it."""

    automata: list[AutomatonJson]
    program: str | UnsetType = UNSET
    diagnostics: list[DiagnosticJson] | UnsetType = UNSET


def automata_json(automata: tuple[Automaton, ...]) -> AutomataJson:
    """The automata with everything that they declare."""
    return AutomataJson([_automaton(a) for a in automata])


def generated_json(automata: tuple[Automaton, ...], program: str, diagnostics: Iterable[Diagnostic]) -> AutomataJson:
    """What was inferred for a program, with its text."""
    return AutomataJson([_automaton(a) for a in automata], program, [diagnostic_json(d) for d in diagnostics])


def _automaton(automaton: Automaton) -> AutomatonJson:
    return AutomatonJson(
        automaton.name,
        [_variable(v) for v in automaton.variables],
        automaton.initial,
        show(automaton.init),
        [_location(location) for location in automaton.locations],
        [_edge(edge) for edge in automaton.edges],
        span_json(automaton.origin.span),
    )


def _variable(variable: Variable) -> VariableJson:
    var = variable.var
    return VariableJson(str(var.name), var.sort.name, variable.kind, variable.low, variable.high, variable.ghost)


def _location(location: Location) -> LocationJson:
    env = None if location.env is None else show(location.env)
    return LocationJson(location.name, show(location.inv), env, span_json(location.origin.span))


def _edge(edge: Edge) -> EdgeJson:
    label = edge.label
    return EdgeJson(
        edge.source,
        edge.target,
        ActionJson(label.action, [show(v) for v in label.values]) if label else None,
        show(edge.guard),
        {str(variable.name): show(term) for variable, term in edge.updates},
        [_variable(c) for c in edge.choices],
        span_json(edge.origin.span),
    )
