"""Between what bounds values stay while each hop is taken at most once.

A variable that only ever gets constants and bounded sums added has bounds that follow from the hops alone. Others are
given a width, and runs that leave it are left out: that must be said where nothing is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

from msgspec import Struct

from sa.bounded.dag import Dag, first_values
from sa.domains.bounds import interval_of
from sa.domains.interval import Interval, add, hull, sort_range
from sa.explicit.system import System
from sa.terms.build import sub
from sa.terms.sort import INT, number
from sa.terms.term import Ite, Sum, Term, Var


class Spans(Struct, frozen=True):
    """The bounds of integer variables; those in `guessed`, of `width` bits, may leave
    theirs. Runs in which they do are
    left out."""

    of: Mapping[Var, tuple[int, int]]
    guessed: frozenset[Var]
    width: int | None


def spans(s: System, dags: Sequence[Dag], width: int | None) -> Spans:
    """Bounds of all integer variables; of `width` bits and a sign where none are known, or none then if it is None."""
    known = dict[Var, Interval]()
    for declared in s.variables.values():
        ends = (declared.low, declared.high)
        if declared.var.sort != INT or _is_bounded(ends):
            known[declared.var] = ends if declared.var.sort == INT else sort_range(declared.var.sort)
    starts = {v: number(x) for v, x in first_values(s).items() if v.sort == INT}
    written: dict[Var, list[Term]] = {v: [] for v in s.variables if v not in known}
    chosen = dict[Var, Interval]()
    for hop in (h for dag in dags for h in dag.hops):
        chosen.update((c.var, (c.low, c.high)) for c in hop.choices)
        for v, term in hop.updates.items():
            if v in written:
                written[v].append(term)
    open_ = list(written)
    while True:
        ranges = {**known, **chosen}
        found = {v: bounds for v in open_ if (bounds := _settled(v, starts, written[v], ranges)) is not None}
        if not found:
            break
        known.update(found)
        open_ = [v for v in open_ if v not in found]
    if width is not None:
        far = _after_all(open_, starts, written, {**known, **chosen}, _longest(dags, frozenset(open_)), 4 * 2**width)
        known.update(far)
        open_ = [v for v in open_ if v not in far]
    of = {v: bounds for v, ends in known.items() if v.sort == INT and (bounds := _finite(ends)) is not None}
    if width is None:
        return Spans(of, frozenset(), None)
    return Spans({**of, **dict.fromkeys(open_, (-(2**width), 2**width - 1))}, frozenset(open_), width)


def _is_bounded(interval: Interval) -> bool:
    return None not in interval


def _finite(interval: Interval) -> tuple[int, int] | None:
    low, high = interval
    return None if low is None or high is None else (low, high)


def _settled(
    v: Var, starts: Mapping[Var, int], written: Iterable[Term], known: Mapping[Var, Interval]
) -> Interval | None:
    """Bounds of a variable, if all that is written into it is itself and more, or what has bounds."""
    if v not in starts:
        return None
    ends: Interval = (starts[v], starts[v])
    growth: Interval = (0, 0)
    for term in written:
        more: Interval = (0, 0)
        for part, is_added in _cases(v, term):
            if v in part.free or not all(u in known or u.sort != INT for u in part.free):
                return None
            here = interval_of(part, known)
            if is_added:
                more = hull(more, here)
            else:
                ends = hull(ends, here)
        growth = add(growth, more)
    found = add(ends, growth)
    return found if _is_bounded(found) else None


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
    written: Mapping[Var, Sequence[Term]],
    known: Mapping[Var, Interval],
    steps: int,
    largest: int,
) -> dict[Var, Interval]:
    """Bounds of variables that are written from each other after so many steps, whichever they are.

    Without those that may get larger than `largest` in either direction, and those that depend on them.
    """
    now: dict[Var, Interval] = {v: (starts[v], starts[v]) if v in starts else (None, None) for v in variables}
    for _ in range(steps):
        scope = {**known, **now}
        after = dict[Var, Interval]()
        for v in variables:
            low, high = reduce(hull, (interval_of(t, scope) for t in written[v]), now[v])
            is_small = low is not None and high is not None and -largest <= low and high <= largest
            after[v] = (low, high) if is_small else (None, None)
        if after == now:
            break
        now = after
    return {v: ends for v, ends in now.items() if _is_bounded(ends)}


def _cases(v: Var, term: Term) -> Iterator[tuple[Term, bool]]:
    """What is written into a variable, case by case: something, or itself and something."""
    match term:
        case Ite(_, positive, negative):
            yield from _cases(v, positive)
            yield from _cases(v, negative)
        case Var() if term is v:
            return
        case Sum(_, parts) if (v, 1) in parts:
            yield sub(term, v), True
        case _:
            yield term, False
