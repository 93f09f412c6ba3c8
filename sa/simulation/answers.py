"""Which answer to try first. A good guess saves work; a bad one costs work, never soundness.

An abstract edge that is the same statement as the concrete one is the best guess; staying is next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from sa.automata.automaton import Edge
from sa.simulation.board import Board
from sa.simulation.moves import Challenge
from sa.simulation.runs import Run, extend, start
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: What makes two edges the same statement on different sides.
Shape: TypeAlias = tuple[str | None, tuple[Term, ...]]


def shape_of(edge: Edge) -> Shape:
    """Label, guard and updates with the side's prefix taken off the names."""
    terms = [edge.guard, *(t for pair in edge.updates for t in pair)]
    if edge.label is not None:
        terms.extend(edge.label.values)
    names = {v: build.variable(v.name.partition(".")[2] or v.name, v.sort) for t in terms for v in t.free}
    action = None if edge.label is None else edge.label.action
    return action, tuple(substitute(t, names) for t in terms)


def likeness(edge: Edge, wanted: Edge) -> int:
    """How much two edges look like the same statement: 2 for the same, 1 for the same action and variables."""
    if shape_of(edge) == shape_of(wanted):
        return 2
    return int(bool(edge.updates) and _written(edge) == _written(wanted))


def _written(edge: Edge) -> tuple[str | None, frozenset[str]]:
    action = None if edge.label is None else edge.label.action
    return action, frozenset(v.name.partition(".")[2] for v, _ in edge.updates)


def proposals(board: Board, step: Challenge, location: str) -> Iterator[Run]:
    """Answers worth trying before the solver has shown a state that needs one."""
    stay = start(board, location)
    run = _ahead(board, step, stay)
    if run is not None:
        yield run
    elif step.label is None and not touches_links(board, step.edge):
        yield stay


def _ahead(board: Board, step: Challenge, stay: Run) -> Run | None:
    """The run to the same statement, past at most a few that only the abstract thread can see."""
    run = stay
    for distance in range(LOOK_AHEAD):
        edges = board.abstract.edges[run.location]
        for number, edge in edges:
            close = likeness(edge, step.edge)
            if (close == 2 or (close == 1 and not distance)) and len(edge.choices) == len(step.edge.choices):
                choice = tuple((mine.var, theirs) for mine, theirs in zip(edge.choices, step.choices, strict=True))
                return extend(board, run, number, edge, choice, step.label)[1]
        if len(edges) != 1 or not _private(board, edges[0][1]):
            return None
        run = extend(board, run, *edges[0], (), step.label)[1]
    return None


#: How many private statements of the abstract thread a proposal passes.
LOOK_AHEAD = 8


def _private(board: Board, edge: Edge) -> bool:
    """Whether a step is always possible and nobody but its thread can tell."""
    plain = edge.label is None and edge.guard is build.TRUE and not edge.choices
    return plain and not any(v in board.links for v, _ in edge.updates)


def touches_links(board: Board, edge: Edge) -> bool:
    """Whether a concrete step changes what ι speaks of."""
    watched = frozenset[Var]().union(*(t.free for t in board.links.values()), *(t.free for t in board.residual))
    return any(v in watched and t is not v for v, t in edge.updates)


def best(board: Board, step: Challenge, runs: list[Run]) -> Run:
    """The answer to prefer among good ones: ending in the same statement, then short."""
    edges = board.abstract.automaton.edges

    def rank(run: Run) -> tuple[int, int, tuple[int, ...]]:
        same = likeness(edges[run.edges[-1]], step.edge) if run.edges else 0
        return -same, len(run.edges), run.edges

    return min(runs, key=rank)
