"""Abstract answers to concrete steps on numbered states, as far as the game needs them.

From an answer's end further silent steps give no better one: what can be answered after them can be answered
without them, for environments do nothing here. So only the first ends that ι relates are answers to be refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sa.certificates.goal import Goal, iota_of
from sa.explicit.machine import Action, Machine
from sa.explicit.picks import Row
from sa.terms.compile import predicate
from sa.values.one_way import OneWay

#: How many abstract states are looked at for one set of answers.
STATES = 2000


@dataclass(slots=True, eq=False)
class Following:
    """The abstract side's answers, with a memory. `looks` counts the abstract states looked at."""

    concrete: Machine
    abstract: Machine
    related: Callable[[Row], bool]
    seen: tuple[int, ...]
    ways: tuple[OneWay, ...] = ()
    looks: int = 0
    _silent: dict[tuple[int, Row], tuple[int, ...] | None] = field(default_factory=dict)
    _met: tuple[int, ...] = field(init=False)
    _past: tuple[tuple[int, bool], ...] = field(init=False)
    _first: dict[tuple[int, Action, Row], tuple[int, ...] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._met = tuple(self.concrete.order.index(way.concrete) for way in self.ways)
        self._past = tuple((self.abstract.order.index(way.abstract), way.grows) for way in self.ways)

    def keeps(self, concrete: int, abstract: int) -> bool:
        """Whether ι relates two states."""
        return self.related(self.concrete.rows[concrete] + self.abstract.rows[abstract])

    def first(self, abstract: int, action: Action, concrete: int) -> tuple[int, ...] | None:
        """The first ends of answers that ι relates to the concrete state after the step.

        None if there may be others. Raises Unevaluable.
        """
        row = self.concrete.rows[concrete]
        key = abstract, action, tuple([row[i] for i in self.seen])
        if key not in self._first:
            self._first[key] = self._found(abstract, action, concrete)
        return self._first[key]

    def silent(self, abstract: int, concrete: int) -> tuple[int, ...] | None:
        """What silent steps lead to that is not past the concrete state, the state itself first.

        None if there may be more. Raises Unevaluable.
        """
        key = abstract, self._targets(concrete)
        if key not in self._silent:
            self._silent[key] = self._closed((abstract,), concrete, every=True)
        return self._silent[key]

    def is_past(self, abstract: int, concrete: int) -> bool:
        """Whether no answer through the abstract state is related to the concrete one (`beyond`)."""
        row = self.abstract.rows[abstract]
        return any(
            row[i] > target if grows else row[i] < target  # type: ignore[operator]  # they are of sort int
            for (i, grows), target in zip(self._past, self._targets(concrete), strict=True)
        )

    def _targets(self, concrete: int) -> Row:
        row = self.concrete.rows[concrete]
        return tuple([row[i] for i in self._met])

    def _found(self, abstract: int, action: Action, concrete: int) -> tuple[int, ...] | None:
        if action is None:
            return self._closed((abstract,), concrete)
        before = self.silent(abstract, concrete)
        if before is None:
            return None
        starts = list[int]()
        for state in before:
            steps = self.abstract.steps(state)
            if action[0] in steps.open:
                return None
            starts.extend(s.after for s in steps.strides if s.action == action)
        return self._closed(starts, concrete)

    def _closed(self, starts: Iterable[int], concrete: int, every: bool = False) -> tuple[int, ...] | None:
        """The first states on silent ways from `starts` that ι relates to the concrete one; or `every` one."""
        found, kept = dict.fromkeys(starts), list[int]()
        pending = list(found)
        # The list grows while it is walked: breadth first, so that the shortest answers come first.
        for state in pending:
            if self.is_past(state, concrete):
                continue
            if every or self.keeps(concrete, state):
                kept.append(state)
                if not every:
                    continue
            self.looks += 1
            steps = self.abstract.steps(state)
            if None in steps.open or len(found) > STATES:
                return None
            for stride in steps.strides:
                if stride.action is None and stride.after not in found:
                    found[stride.after] = None
                    pending.append(stride.after)
        return tuple(kept)


def following(goal: Goal, concrete: Machine, abstract: Machine, ways: tuple[OneWay, ...]) -> Following:
    """The answers of a goal's abstract side."""
    iota = iota_of(goal)
    # A parameter of both sides stands twice in this row, with one value.
    related = predicate(iota, (*concrete.order, *abstract.order))
    seen = tuple(i for i, v in enumerate(concrete.order) if v in iota.free)
    return Following(concrete, abstract, related, seen, ways)
