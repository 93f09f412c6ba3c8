"""Directed graphs in layers: where boxes and labels stand, and which way edges go (Sugiyama, Tagawa, Toda 1981).

Edges that close a cycle are turned around, boxes are put on layers, long edges get a point on each layer between.
Layers are ordered by the means of neighbours so that few edges cross. Coordinates on a layer are the nearest ones to
the means of neighbours that keep boxes apart, by isotonic regression. Labels are boxes on layers of their own, so that
nothing is written over anything else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

#: Between boxes on a layer, and between layers.
APART, BELOW = 28.0, 22.0
_SWEEPS, _PASSES = 12, 16


class Size(Struct, frozen=True):
    """Width and height."""

    width: float
    height: float


class Point(Struct, frozen=True):
    """A place; `y` grows downwards."""

    x: float
    y: float


class Arrow(Struct, frozen=True):
    """An edge with the size of its label."""

    source: str
    target: str
    label: Size


class Way(Struct, frozen=True):
    """The points that an edge goes through, from its source's border to its target's, and the middle of its label."""

    points: tuple[Point, ...]
    label: Point


class Drawing(Struct, frozen=True):
    """The middles of boxes, the ways of edges in their order, and the size of it all."""

    places: Mapping[str, Point]
    ways: tuple[Way, ...]
    size: Size


class _Chain(Struct, frozen=True):
    """The points of an edge from the upper end to the lower one, ends included; `turned` if the edge goes upwards."""

    nodes: tuple[int, ...]
    label: int
    turned: bool


class _Graph(Struct):
    """Numbered boxes, points and labels with sizes, on layers; `links` go one layer down."""

    sizes: list[Size]
    layers: list[list[int]]
    links: list[tuple[int, int]]
    chains: list[_Chain]


def layered(first: str, sizes: Mapping[str, Size], arrows: Sequence[Arrow]) -> Drawing:
    """A drawing with `first` on the top layer. What cannot be reached from it stands on top as well."""
    numbers = {node: number for number, node in enumerate(sizes)}
    ends = [(numbers[a.source], numbers[a.target]) for a in arrows]
    graph = _graph(numbers[first], list(sizes.values()), ends, [a.label for a in arrows])
    _order(graph)
    across = _across(graph)
    down = _down(graph)
    spots = [Point(x, y) for x, y in zip(across, down, strict=True)]
    ways = tuple(_way(graph, chain, spots) for chain in graph.chains)
    width = max((spot.x + size.width / 2 for spot, size in zip(spots, graph.sizes, strict=True)), default=0.0)
    height = max((spot.y + size.height / 2 for spot, size in zip(spots, graph.sizes, strict=True)), default=0.0)
    return Drawing({node: spots[number] for node, number in numbers.items()}, ways, Size(width, height))


# ---------------------------------------------------------------- layers


def _graph(first: int, sizes: list[Size], ends: Sequence[tuple[int, int]], labels: Sequence[Size]) -> _Graph:
    """Boxes on even layers, labels and points between them."""
    turned = _turned(first, len(sizes), ends)
    forward = [(b, a) if t else (a, b) for (a, b), t in zip(ends, turned, strict=True)]
    depth = _depths(len(sizes), [e for e in forward if e[0] != e[1]])
    graph = _Graph([*sizes], [[] for _ in range(2 * max(depth, default=0) + 2)], [], [])
    for node in _visited(first, len(sizes), forward):
        graph.layers[2 * depth[node]].append(node)

    def new(layer: int, size: Size) -> int:
        graph.sizes.append(size)
        graph.layers[layer].append(len(graph.sizes) - 1)
        return len(graph.sizes) - 1

    for (upper, lower), label, up in zip(forward, labels, turned, strict=True):
        if upper == lower:
            below = new(2 * depth[upper] + 1, label)
            graph.links.append((upper, below))
            graph.chains.append(_Chain((upper, below, upper), below, False))
            continue
        layers = range(2 * depth[upper] + 1, 2 * depth[lower])
        # A label stands next to the edge's source.
        place = layers[-1] if up else layers[0]
        between = [new(layer, label if layer == place else Size(0, 0)) for layer in layers]
        nodes = (upper, *between, lower)
        graph.links.extend(pairwise(nodes))
        graph.chains.append(_Chain(nodes, between[-1] if up else between[0], up))
    return graph


def _turned(first: int, count: int, ends: Sequence[tuple[int, int]]) -> list[bool]:
    """Which edges close a cycle, in a search from `first` that goes deep first."""
    outgoing = defaultdict[int, list[int]](list)
    for number, (source, _) in enumerate(ends):
        outgoing[source].append(number)
    state, turned = [0] * count, [False] * len(ends)
    for root in (first, *range(count)):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(outgoing[root]))]
        while stack:
            node, rest = stack[-1]
            edge = next(rest, None)
            if edge is None:
                state[node] = 2
                stack.pop()
                continue
            target = ends[edge][1]
            turned[edge] = state[target] == 1 and target != node
            if not state[target]:
                state[target] = 1
                stack.append((target, iter(outgoing[target])))
    return turned


def _depths(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way to each node; the edges have no cycle."""
    incoming, outgoing = [0] * count, defaultdict[int, list[int]](list)
    for source, target in edges:
        incoming[target] += 1
        outgoing[source].append(target)
    depth, ready = [0] * count, [node for node in range(count) if not incoming[node]]
    while ready:
        node = ready.pop()
        for target in outgoing[node]:
            depth[target] = max(depth[target], depth[node] + 1)
            incoming[target] -= 1
            if not incoming[target]:
                ready.append(target)
    return depth


