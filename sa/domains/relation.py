"""Linear relations between variables on a diagram: every path is cut to where the relation can hold.

On one box, each variable of `Σ coefficient · variable ∈ wanted` is bounded by what the others leave. Here that is
done for each path apart: on the way down with what the path above adds, on the way up with what the paths below add,
kept apart in groups of equal sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

from sa.domains.diagram import join_all
from sa.domains.frame import Frame
from sa.domains.paths import parts, values_in
from sa.domains.quantify import hull
from sa.domains.store import FALSE, Node, Store, reduced
from sa.terms import interval
from sa.terms.interval import Interval

#: Disjoint or overlapping sets by the interval of the sum on their paths.
_Groups: TypeAlias = Mapping[Interval, Node]


class _Run(Struct, frozen=True):
    store: Store
    frame: Frame
    coefficients: tuple[tuple[int, int], ...]
    done: dict[tuple[Node, int, Interval], _Groups] = field(default_factory=dict)


def refined(
    store: Store, frame: Frame, node: Node, coefficients: tuple[tuple[int, int], ...], wanted: Interval
) -> Node:
    """The set without states for which `Σ coefficient · value` is surely not in `wanted`.

    `coefficients` are pairs of level and coefficient, not zero, by ascending level.
    """
    return join_all(store, _groups(_Run(store, frame, coefficients), node, 0, wanted).values())


def _groups(run: _Run, node: Node, index: int, wanted: Interval) -> _Groups:
    """The paths that can add a number in `wanted`, cut, by what they then add; `index` is the next coefficient."""
    if node == FALSE:
        return {}
    if index == len(run.coefficients):
        return {interval.ZERO: node} if interval.contains(wanted, 0) else {}
    key = (node, index, wanted)
    found = run.done.get(key)
    if found is not None:
        return found
    if len(run.done) >= run.frame.precision.steps:
        total = _hull_sum(run, node, index)
        return {total: node} if interval.meet(total, wanted) else {}
    level = run.store.levels[node]
    if level < run.coefficients[index][0]:
        groups = _past(run, node, index, wanted)
    else:
        groups = _cut(run, node, index, wanted)
    if len(groups) > run.frame.precision.groups:
        total = next(iter(groups))
        for other in groups:
            total = interval.hull(total, other)
        groups = {total: join_all(run.store, groups.values())}
    run.done[key] = groups
    return groups


def _past(run: _Run, node: Node, index: int, wanted: Interval) -> _Groups:
    """A variable that the relation does not mention."""
    store = run.store
    below = [_groups(run, kid, index, wanted) for kid in store.kids[node]]
    totals = dict.fromkeys(total for groups in below for total in groups)
    level, cuts = store.levels[node], store.cuts[node]
    return {t: reduced(store, level, cuts, [groups.get(t, FALSE) for groups in below]) for t in totals}


def _cut(run: _Run, node: Node, index: int, wanted: Interval) -> _Groups:
    """A variable of the relation, tested by the node or not."""
    store, frame = run.store, run.frame
    level, coefficient = run.coefficients[index]
    split = index + 1 < len(run.coefficients)
    pieces = dict[Interval, list[Node]]()
    for _, values, kid in parts(store, frame, node, level, split):
        left = interval.shifted(wanted, interval.scale(coefficient, values))
        for total, inside in _groups(run, kid, index + 1, left).items():
            allowed = interval.unscale(interval.shifted(wanted, total), coefficient)
            kept = None if allowed is None else interval.meet(values, allowed)
            if kept is not None:
                own = interval.add(total, interval.scale(coefficient, kept))
                pieces.setdefault(own, []).append(values_in(store, frame, level, kept, inside))
    return {total: join_all(store, nodes) for total, nodes in pieces.items()}


def _hull_sum(run: _Run, node: Node, index: int) -> Interval:
    box = hull(run.store, node) or {}
    total = interval.ZERO
    for level, coefficient in run.coefficients[index:]:
        values = interval.meet(box.get(level, interval.WHOLE), run.frame.ranges[level])
        assert values is not None, "values of a sort are in its range"
        total = interval.add(total, interval.scale(coefficient, values))
    return total
