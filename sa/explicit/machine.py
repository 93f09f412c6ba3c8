"""One side of a goal as a machine on concrete states: numbered states, and the steps from each as they are asked for.

Values of choices that nothing determines are a few (`picks`). `Steps.open` says where there may be others.
Of a state only what is `kept` at its location has a value; other variables stand at a default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge, Location, edges_from
from sa.automata.ranges import within
from sa.automata.trace import Configuration
from sa.explicit.kept import Kept, landing
from sa.explicit.picks import FEW, Picks, Row, by_cost, picks
from sa.terms.build import conjuncts, constant, land
from sa.terms.compile import guarded, predicate
from sa.terms.sort import Value, default_value
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
    sorts: tuple[str, ...]


class Machine(Struct, eq=False):
    """An automaton on concrete states. `places` and `rows` say what a state's number stands for.

    Ranges of at most `few` values are tried as a whole.
    """

    automaton: Automaton
    pool: tuple[int, ...]
    kept: Kept
    few: int
    order: tuple[Var, ...]
    _defaults: Row
    _leaving: tuple[tuple[Edge, ...], ...]
    number_of: Mapping[str, int]
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
        return Configuration(self.location(state).name, values)

    def location(self, state: int) -> Location:
        """Where a state is."""
        return self.automaton.locations[self.places[state]]

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
            ready = self._ready[place] = self._all_ready(place)
        strides, more = dict[tuple[Action, int], Stride](), set[str | None]()
        for edge in ready:
            if edge.picks is None:
                self._take(edge, row, (), 0, strides)
            elif edge.can(row) and not self._choose(edge, edge.picks, row, strides):
                more.add(None if edge.edge.label is None else edge.edge.label.action)
        return Steps(tuple(strides.values()), frozenset(more))

    def _choose(self, edge: _Ready, how: Picks, row: Row, strides: dict[tuple[Action, int], Stride]) -> bool:
        for looks, (cost, picked) in enumerate(by_cost(how, row)):
            if looks >= max(WAYS, self.few):
                return False
            if picked is not None:
                self._take(edge, row, picked, cost, strides)
        return how.complete

    def _take(self, edge: _Ready, row: Row, picked: Row, cost: int, strides: dict[tuple[Action, int], Stride]) -> None:
        after, label = edge.step(row + picked), edge.edge.label
        if after is None:
            return
        action = None
        if label is not None:
            after, shown = after[: len(row)], after[len(row) :]
            action = label.action, edge.sorts, shown
        reached = self.number(edge.target, after)
        strides.setdefault((action, reached), Stride(edge.edge, picked, action, reached, cost))

    def looks(self, place: int, row: Row) -> int:
        """The number of the state as which a state with all values counts here."""
        kept = self.kept[place]
        return self.number(
            place, tuple(x if v in kept else d for v, x, d in zip(self.order, row, self._defaults, strict=True))
        )

    def _all_ready(self, place: int) -> tuple[_Ready, ...]:
        return tuple(self._made_ready(edge, place) for edge in self._leaving[place])

    def _made_ready(self, edge: Edge, source: int) -> _Ready:
        target = self.number_of[edge.target]
        chosen = tuple(c.var for c in edge.choices)
        tests = (edge.guard, landing(self.automaton, edge, source, target))
        guard = land(*tests, *(within(c) for c in edge.choices))
        plain = land(*(c for c in conjuncts(guard) if c.free.isdisjoint(chosen)))
        shown: tuple[Term, ...] = edge.label.values if edge.label is not None else ()
        updates, kept = dict(edge.updates), self.kept[target]
        after = (
            updates.get(v, v) if v in kept else constant(d, v.sort)
            for v, d in zip(self.order, self._defaults, strict=True)
        )
        return _Ready(
            edge,
            predicate(plain, self.order),
            picks(guard, self.order, edge.choices, self.pool, self.few) if edge.choices else None,
            guarded(guard, (*after, *shown), (*self.order, *chosen)),
            target,
            tuple(sort_of(t).name for t in shown),
        )


def machine(automaton: Automaton, pool: tuple[int, ...], known: Kept, few: int = FEW) -> Machine:
    """The machine of an automaton, without any states yet."""
    order = tuple(v.var for v in automaton.variables)
    leaving = edges_from(automaton)
    return Machine(
        automaton,
        pool,
        known,
        few,
        order,
        tuple(default_value(v.sort) for v in order),
        tuple(leaving[q.name] for q in automaton.locations),
        {q.name: i for i, q in enumerate(automaton.locations)},
    )
