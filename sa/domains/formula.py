"""Diagrams as formulas: equivalent, factored, and with every shared part made once.

Each node becomes a disjunction over its different kids of `variable in ranges && kid`. A variable that is independent
of the rest is a conjunct of its own. The formula is as large as the diagram, not as the list of its boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sa.domains.factors import split
from sa.domains.frame import Frame
from sa.domains.quantify import segments
from sa.domains.store import FALSE, TRUE, Node, Store
from sa.terms import build, interval
from sa.terms.interval import Interval
from sa.terms.sort import BOOL, EnumSort
from sa.terms.term import Term, Var


def formula_of(store: Store, frame: Frame, node: Node) -> Term:
    """A formula that exactly the states of the set satisfy."""
    if node <= TRUE:
        return build.boolean(node == TRUE)
    alone, rest = split(store, node)
    factors = [_formula(store, frame, n, {}) for n in alone.values()]
    return build.land(*factors, _formula(store, frame, rest, {}))


def _formula(store: Store, frame: Frame, node: Node, done: dict[Node, Term]) -> Term:
    if node <= TRUE:
        return build.boolean(node == TRUE)
    found = done.get(node)
    if found is None:
        var, values = frame.variables[store.levels[node]], frame.ranges[store.levels[node]]
        by_kid = dict[Node, list[Interval]]()
        for span, kid in segments(store, node):
            inside = interval.meet(span, values)
            if kid != FALSE and inside is not None:
                by_kid.setdefault(kid, []).append(inside)
        cases = (build.land(in_ranges(var, r), _formula(store, frame, k, done)) for k, r in by_kid.items())
        found = done[node] = build.lor(*cases)
    return found


def in_ranges(var: Var, ranges: Sequence[Interval]) -> Term:
    """That a variable is in one of several ascending, disjoint ranges: single numbers between them become holes."""
    if var.sort == BOOL:
        return build.land(*(build.eq(var, build.boolean(bool(r[0]))) for r in ranges if interval.size(r) == 1))
    if isinstance(var.sort, EnumSort):
        chosen = [i for low, high in ranges for i in range(low or 0, (high or 0) + 1)]
        left = [i for i in range(len(var.sort.constructors)) if i not in chosen]
        if len(left) < len(chosen):
            return build.land(*(build.ne(var, build.constant(i, var.sort)) for i in left))
        return build.lor(*(build.eq(var, build.constant(i, var.sort)) for i in chosen))
    found, holes = list[Term](), list[Term]()
    low = ranges[0][0]
    for (_, end), (start, _) in pairwise(ranges):
        assert end is not None and start is not None, "only the outer ranges are unbounded"
        if start == end + 2:
            holes.append(build.ne(var, build.integer(end + 1)))
        else:
            found.append(build.land(_in_range(var, (low, end)), *holes))
            low, holes = start, []
    found.append(build.land(_in_range(var, (low, ranges[-1][1])), *holes))
    return build.lor(*found)


def _in_range(var: Var, values: Interval) -> Term:
    low, high = values
    if low is not None and low == high:
        return build.eq(var, build.integer(low))
    lower = build.TRUE if low is None else build.le(build.integer(low), var)
    upper = build.TRUE if high is None else build.le(var, build.integer(high))
    return build.land(lower, upper)