def _visited(first: int, count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """All nodes in the order of a search that goes broad first, so that neighbours start near each other."""
    outgoing = defaultdict[int, list[int]](list)
    for source, target in edges:
        outgoing[source].append(target)
    found = dict.fromkeys([first])
    for root in (first, *range(count)):
        found.setdefault(root)
        queue = [root]
        for node in queue:
            fresh = [t for t in dict.fromkeys(outgoing[node]) if t not in found]
            found.update(dict.fromkeys(fresh))
            queue.extend(fresh)
    return list(found)


# ---------------------------------------------------------------- order on layers


def _order(graph: _Graph) -> None:
    """Reorder the layers, down and up again, and keep the order with the fewest crossings."""
    above, below = _neighbours(graph)
    best, fewest = [[*layer] for layer in graph.layers], _crossings(graph.layers, below)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        layers = graph.layers if down else graph.layers[::-1]
        for fixed, moved in pairwise(layers):
            places = {node: place for place, node in enumerate(fixed)}
            moved.sort(key=_means(moved, above if down else below, places).__getitem__)
        count = _crossings(graph.layers, below)
        if count < fewest:
            best, fewest = [[*layer] for layer in graph.layers], count
        if not fewest:
            break
    graph.layers = best


def _neighbours(graph: _Graph) -> tuple[Mapping[int, list[int]], Mapping[int, list[int]]]:
    above, below = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for upper, lower in graph.links:
        above[lower].append(upper)
        below[upper].append(lower)
    return above, below


def _means(nodes: Iterable[int], near: Mapping[int, list[int]], places: Mapping[int, int]) -> dict[int, float]:
    """Where the neighbours of each node stand in the mean; those without stay about where they are."""
    found = dict[int, float]()
    for own, node in enumerate(nodes):
        others = [places[n] for n in near.get(node, ()) if n in places]
        found[node] = sum(others) / len(others) if others else own
    return found


def _crossings(layers: Sequence[Sequence[int]], below: Mapping[int, list[int]]) -> int:
    """How many pairs of links cross."""
    total = 0
    for upper, lower in pairwise(layers):
        places = {node: place for place, node in enumerate(lower)}
        seen = list[int]()
        for node in upper:
            ends = sorted(places[n] for n in below.get(node, ()))
            total += sum(1 for end in ends for earlier in seen if earlier > end)
            seen.extend(ends)
    return total


# ---------------------------------------------------------------- coordinates


def _across(graph: _Graph) -> list[float]:
    """The middles of all nodes from left to right."""
    spots = [0.0] * len(graph.sizes)
    near = defaultdict[int, list[int]](list)
    for upper, lower in graph.links:
        near[upper].append(lower)
        near[lower].append(upper)
    for layer in graph.layers:
        _settle(layer, [0.0] * len(layer), graph.sizes, spots)
    for turn in range(_PASSES):
        for layer in graph.layers if turn % 2 == 0 else graph.layers[::-1]:
            around = ([spots[n] for n in near[node]] or [spots[node]] for node in layer)
            _settle(layer, [sum(places) / len(places) for places in around], graph.sizes, spots)
    left = min((x - size.width / 2 for x, size in zip(spots, graph.sizes, strict=True)), default=0.0)
    return [x - left for x in spots]


def _settle(layer: Sequence[int], wanted: Sequence[float], sizes: Sequence[Size], spots: list[float]) -> None:
    """Put a layer's nodes as near to where they want to be as their widths allow, in least squares.

    With the distances taken off, what is wanted is a sequence that does not fall: neighbours that violate this are
    pooled at their mean.
    """
    offsets, offset = list[float](), 0.0
    for place, node in enumerate(layer):
        if place:
            offset += (sizes[layer[place - 1]].width + sizes[node].width) / 2 + APART
        offsets.append(offset)
    pools = list[tuple[float, int]]()
    for want, offset in zip(wanted, offsets, strict=True):
        mean, count = want - offset, 1
        while pools and pools[-1][0] > mean:
            other, many = pools.pop()
            mean, count = (mean * count + other * many) / (count + many), count + many
        pools.append((mean, count))
    settled = [mean for mean, count in pools for _ in range(count)]
    for node, base, offset in zip(layer, settled, offsets, strict=True):
        spots[node] = base + offset


def _down(graph: _Graph) -> list[float]:
    """The middles of all nodes from top to bottom."""
    spots, top = [0.0] * len(graph.sizes), 0.0
    for layer in graph.layers:
        height = max((graph.sizes[node].height for node in layer), default=0.0)
        for node in layer:
            spots[node] = top + height / 2
        top += height + BELOW if layer else 0.0
    return spots


def _way(graph: _Graph, chain: _Chain, spots: Sequence[Point]) -> Way:
    """The points of an edge: its ends are on the borders of the boxes, the others the middles of points and labels."""
    upper, *between, lower = chain.nodes
    start, end = spots[upper], spots[lower]
    inner = list[Point]()
    for node in between:
        half = graph.sizes[node].height / 2
        inner.extend([spots[node]] if not half else [Point(spots[node].x, spots[node].y + d) for d in (-half, half)])
    if upper == lower:
        aside = graph.sizes[upper].width / 4
        foot = start.y + graph.sizes[upper].height / 2
        sign = 1 if inner[0].x >= start.x else -1
        points = [Point(start.x, foot), *inner, Point(start.x + sign * aside, foot)]
    else:
        points = [
            Point(start.x, start.y + graph.sizes[upper].height / 2),
            *inner,
            Point(end.x, end.y - graph.sizes[lower].height / 2),
        ]
    return Way(tuple(points[::-1] if chain.turned else points), spots[chain.label])
