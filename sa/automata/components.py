"""Graphs of locations, or of points of a procedure: what is reached, in which order, and what is on a cycle."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reachable(roots: Iterable[T], successors: Callable[[T], Iterable[T]]) -> set[T]:
    """The nodes that can be reached from the roots, these included."""
    found = set(roots)
    pending = list(found)
    while pending:
        for node in successors(pending.pop()):
            if node not in found:
                found.add(node)
                pending.append(node)
    return found


def components(roots: Iterable[T], successors: Mapping[T, Sequence[T]]) -> list[tuple[T, ...]]:
    """The components that can be reached, each after those that it leads to (Tarjan)."""
    index, low = dict[T, int](), dict[T, int]()
    stack, inside, found = list[T](), set[T](), list[tuple[T, ...]]()
    for root in roots:
        if root in index:
            continue
        work = [(root, iter(successors.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        inside.add(root)
        while work:
            here, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == index[here]:
                    cut = len(stack) - 1
                    while stack[cut] != here:
                        cut -= 1
                    found.append(tuple(stack[cut:]))
                    inside.difference_update(stack[cut:])
                    del stack[cut:]
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                inside.add(following)
                work.append((following, iter(successors.get(following, ()))))
            elif following in inside:
                low[here] = min(low[here], index[following])
    return found


def postorder(root: T, successors: Mapping[T, Sequence[T]]) -> tuple[list[T], set[T]]:
    """The nodes that can be reached, each after those that a search finds from it, and those that it comes back to.

    Every cycle goes through one of the latter.
    """
    order, inside, seen, heads = list[T](), {root}, {root}, set[T]()
    work = [(root, iter(successors.get(root, ())))]
    while work:
        here, rest = work[-1]
        for following in rest:
            if following not in seen:
                seen.add(following)
                inside.add(following)
                work.append((following, iter(successors.get(following, ()))))
                break
            if following in inside:
                heads.add(following)
        else:
            work.pop()
            inside.discard(here)
            order.append(here)
    return order, heads


def on_cycles(roots: Iterable[T], successors: Mapping[T, Sequence[T]]) -> dict[T, int]:
    """The nodes that lie on a cycle, with the number of their component."""
    result = dict[T, int]()
    for number, component in enumerate(components(roots, successors)):
        if len(component) > 1 or component[0] in successors.get(component[0], ()):
            result |= dict.fromkeys(component, number)
    return result
