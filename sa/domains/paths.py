"""Walking a diagram level by level where operations need the range of a variable on each path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sa.domains.diagram import join_all, meet
from sa.domains.frame import Frame
from sa.domains.quantify import segments
from sa.domains.store import FALSE, TRUE, Node, Store, between, reduced
from sa.terms import interval
from sa.terms.interval import Interval

#: A part of a level's line: its last value (None for the last part), the values there, the node behind.
Part: TypeAlias = tuple[int | None, Interval, Node]


def parts(store: Store, frame: Frame, node: Node, level: int, split: bool) -> list[Part]:
    """The line of a level, which the node tests or skips, in parts; small ones point by point with `split`.

    Parts follow each other without gaps. Parts without values and parts that lead nowhere have the empty set behind.
    """
    found = list[Part]()
    spans = segments(store, node) if store.levels[node] == level else iter([(interval.WHOLE, node)])
    for span, kid in spans:
        values = interval.meet(span, frame.ranges[level])
        if values is None or kid == FALSE:
            found.append((span[1], values or span, FALSE))
            continue
        low, high = values
        count = interval.size(values) if split else None
        enumerated = frame.ranges[level] != interval.WHOLE
        if low is None or high is None or count is None or (count > frame.precision.points and not enumerated):
            found.append((span[1], values, kid))
            continue
        found.extend((point, (point, point), kid) for point in range(low, high))
        found.append((span[1], (high, high), kid))
    return found


def assembled(store: Store, level: int, lasts: Sequence[int | None], results: Sequence[Node]) -> Node:
    """The set that is `results[i]` on part i of the level; results may speak of earlier levels too."""
    cuts = [last for last in lasts if last is not None]
    if all(store.levels[r] > level for r in results):
        return reduced(store, level, cuts, results)
    lows = [None, *(cut + 1 for cut in cuts)]
    spans = zip(lows, lasts, results, strict=True)
    return join_all(store, (meet(store, between(store, level, (low, last)), r) for low, last, r in spans))


def values_in(store: Store, frame: Frame, level: int, values: Interval, inside: Node = TRUE) -> Node:
    """`inside`, of later levels, with this level in the interval; ends that the sort implies are no cuts."""
    low, high = frame.ranges[level]
    cut = interval.meet(values, (low, high))
    if cut is None:
        return FALSE
    ends = (None if cut[0] == low else cut[0]), (None if cut[1] == high else cut[1])
    return between(store, level, ends, inside)
