"""Runs of the abstract side as terms over the state before them.

A run is followed on terms, with a state deciding which edges can be taken (`exploring.py`); so what comes out says what
the answers are, and why, for every state that takes the same turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Edge, Label, Variable
from sa.automata.ranges import count_of, values_of, within
from sa.certificates.relation import TURN, Turns
from sa.game.board import Board
from sa.game.loop_acceleration import Cycle
from sa.terms import build
from sa.terms.evaluate import State, evaluate
from sa.terms.implicant import decided
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Int, Term, Var, sort_of

#: How many values of a choice are tried one by one.
CHOICE_BOUND = 16

#: The terms taken for an edge's choices.
Choice: TypeAlias = tuple[tuple[Var, Term], ...]


class Run(Struct, frozen=True, eq=False):
    """An abstract run: its edges with the terms chosen on each, where it ends, the abstract variables' values
    there as terms over the (reduced) state before, and the condition on that state for taking it.

    `decisions` are literals under which conditionals in these terms were decided; none where they stand. `open` are
    choices that nothing has determined yet: variables `choice@position` in the terms (`choices.py`). `turns` are cycles
    taken any number of times, given by a term, in between (`loop_acceleration.py`).
    """

    edges: tuple[int, ...]
    choices: tuple[Choice, ...]
    location: str
    values: Mapping[Var, Term]
    condition: tuple[Term, ...]
    decisions: tuple[Term, ...]
    labelled: bool
    open: tuple[Var, ...] = ()
    turns: tuple[Turns, ...] = ()


class Bounds(Struct, frozen=True):
    """How far to explore: states visited, how often a run may take the same edge, and how many of its edges may
    change what ι determines (None: any number). With `detours` what counts is what is changed at the end."""

    states: int
    repeats: int | None
    shared: int | None
    detours: bool = False


def start(board: Board, location: str) -> Run:
    """The run that stays."""
    values = {v: board.links.get(v, v) for v in (*board.abstract.globals, *board.abstract.locals)}
    return Run((), (), location, values, (), (), False)


def start_at(board: Board, location: str, state: State) -> Run:
    """The run that stays in one state: its values are constants, and so are those of all that go on from it."""
    begin = start(board, location)
    values = {v: build.constant(evaluate(t, state), v.sort) for v, t in begin.values.items()}
    return replace(begin, values=values)


def changes_links(board: Board, edge: Edge) -> bool:
    """Whether an abstract edge changes variables that ι determines."""
    return any(v in board.links and t is not v for v, t in edge.updates)


def may_follow(edge: Edge, label: Label | None, run: Run) -> bool:
    """Whether an edge's action allows it as the next one of an answer: silent, or the label's one visible step."""
    if edge.label is None:
        return True
    return label is not None and not run.labelled and _same_action(edge.label, label)


def _same_action(first: Label, second: Label) -> bool:
    """Whether actions may be the same: values of the same sorts, and no two different numbers among them."""
    if first.action != second.action or len(first.values) != len(second.values):
        return False
    pairs = zip(first.values, second.values, strict=True)
    return all(
        sort_of(a) == sort_of(b) and (a is b or not (isinstance(a, Int) and isinstance(b, Int))) for a, b in pairs
    )


def extend(
    board: Board, run: Run, number: int, edge: Edge, choice: Choice, label: Label | None, state: State | None = None
) -> tuple[tuple[Term, ...], Run]:
    """The run with an edge appended, and the conditions for taking it: guard, equal values, target's invariant.

    With a state, conditionals are decided as it has them.
    """
    here = {**run.values, **dict(choice)}
    decisions = dict.fromkeys(run.decisions)
    values = {**run.values, **{v: substitute(t, here) for v, t in edge.updates}}
    if state is not None:
        values = {v: decided(t, state, decisions) for v, t in values.items()}
    conditions = list(build.conjuncts(substitute(edge.guard, here)))
    if edge.label is not None and label is not None:
        for mine, asked in zip(edge.label.values, label.values, strict=True):
            conditions.append(build.eq(substitute(mine, here), asked))
    conditions.extend(build.conjuncts(substitute(board.abstract.locations[edge.target].inv, values)))
    for variable in edge.choices:
        conditions.extend(build.conjuncts(within(variable, here[variable.var])))
    conditions = [c for c in dict.fromkeys(conditions) if c is not build.TRUE]
    after = Run(
        (*run.edges, number),
        (*run.choices, choice),
        edge.target,
        values,
        (*run.condition, *conditions),
        tuple(decisions),
        run.labelled or edge.label is not None,
        run.open,
        run.turns,
    )
    return tuple(conditions), after


def turned(run: Run, cycle: Cycle, count: Term) -> Run:
    """The run with turns of a cycle at its end, which is where the cycle begins."""
    here = {**run.values, TURN: count}
    made = Turns(len(run.edges), cycle.edges, count, cycle.after)
    conditions = build.conjoined(substitute(c, here) for c in cycle.condition)
    return replace(
        run,
        values={**run.values, **{v: substitute(t, here) for v, t in cycle.after}},
        condition=(*run.condition, *conditions),
        turns=(*run.turns, made),
    )


def undecided(board: Board, location: str, run: Run, label: Label | None) -> Run:
    """The run with its conditionals standing, so that it answers in more states."""
    if not run.decisions:
        return run
    whole = start(board, location)
    for position in range(len(run.edges) + 1):
        for made in run.turns:
            if made.position == position:
                cycle = next(c for c in board.cycles[whole.location] if c.edges == made.cycle)
                whole = turned(whole, cycle, made.count)
        if position < len(run.edges):
            number = run.edges[position]
            _, whole = extend(
                board, whole, number, board.abstract.automaton.edges[number], run.choices[position], label
            )
    return whole


def domain(variable: Variable) -> tuple[Term, ...] | None:
    """All values of a variable as terms, None if there are too many to try."""
    sort, values, count = variable.var.sort, values_of(variable), count_of(variable)
    if values is None or count is None or (sort == INT and count > CHOICE_BOUND):
        return None
    return tuple(build.constant(x, sort) for x in values)
