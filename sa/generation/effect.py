"""What the steps of one thread do to the variables that all threads share: environments as (condition, update) pairs.

An effect forgets the acting thread's locals: `before` holds of the shared variables when it happens, `updates` are
those that speak of shared variables only, `loose` variables get values of which only `after` is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.automata.ranges import within
from sa.domains.lattice import Domain, V
from sa.terms import build
from sa.terms.term import Term, Var


class Shape(Struct, frozen=True, cache_hash=True):
    """What is the same for all effects of an edge. `test` is the part of its guard over shared variables.

    `source` and `updates` of two edges may agree: then their conditions are joined. An edge with loose variables is
    kept apart, since what it writes depends on where it starts; `apart` is its place, otherwise None.
    """

    test: Term
    updates: tuple[tuple[Var, Term], ...]
    loose: tuple[Var, ...]
    apart: int | None


class Effect(Struct, Generic[V], frozen=True, cache_hash=True):
    """An effect in a domain."""

    shape: Shape
    before: V
    after: V


def shape_of(thread: Automaton, edge: Edge, place: int) -> Shape | None:
    """The shape of an edge, number `place` of its thread; None for one that changes nothing that is shared."""
    shared = frozenset((*variables_of(thread, Kind.GLOBAL), *variables_of(thread, Kind.PARAM)))
    written = [(v, t) for v, t in edge.updates if v in shared and t is not v]
    if not written:
        return None
    loose = tuple(v for v, t in written if not t.free <= shared)
    test = build.land(*(c for c in build.conjuncts(edge.guard) if c.free <= shared))
    updates = tuple((v, t) for v, t in written if v not in loose)
    return Shape(test, updates, loose, place if loose else None)


def step(domain: Domain[V], edge: Edge, invariant: Term, value: V) -> V:
    """The states after the edge, choices included; `invariant` is the target's written one."""
    taken = taking(domain, edge, value)
    if domain.is_bottom(taken):
        return taken
    return domain.guard(domain.assign(taken, dict(edge.updates)), invariant)


def taking(domain: Domain[V], edge: Edge, value: V) -> V:
    """The states of the value in which the edge can be taken, with its choices."""
    guard = build.land(edge.guard, *(within(c) for c in edge.choices))
    return domain.guard(value, guard)


def effect_of(domain: Domain[V], edge: Edge, shape: Shape, private: Iterable[Var], taken: V, ended: V) -> Effect[V]:
    """The effect of an edge that is taken in `taken` and leads into `ended`; `private` is what others do not see."""
    hidden = (*private, *(c.var for c in edge.choices))
    after = domain.forget(ended, hidden) if shape.loose else domain.top()
    return Effect(shape, domain.forget(taken, hidden), after)


def joined(domain: Domain[V], first: Effect[V], second: Effect[V]) -> Effect[V]:
    """Both effects, of one shape."""
    return Effect(first.shape, domain.join(first.before, second.before), domain.join(first.after, second.after))


def written(shape: Shape) -> tuple[Var, ...]:
    """The variables that a step of this shape writes."""
    return (*(v for v, _ in shape.updates), *shape.loose)


def mentioned(shape: Shape) -> frozenset[Var]:
    """The variables that a step of this shape reads or writes, as far as others see it."""
    return shape.test.free.union(written(shape), *(t.free for _, t in shape.updates))


def happened(domain: Domain[V], effect: Effect[V], value: V) -> V:
    """The states after the effect."""
    here = domain.meet(value, effect.before)
    if domain.is_bottom(here):
        return here
    here = domain.guard(here, effect.shape.test)
    updates: Mapping[Var, Term] = dict(effect.shape.updates)
    moved = domain.forget(domain.assign(here, updates) if updates else here, effect.shape.loose)
    return domain.meet(moved, effect.after) if effect.shape.loose else moved
