"""Which answer to try first. A good guess saves work; a bad one costs work, never soundness.

An abstract edge that is the same statement as the concrete one is the best guess; staying is next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from sa.automata.automaton import Edge
from sa.simulation.board import Board
from sa.simulation.rounds import Challenge
from sa.simulation.runs import Run, extend, may_follow, start
from sa.terms import build
from sa.terms.evaluate import State, evaluate
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


def proposals(board: Board, step: Challenge, location: str, solved: Mapping[Var, Term]) -> Iterator[Run]:
    """Answers worth trying before the solver has shown a state that needs one; `solved` are the facts there."""
    stay = start(board, location)
    run = _ahead(board, step, stay, solved)
    if run is not None:
        yield run
    elif step.label is None and not _touches(board, step.edge):
        yield stay


def _ahead(board: Board, step: Challenge, stay: Run, solved: Mapping[Var, Term]) -> Run | None:
    """The run to the same statement, past at most a few that only the abstract thread can see."""
    run, wanted = stay, shape_of(step.edge)
    for _ in range(LOOK_AHEAD):
        edges = board.abstract.edges[run.location]
        for number, edge in edges:
            if may_follow(edge, step.label, run) and len(edge.choices) == len(step.edge.choices):
                choice = tuple((mine.var, theirs) for mine, theirs in zip(edge.choices, step.choices, strict=True))
                longer = extend(board, run, number, edge, choice, step.label)[1]
                if shape_of(edge) == wanted or _same_effect(step, edge, run, longer, solved):
                    return longer
        if len(edges) != 1 or not _private(board, edges[0][1]):
            return None
        run = extend(board, run, *edges[0], (), step.label)[1]
    return None


def _same_effect(step: Challenge, edge: Edge, before: Run, after: Run, solved: Mapping[Var, Term]) -> bool:
    """Whether the facts make the two statements the same: equal tests, equal variables given equal values."""
    if (edge.label is None) != (step.label is None) or not edge.updates:
        return False
    if substitute(build.land(*after.condition[len(before.condition) :]), solved) is not build.TRUE:
        return False
    mine = {_plain(v): substitute(after.values[v], solved) for v, _ in edge.updates}
    theirs = {_plain(v): substitute(t, solved) for v, t in step.edge.updates}
    return mine == theirs


#: How many private statements of the abstract thread a proposal passes.
LOOK_AHEAD = 8


def _private(board: Board, edge: Edge) -> bool:
    """Whether a step is always possible and nobody but its thread can tell."""
    plain = edge.label is None and edge.guard is build.TRUE and not edge.choices
    return plain and not any(v in board.links for v, _ in edge.updates)


def _touches(board: Board, edge: Edge) -> bool:
    """Whether a concrete step changes what ι speaks of, or a variable that the abstract thread has too."""
    watched = frozenset[Var]().union(*(t.free for t in board.links.values()), *(t.free for t in board.residual))
    theirs = frozenset(_plain(v) for v in (*board.abstract.globals, *board.abstract.locals))
    return any((v in watched or _plain(v) in theirs) and t is not v for v, t in edge.updates)


def _plain(var: Var) -> str:
    return var.name.partition(".")[2]


def best(board: Board, step: Challenge, runs: list[Run], state: State) -> Run:
    """The answer to prefer among good ones.

    Ending in the same statement comes first, then passing few tests, then leaving few variables different that
    have the same name on both sides, then being short.
    """
    edges, wanted = board.abstract.automaton.edges, shape_of(step.edge)
    after = {
        _plain(v): evaluate(step.after.get(v, v), state) for v in (*board.concrete.globals, *board.concrete.locals)
    }

    def rank(run: Run) -> tuple[bool, int, int, int, tuple[int, ...]]:
        path = [edges[n] for n in run.edges]
        same = bool(path) and shape_of(path[-1]) == wanted and all(_private(board, e) for e in path[:-1])
        tests = sum(e.guard is not build.TRUE for e in (path[:-1] if same else path))
        pairs = ((after.get(_plain(v)), evaluate(t, state)) for v, t in run.values.items())
        apart = sum(mine is not None and mine != theirs for mine, theirs in pairs)
        return not same, tests, apart, len(path), run.edges

    return min(runs, key=rank)
