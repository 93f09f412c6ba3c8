"""One side of a goal as a machine on concrete states: numbered states, and the steps from each as they are asked for.

Values of choices that nothing determines are a few (`picks`). `Steps.open` says where there may be others.
Of a state only what is `kept` at its location has a value; other variables stand at a default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge, Location, edges_from
from sa.automata.ranges import within
from sa.automata.trace import Configuration
from sa.explicit.instantiate import FEW, Picks, Row, at_random, by_cost, picks
from sa.explicit.live_variables import Kept, Landings, landing
from sa.terms import build
from sa.terms.build import conjuncts, constant, land
from sa.terms.compile import guarded, predicate
from sa.terms.name import Name
from sa.terms.sort import Value, default_value, not_too_long
from sa.terms.term import Product, Term, Var, sort_of, subterms

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
    guard: Term
    can: Callable[[Row], bool]
    picks: Picks | None
    step: Callable[[Row], Row | None]
    target: int
    sorts: tuple[str, ...]


class _Parts(NamedTuple):
    """What is compiled of an edge: the same for all edges of a composition that are one thread's step."""

    can: Callable[[Row], bool]
    picks: Picks | None
    step: Callable[[Row], Row | None]


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
    _ready: dict[int, _Ready] = field(default_factory=dict)
    _made_of: dict[object, _Parts] = field(default_factory=dict)
    _landings: Landings = field(default_factory=dict)
    _steps: dict[int, Steps] = field(default_factory=dict)
    _silent: dict[int, Steps] = field(default_factory=dict)
    _showing: dict[tuple[int, Action], Steps] = field(default_factory=dict)
    _shown: dict[int, Picks] = field(default_factory=dict)

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
            found = self._steps[state] = self._made(state, self._leaving[self.places[state]])
        return found

    def silent(self, state: int) -> Steps:
        """The silent ones among the steps from a state. Raises Unevaluable."""
        found = self._silent.get(state)
        if found is None:
            silent = (e for e in self._leaving[self.places[state]] if e.label is None)
            found = self._silent[state] = self._made(state, silent)
        return found

    def showing(self, state: int, action: Action) -> Steps:
        """The steps from a state that show an action, whose values may say what is chosen. Raises Unevaluable."""
        key = state, action
        found = self._showing.get(key)
        if found is None:
            leaving = self._leaving[self.places[state]]
            alike = (e for e in leaving if action and e.label is not None and e.label.action == action[0])
            found = self._showing[key] = self._made(state, alike, action)
        return found

    def any(self, state: int, dice: Random) -> Stride | None:
        """A step from a state, by any edge and any values of its choices; None where none was found.

        Raises Unevaluable.
        """
        place, row, strides = self.places[state], self.rows[state], dict[tuple[Action, int], Stride]()
        leaving = self._leaving[place]
        for one in dice.sample(leaving, len(leaving)):
            edge = self._ready_of(one, place)
            if edge.picks is None:
                self._take(edge, row, (), 0, strides)
            elif edge.can(row) and (picked := at_random(edge.picks, row, dice)) is not None:
                self._take(edge, row, picked, 0, strides)
            for stride in strides.values():
                return stride
        return None

    def _made(self, state: int, edges: Iterable[Edge], action: Action = None) -> Steps:
        """The steps by these edges; where there is an action, those that show it."""
        row, strides, more = self.rows[state], dict[tuple[Action, int], Stride](), set[str | None]()
        for one in edges:
            edge, label = self._ready.get(id(one)) or self._ready_of(one, self.places[state]), one.label
            if action is not None and edge.sorts != action[1]:
                continue
            if edge.picks is None:
                self._take(edge, row, (), 0, strides)
            elif edge.can(row):
                how, shown = (edge.picks, ()) if action is None else (self._picks_of(edge), action[2])
                if not self._choose(edge, how, row, shown, strides):
                    more.add(None if label is None else label.action)
        found = tuple(s for s in strides.values() if action is None or s.action == action)
        return Steps(found, frozenset(more))

    def _picks_of(self, edge: _Ready) -> Picks:
        """How an edge's choices are made where the values that it shows are known: they stand behind the row."""
        found = self._shown.get(id(edge.edge))
        if found is None:
            assert edge.edge.label is not None
            shown = [
                (build.variable(Name("value", i, stage="shown"), sort_of(t)), t)
                for i, t in enumerate(edge.edge.label.values)
            ]
            guard = land(edge.guard, *(build.eq(v, t) for v, t in shown))
            found = picks(guard, (*self.order, *(v for v, _ in shown)), edge.edge.choices, self.pool, self.few)
            self._shown[id(edge.edge)] = found
        return found

    def _choose(
        self, edge: _Ready, how: Picks, row: Row, shown: Row, strides: dict[tuple[Action, int], Stride]
    ) -> bool:
        missed = list[Row]()
        for looks, (cost, picked) in enumerate(by_cost(how, row + shown, missed)):
            if looks >= max(WAYS, self.few):
                return False
            if picked is not None:
                self._take(edge, row, picked, cost, strides)
        return how.complete or (bool(shown) and not missed)

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

    def _ready_of(self, edge: Edge, source: int) -> _Ready:
        if id(edge) not in self._ready:
            self._ready[id(edge)] = self._made_ready(edge, source)
        return self._ready[id(edge)]

    def _made_ready(self, edge: Edge, source: int) -> _Ready:
        target = self.number_of[edge.target]
        tests = (edge.guard, landing(self.automaton, edge, source, target, self._landings))
        guard = land(*tests, *(within(c) for c in edge.choices))
        shown: tuple[Term, ...] = edge.label.values if edge.label is not None else ()
        updates, kept, before = dict(edge.updates), self.kept[target], self.kept[source]
        # What was not kept stands at its default already, so that the same thread's steps are alike.
        after = tuple(
            updates.get(v, v) if v in kept or (v not in updates and v not in before) else constant(d, v.sort)
            for v, d in zip(self.order, self._defaults, strict=True)
        )
        key = guard, after, shown, edge.choices
        parts = self._made_of.get(key)
        if parts is None:
            parts = self._made_of[key] = self._parts(edge, guard, (*after, *shown))
        sorts = tuple(sort_of(t).name for t in shown)
        return _Ready(edge, guard, parts.can, parts.picks, parts.step, target, sorts)

    def _parts(self, edge: Edge, guard: Term, after: tuple[Term, ...]) -> _Parts:
        chosen = tuple(c.var for c in edge.choices)
        plain = land(*(c for c in conjuncts(guard) if c.free.isdisjoint(chosen)))
        return _Parts(
            predicate(plain, self.order),
            picks(guard, self.order, edge.choices, self.pool, self.few) if edge.choices else None,
            _not_too_long(guarded(guard, after, (*self.order, *chosen)), after),
        )


def _not_too_long(step: Callable[[Row], Row | None], after: tuple[Term, ...]) -> Callable[[Row], Row | None]:
    """The step, which raises Unsupported where numbers that it multiplies become too long to go on with."""
    if not any(isinstance(t, Product) for t in subterms(after)):
        return step

    def taken(row: Row) -> Row | None:
        found = step(row)
        for x in found or ():
            if isinstance(x, int):
                not_too_long(x)
        return found

    return taken


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
