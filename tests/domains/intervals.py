"""One interval for each variable as an abstract domain: a single box."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct

from sa.domains.boxes import NARROWINGS
from sa.domains.formula import in_ranges
from sa.domains.frame import Frame
from sa.domains.thresholds import Thresholds
from sa.terms import build, interval
from sa.terms.bounds import interval_of, truth_of
from sa.terms.cases import condition_in, condition_of_value, decided, difference_of, numeric
from sa.terms.interval import Interval
from sa.terms.sort import BOOL, INT, Value, number
from sa.terms.term import And, IsZero, Le, Not, Or, Same, Term, Var, sort_of

#: An interval for each variable in the order of the frame; None for no state.
Values: TypeAlias = tuple[Interval, ...] | None

_ROUNDS = 3


class Intervals(Struct, frozen=True):
    """Values are tuples of intervals. Widening counts as for boxes: join, then thresholds, then infinity."""

    frame: Frame
    delay: int = 2
    patience: int = 12

    def bottom(self) -> Values:
        """No state."""
        return None

    def top(self) -> Values:
        """Every state."""
        return self.frame.ranges

    def of_formula(self, formula: Term) -> Values:
        """A box around the states that satisfy the formula."""
        return self.guard(self.top(), formula)

    def is_bottom(self, value: Values) -> bool:
        """Whether there is no state."""
        return value is None

    def leq(self, first: Values, second: Values) -> bool:
        """Inclusion."""
        if first is None or second is None:
            return first is None
        return all(_within(a, b) for a, b in zip(first, second, strict=True))

    def join(self, first: Values, second: Values) -> Values:
        """The smallest box around both."""
        if first is None or second is None:
            return first if second is None else second
        return tuple(interval.hull(a, b) for a, b in zip(first, second, strict=True))

    def made(self) -> int:
        """Nothing is kept."""
        return 0

    def meet(self, first: Values, second: Values) -> Values:
        """Intersection."""
        if first is None or second is None:
            return None
        found = [interval.meet(a, b) for a, b in zip(first, second, strict=True)]
        inside = tuple(i for i in found if i is not None)
        return inside if len(inside) == len(found) else None

    def widen(self, old: Values, new: Values, thresholds: Thresholds, count: int) -> Values:
        """The join, with ends that moved put to the next threshold."""
        new = self.join(old, new)
        if old is None or new is None or count < self.delay:
            return new
        stops = thresholds if count < self.patience else {}
        return tuple(
            _widened(before, after, stops.get(var, ())) if var.sort == INT else after
            for var, before, after in zip(self.frame.variables, old, new, strict=True)
        )

    def narrow(self, old: Values, new: Values, count: int) -> Values:
        """The meet, a few times."""
        return self.meet(old, new) if count < NARROWINGS else old

    def assign(self, value: Values, updates: Mapping[Var, Term]) -> Values:
        """The box around the states after the simultaneous updates."""
        known = {v: t for v, t in updates.items() if v in self.frame.levels}
        result, done = self.bottom(), 0
        waiting = [(value, known)]
        while waiting:
            inside, todo = waiting.pop()
            if inside is None:
                continue
            found = (condition_of_value(t) for t in todo.values())
            condition = next((c for c in found if c is not None), None)
            if condition is None or len(waiting) + done >= self.frame.precision.cases:
                result = self.join(result, self._image(inside, todo))
                done += 1
                continue
            for truth, formula in ((True, condition), (False, build.lnot(condition))):
                taken = {v: decided(t, condition, truth) for v, t in todo.items()}
                waiting.append((self.guard(inside, formula), taken))
        return result

    def _image(self, value: tuple[Interval, ...], updates: Mapping[Var, Term]) -> Values:
        ranges = self._ranges(value)
        after = list(value)
        for var, term in updates.items():
            level = self.frame.levels[var]
            values = interval.meet(interval_of(term, ranges), self.frame.ranges[level])
            assert values is not None, "a term has values of its sort"
            after[level] = values
        return tuple(after)

    def _ranges(self, value: tuple[Interval, ...]) -> dict[Var, Interval]:
        return dict(zip(self.frame.variables, value, strict=True))

    def guard(self, value: Values, formula: Term) -> Values:
        """The box around the states that may satisfy the formula."""
        match formula:
            case _ if value is None:
                return None
            case And(args):
                return self._conjunction(value, args)
            case Or(args):
                return self._joined(self.guard(value, a) for a in args)
            case Same(left, right) if sort_of(left) == BOOL:
                both = ((left, right), (build.lnot(left), build.lnot(right)))
                return self._joined(self._conjunction(value, args) for args in both)
            case Not(Same(left, right)) if sort_of(left) == BOOL:
                either = ((left, build.lnot(right)), (build.lnot(left), right))
                return self._joined(self._conjunction(value, args) for args in either)
            case _:
                return self._atom(value, formula)

    def _joined(self, values: Iterable[Values]) -> Values:
        result = self.bottom()
        for value in values:
            result = self.join(result, value)
        return result

    def _conjunction(self, value: Values, args: Iterable[Term]) -> Values:
        for _ in range(_ROUNDS):
            before = value
            for arg in args:
                value = self.guard(value, arg)
            if value == before:
                break
        return value

    def _atom(self, value: Values, atom: Term) -> Values:
        result, done = self.bottom(), 0
        waiting = [(value, atom)]
        while waiting:
            inside, case = waiting.pop()
            condition = condition_in(case.body if isinstance(case, Not) else case)
            if inside is None:
                continue
            if condition is None or len(waiting) + done >= self.frame.precision.cases:
                result = self.join(result, self._literal(inside, case))
                done += 1
                continue
            for truth, formula in ((True, condition), (False, build.lnot(condition))):
                waiting.append((self.guard(inside, formula), decided(case, condition, truth)))
        return result

    def _literal(self, value: tuple[Interval, ...], literal: Term) -> Values:
        match literal:
            case Le(total):
                result = self._linear(value, numeric(total), ((None, 0),))
            case IsZero(total):
                result = self._linear(value, numeric(total), (interval.ZERO,))
            case Not(IsZero(total)):
                result = self._linear(value, numeric(total), _NOT_ZERO)
            case Same(left, right):
                result = self._linear(value, difference_of(left, right), (interval.ZERO,))
            case Not(Same(left, right)):
                result = self._linear(value, difference_of(left, right), _NOT_ZERO)
            case Var() if literal in self.frame.levels:
                result = self._linear(value, (0, {literal: 1}), ((1, 1),))
            case Not(Var() as var) if var in self.frame.levels:
                result = self._linear(value, (0, {var: 1}), (interval.ZERO,))
            case _:
                result = value
        return None if result is None or truth_of(literal, self._ranges(result)) is False else result

    def _linear(
        self, value: tuple[Interval, ...], total: tuple[int, Mapping[Term, int]], either: Iterable[Interval]
    ) -> Values:
        """The box cut to where `const + Σ coefficient · term` can be in one of several intervals."""
        return self._joined(self._cut(value, *total, wanted) for wanted in either)

    def _cut(self, value: tuple[Interval, ...], const: int, added: Mapping[Term, int], wanted: Interval) -> Values:
        ranges = self._ranges(value)
        for term, coefficient in added.items():
            left = interval.shifted(wanted, (const, const))
            for other, factor in added.items():
                if other is not term:
                    left = interval.shifted(left, interval.scale(factor, interval_of(other, ranges)))
            allowed = interval.unscale(left, coefficient)
            kept = None if allowed is None else interval.meet(interval_of(term, ranges), allowed)
            if kept is None:
                return None
            if isinstance(term, Var) and term in self.frame.levels:
                ranges[term] = kept
        kept = interval.meet((const, const), wanted) if not added else wanted
        return None if kept is None else tuple(ranges.values())

    def forget(self, value: Values, variables: Iterable[Var]) -> Values:
        """The box with these variables unbounded."""
        if value is None:
            return None
        gone = {self.frame.levels[v] for v in variables if v in self.frame.levels}
        return tuple(self.frame.ranges[i] if i in gone else values for i, values in enumerate(value))

    def factors(self, value: Values) -> tuple[tuple[frozenset[Var], Values], ...]:
        """The bounds of each variable."""
        if value is None:
            return ()
        said = ((v, i) for v, i, w in zip(self.frame.variables, value, self.frame.ranges, strict=True) if i != w)
        return tuple((frozenset((v,)), self._bounding(v, i)) for v, i in said)

    def _bounding(self, var: Var, bounds: Interval) -> Values:
        top = zip(self.frame.variables, self.frame.ranges, strict=True)
        return tuple(bounds if v == var else w for v, w in top)

    def rename(self, value: Values, names: Mapping[Var, Var]) -> Values:
        """The same box with variables exchanged."""
        if value is None:
            return None
        moved = {names.get(v, v): values for v, values in zip(self.frame.variables, value, strict=True)}
        return tuple(moved[v] for v in self.frame.variables)

    def hull(self, value: Values) -> Mapping[Var, Interval] | None:
        """The box itself."""
        return None if value is None else self._ranges(value)

    def contains(self, value: Values, state: Mapping[Var, Value]) -> bool:
        """Membership."""
        if value is None:
            return False
        return all(interval.contains(i, number(state[v])) for v, i in self._ranges(value).items())

    def to_formula(self, value: Values) -> Term:
        """Bounds for each variable."""
        if value is None:
            return build.FALSE
        return build.land(*(in_ranges(v, [i]) for v, i in self._ranges(value).items()))


_NOT_ZERO: tuple[Interval, ...] = ((None, -1), (1, None))


def _widened(old: Interval, new: Interval, stops: Iterable[int]) -> Interval:
    low, high = new
    if low is not None and low != old[0]:
        low = max((c + 1 for c in stops if c < low), default=None)
    if high is not None and high != old[1]:
        high = min((c for c in stops if c >= high), default=None)
    return low, high


def _within(inner: interval.Interval, outer: interval.Interval) -> bool:
    (a, b), (c, d) = inner, outer
    return (c is None or (a is not None and c <= a)) and (d is None or (b is not None and b <= d))
