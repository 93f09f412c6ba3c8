"""Strongly connected components of graphs of steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sa.frontends.flow.graph import Node


def components(roots: Iterable[Node], successors: Mapping[Node, Sequence[Node]]) -> list[tuple[Node, ...]]:
    """The components that can be reached, each after those that it leads to (Tarjan)."""
    index, low = dict[Node, int](), dict[Node, int]()
    stack, inside, found = list[Node](), set[Node](), list[tuple[Node, ...]]()
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


def on_cycles(roots: Iterable[Node], successors: Mapping[Node, Sequence[Node]]) -> dict[Node, int]:
    """The nodes that lie on a cycle, with the number of their component."""
    result = dict[Node, int]()
    for number, component in enumerate(components(roots, successors)):
        if len(component) > 1 or component[0] in successors.get(component[0], ()):
            result |= dict.fromkeys(component, number)
    return result
