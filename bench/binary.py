"""Sets of boxes on binary decision diagrams over bounds: the reference that `bench.domains` measures against.

A node asks `variable <= cut` and has a node for yes and one for no; questions are ordered by variable, then by cut.
As simple as possible, not fast: recursion goes along cuts, caches are dictionaries, nothing else is tuned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

#: A question: the level of a variable and a cut.
Test: TypeAlias = tuple[int, int]
_NEVER: Test = (1 << 60, 0)


@dataclass(slots=True)
class Diagrams:
    """Nodes by number: the test, the node if it holds, the node if not. 0 is the empty set, 1 everything."""

    nodes: list[tuple[Test, int, int]] = field(default_factory=lambda: [(_NEVER, 0, 0), (_NEVER, 1, 1)])
    unique: dict[tuple[Test, int, int], int] = field(default_factory=dict)
    cache: dict[tuple[str, int, int], int] = field(default_factory=dict)


def node(d: Diagrams, test: Test, yes: int, no: int) -> int:
    """The node with this test, reduced: bounds of one variable imply each other."""
    if d.nodes[yes][0][0] == test[0]:
        yes = d.nodes[yes][1]
    if yes == no or (d.nodes[no][0][0] == test[0] and d.nodes[no][1] == yes):
        return no
    entry = (test, yes, no)
    if entry not in d.unique:
        d.unique[entry] = len(d.nodes)
        d.nodes.append(entry)
    return d.unique[entry]


def _split(d: Diagrams, f: int, test: Test) -> tuple[int, int]:
    """A set where the test, not later than its own, holds and where it does not."""
    own, yes, no = d.nodes[f]
    if own == test:
        return yes, no
    return (yes if own[0] == test[0] else f), f


def apply(d: Diagrams, operation: str, f: int, g: int) -> int:
    """`and` or `or` of two sets."""
    zero = 0 if operation == "and" else 1
    if f in (g, zero) or g == 1 - zero:
        return f
    if f == 1 - zero or g == zero:
        return g
    key = (operation, min(f, g), max(f, g))
    if key not in d.cache:
        test = min(d.nodes[f][0], d.nodes[g][0])
        (f1, f0), (g1, g0) = _split(d, f, test), _split(d, g, test)
        d.cache[key] = node(d, test, apply(d, operation, f1, g1), apply(d, operation, f0, g0))
    return d.cache[key]


def included(d: Diagrams, f: int, g: int) -> bool:
    """Whether the first set is a subset of the second."""
    if f in (g, 0) or g == 1:
        return True
    if g == 0 or f == 1:
        return False
    key = ("in", f, g)
    if key not in d.cache:
        test = min(d.nodes[f][0], d.nodes[g][0])
        (f1, f0), (g1, g0) = _split(d, f, test), _split(d, g, test)
        d.cache[key] = included(d, f1, g1) and included(d, f0, g0)
    return bool(d.cache[key])


def forget(d: Diagrams, f: int, level: int) -> int:
    """The set without what it says of one variable."""
    test, yes, no = d.nodes[f]
    if test[0] > level:
        return f
    key = ("forget", f, level)
    if key not in d.cache:
        first, second = forget(d, yes, level), forget(d, no, level)
        d.cache[key] = apply(d, "or", first, second) if test[0] == level else node(d, test, first, second)
    return d.cache[key]


def box(d: Diagrams, bounds: Sequence[tuple[int, int, int]]) -> int:
    """One box: levels with their least and greatest values, by ascending level."""
    f = 1
    for level, low, high in reversed(bounds):
        f = node(d, (level, low - 1), 0, node(d, (level, high), f, 0))
    return f


def join_all(d: Diagrams, sets: Sequence[int]) -> int:
    """The union of many sets, joined in pairs."""
    layer = list(sets)
    while len(layer) > 1:
        pairs = [layer[i : i + 2] for i in range(0, len(layer), 2)]
        layer = [apply(d, "or", *p) if len(p) == 2 else p[0] for p in pairs]
    return layer[0] if layer else 0


def contains(d: Diagrams, f: int, values: Mapping[int, int]) -> bool:
    """Whether a state, given by level, is in the set."""
    while f > 1:
        (level, cut), yes, no = d.nodes[f]
        f = yes if values[level] <= cut else no
    return f == 1


def size(d: Diagrams, f: int) -> int:
    """The inner nodes of a set."""
    found, waiting = set[int](), [f]
    while waiting:
        n = waiting.pop()
        if n > 1 and n not in found:
            found.add(n)
            waiting.extend(d.nodes[n][1:])
    return len(found)
