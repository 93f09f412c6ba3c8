"""Automata, relations and refinements with something taken away, as `tests.scripts.shrinking` tries them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.finite import Automaton, Mask, Rows, bits, explicit, full, mask_of
from tests.scripts.game import Refinement, greatest, related, standard
from tests.scripts.writing import equality


class Cut(Struct, frozen=True):
    """A part of an automaton, and the old numbers of its states and valuations."""

    automaton: Automaton
    states: tuple[int, ...]
    valuations: tuple[int, ...]


def cut(a: Automaton, locations: tuple[int, ...], values: tuple[int, ...], locals_: tuple[int, ...]) -> Cut:
    """The automaton with these locations, shared values and local values only."""
    kept = tuple(g * a.own + i for g in values for i in locals_)
    edges = tuple(
        replace(
            e,
            source=locations.index(e.source),
            target=locations.index(e.target),
            targets=tuple(part(e.targets[v], kept) for v in kept),
        )
        for e in a.edges
        if e.source in locations and e.target in locations
    )
    env = tuple(tuple(part(a.env[q][g], values) for g in values) for q in locations)
    inv = tuple(part(a.inv[q], kept) for q in locations)
    made = Automaton(len(values), len(locals_), part(a.init, kept), inv, env, edges)
    return Cut(made, tuple(q * a.valuations + v for q in locations for v in kept), kept)


def part(mask: Mask, kept: tuple[int, ...]) -> Mask:
    """The kept members, by their new numbers."""
    return mask_of(i for i, old in enumerate(kept) if mask >> old & 1)


def block(rows: Rows, here: tuple[int, ...], there: tuple[int, ...]) -> Rows:
    """The kept part of a relation."""
    return tuple(part(rows[i], there) for i in here)


def everything(a: Automaton) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """All that `cut` may keep."""
    return tuple(range(len(a.inv))), tuple(range(a.shared)), tuple(range(a.own))


def own_cuts(a: Automaton) -> Iterator[Cut]:
    """The automaton without one location, or without one local value."""
    locations, values, locals_ = everything(a)
    for q in locations[1:]:
        yield cut(a, tuple(p for p in locations if p != q), values, locals_)
    for i in locals_ if a.own > 1 else ():
        yield cut(a, locations, values, tuple(j for j in locals_ if j != i))


def value_cut(a: Automaton, g: int) -> Cut:
    """The automaton without one shared value."""
    locations, values, locals_ = everything(a)
    return cut(a, locations, tuple(h for h in values if h != g), locals_)


def whole(a: Automaton) -> Cut:
    """Nothing cut."""
    return cut(a, *everything(a))


def cut_refinement(r: Refinement, one: Cut, two: Cut) -> Refinement:
    """The refinement between parts of its sides."""
    return Refinement(
        one.automaton,
        two.automaton,
        block(r.kappa, one.valuations, two.valuations),
        block(r.iota, one.valuations, two.valuations),
        block(r.theta, one.states, two.states),
    )


def simpler(a: Automaton) -> Iterator[Automaton]:
    """The automaton with something less, of the same shape."""
    for i, e in enumerate(a.edges):
        rest = a.edges[:i], a.edges[i + 1 :]
        yield replace(a, edges=rest[0] + rest[1])
        for label in range(e.label):
            yield replace(a, edges=(*rest[0], replace(e, label=label), *rest[1]))
        for v, row in enumerate(e.targets):
            for w in bits(row):
                targets = (*e.targets[:v], row & ~(1 << w), *e.targets[v + 1 :])
                yield replace(a, edges=(*rest[0], replace(e, targets=targets), *rest[1]))
    for v in bits(a.init):
        if a.init != 1 << v:
            yield replace(a, init=a.init & ~(1 << v))
    for q, inv in enumerate(a.inv):
        yield replace(a, inv=(*a.inv[:q], full(a.valuations), *a.inv[q + 1 :]))
        for v in bits(full(a.valuations) & ~inv):
            yield replace(a, inv=(*a.inv[:q], inv | 1 << v, *a.inv[q + 1 :]))
    for q, rows in enumerate(a.env):
        for g, row in enumerate(rows):
            for h in range(a.shared):
                if (row >> h & 1) != (g == h):
                    yield replace(a, env=(*a.env[:q], (*rows[:g], row ^ 1 << h, *rows[g + 1 :]), *a.env[q + 1 :]))


def cost(a: Automaton) -> int:
    """How much there is to read."""
    steps = sum(1 + e.label + sum(row.bit_count() for row in e.targets) for e in a.edges)
    env = sum((row ^ 1 << g).bit_count() for rows in a.env for g, row in enumerate(rows))
    inv = sum((full(a.valuations) & ~mask).bit_count() for mask in a.inv)
    return 6 * len(a.inv) + 4 * a.valuations + steps + env + inv + a.init.bit_count()


def refinement_cost(r: Refinement) -> int:
    """The same of a refinement, without its sides."""
    same = equality(r.concrete, r.abstract)
    relations = sum((x ^ y).bit_count() for rows in (r.kappa, r.iota) for x, y in zip(rows, same, strict=True))
    best = greatest_of(r)
    return relations + (0 if best == r.theta else 3 + sum(row.bit_count() for row in r.theta))


def greatest_of(r: Refinement) -> Rows:
    """The greatest weak simulation."""
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    return greatest(x1, x2, r.iota, standard(x1, x2))


def simpler_relations(r: Refinement) -> Iterator[Refinement]:
    """The refinement with simpler κ, ι and θ."""
    same = equality(r.concrete, r.abstract)
    for iota in (same, *less(r.iota)):
        changed = replace(r, iota=iota)
        yield changed
        yield replace(changed, theta=greatest_of(changed))
    for kappa in (same, *less(r.kappa)):
        yield replace(r, kappa=kappa)
    yield replace(r, theta=greatest_of(r))
    yield replace(r, theta=related(explicit(r.concrete), explicit(r.abstract), r.iota))
    for theta in less(r.theta):
        yield replace(r, theta=theta)


def less(rows: Rows) -> Iterator[Rows]:
    """The relation without one pair."""
    for i, row in enumerate(rows):
        for j in bits(row):
            yield (*rows[:i], row & ~(1 << j), *rows[i + 1 :])


def replayed(r: Refinement) -> Iterator[Refinement]:
    """The refinement as it is, and with the greatest θ."""
    yield r
    yield replace(r, theta=greatest_of(r))


def fewer(mask: Mask) -> Iterator[Mask]:
    """The set without one member."""
    for v in bits(mask):
        yield mask & ~(1 << v)


def smaller_refinements(r: Refinement) -> Iterator[Refinement]:
    """The refinement with simpler or fewer parts, the shared values as they are."""
    for a in simpler(r.concrete):
        yield from replayed(replace(r, concrete=a))
    for b in simpler(r.abstract):
        yield from replayed(replace(r, abstract=b))
    yield from simpler_relations(r)
    for c in own_cuts(r.concrete):
        yield cut_refinement(r, c, whole(r.abstract))
    for c in own_cuts(r.abstract):
        yield cut_refinement(r, whole(r.concrete), c)


def swapped(items: tuple[Any, ...], i: int, item: Any) -> tuple[Any, ...]:
    """The tuple with another item in one place."""
    return (*items[:i], item, *items[i + 1 :])


def value_cuts(ones: list[Automaton], twos: list[Automaton]) -> Iterator[tuple[list[Cut], list[Cut]]]:
    """A shared value less, on one side or on both."""
    for g in range(ones[0].shared) if ones[0].shared > 1 else ():
        less_concrete = [value_cut(a, g) for a in ones]
        yield less_concrete, [whole(b) for b in twos]
        if g < twos[0].shared and twos[0].shared > 1:
            yield less_concrete, [value_cut(b, g) for b in twos]
    for g in range(twos[0].shared) if twos[0].shared > 1 else ():
        yield [whole(a) for a in ones], [value_cut(b, g) for b in twos]
