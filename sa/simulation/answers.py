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


def proposals(board: Board, step: Challenge, location: str) -> Iterator[Run]:
    """Answers worth trying before the solver has shown a state that needs one."""
    stay = start(board, location)
    wanted = shape_of(step.edge)
    for number, edge in board.abstract.edges[location]:
        if shape_of(edge) == wanted and len(edge.choices) == len(step.edge.choices):
            choice = tuple((mine.var, theirs) for mine, theirs in zip(edge.choices, step.choices, strict=True))
            yield extend(board, stay, number, edge, choice, step.label)[1]
            return
    if step.label is None and not _touches_links(board, step):
        yield stay


def _touches_links(board: Board, step: Challenge) -> bool:
    watched = frozenset[Var]().union(*(t.free for t in board.links.values()), *(t.free for t in board.residual))
    return any(v in watched and t is not v for v, t in step.edge.updates)


def best(board: Board, step: Challenge, runs: list[Run]) -> Run:
    """The answer to prefer among good ones: ending in the same statement, then short."""
    wanted = shape_of(step.edge)
    edges = board.abstract.automaton.edges

    def rank(run: Run) -> tuple[bool, int, tuple[int, ...]]:
        same = bool(run.edges) and shape_of(edges[run.edges[-1]]) == wanted
        return not same, len(run.edges), run.edges

    return min(runs, key=rank)
