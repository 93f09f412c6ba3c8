"""Infinite runs of a small closed program, from the definitions: all its states, and which lie on a common cycle.

States are stepped by evaluation, over the ranges of variables and choices, which must be small. Whether two states lie
on a common cycle is whether each can be reached from the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from sa.automata.automaton import Automaton, Edge, Kind, Variable
from sa.terms.build import variable
from sa.terms.evaluate import evaluate, holds
from sa.terms.name import at_place
from sa.terms.sort import BOOL, BoolSort, Value
from sa.terms.substitute import local_of
from sa.terms.term import Term, Var


class State(NamedTuple):
    """Where each thread is, the shared values, and each thread's own ones."""

    places: tuple[str, ...]
    shared: tuple[Value, ...]
    own: tuple[tuple[Value, ...], ...]


class Graph(NamedTuple):
    """All states that are reached, and from each the steps: which thread, and where to."""

    threads: tuple[Automaton, ...]
    starts: tuple[State, ...]
    steps: Mapping[State, tuple[tuple[int, State], ...]]


def values(v: Variable) -> Sequence[Value]:
    """All values of a variable, which must have few."""
    if isinstance(v.var.sort, BoolSort):
        return (False, True)
    assert v.low is not None and v.high is not None
    return range(v.low, v.high + 1)


def shared_of(threads: Sequence[Automaton]) -> list[Variable]:
    """The globals and parameters."""
    return [v for v in threads[0].variables if v.kind is not Kind.LOCAL]


def own_of(thread: Automaton) -> list[Variable]:
    """The locals."""
    return [v for v in thread.variables if v.kind is Kind.LOCAL]


def scope(threads: Sequence[Automaton], state: State, number: int) -> dict[Var, Value]:
    """What a thread can read."""
    known = dict(zip((v.var for v in shared_of(threads)), state.shared, strict=True))
    return known | dict(zip((v.var for v in own_of(threads[number])), state.own[number], strict=True))


def graph(threads: tuple[Automaton, ...], most: int = 3000) -> Graph | None:
    """The states of threads that run by themselves; None if there are too many."""
    starts = tuple(_starts(threads))
    steps: dict[State, tuple[tuple[int, State], ...]] = {}
    frontier = list(starts)
    while frontier:
        here = frontier.pop()
        if here in steps:
            continue
        steps[here] = tuple(_steps(threads, here))
        frontier += [after for _, after in steps[here]]
        if len(steps) > most:
            return None
    return Graph(threads, starts, steps)


def _starts(threads: tuple[Automaton, ...]) -> Iterator[State]:
    places = tuple(t.initial for t in threads)
    for shared in product(*map(values, shared_of(threads))):
        for own in product(*(list(product(*map(values, own_of(t)))) for t in threads)):
            state = State(places, shared, own)
            if all(holds(t.init, scope(threads, state, n)) for n, t in enumerate(threads)) and _legal(threads, state):
                yield state


def _legal(threads: tuple[Automaton, ...], state: State) -> bool:
    for number, thread in enumerate(threads):
        known = scope(threads, state, number)
        place = next(q for q in thread.locations if q.name == state.places[number])
        if not holds(place.inv, known) or any(known[v.var] not in values(v) for v in thread.variables):
            return False
    return True


def _steps(threads: tuple[Automaton, ...], state: State) -> Iterator[tuple[int, State]]:
    for number, thread in enumerate(threads):
        for edge in thread.edges:
            if edge.source == state.places[number]:
                yield from ((number, after) for after in along(threads, state, number, edge))


def along(threads: tuple[Automaton, ...], state: State, number: int, edge: Edge) -> Iterator[State]:
    known = scope(threads, state, number)
    for chosen in product(*map(values, edge.choices)):
        before = known | dict(zip((c.var for c in edge.choices), chosen, strict=True))
        if holds(edge.guard, before):
            new = known | {v: evaluate(t, before) for v, t in edge.updates}
            places = (*state.places[:number], edge.target, *state.places[number + 1 :])
            shared = tuple(new[v.var] for v in shared_of(threads))
            mine = tuple(new[v.var] for v in own_of(threads[number]))
            after = State(places, shared, (*state.own[:number], mine, *state.own[number + 1 :]))
            if _legal(threads, after):
                yield after


def true_in(g: Graph, formula: Term) -> Callable[[State], bool]:
    """Whether a formula about the whole program is true in a state."""

    def test(state: State) -> bool:
        known: dict[Var, Value] = dict(zip((v.var for v in shared_of(g.threads)), state.shared, strict=True))
        for thread, place, mine in zip(g.threads, state.places, state.own, strict=True):
            known |= {local_of(v.var, thread.name): x for v, x in zip(own_of(thread), mine, strict=True)}
            known |= {variable(at_place(thread.name, q.name), BOOL): q.name == place for q in thread.locations}
        return holds(formula, known)

    return test


def goes_on(g: Graph, movers: frozenset[int], fair: bool, inside: frozenset[State] | None = None) -> bool:
    """Whether in some (fair) run that stays in some states, one of the movers steps for ever."""
    states = frozenset(g.steps) if inside is None else inside
    reach = {s: _behind(g, s, states) for s in states}
    for state in states:
        component = frozenset(o for o in reach[state] if state in reach[o])
        if not component:
            continue
        moving = {t for s in component for t, after in g.steps[s] if after in component}
        idle = {n for n in range(len(g.threads)) if any(all(n != t for t, _ in g.steps[s]) for s in component)}
        if moving & movers and (not fair or len(moving | idle) == len(g.threads)):
            return True
    return False


def _behind(g: Graph, state: State, inside: frozenset[State]) -> frozenset[State]:
    """What can be reached by at least one step."""
    found, frontier = set[State](), [state]
    while frontier:
        for _, after in g.steps[frontier.pop()]:
            if after in inside and after not in found:
                found.add(after)
                frontier.append(after)
    return frozenset(found)


def leads(g: Graph, since: Term, until: Term, fair: bool) -> bool:
    """Whether in each (fair) run that goes on as long as it can, `until` is true where or after `since` is."""
    is_since, is_until = true_in(g, since), true_in(g, until)
    outside = frozenset(s for s in g.steps if not is_until(s))
    pending = {s for s in outside if is_since(s)}
    open_ = frozenset(pending.union(*(_behind(g, s, outside) for s in pending)))
    if any(not g.steps[s] for s in open_):
        return False
    return not goes_on(g, frozenset(range(len(g.threads))), fair, open_)


def nobody_is_stuck(g: Graph) -> bool:
    """Whether in each state in which nobody can step, all threads are where no edge leaves."""
    return all(
        steps or all(all(e.source != q for e in t.edges) for t, q in zip(g.threads, state.places, strict=True))
        for state, steps in g.steps.items()
    )
