"""Widening: an upper bound of two sets such that every chain of widenings ends.

A set is a step function of its top variable: pieces of the line with values over the other variables. Within one
piece of the old set, the new set may have several sub-pieces. Where a changed one meets an unchanged one, the changed
one grows into it, up to the next threshold there or else to its end; where both changed, the cut stays.

NOTE(widening-ends): Values only grow, so the result is an upper bound. A change inside an unbounded piece uses up a
threshold or raises the value at the end of the line, and by induction over the variables those values form a chain of
widenings that ends. So unbounded pieces split finitely often; bounded ones hold finitely many integers, whose values
form such chains too. Thresholds may change along the chain if they only get fewer from some point on.

NOTE(within-a-box): `around` is a box whose ends move to thresholds or away, so it changes finitely often. While it
stays, all of the above goes on inside of it: an end that it bounds makes of an unbounded piece one with finitely many
integers. So a chain of widenings met with these boxes ends, too, even where `widen` has no thresholds left and
`around` has.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from sa.domains.quantify import box_of, hull
from sa.domains.store import FALSE, TRUE, Node, Store, reduced
from sa.terms.interval import WHOLE, Interval

#: Cuts at which growth may stop, by level, ascending: `c` is the bound `x <= c`.
Thresholds: TypeAlias = Mapping[int, Sequence[int]]


class _Run(Struct, frozen=True):
    store: Store
    thresholds: Thresholds
    done: dict[tuple[Node, Node], Node] = field(default_factory=dict)


def widen(store: Store, old: Node, new: Node, thresholds: Thresholds) -> Node:
    """A superset of `new`, which must include `old`."""
    return _widened(_Run(store, thresholds), old, new)


def around(store: Store, old: Node, new: Node, thresholds: Thresholds) -> Node:
    """A box around both: that of `old`, with ends that `new` goes beyond at the next threshold."""
    before, after = hull(store, old), hull(store, new)
    if before is None or after is None:
        return TRUE
    return box_of(store, {v: _moved(before.get(v, WHOLE), i, thresholds.get(v, ())) for v, i in after.items()})


def _moved(old: Interval, new: Interval, stops: Sequence[int]) -> Interval:
    (low, high), (less, more) = old, new
    if less is None or (low is not None and less < low):
        place = 0 if less is None else bisect_left(stops, less)
        low = stops[place - 1] + 1 if place else None
    if more is None or (high is not None and more > high):
        place = len(stops) if more is None else bisect_left(stops, more)
        high = stops[place] if place < len(stops) else None
    return low, high


#: A value on the line up to and including a cut; None for the rest of it.
_Piece: TypeAlias = tuple[int | None, Node]


def _widened(run: _Run, old: Node, new: Node) -> Node:
    if old in (FALSE, new) or new == TRUE:
        return new
    key = (old, new)
    found = run.done.get(key)
    if found is None:
        store = run.store
        level = min(store.levels[old], store.levels[new])
        if store.levels[old] == store.levels[new] and store.cuts[old] == store.cuts[new]:
            pairs = zip(store.kids[old], store.kids[new], strict=True)
            found = run.done[key] = reduced(store, level, store.cuts[old], [_widened(run, a, b) for a, b in pairs])
            return found
        line = list[_Piece]()
        low: int | None = None
        for high, value, inside in _by_piece(_line(store, old, level), _line(store, new, level)):
            grown = inside if len(inside) == 1 else _grown(run.thresholds.get(level, ()), low, value, inside)
            line.extend((last, _widened(run, value, b)) for last, b in grown)
            low = high
        cuts = [last for last, _ in line if last is not None]
        found = run.done[key] = reduced(store, level, cuts, [value for _, value in line])
    return found


def _line(store: Store, node: Node, level: int) -> list[_Piece]:
    if store.levels[node] != level:
        return [(None, node)]
    return list(zip((*store.cuts[node], None), store.kids[node], strict=True))


def _by_piece(old: list[_Piece], new: list[_Piece]) -> list[tuple[int | None, Node, list[_Piece]]]:
    """The pieces of the old line, each with the sub-pieces of the new one inside it."""
    found = list[tuple[int | None, Node, list[_Piece]]]()
    index = 0
    for high, value in old:
        inside = list[_Piece]()
        cut, below = new[index]
        while cut is not None and (high is None or cut < high):
            inside.append((cut, below))
            index += 1
            cut, below = new[index]
        inside.append((high, below))
        index += cut is not None and cut == high
        found.append((high, value, inside))
    return found


def _grown(thresholds: Sequence[int], low: int | None, old: Node, inside: list[_Piece]) -> list[_Piece]:
    """The sub-pieces of an old piece that begins after `low`, the changed ones grown into the unchanged ones."""
    found = list[_Piece]()
    for index, (last, value) in enumerate(inside):
        if value == old:
            left = inside[index - 1][1] if index else None
            right = inside[index + 1][1] if index + 1 < len(inside) else None
            found.extend(_left_over(thresholds, low, last, left, value, right))
        else:
            found.append((last, value))
        low = last
    return found


def _left_over(
    thresholds: Sequence[int], low: int | None, last: int | None, left: Node | None, own: Node, right: Node | None
) -> list[_Piece]:
    """An unchanged sub-piece `(low, last]` after its changed neighbours (None for none) have grown into it."""
    start = 0 if low is None else bisect_left(thresholds, low)
    end = len(thresholds) if last is None else bisect_right(thresholds, last)
    stops = thresholds[start:end]
    for_left = [t for t in stops if t != last]
    for_right = [t for t in stops if t != low]
    if right is not None and not for_right:
        return [(last, right)]
    if left is not None and not for_left:
        return [(last, left)]
    first = low if left is None else for_left[0]
    second = last if right is None else for_right[-1]
    found = list[_Piece]()
    if left is not None and first != low:
        found.append((first, left))
    if first != second:
        found.append((second, own))
    if right is not None and second != last:
        found.append((last, right))
    return found
