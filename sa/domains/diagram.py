"""Boolean operations on diagrams: meet, join, difference, complement, choice, and inclusion.

All are exact, and their results canonical. Recursion goes one variable deeper each time, never along cuts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from sa.domains.store import FALSE, TRUE, Node, Store, reduced

#: From this ratio of cuts on, the longer list is copied in slices.
_UNEVEN = 8


def meet(store: Store, first: Node, second: Node) -> Node:
    """The states in both."""
    return _apply(store, store.meets, FALSE, first, second)


def join(store: Store, first: Node, second: Node) -> Node:
    """The states in one of them."""
    return _apply(store, store.joins, TRUE, first, second)


def _apply(store: Store, cache: dict[tuple[Node, Node], Node], zero: Node, first: Node, second: Node) -> Node:
    # Meet and join are dual: `zero` is the terminal that decides the result, the other one is neutral.
    unit = 1 - zero
    if first in (second, zero) or second == unit:
        return first
    if first == unit or second == zero:
        return second
    key = (first, second) if first < second else (second, first)
    found = cache.get(key)
    if found is not None:
        return found
    level, cuts, left, right = aligned(store, first, second)
    kids = list[Node]()
    for a, b in zip(left, right, strict=True):
        if a == b or a == zero or b == unit:  # noqa: SIM109 (a tuple costs time here)
            kids.append(a)
        elif a == unit or b == zero:
            kids.append(b)
        else:
            found = cache.get((a, b) if a < b else (b, a))
            kids.append(_apply(store, cache, zero, a, b) if found is None else found)
    result = cache[key] = reduced(store, level, cuts, kids)
    return result


def difference(store: Store, first: Node, second: Node) -> Node:
    """The states in the first and not in the second."""
    if first in (second, FALSE) or second == TRUE:
        return FALSE
    if second == FALSE:
        return first
    key = (first, second)
    found = store.differences.get(key)
    if found is None:
        level, cuts, left, right = aligned(store, first, second)
        kids = [difference(store, a, b) for a, b in zip(left, right, strict=True)]
        found = store.differences[key] = reduced(store, level, cuts, kids)
    return found


def included(store: Store, first: Node, second: Node) -> bool:
    """Whether every state of the first is in the second. Stops at the first that is not, and makes no nodes."""
    if first in (second, FALSE) or second == TRUE:
        return True
    if second == FALSE or first == TRUE:
        # Canonical: only TRUE itself is everything, only FALSE is empty.
        return False
    key = (first, second)
    found = store.inclusions.get(key)
    if found is None:
        _, _, left, right = aligned(store, first, second)
        found = True
        for a, b in zip(left, right, strict=True):
            if a != b and a != FALSE and b != TRUE and not included(store, a, b):
                found = False
                break
        store.inclusions[key] = found
    return found


def join_all(store: Store, nodes: Iterable[Node]) -> Node:
    """The states in one of many, joined in pairs so that operands stay small."""
    return _balanced(store, nodes, TRUE)


def meet_all(store: Store, nodes: Iterable[Node]) -> Node:
    """The states in all of many."""
    return _balanced(store, nodes, FALSE)


def _balanced(store: Store, nodes: Iterable[Node], zero: Node) -> Node:
    cache = store.joins if zero == TRUE else store.meets
    layer = list(dict.fromkeys(nodes))
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        rest = layer[-1:] if len(layer) % 2 else []
        layer = [_apply(store, cache, zero, a, b) for a, b in pairs] + rest
    return layer[0] if layer else 1 - zero


def contains(store: Store, node: Node, values: Mapping[int, int]) -> bool:
    """Whether a state, given by level, is in the set."""
    while node > TRUE:
        node = store.kids[node][bisect_left(store.cuts[node], values[store.levels[node]])]
    return node == TRUE


def aligned(store: Store, first: Node, second: Node) -> tuple[int, Sequence[int], Sequence[Node], Sequence[Node]]:
    """Both nodes over one list of cuts: the upper level, the cuts, the kids of each."""
    level, other = store.levels[first], store.levels[second]
    if level < other:
        kids = store.kids[first]
        return level, store.cuts[first], kids, (second,) * len(kids)
    if other < level:
        kids = store.kids[second]
        return other, store.cuts[second], (first,) * len(kids), kids
    m, n = len(store.cuts[first]), len(store.cuts[second])
    if m * _UNEVEN < n:
        cuts, small, large = _sliced(store, first, second)
        return level, cuts, small, large
    if n * _UNEVEN < m:
        cuts, small, large = _sliced(store, second, first)
        return level, cuts, large, small
    return level, *_merged(store, first, second)


def _merged(store: Store, first: Node, second: Node) -> tuple[Sequence[int], Sequence[Node], Sequence[Node]]:
    cuts1, cuts2 = store.cuts[first], store.cuts[second]
    kids1, kids2 = store.kids[first], store.kids[second]
    if cuts1 == cuts2:
        return cuts1, kids1, kids2
    m, n = len(cuts1), len(cuts2)
    i = j = 0
    cuts, left, right = list[int](), [kids1[0]], [kids2[0]]
    while i < m and j < n:
        c, d = cuts1[i], cuts2[j]
        if c <= d:
            i += 1
            cuts.append(c)
        else:
            cuts.append(d)
        if d <= c:
            j += 1
        left.append(kids1[i])
        right.append(kids2[j])
    cuts.extend(cuts1[i:] or cuts2[j:])
    left.extend(kids1[i + 1 :] if i < m else kids1[m:] * (n - j))
    right.extend(kids2[j + 1 :] if j < n else kids2[n:] * (m - i))
    return cuts, left, right


def _sliced(store: Store, short: Node, long: Node) -> tuple[list[int], list[Node], list[Node]]:
    cuts1, cuts2 = store.cuts[short], store.cuts[long]
    kids1, kids2 = store.kids[short], store.kids[long]
    cuts, small, large = list[int](), list[Node](), list[Node]()
    start = 0
    for cut, kid in zip(cuts1, kids1, strict=False):
        end = bisect_left(cuts2, cut, start)
        # The segment of the long node around `cut` is in both halves, unless it ends exactly there.
        cuts.extend(cuts2[start:end])
        cuts.append(cut)
        large.extend(kids2[start : end + 1])
        small.extend((kid,) * (end + 1 - start))
        start = end + 1 if end < len(cuts2) and cuts2[end] == cut else end
    cuts.extend(cuts2[start:])
    large.extend(kids2[start:])
    small.extend((kids1[-1],) * (len(kids2) - start))
    return cuts, small, large
