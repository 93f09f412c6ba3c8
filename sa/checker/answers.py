"""All abstract answers `τ* σ τ*` from a state, enumerated (THEORY section 3, points 4 and 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import prod

from sa.automata.automaton import Edge, Variable
from sa.automata.ranges import count_of, values_of
from sa.base.limits import Limits, spend
from sa.certificates.play import Beyond
from sa.checker.legal import Action, shown, updated
from sa.checker.side import Side
from sa.terms.evaluate import holds
from sa.terms.sort import Value
from sa.terms.term import Var

#: How many states, and how many combinations of values, are looked at for one set of answers.
BOUND = 20_000

State = tuple[str, tuple[Value, ...]]
Zones = tuple[Beyond, ...]


class NotEnumerable(Exception):
    """There are too many states, or a choice has infinitely many values."""


class Answers:
    """The answers of one automaton, with a memory. `order` gives the variables of a state's values."""

    def __init__(self, s: Side, bounds: Limits) -> None:
        self.order = tuple(v.var for v in s.automaton.variables)
        self._side = s
        self._bounds = bounds
        self._steps: dict[State, list[tuple[Action, State]]] = {}
        self._known: dict[tuple[State, Action, Zones], frozenset[State]] = {}

    def ends(self, start: State, action: Action, beyond: Zones = ()) -> frozenset[State]:
        """Where the answers to an action end, further steps from states that are `beyond` left out.

        Raises NotEnumerable, LimitReached and Unevaluable.
        """
        found = self._known.get((start, action, beyond))
        if found is None:
            found = self._silently([start], beyond)
            if action is not None:
                here = [s for s in found if not self._is_in(beyond, s)]
                steps = (after for s in here for seen, after in self._from(s) if seen == action)
                found = self._silently(steps, beyond)
            self._known[start, action, beyond] = found
        return found

    def first(
        self, start: State, action: Action, related: Callable[[State], bool], beyond: Zones = ()
    ) -> frozenset[State]:
        """The ends of answers to an action that are related, but for those behind such an end.

        Further steps from states that are `beyond` are left out. Raises NotEnumerable, LimitReached and Unevaluable.
        """
        found = dict.fromkeys([(start, action is None)])
        pending, ends = list(found), set[State]()
        for state, answered in pending:
            if answered and related(state):
                ends.add(state)
                continue
            for seen, after in () if self._is_in(beyond, state) else self._from(state):
                there = after, answered or seen is not None
                if (seen is None or (seen == action and not answered)) and there not in found:
                    found[there] = None
                    pending.append(there)
            if len(found) > BOUND:
                raise NotEnumerable("too many states")
        return frozenset(ends)

    def silently(self, starts: Iterable[State]) -> frozenset[State]:
        """What silent steps lead to, the states themselves included.

        Raises NotEnumerable, LimitReached and Unevaluable.
        """
        return self._silently(starts, ())

    def _is_in(self, zones: Zones, state: State) -> bool:
        location, values = state
        here = [b.states for b in zones if b.location == location]
        return bool(here) and all(holds(zone, dict(zip(self.order, values, strict=True))) for zone in here)

    def _silently(self, starts: Iterable[State], beyond: Zones) -> frozenset[State]:
        found = dict.fromkeys(starts)
        pending = list(found)
        while pending:
            state = pending.pop()
            for seen, after in () if self._is_in(beyond, state) else self._from(state):
                if seen is None and after not in found:
                    found[after] = None
                    pending.append(after)
            if len(found) > BOUND:
                raise NotEnumerable("too many states")
        return frozenset(found)

    def _from(self, state: State) -> list[tuple[Action, State]]:
        found = self._steps.get(state)
        if found is None:
            spend(self._bounds, 60)
            edges = self._side.outgoing[state[0]]
            found = self._steps[state] = [step for _, edge in edges for step in self._along(edge, state)]
        return found

    def _along(self, edge: Edge, state: State) -> Iterator[tuple[Action, State]]:
        values = dict(zip(self.order, state[1], strict=True))
        domains = [domain(c) for c in edge.choices]
        if prod(count_of(c) or 0 for c in edge.choices) > BOUND:
            raise NotEnumerable("too many values of choices")
        for row in product(*domains):
            choices: dict[Var, Value] = {c.var: x for c, x in zip(edge.choices, row, strict=True)}
            if holds(edge.guard, {**values, **choices}):
                after = updated(edge, values, choices)
                if holds(self._side.locations[edge.target].inv, after):
                    yield shown(edge, values, choices), (edge.target, tuple(after[v] for v in self.order))


def domain(variable: Variable) -> Sequence[Value]:
    """The values of a variable or choice. Raises NotEnumerable for an int without a range."""
    values = values_of(variable)
    if values is None:
        raise NotEnumerable(f"{variable.var.name} has infinitely many values")
    return values
