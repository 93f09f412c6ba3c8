"""Variables exchanged with each other: the same states under other names, as symmetric threads see them."""

from __future__ import annotations

from collections.abc import Mapping

from sa.domains.diagram import join_all, meet
from sa.domains.quantify import segments
from sa.domains.store import FALSE, TRUE, Node, Store, between, reduced


def exchanged(store: Store, node: Node, moves: Mapping[int, int]) -> Node:
    """The states with the value of each level moved to `moves[level]`, a permutation; other levels stay.

    Below a level that stays above all that it depends on, nothing is computed but the new node.
    """
    done = {FALSE: FALSE, TRUE: TRUE}

    def move(n: Node) -> Node:
        if n not in done:
            done[n] = _moved(store, n, moves.get(store.levels[n], store.levels[n]), [move(k) for k in store.kids[n]])
        return done[n]

    return move(node)


def _moved(store: Store, node: Node, level: int, kids: list[Node]) -> Node:
    if all(level < store.levels[kid] for kid in kids):
        return reduced(store, level, store.cuts[node], kids)
    spans = (span for span, _ in segments(store, node))
    return join_all(store, (meet(store, between(store, level, s), k) for s, k in zip(spans, kids, strict=True)))
