"""Automata as DOT graphs, for Graphviz and whatever reads its language."""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton, Edge, Location
from sa.report.automaton_text import show_label
from sa.terms.build import TRUE
from sa.terms.printer import show


def show_dot(automata: tuple[Automaton, ...]) -> str:
    """One directed graph, each automaton a cluster in it."""
    lines = ["digraph sacheck {", '  node [shape=box, style=rounded, fontname="monospace"];']
    lines.append('  edge [fontname="monospace"];')
    for automaton in automata:
        lines.extend("  " + line for line in _cluster(automaton))
    return "\n".join([*lines, "}"]) + "\n"


def _cluster(automaton: Automaton) -> Iterator[str]:
    yield f"subgraph {_quoted('cluster ' + automaton.name)} {{"
    yield f"  label={_quoted(automaton.name)};"
    start = _node(automaton, "")
    yield f"  {start} [shape=point];"
    yield f"  {start} -> {_node(automaton, automaton.initial)};"
    for location in automaton.locations:
        yield f"  {_node(automaton, location.name)} [label={_quoted(*_location(location))}];"
    for edge in automaton.edges:
        ends = f"{_node(automaton, edge.source)} -> {_node(automaton, edge.target)}"
        yield f"  {ends} [label={_quoted(*_edge(edge))}];"
    yield "}"


def _node(automaton: Automaton, location: str) -> str:
    return _quoted(f"{automaton.name} {location}")


def _location(location: Location) -> Iterator[str]:
    yield location.name
    if location.inv is not TRUE:
        yield f"inv {show(location.inv)}"
    if location.env is not None:
        yield f"env {show(location.env)}"


def _edge(edge: Edge) -> Iterator[str]:
    if edge.label is not None:
        yield f"@{show_label(edge.label)}"
    if edge.guard is not TRUE:
        yield f"when {show(edge.guard)}"
    for variable, term in edge.updates:
        yield f"{variable.name} := {show(term)}"


def _quoted(*lines: str) -> str:
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
