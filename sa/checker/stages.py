"""Steps of one side between states of which only some variables are known; by evaluation, without a solver."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge, Variable
from sa.automata.ranges import count_of
from sa.certificates.pairs import SideStates
from sa.checker.enumeration import Enumeration, Row, enumeration, extended
from sa.checker.side import Side, within
from sa.terms.build import conjoined, conjuncts, land
from sa.terms.compile import executable, guarded, predicate
from sa.terms.sort import Value
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, sort_of

#: What is seen of a step: the action, the sorts and the values it shows; None for a silent step.
Action: TypeAlias = tuple[str, tuple[str, ...], tuple[Value, ...]] | None

#: The number of a location, and the values of what is known there.
State: TypeAlias = tuple[int, Row]


class Unknowable(Exception):
    """A step depends on a variable that is not known where it begins, or on a function."""


class _Parts(NamedTuple):
    """What is compiled of an edge: the same for all edges of a composition that are one thread's step."""

    choices: Enumeration | None
    step: Callable[[Row], Row | None]


class _Ready(Struct, frozen=True, eq=False):
    """An edge as a function from a row and values of choices to the row after it and, behind it, what is shown."""

    target: int
    width: int
    choices: Enumeration | None
    step: Callable[[Row], Row | None]
    action: str | None
    sorts: tuple[str, ...]


class Stage(Struct, eq=False):
    """One side. `known` gives, by location, what is known there in the order in which it is declared."""

    automaton: Automaton
    known: tuple[tuple[Var, ...], ...]
    places: Mapping[str, int]
    leaving: Mapping[str, tuple[tuple[int, Edge], ...]]
    _ready: dict[int, tuple[_Ready, ...]] = field(default_factory=dict)
    _made_of: dict[object, _Parts] = field(default_factory=dict)

    def steps(self, state: State) -> Iterator[tuple[Action, State]]:
        """All steps from a state. Raises Unknowable, Endless and Unevaluable."""
        place, row = state
        ready = self._ready.get(place)
        if ready is None:
            ready = self._ready[place] = self._all_ready(place)
        for edge in ready:
            for picked in ((),) if edge.choices is None else extended(edge.choices, row):
                after = edge.step((*row, *picked))
                if after is not None:
                    action = None if edge.action is None else (edge.action, edge.sorts, after[edge.width :])
                    yield action, (edge.target, after[: edge.width])

    def _all_ready(self, place: int) -> tuple[_Ready, ...]:
        return tuple(self._made(place, e) for _, e in self.leaving[self.automaton.locations[place].name])

    def _made(self, place: int, edge: Edge) -> _Ready:
        """Invariants after the step are tested before it. What held before and is not written still holds.

        The ranges of choices that nothing else depends on are not looked at, if they have values.
        """
        target, updates = self.places[edge.target], dict(edge.updates)
        locations = self.automaton.locations
        before = frozenset(conjuncts(locations[place].inv))
        due = [c for c in conjuncts(locations[target].inv) if c not in before or not c.free.isdisjoint(updates)]
        kept = [updates.get(v, v) for v in self.known[target]]
        shown = () if edge.label is None else edge.label.values
        condition = land(edge.guard, *(substitute(c, updates) for c in due))
        read = condition.free.union(*(t.free for t in (*kept, *shown)))
        chosen = [c for c in edge.choices if c.var in read or count_of(c) == 0]
        guard = land(condition, *(within(c) for c in chosen))
        here, after = self.known[place], (*kept, *shown)
        key = guard, after, here, tuple(chosen)
        parts = self._made_of.get(key)
        if parts is None:
            scope = (*here, *(c.var for c in chosen))
            if not executable((guard, *after), scope):
                raise Unknowable(f"a step from {locations[place].name} depends on what is not known there")
            choices = enumeration(guard, here, chosen) if chosen else None
            parts = self._made_of[key] = _Parts(choices, guarded(guard, after, scope))
        action = None if edge.label is None else edge.label.action
        return _Ready(target, len(kept), *parts, action, tuple(sort_of(t).name for t in shown))


def stage(s: Side, states: SideStates) -> Stage:
    """The side of a goal whose states are given; as many sets of variables are kept as it has locations."""
    known = tuple(tuple(v.var for v in s.automaton.variables if v.var in kept) for kept in states.kept)
    return Stage(s.automaton, known, {q.name: i for i, q in enumerate(s.automaton.locations)}, s.outgoing)


def initial_states(stages: tuple[Stage, Stage], formula: Term) -> Iterator[tuple[State, State]]:
    """The initial states of both sides where the formula holds, perhaps more: what is not known need have no values.

    Raises Unknowable, Endless and Unevaluable.
    """
    places = tuple(s.places[s.automaton.initial] for s in stages)
    known = [s.known[p] for s, p in zip(stages, places, strict=True)]
    declared: dict[Var, Variable] = {v.var: v for s in stages for v in s.automaton.variables}
    formulas = conjoined((formula, *(within(v) for v in declared.values())))
    needed = frozenset((*known[0], *known[1]))
    # What is tied to what is known may be needed to find its values.
    while tied := frozenset[Var]().union(*(f.free for f in formulas if not f.free.isdisjoint(needed))) - needed:
        needed |= tied
    unknown = [v for var, v in declared.items() if var in needed]
    told = land(*(f for f in formulas if f.free <= needed))
    if not executable((told,), tuple(needed)):
        raise Unknowable("initial states depend on functions")
    if not unknown and not predicate(told, ())(()):
        return
    column = {v.var: i for i, v in enumerate(unknown)}
    for row in extended(enumeration(told, (), unknown), ()):
        first, second = (tuple(row[column[v]] for v in side) for side in known)
        yield (places[0], first), (places[1], second)
