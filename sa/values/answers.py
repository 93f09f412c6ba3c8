"""Abstract answers to concrete steps on numbered states, as far as the game needs them.

From an answer's end further silent steps give no better one: what can be answered after them can be answered
without them, for environments do nothing here. So only the first ends that ι relates are answers to be refuted.
They are looked for one by one, nearest first, as they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct, field

from sa.base.limits import Limits, check_limits, count, is_over
from sa.certificates.goal import Goal, iota_of
from sa.explicit.instantiate import Row
from sa.explicit.joint import Joint
from sa.explicit.machine import Action, Machine, Stride
from sa.terms.compile import compiled, predicate
from sa.terms.sort import Value
from sa.values.monotone_bounds import OneWay

#: Abstract states between looks at the clock.
_BETWEEN_LOOKS_AT_LIMITS = 256


class Ends(Struct, eq=False):
    """First ends of answers, as far as they were looked for. `partial`: there may be others that nobody looks for."""

    search: Iterator[int]
    found: list[int] = field(default_factory=list)
    partial: bool = False
    _ended: bool = False

    def at(self, place: int) -> int | None:
        """The end at this place; None where there is none. Raises Unevaluable."""
        while len(self.found) <= place and not self._ended:
            end = next(self.search, None)
            if end is None:
                self._ended = True
            else:
                self.found.append(end)
        return self.found[place] if place < len(self.found) else None

    def every(self) -> tuple[int, ...]:
        """All ends. Raises Unevaluable."""
        while self.at(len(self.found)) is not None:
            pass
        return tuple(self.found)


class Following(Struct, eq=False):
    """The abstract side's answers, with a memory.

    `looks` counts the abstract states looked at; they are at most `most` for one set of answers. Beyond the `bounds` in
    time LimitReached is raised.
    """

    concrete: Machine | Joint
    abstract: Machine
    related: Callable[[Row], bool]
    seen: tuple[int, ...]
    ways: tuple[OneWay, ...]
    most: int
    targets: tuple[tuple[Callable[[Row], bool], Callable[[Row], Value]], ...]
    past: tuple[tuple[Callable[[Row], Value], bool, frozenset[int]], ...]
    bounds: Limits
    looks: int = 0
    _kept: dict[tuple[int, int], bool] = field(default_factory=dict)
    _classes: dict[Row, int] = field(default_factory=dict)
    _class: dict[int, int] = field(default_factory=dict)
    _silent: dict[tuple[int, tuple[Value | None, ...]], tuple[int, ...]] = field(default_factory=dict)
    _first: dict[tuple[int, Action, int], Ends] = field(default_factory=dict)

    def keeps(self, concrete: int, abstract: int) -> bool:
        """Whether ι relates two states. Raises Unevaluable."""
        key = self.looks_like(concrete), abstract
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self.related(self.concrete.rows[concrete] + self.abstract.rows[abstract])
        return found

    def first(self, abstract: int, action: Action, concrete: int) -> Ends:
        """The first ends of answers that ι relates to the concrete state after the step."""
        key = abstract, action, self.looks_like(concrete)
        found = self._first.get(key)
        if found is None:
            found = self._first[key] = Ends(iter(()))
            found.search = self._ends(found, abstract, action, concrete)
        return found

    def silent(self, abstract: int, concrete: int) -> tuple[int, ...]:
        """What silent steps lead to that is not past the concrete state, as far as is known, the state itself first.

        Raises Unevaluable.
        """
        key = abstract, self._targets(concrete)
        found = self._silent.get(key)
        if found is None:
            reached = dict.fromkeys((abstract,))
            pending = [abstract]
            # The list grows while it is walked.
            for state in pending:
                if self.is_past(state, concrete) or len(reached) > self.most:
                    continue
                for stride in self.abstract.silent(state).strides:
                    if stride.after not in reached:
                        reached[stride.after] = None
                        pending.append(stride.after)
            found = self._silent[key] = tuple(reached)
        return found

    def is_past(self, abstract: int, concrete: int) -> bool:
        """Whether no answer through the abstract state is related to the concrete one (`beyond`)."""
        if not self.past:
            return False
        row, place = self.abstract.rows[abstract], self.abstract.places[abstract]
        return any(
            value(row) > target if grows else value(row) < target  # type: ignore[operator]  # they are of sort int
            for (value, grows, places), target in zip(self.past, self._targets(concrete), strict=True)
            if place in places and target is not None
        )

    def _targets(self, concrete: int) -> tuple[Value | None, ...]:
        """What the numbers of the concrete side are, where ι says something of them."""
        row = self.concrete.rows[concrete]
        return tuple([target(row) if given(row) else None for given, target in self.targets])

    def looks_like(self, concrete: int) -> int:
        """The class of the concrete states that look alike to ι."""
        found = self._class.get(concrete)
        if found is None:
            row = self.concrete.rows[concrete]
            looks = tuple([row[i] for i in self.seen])
            found = self._class[concrete] = self._classes.setdefault(looks, len(self._classes))
        return found

    def _ends(self, ends: Ends, abstract: int, action: Action, concrete: int) -> Iterator[int]:
        """Breadth first over abstract states and whether the action was shown; behind an end nobody goes on."""
        start = abstract, action is None
        stops = {start: None}
        pending = [start]
        for state, shown in pending:
            if self.is_past(state, concrete):
                continue
            if shown and self.keeps(concrete, state):
                yield state
                continue
            self.looks += 1
            if self.looks % _BETWEEN_LOOKS_AT_LIMITS == 0:
                count(self.bounds, 1000)
                if is_over(self.bounds):
                    # Whoever asks these answers again is not to take those that were found for all.
                    ends.partial = True
                    check_limits(self.bounds)
            if len(stops) > self.most:
                ends.partial = True
                return
            for stride in self._answering(ends, state, None if shown else action):
                stop = stride.after, shown or stride.action is not None
                if stop not in stops:
                    stops[stop] = None
                    pending.append(stop)

    def _answering(self, ends: Ends, state: int, action: Action) -> Iterator[Stride]:
        """The strides from a state that show an action, and the silent ones; whether these are all is noted."""
        found = [self.abstract.silent(state)]
        if action is not None:
            found.insert(0, self.abstract.showing(state, action))
        for steps in found:
            ends.partial = ends.partial or bool(steps.open)
            yield from steps.strides


def following(
    goal: Goal, concrete: Machine | Joint, abstract: Machine, ways: tuple[OneWay, ...], most: int, bounds: Limits
) -> Following:
    """The answers of a goal's abstract side, as far as they are found in time."""
    iota = iota_of(goal)
    # A parameter of both sides stands twice in this row, with one value.
    related = predicate(iota, (*concrete.order, *abstract.order))
    seen = tuple(i for i, v in enumerate(concrete.order) if v in iota.free)
    targets = tuple((predicate(way.given, concrete.order), compiled(way.concrete, concrete.order)) for way in ways)
    numbers = {q.name: i for i, q in enumerate(abstract.automaton.locations)}
    past = tuple(
        (compiled(way.abstract, abstract.order), way.grows, frozenset(numbers[q] for q in way.places)) for way in ways
    )
    return Following(concrete, abstract, related, seen, ways, most, targets, past, bounds)
