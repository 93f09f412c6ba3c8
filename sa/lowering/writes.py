"""What writes do to the ways through a step: assignment, choices, atomic operations and locks.

A value outside a variable's declared range is a failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Fault, Kind, Variable
from sa.base.source import Span
from sa.lowering.paths import Need, Path, Step, Wrong, assume, demand, now, written
from sa.terms import build
from sa.terms.bounds import interval_of
from sa.terms.cases import decided
from sa.terms.interval import Interval
from sa.terms.name import chosen
from sa.terms.sort import BOOL, INT, ArraySort, Sort
from sa.terms.substitute import substitute
from sa.terms.term import Not, Term, Var, sort_of


class Target(Struct, frozen=True):
    """What is written: one variable, or the element `index` of several, or of an array that is one variable.

    The span is that of the place.
    """

    variables: tuple[Variable, ...]
    index: Term | None
    span: Span

    @property
    def sort(self) -> Sort:
        """The sort of what is written."""
        sort = self.variables[0].var.sort
        return sort.element if self.index is not None and isinstance(sort, ArraySort) else sort


def held(target: Target) -> Term:
    """What a target holds at present."""
    last = target.variables[-1].var
    if isinstance(last.sort, ArraySort):
        return last if target.index is None else build.select(last, target.index)
    result: Term = last
    for position in range(len(target.variables) - 2, -1, -1):
        assert target.index is not None
        result = build.ite(build.eq(target.index, build.integer(position)), target.variables[position].var, result)
    return result


def updates_of(target: Target, value: Term, others: Mapping[Var, Term] | None = None) -> dict[Var, Term]:
    """The updates that write a value to a target, beside `others`."""
    first, known = target.variables[0].var, others or {}
    if target.index is None:
        return {first: value}
    if isinstance(first.sort, ArraySort):
        return {first: build.store(known.get(first, first), target.index, value)}
    here = [build.eq(target.index, build.integer(i)) for i in range(len(target.variables))]
    return {v.var: build.ite(c, value, known.get(v.var, v.var)) for v, c in zip(target.variables, here, strict=True)}


def at_once(writes: Sequence[tuple[Target, Term]]) -> tuple[dict[Var, Term], list[Need]] | Target:
    """The updates that write several values, and what must not hold: an element gets two different ones. The target
    that surely is the place of one before it, if there is any.
    """
    updates, wrong = dict[Var, Term](), list[Need]()
    for number, (target, value) in enumerate(writes):
        for other, before in writes[:number]:
            same = _same_place(target, other)
            if same is build.TRUE:
                return target
            differs = build.land(same, build.ne(value, before))
            if differs is not build.FALSE and not _is_exchange(target, other, build.ne(value, before)):
                wrong.append(Wrong(differs, Fault.TWICE))
        updates.update(updates_of(target, value, updates))
    return updates, wrong


def _same_place(first: Target, second: Target) -> Term:
    """When two targets are one place."""
    if {v.var for v in first.variables}.isdisjoint(v.var for v in second.variables):
        return build.FALSE
    one, two = _position(first), _position(second)
    return build.TRUE if one is None or two is None else build.eq(one, two)


def _position(target: Target) -> Term | None:
    """The index of an element, also where the target is the one variable behind it; None for a whole variable."""
    position = target.variables[0].var.name.position
    if target.index is None and position is not None:
        return build.integer(position)
    return target.index


def _is_exchange(first: Target, second: Target, differs: Term) -> bool:
    """Whether values are equal where two variables, as indices, are: `a[i], a[j] := a[j], a[i]`."""
    one, two = first.index, second.index
    return isinstance(one, Var) and two is not None and substitute(differs, {one: two}) is build.FALSE


def out_of_range(variable: Variable, value: Term, ranges: Mapping[Var, Interval]) -> list[Need]:
    """The condition under which a value is outside of the variable's range; none if it cannot be."""
    if variable.low is None or variable.high is None:
        return []
    wrong = outside(value, variable.low, variable.high, ranges)
    return [] if wrong is build.FALSE else [Wrong(wrong, Fault.RANGE)]


def perform(
    paths: Sequence[Path], wrong: Iterable[Need], updates: Mapping[Var, Term], span: Span, step: Step
) -> list[Path]:
    """The ways on after updates, all at once, which fail at `span` where one of the `wrong` conditions holds."""
    conditions = tuple(wrong)
    safe = [demand(p, conditions, span, step) for p in paths]
    return [written(p, updates) for p in safe if p is not None]


def arbitrary(path: Path, variables: Sequence[Variable], step: Step) -> Path:
    """The way on with values that the step chooses: each choice is another one, whatever is written or repeated."""
    for variable in variables:
        name, sort = variable.var.name, variable.var.sort
        taken = {c.var.name for c in path.choices}
        while name.choice is None or name in taken:
            name = chosen(name, next(step.numbers))
        choice = replace(variable, var=build.variable(name, sort), kind=Kind.LOCAL, ghost=False)
        store = {**path.store, variable.var: choice.var}
        path = replace(path, choices=(*path.choices, choice), store=store)
    return path


