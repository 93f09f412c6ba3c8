"""Graphs against their definitions: closures of the relation, computed by multiplying it with itself."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from sa.automata.components import components, on_cycles, postorder, reachable

Graph = Mapping[int, list[int]]


def random_graph(rng: Random) -> Graph:
    size = rng.randint(1, 8)
    return {n: rng.choices(range(size), k=rng.randint(0, 3)) for n in range(size)}


def paths(graph: Graph) -> set[tuple[int, int]]:
    """The pairs of nodes between which there is a way of one step or more."""
    found = {(n, m) for n, after in graph.items() for m in after}
    while longer := {(a, d) for a, b in found for c, d in found if b == c} - found:
        found |= longer
    return found


@pytest.mark.parametrize("seed", range(300))
def test_what_is_reached_and_what_is_on_a_cycle(seed: int) -> None:
    rng = Random(seed)
    graph = random_graph(rng)
    between, roots = paths(graph), rng.choices(range(len(graph)), k=rng.randint(0, 2))
    reached = set(roots) | {m for n, m in between if n in roots}
    assert reachable(roots, graph.__getitem__) == reached
    made = components(roots, graph)
    assert sorted(n for component in made for n in component) == sorted(reached)
    assert {frozenset(c) for c in made} == {
        frozenset(m for m in reached if m == n or {(n, m), (m, n)} <= between) for n in reached
    }
    assert on_cycles(roots, graph).keys() == {n for n in reached if (n, n) in between}


@pytest.mark.parametrize("seed", range(300))
def test_an_order_puts_nodes_behind_what_follows_and_every_cycle_has_a_head(seed: int) -> None:
    graph = random_graph(Random(seed))
    between = paths(graph)
    order, heads = postorder(0, graph)
    assert sorted(order) == sorted({0} | {m for n, m in between if n == 0})
    place = {n: k for k, n in enumerate(order)}
    assert all(m in heads for n in order for m in graph[n] if place[m] >= place[n])
    assert heads <= {n for n in order if (n, n) in between}
    without = {n: [m for m in after if m not in heads] for n, after in graph.items() if n not in heads}
    assert not {n for n in order if (n, n) in paths(without)}
