"""Data flow (Kildall 1973): what is known at each node of a graph, of what is known where it is entered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

N = TypeVar("N", bound=Hashable)
F = TypeVar("F")


def forward(
    start: Mapping[N, F], follow: Callable[[N, F], Iterable[tuple[N, F]]], join: Callable[[F, F], F]
) -> dict[N, F]:
    """The facts at each node that is reached: the least solution of all ways there.

    `follow` yields the nodes behind a node, each with the fact there, of the fact at the node itself. `join` is what
    two facts have in common, the earlier one first; where it is the earlier one, the node is not looked at again. It
    ends where facts can be joined with others a finite number of times only.
    """
    found, pending = dict(start), list(start)
    while pending:
        here = pending.pop()
        for target, after in follow(here, found[here]):
            before = found.get(target)
            joined = after if before is None else join(before, after)
            if before is None or joined != before:
                found[target] = joined
                pending.append(target)
    return found
