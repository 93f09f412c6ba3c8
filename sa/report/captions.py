"""What pictures write at the locations and edges of automata, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Edge, Location, Variable
from sa.automata.ranges import without_ranges
from sa.report.automaton_text import show_label
from sa.terms.build import TRUE
from sa.terms.printer import Namer, show


def location_caption(location: Location, variables: Sequence[Variable], name: Namer) -> Iterator[str]:
    """The name, the invariant and the environment of a location, variables called by `name`. Their ranges are left
    out.
    """
    yield location.name
    inv = without_ranges(location.inv, variables)
    if inv is not TRUE:
        yield f"inv {show(inv, name)}"
    if location.env is not None:
        yield f"env {show(location.env, name)}"


def edge_caption(edge: Edge, name: Namer) -> Iterator[str]:
    """The guard, the updates and the action of an edge, variables called by `name`."""
    if edge.guard is not TRUE:
        yield f"when {show(edge.guard, name)}"
    for variable, term in edge.updates:
        yield f"{name(variable)} := {show(term, name)}"
    if edge.label is not None:
        yield f"@{show_label(edge.label)}"