def choose(target: Target, wrong: Iterable[Need], paths: Sequence[Path], step: Step) -> list[Path]:
    """Any value of its type for a target: one choice, also where the element depends on the state."""
    first, conditions = target.variables[0], tuple(wrong)
    safe = [demand(p, conditions, target.span, step) for p in paths]
    if target.index is None:
        return [arbitrary(p, target.variables, step) for p in safe if p is not None]
    first = replace(first, var=build.variable(first.var.name, target.sort))
    result = list[Path]()
    for path in (p for p in safe if p is not None):
        chosen = arbitrary(path, (first,), step)
        updates = updates_of(target, chosen.store[first.var])
        result.append(replace(chosen, store={**path.store, **{v: now(path, t) for v, t in updates.items()}}))
    return result


class Exchange(Struct, frozen=True):
    """An atomic operation: `place` becomes `value`, its outcome is `outcome`; both read what was before."""

    place: Target
    value: Term
    outcome: Term


def compare_and_swap(place: Target, expected: Term, new: Term) -> Exchange:
    """`cas(place, expected, new)`, which gives a Boolean."""
    equal = build.eq(held(place), expected)
    return Exchange(place, build.ite(equal, new, held(place)), equal)


def fetch_add(place: Target, amount: Term) -> Exchange:
    """`fetch_add(place, amount)`, which gives the old value."""
    before = held(place)
    return Exchange(place, build.add(before, amount), before)


def exchange_with(place: Target, value: Term) -> Exchange:
    """`exchange(place, value)`, which gives the old value."""
    return Exchange(place, value, held(place))


def exchange(
    made: Exchange, result: Target, wrong: Iterable[Need], paths: Sequence[Path], span: Span, step: Step
) -> list[Path] | None:
    """The ways on after `result := made`; None if the result is written to the place itself.

    An int becomes 1 or 0 where the outcome is a Boolean.
    """
    kept, outcome = result.variables[0], made.outcome
    if result.sort == INT and sort_of(outcome) == BOOL:
        outcome = build.ite(outcome, build.ONE, build.ZERO)
    both = at_once(((made.place, made.value), (result, outcome)))
    if isinstance(both, Target):
        return None
    updates, twice = both
    conditions = [*wrong, *beyond(made, step), *out_of_range(kept, outcome, step.ranges), *twice]
    return perform(paths, conditions, updates, span, step)


def known(updates: Mapping[Var, Term], condition: Term, truth: bool) -> dict[Var, Term]:
    """The updates where a condition is known to be true, or false; variables that keep their values are left out."""
    if isinstance(condition, Not):
        condition, truth = condition.body, not truth
    after = {v: decided(t, condition, truth) for v, t in updates.items()}
    return {v: t for v, t in after.items() if t is not v}


def beyond(made: Exchange, step: Step) -> list[Need]:
    """The condition under which an operation leaves the range of its place; none if it cannot."""
    return out_of_range(made.place.variables[0], made.value, step.ranges)


def lock(target: Target, undefined: Sequence[Need], paths: Sequence[Path], step: Step) -> list[Path]:
    """Enabled where the lock is 0, writes the thread's number."""
    free, owner = build.eq(held(target), build.ZERO), step.holder
    wrong = out_of_range(target.variables[0], owner, step.ranges)
    safe = [demand(p, undefined, target.span, step) for p in paths]
    taken = [assume(p, free) for p in safe if p is not None]
    return perform([p for p in taken if p is not None], wrong, updates_of(target, owner), target.span, step)


def unlock(target: Target, undefined: Sequence[Need], paths: Sequence[Path], step: Step) -> list[Path]:
    """Writes 0; goes wrong where the thread does not hold the lock."""
    stranger = Wrong(build.ne(held(target), step.holder), Fault.LOCK)
    wrong = [*undefined, stranger, *out_of_range(target.variables[0], build.ZERO, step.ranges)]
    return perform(paths, wrong, updates_of(target, build.ZERO), target.span, step)


def interval(term: Term, ranges: Mapping[Var, Interval]) -> Interval:
    """An interval that holds the value of an integer term in every state, and next state, within the ranges."""
    here = ((v, build.variable(v.name, v.sort) if v.primes else v) for v in term.free)
    return interval_of(term, {v: ranges[known] for v, known in here if known in ranges})


def outside(term: Term, low: int, high: int, ranges: Mapping[Var, Interval]) -> Term:
    """The condition under which the value is not within `low..high`; sides that the ranges exclude are left out."""
    bottom, top = interval(term, ranges)
    below = build.FALSE if bottom is not None and low <= bottom else build.lt(term, build.integer(low))
    above = build.FALSE if top is not None and top <= high else build.lt(build.integer(high), term)
    return build.lor(below, above)
