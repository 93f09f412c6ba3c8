"""Diagrams themselves: canonical form, difference, boxes, size control."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random

from sa.domains.boxes import Boxes
from sa.domains.collapse import collapsed, controlled
from sa.domains.diagram import (
    aligned,
    contains,
    difference,
    included,
    join,
    join_all,
    meet,
    meet_all,
)
from sa.domains.factors import factors
from sa.domains.quantify import Box, box_of, count_boxes, forget, hull, segments
from sa.domains.store import FALSE, TRUE, Node, Store, between, reachable, reduced
from tests.domains.sampling import CASES, FRAME, random_value, states


def line(store: Store, *points: int) -> Node:
    """The states whose variable of level 1 is one of some numbers."""
    return join_all(store, (between(store, 1, (p, p)) for p in points))


def test_a_node_of_equal_kids_is_that_kid() -> None:
    store = Store()
    assert reduced(store, 1, [], [TRUE]) == TRUE
    assert reduced(store, 1, [3], [TRUE, TRUE]) == TRUE
    inner = between(store, 2, (0, 5))
    assert reduced(store, 1, [1, 2], [inner, inner, inner]) == inner
    assert reduced(store, 1, [1, 2], [inner, inner, FALSE]) == reduced(store, 1, [2], [inner, FALSE])


@CASES
def test_nodes_are_canonical(cases: int) -> None:
    rng, domain = Random(20), Boxes(FRAME)
    for _ in range(cases):
        random_value(domain, rng)
    store = domain.store
    entries = set(zip(store.levels, store.cuts, store.kids, strict=True))
    assert len(entries) == len(store.levels) - 1, "only the two terminals look alike"
    for node in range(2, len(store.levels)):
        cuts, kids = store.cuts[node], store.kids[node]
        assert len(kids) == len(cuts) + 1 >= 2
        assert all(c < d for c, d in pairwise(cuts))
        assert all(a != b for a, b in pairwise(kids))
        assert all(store.levels[k] > store.levels[node] for k in kids)


@CASES
def test_differences_are_exact(cases: int) -> None:
    rng, domain = Random(21), Boxes(FRAME)
    store = domain.store
    for _ in range(cases):
        a, b = (random_value(domain, rng) for _ in range(2))
        assert states(domain, difference(store, a, b)) == states(domain, a) - states(domain, b)
        assert difference(store, TRUE, difference(store, TRUE, a)) == a


@CASES
def test_join_is_union_and_equal_sets_are_one_node(cases: int) -> None:
    rng, domain = Random(22), Boxes(FRAME)
    store = domain.store
    for _ in range(cases):
        a, b, c = (random_value(domain, rng) for _ in range(3))
        assert states(domain, join(store, a, b)) == states(domain, a) | states(domain, b)
        assert meet(store, a, join(store, b, c)) == join(store, meet(store, a, b), meet(store, a, c))
        not_a, not_b = (difference(store, TRUE, v) for v in (a, b))
        assert difference(store, TRUE, join(store, a, b)) == meet(store, not_a, not_b)
        assert difference(store, a, b) == meet(store, a, not_b)
        assert included(store, a, b) == (difference(store, a, b) == FALSE)


def boxes(store: Store, node: Node, above: Box) -> Iterator[Box]:
    """A box for each way through a diagram."""
    if node == TRUE:
        yield above
    elif node != FALSE:
        level = store.levels[node]
        for span, kid in segments(store, node):
            yield from boxes(store, kid, {**above, level: span})


@CASES
def test_boxes_are_disjoint_and_make_up_the_set(cases: int) -> None:
    rng, domain = Random(23), Boxes(FRAME)
    store = domain.store
    for _ in range(cases):
        value = random_value(domain, rng)
        found = [box_of(store, b) for b in boxes(store, value, {})]
        assert len(found) == count_boxes(store, value)
        assert join_all(store, found) == value
        total = sum(len(states(domain, b)) for b in found)
        assert total == len(states(domain, value))


def support(store: Store, node: Node) -> frozenset[int]:
    """The levels that the set says something about."""
    return frozenset(store.levels[n] for n in reachable(store, (node,)))


@CASES
def test_a_set_is_the_product_of_its_factors(cases: int) -> None:
    rng, domain = Random(24), Boxes(FRAME)
    store = domain.store
    for _ in range(cases):
        value = domain.meet(random_value(domain, rng), random_value(domain, rng))
        found = factors(store, value)
        if value == FALSE:
            continue
        assert meet_all(store, (node for _, node in found)) == value
        assert sum(len(levels) for levels, _ in found) == len(support(store, value))
        assert all(support(store, node) == levels for levels, node in found)
        for level in support(store, value):
            alone = forget(store, value, support(store, value) - {level})
            independent = meet(store, alone, forget(store, value, frozenset((level,)))) == value
            assert ((frozenset((level,)), alone) in found) == independent


def test_the_hull_leaves_out_what_a_path_skips() -> None:
    store = Store()
    bounded = meet(store, between(store, 0, (0, 0)), between(store, 2, (5, 6)))
    skipping = meet(store, between(store, 0, (1, 1)), between(store, 1, (7, 7)))
    assert hull(store, bounded) == {0: (0, 0), 2: (5, 6)}
    assert hull(store, join(store, bounded, skipping)) == {0: (0, 1)}
    assert hull(store, FALSE) is None
    assert hull(store, TRUE) == {}


@CASES
def test_lists_of_cuts_of_very_different_length_are_aligned_alike(cases: int) -> None:
    rng, store = Random(25), Store()
    for _ in range(cases):
        dense = line(store, *(rng.randint(-60, 60) for _ in range(30)))
        sparse = between(store, 1, tuple(sorted((rng.randint(-60, 60), rng.randint(-60, 60)))))  # type: ignore[arg-type]
        for first, second in ((dense, sparse), (sparse, dense)):
            if first <= TRUE or second <= TRUE:
                continue
            level, cuts, left, right = aligned(store, first, second)
            assert level == 1
            assert list(cuts) == sorted({*store.cuts[first], *store.cuts[second]})
            assert (reduced(store, 1, cuts, left), reduced(store, 1, cuts, right)) == (first, second)
            for point in range(-62, 63):
                here = {1: point}
                both = contains(store, first, here) and contains(store, second, here)
                assert contains(store, meet(store, first, second), here) == both


def test_thousands_of_cuts_need_no_deep_recursion() -> None:
    store = Store()
    even, fours = line(store, *range(0, 20_000, 2)), line(store, *range(0, 20_000, 4))
    assert included(store, fours, even)
    assert not included(store, even, fours)
    assert join(store, even, fours) == even
    assert hull(store, difference(store, even, fours)) == {1: (2, 19_998)}


@CASES
def test_collapsing_gives_a_superset_of_the_size_asked_for(cases: int) -> None:
    rng, domain = Random(27), Boxes(FRAME)
    for _ in range(cases):
        value, most = random_value(domain, rng), rng.randint(1, 5)
        smaller = collapsed(domain.store, value, most)
        assert included(domain.store, value, smaller)
        assert count_boxes(domain.store, smaller) <= most


def test_collapses_in_one_chain_are_counted() -> None:
    store = Store()
    old, new = line(store, 1000), line(store, *range(0, 40, 2))
    value, done = controlled(store, old, new, 4, 0, 1)
    assert done == 1
    assert included(store, join(store, old, new), value)
    assert controlled(store, old, new, 4, done, 1) == (new, 1)
    assert controlled(store, old, new, 20, 0, 1) == (new, 0)
