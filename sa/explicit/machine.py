"""One side of a goal as a machine on concrete states: numbered states, and the steps from each as they are asked for.

Values of choices that nothing determines are a few (`picks`). `Steps.open` says where there may be others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge, edges_from
from sa.automata.ranges import within
from sa.automata.trace import Configuration
from sa.explicit.picks import Picks, Row, by_cost, picks
from sa.terms.build import TRUE, conjuncts, land
from sa.terms.compile import guarded, predicate
from sa.terms.sort import Value
from sa.terms.term import Term, Var, sort_of

#: What is seen of a step: the action, the sorts and the values it shows; None for a silent step.
Action: TypeAlias = tuple[str, tuple[str, ...], tuple[Value, ...]] | None

#: How many values are looked at for the choices of one step.
WAYS = 512


class Stride(NamedTuple):
    """A step between numbered states. `cost` says how far from the simplest values its choices are."""

    edge: Edge
    picked: Row
    action: Action
    after: int
    cost: int


class Steps(NamedTuple):
    """The steps from a state. There may be more of the actions in `open`; None stands for silent ones."""

    strides: tuple[Stride, ...]
    open: frozenset[str | None]


class _Ready(Struct, frozen=True, eq=False):
    """An edge made ready: a row with picked values, to the row after it and behind it the values that it shows."""

    edge: Edge
    can: Callable[[Row], bool]
    picks: Picks | None
    step: Callable[[Row], Row | None]
    target: int
    arrives: Callable[[Row], bool] | None
    sorts: tuple[str, ...]


class Machine(Struct, eq=False):
    """An automaton on concrete states. `places` and `rows` say what a state's number stands for."""

    automaton: Automaton
    pool: tuple[int, ...]
    order: tuple[Var, ...]
    places: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    _numbers: dict[tuple[int, Row], int] = field(default_factory=dict)
    _ready: dict[int, tuple[_Ready, ...]] = field(default_factory=dict)
    _steps: dict[int, Steps] = field(default_factory=dict)

    def number(self, place: int, row: Row) -> int:
        """The number of a state."""
        key = place, row
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.rows)
            self.places.append(place)
            self.rows.append(row)
        return found

    def configuration(self, state: int) -> Configuration:
        """What a state's number stands for."""
        values = dict(zip(self.order, self.rows[state], strict=True))
        return Configuration(self.automaton.locations[self.places[state]].name, values)

    def steps(self, state: int) -> Steps:
        """The steps from a state. Raises Unevaluable."""
        found = self._steps.get(state)
        if found is None:
            found = self._steps[state] = self._made(state)
        return found

    def _made(self, state: int) -> Steps:
        place, row = self.places[state], self.rows[state]
        ready = self._ready.get(place)
        if ready is None:
            ready = self._ready[place] = _all_ready(self.automaton, self.order, self.pool, place)
        strides, more = list[Stride](), set[str | None]()
        for edge in ready:
            if edge.picks is None:
                self._take(edge, row, (), 0, strides)
            elif edge.can(row) and not self._choose(edge, edge.picks, row, strides):
                more.add(None if edge.edge.label is None else edge.edge.label.action)
        return Steps(tuple(strides), frozenset(more))

    def _choose(self, edge: _Ready, how: Picks, row: Row, strides: list[Stride]) -> bool:
        for looks, (cost, picked) in enumerate(by_cost(how, row)):
            if looks >= WAYS:
                return False
            if picked is not None:
                self._take(edge, row, picked, cost, strides)
        return how.complete

    def _take(self, edge: _Ready, row: Row, picked: Row, cost: int, strides: list[Stride]) -> None:
        after, label = edge.step(row + picked), edge.edge.label
        if after is None:
            return
        action = None
        if label is not None:
            after, shown = after[: len(row)], after[len(row) :]
            action = label.action, edge.sorts, shown
        if edge.arrives is None or edge.arrives(after):
            strides.append(Stride(edge.edge, picked, action, self.number(edge.target, after), cost))


def machine(automaton: Automaton, pool: tuple[int, ...]) -> Machine:
    """The machine of an automaton, without any states yet."""
    return Machine(automaton, pool, tuple(v.var for v in automaton.variables))


def _all_ready(automaton: Automaton, order: tuple[Var, ...], pool: tuple[int, ...], place: int) -> tuple[_Ready, ...]:
    number = {location.name: i for i, location in enumerate(automaton.locations)}
    here = automaton.locations[place]
    edges = edges_from(automaton)[here.name]
    return tuple(_made_ready(automaton, order, pool, edge, place, number[edge.target]) for edge in edges)


def _made_ready(
    automaton: Automaton, order: tuple[Var, ...], pool: tuple[int, ...], edge: Edge, source: int, target: int
) -> _Ready:
    chosen = tuple(c.var for c in edge.choices)
    guard = land(edge.guard, *(within(c) for c in edge.choices))
    plain = land(*(c for c in conjuncts(guard) if c.free.isdisjoint(chosen)))
    shown: tuple[Term, ...] = edge.label.values if edge.label is not None else ()
    updates = dict(edge.updates)
    # What held before and mentions nothing that is written still holds.
    before = frozenset(conjuncts(automaton.locations[source].inv))
    due = [c for c in conjuncts(automaton.locations[target].inv) if c not in before or not c.free.isdisjoint(updates)]
    return _Ready(
        edge,
        predicate(plain, order),
        picks(guard, order, edge.choices, pool) if edge.choices else None,
        guarded(guard, (*(updates.get(v, v) for v in order), *shown), (*order, *chosen)),
        target,
        predicate(land(*due), order) if land(*due) is not TRUE else None,
        tuple(sort_of(t).name for t in shown),
    )
