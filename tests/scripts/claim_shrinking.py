"""Claims of scripts with something taken away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from tests.scripts.claims import Annotated, Claim, Pair, Part, groups, iota_of_parts, kappa_of_parts, pair, plainly
from tests.scripts.cutting import (
    Cut,
    block,
    cost,
    cut_refinement,
    less,
    own_cuts,
    part,
    refinement_cost,
    smaller_refinements,
    swapped,
    value_cuts,
    whole,
)
from tests.scripts.finite import Automaton, Rows, full


def smaller_claims(c: Claim) -> Iterator[Claim]:
    """Claims that are simpler in one respect."""
    sizes = [p.size for p in c.parts]
    yield plainly(c.pairs)
    yield plainly(c.pairs, sizes)
    yield replace(c, kappa=kappa_of_parts(c), iota=iota_of_parts(c))
    for i, p in enumerate(c.pairs):
        for q in _simpler_pairs(p):
            pairs = swapped(c.pairs, i, q)
            yield replace(c, pairs=pairs)
            yield plainly(pairs, sizes)
        for one, two in _own_cuts(p):
            lows, highs = ([whole(x) for x in side] for side in _sides(c))
            lows[i], highs[i] = one, two
            yield from _cut(c, lows, highs)
    for lows, highs in value_cuts(*_sides(c)):
        yield from _cut(c, lows, highs)
    yield from _other_relations(c)


def _sides(c: Claim) -> tuple[list[Automaton], list[Automaton]]:
    return [p.goal.concrete for p in c.pairs], [p.goal.abstract for p in c.pairs]


def _simpler_pairs(p: Pair) -> Iterator[Pair]:
    """Pairs of the same shape."""
    yield pair(p.goal)
    shape = [(len(a.inv), a.valuations) for a in (p.goal.concrete, p.goal.abstract)]
    for r in smaller_refinements(p.goal):
        if [(len(a.inv), a.valuations) for a in (r.concrete, r.abstract)] == shape:
            yield replace(p, goal=r)
            yield pair(r)
    yield from (replace(p, lower=said) for said in _simpler_annotations(p.goal.concrete, p.lower))
    yield from (replace(p, upper=said) for said in _simpler_annotations(p.goal.abstract, p.upper))


def _simpler_annotations(a: Automaton, said: Annotated) -> Iterator[Annotated]:
    anything = full(a.valuations)
    for q, mask in enumerate(a.inv):
        yield replace(said, inv=swapped(said.inv, q, mask))
        yield replace(said, inv=swapped(said.inv, q, anything))
        yield replace(said, written=swapped(said.written, q, anything))


def _own_cuts(p: Pair) -> Iterator[tuple[Cut, Cut]]:
    yield from ((one, whole(p.goal.abstract)) for one in own_cuts(p.goal.concrete))
    yield from ((whole(p.goal.concrete), two) for two in own_cuts(p.goal.abstract))


def _cut(c: Claim, lows: Sequence[Cut], highs: Sequence[Cut]) -> Iterator[Claim]:
    """The claim between parts of its threads, and one that says just what its pairs say."""
    pairs = tuple(_cut_pair(p, one, two) for p, one, two in zip(c.pairs, lows, highs, strict=True))
    yield plainly(pairs, [p.size for p in c.parts])
    parts, first = list[Part](), 0
    below, above = _sides(c)
    for said, members in groups(c):
        there = slice(first, first + len(members))
        here = _kept(below[there], lows[there]), _kept(above[there], highs[there])
        parts.append(Part(said.size, block(said.kappa, *here), block(said.iota, *here)))
        first += len(members)
    every = _kept(below, lows), _kept(above, highs)
    yield Claim(pairs, tuple(parts), block(c.kappa, *every), block(c.iota, *every))


def _cut_pair(p: Pair, one: Cut, two: Cut) -> Pair:
    sides = _annotations(p.goal.concrete, p.lower, one), _annotations(p.goal.abstract, p.upper, two)
    return Pair(cut_refinement(p.goal, one, two), *sides)


def _annotations(a: Automaton, said: Annotated, cut: Cut) -> Annotated:
    places = [s // a.valuations for s in cut.states[:: len(cut.valuations)]]
    inv, written = (tuple(part(masks[q], cut.valuations) for q in places) for masks in (said.inv, said.written))
    return Annotated(inv, written)


def _kept(automata: Sequence[Automaton], cuts: Sequence[Cut]) -> tuple[int, ...]:
    """The valuations of the composition that remain, by their old numbers."""
    values = dict.fromkeys(v // automata[0].own for v in cuts[0].valuations)
    found = [(g, 0) for g in values]
    for a, one in zip(automata, cuts, strict=True):
        locals_ = dict.fromkeys(v % a.own for v in one.valuations)
        found = [(g, local * a.own + i) for g, local in found for i in locals_]
    own = 1
    for a in automata:
        own *= a.own
    return tuple(g * own + local for g, local in found)


def _other_relations(c: Claim) -> Iterator[Claim]:
    for i, said in enumerate(c.parts):
        yield from (replace(c, parts=swapped(c.parts, i, replace(said, kappa=rows))) for rows in less(said.kappa))
        yield from (replace(c, parts=swapped(c.parts, i, replace(said, iota=rows))) for rows in less(said.iota))
    yield from (replace(c, kappa=rows) for rows in less(c.kappa))
    yield from (replace(c, iota=rows) for rows in less(c.iota))


def claim_size(c: Claim) -> int:
    """How much there is to read."""
    plain = plainly(c.pairs, [p.size for p in c.parts])
    found = sum(cost(p.goal.concrete) + cost(p.goal.abstract) + refinement_cost(p.goal) for p in c.pairs)
    for p in c.pairs:
        for a, there in ((p.goal.concrete, p.lower), (p.goal.abstract, p.upper)):
            found += sum(2 * (x ^ y).bit_count() for x, y in zip(there.inv, a.inv, strict=True))
            found += sum(2 * (full(a.valuations) & ~x).bit_count() for x in there.written)
    found += _said(c.kappa, kappa_of_parts(c)) + _said(c.iota, iota_of_parts(c))
    for said, old in zip(c.parts, plain.parts, strict=True):
        found += _said(said.kappa, old.kappa) + _said(said.iota, old.iota)
    return found + 3 * (len(c.pairs) - len(c.parts))


def _said(mine: Rows, old: Rows) -> int:
    return 0 if mine == old else 2 + sum(row.bit_count() for row in mine)
