"""Boxes: finite unions of integer boxes as an abstract domain, on interval decision diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sa.domains import assign, diagram, quantify
from sa.domains import guard as guards
from sa.domains import widen as widening
from sa.domains.collapse import controlled
from sa.domains.exchange import exchanged
from sa.domains.factors import factors
from sa.domains.formula import formula_of
from sa.domains.frame import Frame
from sa.domains.store import FALSE, TRUE, Node, Store
from sa.domains.thresholds import Thresholds
from sa.terms import interval
from sa.terms.interval import Interval
from sa.terms.sort import Value, number
from sa.terms.term import Term, Var

#: Meets that narrowing makes: descending chains are infinite.
NARROWINGS = 2


@dataclass(frozen=True, slots=True)
class Boxes:
    """Values are nodes of `store`. Join, meet and `forget` are exact.

    Widening is the join for counts below `delay`, stops at thresholds for counts below `patience`, then no more; at
    those of `finite`, meant for all values of variables that have few, for counts below `endurance`. Values of more
    than `most` boxes get coarser, for counts below `collapses`. The box around a value
    stops at all of them for counts below `endurance`.
    """

    frame: Frame
    store: Store = field(default_factory=Store, repr=False, compare=False)
    delay: int = 2
    patience: int = 12
    finite: Thresholds = field(default_factory=dict)
    endurance: int = 200
    most: int = 2_000
    collapses: int = 60
    _known: dict[tuple[int, bool, bool], tuple[Thresholds, dict[int, list[int]]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def made(self) -> int:
        """The nodes, and the pairs and sets of nodes of which a result is kept."""
        s = self.store
        return sum(map(len, (s.levels, s.meets, s.joins, s.differences, s.inclusions, s.forgotten)))

    def bottom(self) -> Node:
        """No state."""
        return FALSE

    def top(self) -> Node:
        """Every state."""
        return TRUE

    def of_formula(self, formula: Term) -> Node:
        """The states that satisfy the formula; a superset where it relates variables."""
        return guards.guard(self.store, self.frame, TRUE, formula)

    def is_bottom(self, value: Node) -> bool:
        """Whether there is no state."""
        return value == FALSE

    def leq(self, first: Node, second: Node) -> bool:
        """Inclusion."""
        return diagram.included(self.store, first, second)

    def join(self, first: Node, second: Node) -> Node:
        """Union."""
        return diagram.join(self.store, first, second)

    def meet(self, first: Node, second: Node) -> Node:
        """Intersection."""
        return diagram.meet(self.store, first, second)

    def widen(self, old: Node, new: Node, thresholds: Thresholds, count: int) -> Node:
        """A superset of both; see `sa.domains.widen`."""
        new = self.join(old, new)
        if count < self.delay:
            return new
        # Collapsing and widening by turns could go on for ever, so there is no more of it after a while.
        new, _ = controlled(self.store, old, new, self.most, count, self.collapses)
        lasting = count < self.endurance
        widened = widening.widen(self.store, old, new, self._cuts(thresholds, count < self.patience, lasting))
        box = widening.around(self.store, old, new, self._cuts(thresholds, True, lasting))
        return self.meet(widened, box)

    def _cuts(self, thresholds: Thresholds, patient: bool, lasting: bool) -> dict[int, list[int]]:
        """Where widening stops at some time, by level."""
        key = id(thresholds), patient, lasting
        if key not in self._known:
            every = {**(thresholds if patient else {}), **self.finite} if lasting else {}
            self._known[key] = thresholds, self._by_level(every)
        return self._known[key][1]

    def _by_level(self, thresholds: Thresholds) -> dict[int, list[int]]:
        """Thresholds by level; the values of a small sort always are some."""
        found = dict[int, list[int]]()
        for level, var in enumerate(self.frame.variables):
            last = self.frame.ranges[level][1]
            cuts = range(last) if last is not None else sorted(thresholds.get(var, ()))
            if cuts:
                found[level] = list(cuts)
        return found

    def narrow(self, old: Node, new: Node, count: int) -> Node:
        """The meet, a few times: if `old` contains all reachable states and `new` is computed from it, so does this."""
        return diagram.meet(self.store, old, new) if count < NARROWINGS else old

    def assign(self, value: Node, updates: Mapping[Var, Term]) -> Node:
        """The states after the simultaneous updates; see `sa.domains.assign`."""
        known = {v: t for v, t in updates.items() if v in self.frame.levels}
        return assign.assign(self.store, self.frame, value, known)

    def guard(self, value: Node, formula: Term) -> Node:
        """The states that satisfy the formula; see `sa.domains.guard`."""
        return guards.guard(self.store, self.frame, value, formula)

    def forget(self, value: Node, variables: Iterable[Var]) -> Node:
        """Existential quantification."""
        levels = frozenset(self.frame.levels[v] for v in variables if v in self.frame.levels)
        return quantify.forget(self.store, value, levels)

    def factors(self, value: Node) -> tuple[tuple[frozenset[Var], Node], ...]:
        """Sets about different variables whose product this one is."""
        named = self.frame.variables
        return tuple((frozenset(named[i] for i in levels), node) for levels, node in factors(self.store, value))

    def rename(self, value: Node, names: Mapping[Var, Var]) -> Node:
        """The same states with variables exchanged."""
        moves = {self.frame.levels[v]: self.frame.levels[w] for v, w in names.items() if v in self.frame.levels}
        return exchanged(self.store, value, moves)

    def hull(self, value: Node) -> Mapping[Var, Interval] | None:
        """The smallest box around it."""
        box = quantify.hull(self.store, value)
        if box is None:
            return None
        found = dict[Var, Interval]()
        for level, var in enumerate(self.frame.variables):
            values = interval.meet(box.get(level, interval.WHOLE), self.frame.ranges[level])
            assert values is not None, "values of a sort are in its range"
            found[var] = values
        return found

    def contains(self, value: Node, state: Mapping[Var, Value]) -> bool:
        """Membership."""
        return diagram.contains(self.store, value, {i: number(state[v]) for i, v in enumerate(self.frame.variables)})

    def to_formula(self, value: Node) -> Term:
        """The same set as a formula."""
        return formula_of(self.store, self.frame, value)
