"""Abstract answers from one state: every silent run, one visible step where the label asks for it.

A run is followed on terms over the state before it, with the state deciding which edges can be taken; so
the exploration says what the answers are, and why, for every state that takes the same turns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from sa.automata.automaton import Edge, Label, Variable
from sa.automata.ranges import count_of, values_of, within
from sa.game.board import Board
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.implicant import decided
from sa.terms.sort import INT, Value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, sort_of

#: How many values of a choice are tried one by one.
CHOICE_BOUND = 16

#: The terms taken for an edge's choices.
Choice: TypeAlias = tuple[tuple[Var, Term], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """An abstract run: its edges with the terms chosen on each, where it ends, the abstract variables' values
    there as terms over the (reduced) state before, and the condition on that state for taking it.

    `decisions` are literals under which conditionals in these terms were decided; none where they stand.
    """

    edges: tuple[int, ...]
    choices: tuple[Choice, ...]
    location: str
    values: Mapping[Var, Term]
    condition: tuple[Term, ...]
    decisions: tuple[Term, ...]
    labelled: bool


@dataclass(frozen=True, slots=True)
class Exploration:
    """All runs that answer from a state; `reasons` are true there and imply that there are no others.

    `exhausted` is False where a bound or a choice among infinitely many values cut the search.
    """

    runs: tuple[Run, ...]
    reasons: tuple[Term, ...]
    exhausted: bool


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far to explore: states visited, how often a run may take the same edge, and how many of its edges may
    change what ι determines (None: any number)."""

    states: int
    repeats: int | None
    shared: int | None


def start(board: Board, location: str) -> Run:
    """The run that stays."""
    values = {v: board.links.get(v, v) for v in (*board.abstract.globals, *board.abstract.locals)}
    return Run((), (), location, values, (), (), False)


def start_at(board: Board, location: str, state: State) -> Run:
    """The run that stays in one state: its values are constants, and so are those of all that go on from it."""
    begin = start(board, location)
    values = {v: build.constant(evaluate(t, state), v.sort) for v, t in begin.values.items()}
    return replace(begin, values=values)


def explore(
    board: Board, begin: Run, label: Label | None, hints: tuple[Term, ...], state: State, bounds: Bounds
) -> Exploration:
    """The answers to `label` (values over the state before the step) from a state, going on from `begin`.

    `hints` are terms that a choice with infinitely many values should try.
    """
    pending = deque([begin])
    seen = {_snapshot(begin, state): begin}
    runs, reasons, exhausted = list[Run](), dict[Term, None](), True
    while pending:
        run = pending.popleft()
        if run.labelled == (label is not None):
            runs.append(run)
        for number, edge in board.abstract.edges[run.location]:
            if not may_follow(edge, label, run):
                continue
            instances, complete = instances_of(edge, run, hints, state)
            exhausted = exhausted and complete
            for choice in instances:
                # Terms grow with every turn of a loop unless its conditionals are decided.
                again = state if number in run.edges else None
                conditions, longer = extend(board, run, number, edge, choice, label, again)
                false = next((c for c in conditions if not holds(c, state)), None)
                if false is not None:
                    reasons.update(dict.fromkeys((*longer.decisions, build.lnot(false))))
                elif (snapshot := _snapshot(longer, state)) in seen:
                    reasons.update(dict.fromkeys((*longer.decisions, *_repeats(longer, seen[snapshot]))))
                elif len(seen) >= bounds.states or _too_long(board, longer, bounds):
                    exhausted = False
                else:
                    seen[snapshot] = longer
                    pending.append(longer)
    return Exploration(tuple(runs), tuple(reasons), exhausted)


def _too_long(board: Board, run: Run, bounds: Bounds) -> bool:
    if bounds.repeats is not None and run.edges.count(run.edges[-1]) > bounds.repeats:
        return True
    edges = board.abstract.automaton.edges
    return bounds.shared is not None and sum(changes_links(board, edges[n]) for n in run.edges) > bounds.shared


def changes_links(board: Board, edge: Edge) -> bool:
    """Whether an abstract edge changes variables that ι determines."""
    return any(v in board.links and t is not v for v, t in edge.updates)


def may_follow(edge: Edge, label: Label | None, run: Run) -> bool:
    """Whether an edge's action allows it as the next one of an answer: silent, or the label's one visible step."""
    if edge.label is None:
        return True
    return label is not None and not run.labelled and _same_action(edge.label, label)


def _same_action(first: Label, second: Label) -> bool:
    sorts = ([sort_of(t) for t in label.values] for label in (first, second))
    return first.action == second.action and next(sorts) == next(sorts)


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
    )
    return tuple(conditions), after


def undecided(board: Board, location: str, run: Run, label: Label | None) -> Run:
    """The run with its conditionals standing, so that it answers in more states."""
    if not run.decisions:
        return run
    whole = start(board, location)
    for number, choice in zip(run.edges, run.choices, strict=True):
        _, whole = extend(board, whole, number, board.abstract.automaton.edges[number], choice, label)
    return whole


def instances_of(edge: Edge, run: Run, hints: tuple[Term, ...], state: State) -> tuple[tuple[Choice, ...], bool]:
    """The values to try for an edge's choices, and whether these are all that there are."""
    instances: tuple[Choice, ...] = ((),)
    complete = True
    for variable in edge.choices:
        values = domain(variable)
        if values is None:
            complete = False
            tried = [*hints, *(run.values[v] for v, t in edge.updates if t is variable.var), build.ZERO]
            values = tuple(dict.fromkeys(t for t in tried if _fits(t, variable)))
        instances = tuple((*i, (variable.var, value)) for i in instances for value in values)
    return instances, complete


def _fits(term: Term, variable: Variable) -> bool:
    return sort_of(term) == variable.var.sort


def domain(variable: Variable) -> tuple[Term, ...] | None:
    """All values of a variable as terms, None if there are too many to try."""
    sort, values, count = variable.var.sort, values_of(variable), count_of(variable)
    if values is None or count is None or (sort == INT and count > CHOICE_BOUND):
        return None
    return tuple(build.constant(x, sort) for x in values)


def _snapshot(run: Run, state: State) -> tuple[str, bool, tuple[Value, ...]]:
    return run.location, run.labelled, tuple(evaluate(t, state) for t in run.values.values())


def _repeats(run: Run, earlier: Run) -> Iterator[Term]:
    """The state repeats: going on from it again leads nowhere new."""
    for var, term in run.values.items():
        same = build.eq(term, earlier.values[var])
        if same is not build.TRUE:
            yield same
