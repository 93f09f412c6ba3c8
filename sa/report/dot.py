"""Automata as DOT graphs, for Graphviz and whatever reads its language."""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Automaton
from sa.report.captions import edge_caption, location_caption
from sa.terms.printer import plain_name


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
        caption = location_caption(location, automaton.variables, plain_name)
        yield f"  {_node(automaton, location.name)} [label={_quoted(*caption)}];"
    for edge in automaton.edges:
        ends = f"{_node(automaton, edge.source)} -> {_node(automaton, edge.target)}"
        yield f"  {ends} [label={_quoted(*edge_caption(edge, plain_name))}];"
    yield "}"


def _node(automaton: Automaton, location: str) -> str:
    return _quoted(f"{automaton.name} {location}")


def _quoted(*lines: str) -> str:
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
