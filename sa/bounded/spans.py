"""Bounds of variables in runs that take each hop at most once.

A variable that only ever gets constants and bounded sums added has bounds that follow from the hops alone. Others are
given a width, and runs that leave it are left out: that must be said where nothing is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce

from msgspec import Struct

from sa.base.limits import Limits, spend
from sa.bounded.dag import Dag, Hop, first_values
from sa.explicit.system import System
from sa.terms.bounds import assuming, has_few_conditions, interval_of
from sa.terms.build import land, lnot, sub
from sa.terms.interval import WHOLE, Interval, hull, sort_range
from sa.terms.sort import INT, number
from sa.terms.term import Ite, Sum, Term, Var


class Spans(Struct, frozen=True):
    """The bounds of integer variables; those in `guessed`, of `width` bits, may leave theirs.

    Runs in which they do are left out.
    """

    of: Mapping[Var, tuple[int, int]]
    guessed: frozenset[Var]
    width: int | None


class _Case(Struct, frozen=True):
    """What a hop writes where a condition holds: a term, which may be the old value and so much `more`."""

    condition: Term
    term: Term
    more: Term | None


class _Write(Struct, frozen=True):
    """What a hop writes into a variable, case by case, with the ranges of its choices."""

    cases: tuple[_Case, ...]
    chosen: tuple[tuple[Var, Interval], ...]


#: What is written into variables, and by how many hops.
_Writes = Mapping[Var, Counter[_Write]]


def spans(s: System, dags: Sequence[Dag], width: int | None, bounds: Limits) -> Spans:
    """Bounds of all integer variables; of `width` bits and a sign where none are known, or none then if it is None.

    Raises LimitReached.
    """
    known = dict[Var, Interval]()
    for declared in s.variables.values():
        ends = (declared.low, declared.high)
        if declared.var.sort != INT or _is_bounded(ends):
            known[declared.var] = ends if declared.var.sort == INT else sort_range(declared.var.sort)
    starts = {v: number(x) for v, x in first_values(s).items() if v.sort == INT}
    written = _written(dags, frozenset(v for v in s.variables if v not in known))
    open_ = list(written)
    while True:
        spend(bounds, 12_000)
        found = {v: own for v in open_ if (own := _settled(v, starts, written[v], known)) is not None}
        if not found:
            break
        known.update(found)
        open_ = [v for v in open_ if v not in found]
    if width is not None:
        far = _after_all(open_, starts, written, known, (_longest(dags, frozenset(open_)), 4 * 2**width), bounds)
        known.update(far)
        open_ = [v for v in open_ if v not in far]
    of = {v: finite for v, ends in known.items() if v.sort == INT and (finite := _finite(ends)) is not None}
    if width is None:
        return Spans(of, frozenset(), None)
    return Spans({**of, **dict.fromkeys(open_, (-(2**width), 2**width - 1))}, frozenset(open_), width)


def _is_bounded(interval: Interval) -> bool:
    return None not in interval


def _finite(interval: Interval) -> tuple[int, int] | None:
    low, high = interval
    return None if low is None or high is None else (low, high)


def _written(dags: Sequence[Dag], variables: frozenset[Var]) -> _Writes:
    """What is written into the variables."""
    found: dict[Var, Counter[_Write]] = {v: Counter() for v in variables}
    for hop in (h for dag in dags for h in dag.hops):
        for v in hop.updates:
            if v in found:
                found[v][_write(v, hop)] += 1
    return found


def _write(v: Var, hop: Hop) -> _Write:
    cases = tuple(
        _Case(condition, term, sub(term, v) if isinstance(term, Sum) and (v, 1) in term.parts else None)
        for condition, term in _cases(hop.condition, hop.updates[v])
        if term is not v
    )
    return _Write(cases, tuple((c.var, (c.low, c.high)) for c in hop.choices))


def _cases(condition: Term, term: Term) -> Iterator[tuple[Term, Term]]:
    match term:
        case Ite(test, positive, negative) if has_few_conditions(term):
            yield from _cases(land(condition, test), positive)
            yield from _cases(land(condition, lnot(test)), negative)
        case _:
            yield condition, term


def _results(write: _Write, known: Mapping[Var, Interval]) -> Iterator[tuple[Interval, Interval]]:
    """For each case that may arise: what is written, and how much more that is than before."""
    for case in write.cases:
        ranges = assuming(case.condition, {**known, **dict(write.chosen)})
        if ranges is not None:
            more = WHOLE if case.more is None else interval_of(case.more, ranges)
            yield interval_of(case.term, ranges), more


def _settled(
    v: Var, starts: Mapping[Var, int], written: Counter[_Write], known: Mapping[Var, Interval]
) -> Interval | None:
    """Bounds of a variable, if all that is written into it has bounds, or is itself and so much more that has."""
    if v not in starts:
        return None
    results = [(list(_results(write, known)), count) for write, count in written.items()]
    above = _most(starts[v], [([(i[1], m[1]) for i, m in r], n) for r, n in results])
    below = _most(-starts[v], [([(_minus(i[0]), _minus(m[0])) for i, m in r], n) for r, n in results])
    return None if above is None or below is None else (-below, above)


def _minus(end: int | None) -> int | None:
    return None if end is None else -end


def _most(start: int, results: Sequence[tuple[Sequence[tuple[int | None, int | None]], int]]) -> int | None:
    """The largest value where so many hops each write at most one number, or at most so much more than before.

    Each hop is taken once, so what is more than before adds up. Where a case says both, the better one counts; which
    one that is may depend on the others, so one is preferred everywhere, and then the other one.
    """
    found = list[int]()
    for prefers_growth in (False, True):
        ends, growth, is_known = start, 0, True
        for cases, count in results:
            most = 0
            for end, more in cases:
                if end is not None and not (prefers_growth and more is not None):
                    ends = max(ends, end)
                elif more is not None:
                    most = max(most, more)
                else:
                    is_known = False
            growth += most * count
        if is_known:
            found.append(ends + growth)
    return min(found, default=None)


def _longest(dags: Sequence[Dag], variables: frozenset[Var]) -> int:
    """How many steps of a run write any of the variables, at most."""
    total = 0
    for dag in dags:
        most = [0 for _ in dag.places]
        # Hops are in the order of their sources, and all go to later points.
        for hop in dag.hops:
            most[hop.target] = max(most[hop.target], most[hop.source] + (not variables.isdisjoint(hop.updates)))
        total += max(most, default=0)
    return total


def _after_all(
    variables: Sequence[Var],
    starts: Mapping[Var, int],
    written: _Writes,
    known: Mapping[Var, Interval],
    most: tuple[int, int],
    bounds: Limits,
) -> dict[Var, Interval]:
    """Bounds of variables that are written from each other after `most` steps, whichever they are.

    Without those that may get larger than `most` says in either direction, and those that depend on them.
    Raises LimitReached.
    """
    steps, largest = most
    now: dict[Var, Interval] = {v: (starts[v], starts[v]) if v in starts else WHOLE for v in variables}
    for _ in range(steps):
        scope = {**known, **now}
        after = dict[Var, Interval]()
        for v in variables:
            spend(bounds, 20)
            results = (result for write in written[v] for result, _ in _results(write, scope))
            low, high = reduce(hull, results, now[v])
            is_small = low is not None and high is not None and -largest <= low and high <= largest
            after[v] = (low, high) if is_small else WHOLE
        if after == now:
            break
        now = after
    return {v: ends for v, ends in now.items() if _is_bounded(ends)}
