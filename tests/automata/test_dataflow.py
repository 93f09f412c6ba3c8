"""Data flow against all ways: what is known at a node is what the ways there, each by itself, have in common."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sa.automata.dataflow import forward

#: Steps of a graph: source, target, what becomes known on the way, and what is forgotten.
Steps = list[tuple[int, int, frozenset[int], frozenset[int]]]


def _random_steps(rng: Random) -> Steps:
    def some() -> frozenset[int]:
        return frozenset(n for n in range(4) if rng.random() < 0.3)

    return [(rng.randrange(5), rng.randrange(5), some(), some()) for _ in range(rng.randrange(3, 10))]


def _behind(steps: Steps, node: int, known: frozenset[int]) -> Iterator[tuple[int, frozenset[int]]]:
    return ((target, (known - lost) | made) for source, target, made, lost in steps if source == node)


def _every_way(steps: Steps) -> dict[int, set[frozenset[int]]]:
    """By node all that ways from the first node may know there. What a step does is the same for each fact."""
    pending, found = [(0, frozenset[int]())], {0: {frozenset[int]()}}
    while pending:
        for there in _behind(steps, *pending.pop()):
            if there[1] not in found.setdefault(there[0], set()):
                found[there[0]].add(there[1])
                pending.append(there)
    return found


def test_what_is_known_is_common_to_all_ways_and_what_may_be_known_is_on_one_of_them() -> None:
    loops = 0
    for seed in range(400):
        steps = _random_steps(Random(seed))
        ways = _every_way(steps)
        start = {0: frozenset[int]()}

        def follow(node: int, known: frozenset[int], steps: Steps = steps) -> Iterator[tuple[int, frozenset[int]]]:
            return _behind(steps, node, known)

        must = forward(start, follow, lambda one, other: one & other)
        may = forward(start, follow, lambda one, other: one | other)
        assert must == {node: frozenset.intersection(*known) for node, known in ways.items()}
        assert may == {node: frozenset.union(*known) for node, known in ways.items()}
        loops += sum(len(known) > 1 for known in ways.values())
    assert loops > 100
