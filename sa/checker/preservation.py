"""Whether a closed program preserves that runs end, or that nobody is stuck, where both sides have few states.

What is decided is the definition: beside each concrete state stand all abstract states that a run from a related start
reaches with the same visible actions. Where the concrete side can go on for ever without a visible action one of them
must be able to; where it is stuck, one of them must be stuck or at its end. Everything is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, edges_from
from sa.automata.components import on_cycles
from sa.base.limits import Limits, check_memory, spend
from sa.certificates.goal import Goal
from sa.certificates.preservation import Kept
from sa.checker.enumeration import Enumeration, Row, enumeration, extended
from sa.checker.side import within
from sa.terms.build import land
from sa.terms.compile import guarded, predicate
from sa.terms.sort import Value
from sa.terms.term import Var, sort_of

#: More states, or pairs of a state and a set, than these are too many.
MOST = 30_000

#: A location and the values of all variables.
State: TypeAlias = tuple[str, Row]
#: What is seen of a step: the action, the sorts and values it shows; None for a silent one.
Action: TypeAlias = tuple[str, tuple[str, ...], Row] | None
#: The number of an edge, and the values of its choices.
Taken: TypeAlias = tuple[int, Row]


class TooMany(Exception):
    """There are more states than are looked at."""


class Broken(Struct, frozen=True):
    """A concrete run that no abstract one matches: from values, along edges; behind `cycle` steps for ever."""

    start: Mapping[Var, Value]
    taken: tuple[Taken, ...]
    cycle: int | None


class _Edge(Struct, frozen=True, eq=False):
    """An edge made ready: from a row with choices to what is written and what is shown."""

    number: int
    target: str
    choices: Enumeration | None
    values: Callable[[Row], Row | None]
    written: tuple[int, ...]
    label: tuple[str, tuple[str, ...]] | None


class _Graph(Struct, frozen=True, eq=False):
    """All states of one side, and the steps from each: what is seen, how it is taken, where it leads."""

    automaton: Automaton
    order: tuple[Var, ...]
    starts: tuple[State, ...]
    steps: Mapping[State, tuple[tuple[Action, Taken, State], ...]]

    def silent(self) -> dict[State, list[State]]:
        """Where silent steps lead."""
        return {s: [after for action, _, after in steps if action is None] for s, steps in self.steps.items()}


def broken(goal: Goal, kept: Kept, bounds: Limits) -> Broken | None:
    """A concrete run that shows that it is not preserved; None if it is.

    Raises TooMany, Endless where a value is not bounded, and LimitReached.
    """
    concrete, abstract = (_graph(a, bounds) for a in (goal.concrete, goal.abstract))
    diverging = _diverging(abstract)
    undefined = diverging if goal.loops_end else frozenset[State]()
    match kept:
        case Kept.TERMINATION:
            cycling = frozenset(on_cycles(concrete.steps, concrete.silent()))
            found = _unmatched(goal, concrete, abstract, (cycling, diverging, undefined), bounds)
        case Kept.PROGRESS:
            outgoing = edges_from(goal.concrete)
            stuck = frozenset(s for s, steps in concrete.steps.items() if not steps and outgoing[s[0]])
            still = frozenset(s for s, steps in abstract.steps.items() if not steps)
            found = _unmatched(goal, concrete, abstract, (stuck, still, undefined), bounds)
    if found is None:
        return None
    start, way = found
    cycle = _round(concrete, way[-1][1] if way else start) if kept is Kept.TERMINATION else ()
    taken = (*(t for t, _ in way), *cycle)
    return Broken(dict(zip(concrete.order, start[1], strict=True)), taken, len(way) if cycle else None)


def _diverging(graph: _Graph) -> frozenset[State]:
    """The states from which silent steps may go on for ever."""
    silent = graph.silent()
    before = dict[State, list[State]]()
    for state, after in silent.items():
        for one in after:
            before.setdefault(one, []).append(state)
    found = set(on_cycles(graph.steps, silent))
    frontier = list(found)
    while frontier:
        for state in before.get(frontier.pop(), ()):
            if state not in found:
                found.add(state)
                frontier.append(state)
    return frozenset(found)


def _round(graph: _Graph, begins: State) -> tuple[Taken, ...]:
    """A shortest cycle of silent steps."""
    known: dict[State, tuple[State, Taken] | None] = {}
    frontier = [begins]
    while True:
        later = list[State]()
        for state in frontier:
            for action, taken, after in graph.steps[state]:
                if action is None and after not in known:
                    known[after] = (state, taken)
                    later.append(after)
        if begins in known:
            break
        frontier = later
    way, state = list[Taken](), begins
    while (came := known[state]) is not None:
        way.append(came[1])
        state = came[0]
        if state == begins:
            break
    return tuple(reversed(way))


def _unmatched(
    goal: Goal,
    concrete: _Graph,
    abstract: _Graph,
    asked: tuple[Set[State], Set[State], Set[State]],
    bounds: Limits,
) -> tuple[State, list[tuple[Taken, State]]] | None:
    """A start and a way to a state that is bad while none of the abstract states beside it is fine.

    Where one is undefined, whatever comes next is matched.
    """
    bad, fine, undefined = asked
    Node = tuple[State, frozenset[State]]
    came = dict[Node, tuple[Node, Taken] | None]()
    for start, beside in _related(goal, concrete, abstract):
        came.setdefault((start, _closed(abstract, beside)), None)
    frontier = list(came)
    while frontier:
        later = list[Node]()
        for node in frontier:
            state, beside = node
            if not beside.isdisjoint(undefined):
                continue
            if state in bad and beside.isdisjoint(fine):
                return _way(came, node)
            for action, taken, after in concrete.steps[state]:
                following = beside if action is None else _closed(abstract, _showing(abstract, beside, action))
                if (after, following) not in came:
                    came[after, following] = (node, taken)
                    later.append((after, following))
        spend(bounds, 200)
        check_memory(bounds)
        if len(came) > MOST:
            raise TooMany
        frontier = later
    return None


def _way(
    came: Mapping[tuple[State, frozenset[State]], tuple[tuple[State, frozenset[State]], Taken] | None],
    node: tuple[State, frozenset[State]],
) -> tuple[State, list[tuple[Taken, State]]]:
    way = list[tuple[Taken, State]]()
    while (before := came[node]) is not None:
        way.append((before[1], node[0]))
        node = before[0]
    return node[0], way[::-1]


def _showing(graph: _Graph, states: Set[State], action: Action) -> frozenset[State]:
    return frozenset(after for s in states for seen, _, after in graph.steps[s] if seen == action)


def _closed(graph: _Graph, states: Set[State]) -> frozenset[State]:
    """The states and what silent steps lead to."""
    found, frontier = set(states), list(states)
    while frontier:
        for action, _, after in graph.steps[frontier.pop()]:
            if action is None and after not in found:
                found.add(after)
                frontier.append(after)
    return frozenset(found)


def _related(goal: Goal, concrete: _Graph, abstract: _Graph) -> Iterator[tuple[State, frozenset[State]]]:
    """Each concrete start with the abstract ones that are related to it."""
    own = tuple(v for v in abstract.order if v not in concrete.order)
    test = predicate(land(*(f.term for f in (*goal.kappa, *goal.iota))), (*concrete.order, *own))
    both = [(concrete.order.index(v), abstract.order.index(v)) for v in abstract.order if v in concrete.order]
    places = [abstract.order.index(v) for v in own]
    by_parameters = dict[Row, list[State]]()
    for state in abstract.starts:
        by_parameters.setdefault(tuple(state[1][j] for _, j in both), []).append(state)
    for state in concrete.starts:
        candidates = by_parameters.get(tuple(state[1][i] for i, _ in both), ())
        yield state, frozenset(a for a in candidates if test((*state[1], *(a[1][j] for j in places))))


# ---------------------------------------------------------------- all states of one side


def _graph(automaton: Automaton, bounds: Limits) -> _Graph:
    order = tuple(v.var for v in automaton.variables)
    legal = {q.name: predicate(land(q.inv, *map(within, automaton.variables)), order) for q in automaton.locations}
    ready = {name: tuple(_ready(automaton, order, n) for n in numbers) for name, numbers in _numbers(automaton).items()}
    starts = tuple(_starts(automaton, order))
    steps = dict[State, tuple[tuple[Action, Taken, State], ...]]()
    frontier = list(starts)
    while frontier:
        state = frontier.pop()
        if state in steps:
            continue
        made = (s for edge in ready[state[0]] for s in _along(edge, state[1]))
        steps[state] = tuple(s for s in made if legal[s[2][0]](s[2][1]))
        frontier += [after for _, _, after in steps[state]]
        if len(steps) % 1_000 == 0:
            spend(bounds, 5_000)
            check_memory(bounds)
        if len(steps) > MOST:
            raise TooMany
    return _Graph(automaton, order, starts, steps)


def _numbers(automaton: Automaton) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {q.name: [] for q in automaton.locations}
    for number, edge in enumerate(automaton.edges):
        found[edge.source].append(number)
    return found


def _starts(automaton: Automaton, order: tuple[Var, ...]) -> Iterator[State]:
    place = next(q for q in automaton.locations if q.name == automaton.initial)
    formula = land(automaton.init, place.inv, *map(within, automaton.variables))
    for count, row in enumerate(extended(enumeration(formula, (), automaton.variables), ())):
        if count > MOST:
            raise TooMany
        yield place.name, row
    assert len(order) == len(automaton.variables)


def _ready(automaton: Automaton, order: Sequence[Var], number: int) -> _Edge:
    edge = automaton.edges[number]
    condition = land(edge.guard, *map(within, edge.choices))
    shown = edge.label.values if edge.label is not None else ()
    terms = (*(t for _, t in edge.updates), *shown)
    label = None if edge.label is None else (edge.label.action, tuple(sort_of(t).name for t in shown))
    return _Edge(
        number,
        edge.target,
        enumeration(condition, order, edge.choices) if edge.choices else None,
        guarded(condition, terms, (*order, *(c.var for c in edge.choices))),
        tuple(order.index(v) for v, _ in edge.updates),
        label,
    )


def _along(edge: _Edge, row: Row) -> Iterator[tuple[Action, Taken, State]]:
    for chosen in ((),) if edge.choices is None else extended(edge.choices, row):
        values = edge.values((*row, *chosen))
        if values is not None:
            after = list(row)
            for place, value in zip(edge.written, values, strict=False):
                after[place] = value
            shown = values[len(edge.written) :]
            action = None if edge.label is None else (*edge.label, tuple(shown))
            yield action, (edge.number, chosen), (edge.target, tuple(after))
