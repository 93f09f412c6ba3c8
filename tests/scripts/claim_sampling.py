"""Random claims of scripts for `tests.scripts.claim_rules`: nothing here decides anything.

Half of them or more are honest: parts and the claim say what they may say. The others lack a little here and there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from random import Random

from msgspec.structs import replace

from tests.scripts.claims import Annotated, Claim, Pair, Part, in_common, iota_of_parts, kappa_of_parts, merged, plainly
from tests.scripts.finite import Automaton, Edge, Mask, Rows, bits, explicit, full
from tests.scripts.game import Refinement
from tests.scripts.generating import saturated
from tests.scripts.sampling import (
    Shape,
    changed,
    compatible_threads,
    detour,
    refinement,
    shared_relation,
    some,
    threads,
)

#: How many pairs the parts have.
SIZES = {1: ((1,),), 2: ((1, 1), (1, 1), (2,)), 3: ((1, 1, 1), (1, 1, 1), (2, 1), (1, 2), (3,))}


def sampled(rng: Random, count: int, shape: Shape, kind: str, unstarted: bool = False) -> Claim:
    """A claim that mostly says what its parts say; for declared environments, mostly these match.

    `unstarted` asks for an annotation that excludes a start of the last abstract thread.
    """
    spoils = 1.0 if rng.random() < (0.6 if count < 3 else 0.35) else 0.0
    abstract = threads(rng, count, shape)
    concrete = [changed(rng, a, rng.choice((0, 0, 1, 1, 2))) for a in abstract]
    unequal = rng.sample(range(abstract[0].shared), 2) if rng.random() < 0.04 else None
    if unequal and count > 1:
        concrete[0] = replace(concrete[0], edges=(_showing(concrete[0], unequal[:1], unequal[0]),))
        abstract[0] = replace(abstract[0], edges=(_showing(abstract[0], unequal, unequal[1]),))
    concrete = _together(rng, concrete, spoils)
    abstract = [detour(rng, a) for a in abstract] if rng.random() < 0.15 else abstract
    abstract = _together(rng, abstract, spoils)
    declared = kind == "declared"
    size = abstract[0].shared
    shared = shared_relation(rng, size, size) if rng.random() < 0.8 else None
    if unequal and count > 1:
        g, h = unequal
        shared = tuple(1 << v | (1 << h if v == g else 0) for v in range(size))
        concrete[1] = _with_move(concrete[1], g, 1 << rng.choice([v for v in range(size) if v != g]), 1 << g)
    elif declared and size > 2 and rng.random() < 0.08:
        shared, concrete, abstract = _by_different_ways(rng, concrete, abstract)
    elif declared and rng.random() < 0.9:
        common = in_common([merged(a, or_) for a in concrete])
        abstract = [replace(a, env=tuple(tuple(map(or_, rows, common)) for rows in a.env)) for a in abstract]
    pairs = []
    for low, high in zip(concrete, abstract, strict=True):
        (a, one), (b, two) = (_annotated(rng, x, declared, spoils) for x in (_impatient(rng, low, spoils), high))
        pairs.append(Pair(_covering(rng, refinement(rng, a, b, shared)), one, two))
    begun = _unstarted(rng, pairs) if unstarted else _begun(rng, pairs, spoils)
    return _said(rng, begun, kind == "whole", spoils)


def _together(rng: Random, automata: Sequence[Automaton], spoils: float) -> list[Automaton]:
    """The automata, mostly compatible whatever their invariants will be."""
    if rng.random() < 0.3 * spoils:
        return list(compatible_threads(rng, automata))
    return list(saturated([replace(a, inv=(full(a.valuations),) * len(a.inv)) for a in automata]))


def _by_different_ways(
    rng: Random, concrete: Sequence[Automaton], abstract: Sequence[Automaton]
) -> tuple[Rows, list[Automaton], list[Automaton]]:
    """Environments that follow a step, each of them to another value."""
    size = concrete[0].shared
    g, h, k = rng.sample(range(size), 3)
    low = [_with_move(a, g, 1 << h) for a in concrete]
    high = [_with_move(a, g, 1 << (k if i else h), 1 << h | 1 << k) for i, a in enumerate(abstract)]
    return tuple(1 << v | (1 << k if v == h else 0) for v in range(size)), low, high


def _showing(a: Automaton, sources: Sequence[int], h: int) -> Edge:
    """A visible step from some shared values to one, the local value as it is."""
    moves = (1 << (h * a.own + v % a.own) if v // a.own in sources else 0 for v in range(a.valuations))
    return Edge(0, 1, tuple(moves), 0)


def _with_move(a: Automaton, g: int, more: Mask, less: Mask = 0) -> Automaton:
    return replace(a, env=tuple((*rows[:g], rows[g] & ~less | more, *rows[g + 1 :]) for rows in a.env))


def _begun(rng: Random, pairs: Sequence[Pair], spoils: float) -> list[Pair]:
    """The pairs, mostly with starts that θ relates and that agree on shared values."""
    starts = [_starts(p) for p in pairs]
    agreed = sorted(reduce(and_, (frozenset(s) for s in starts)))
    if not agreed or rng.random() < 0.05 + 0.2 * spoils:
        return list(pairs)
    lively = [both for both in agreed if _moves_from(pairs, both[0])]
    shared = rng.choice(lively or agreed)
    more = rng.random() < 0.3
    begun = [_beginning(p, *rng.choice(s[shared]), more) for p, s in zip(pairs, starts, strict=True)]
    if rng.random() < 0.08 * spoils:
        last = begun[-1]
        inv = (last.upper.inv[0] & ~last.goal.abstract.init, *last.upper.inv[1:])
        begun[-1] = replace(last, upper=replace(last.upper, inv=inv))
    return begun


def _moves_from(pairs: Sequence[Pair], g: int) -> bool:
    """Whether where all begin the environment may change the shared value, and some thread may step."""
    automata = [p.goal.concrete for p in pairs]
    outside = in_common([a.env[0] for a in automata])[g] & ~(1 << g)
    return outside != 0 and any(any(explicit(a).component[g * a.own : (g + 1) * a.own]) for a in automata)


def _unstarted(rng: Random, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs, with an annotation of the last abstract thread that excludes one of its starts."""
    last = pairs[-1]
    inv = (last.upper.inv[0] & ~(1 << rng.choice(bits(last.goal.abstract.init))), *last.upper.inv[1:])
    return [*pairs[:-1], replace(last, upper=replace(last.upper, inv=inv))]


def _starts(p: Pair) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """For the shared values of both sides the valuations that could be initial."""
    found = dict[tuple[int, int], list[tuple[int, int]]]()
    for v in bits(p.lower.inv[0]):
        for w in bits(p.goal.theta[v] & p.upper.inv[0]):
            both = v // p.goal.concrete.own, w // p.goal.abstract.own
            found.setdefault(both, []).append((v, w))
    return found


def _beginning(p: Pair, v: int, w: int, more: bool) -> Pair:
    """The pair with these starts; `more` of the abstract side, which κ leaves out where θ does."""
    r = p.goal
    a, b = replace(r.concrete, init=1 << v), replace(r.abstract, init=1 << w | (r.abstract.init if more else 0))
    good = full(b.valuations) & ~(explicit(b).init & ~r.theta[v])
    return replace(p, goal=replace(r, concrete=a, abstract=b, kappa=(*r.kappa[:v], good, *r.kappa[v + 1 :])))


def _annotated(rng: Random, a: Automaton, declared: bool, spoils: float) -> tuple[Automaton, Annotated]:
    """The goal's automaton and what is annotated: often all that can be reached, of which the goal says less."""
    anything = (full(a.valuations),) * len(a.inv)
    chance = rng.random()
    if declared:
        goal = replace(a, inv=a.inv if chance < 0.2 * spoils else anything if chance < 0.7 else _reachable(a))
        return goal, Annotated(goal.inv, goal.inv)
    inv = a.inv if chance < 0.15 * spoils else anything if chance < 0.5 else _reachable(a)
    weak = anything if rng.random() < 0.5 else tuple(m | some(rng, a.valuations, 0.4) for m in inv)
    if rng.random() < 0.08 * spoils:
        inv = tuple(m & ~some(rng, a.valuations, 0.2) for m in inv)
    written = anything if rng.random() < 0.7 else tuple(m | some(rng, a.valuations, 0.4) for m in inv)
    if rng.random() < 0.08 * spoils:
        written = tuple(m & ~some(rng, a.valuations, 0.2) for m in written)
    if rng.random() < 0.08 * spoils:
        weak = tuple(m & ~some(rng, a.valuations, 0.2) for m in weak)
    return replace(a, inv=weak), Annotated(inv, written)


def _impatient(rng: Random, a: Automaton, spoils: float) -> Automaton:
    """The automaton, now and then in an environment that must move from some value."""
    if rng.random() >= 0.05 * spoils:
        return a
    g = rng.randrange(a.shared)
    return replace(a, env=tuple((*rows[:g], rows[g] & ~(1 << g), *rows[g + 1 :]) for rows in a.env))


def _reachable(a: Automaton) -> tuple[Mask, ...]:
    reachable = explicit(replace(a, inv=(full(a.valuations),) * len(a.inv))).reachable
    return tuple(reachable >> (q * a.valuations) & full(a.valuations) for q in range(len(a.inv)))


def _covering(rng: Random, goal: Refinement) -> Refinement:
    """The goal, mostly with all of its initial pairs in κ."""
    if rng.random() < 0.4:
        return goal
    x1, x2 = explicit(goal.concrete), explicit(goal.abstract)
    every = full(goal.abstract.valuations)
    kappa = (every & ~(x2.init & ~goal.theta[v]) if x1.init >> v & 1 else every for v in range(x1.valuations))
    return replace(goal, kappa=tuple(kappa))


def _said(rng: Random, pairs: Sequence[Pair], whole: bool, spoils: float) -> Claim:
    """Parts of one pair each, or not; and what they and the claim say."""
    plain = plainly(pairs, rng.choice(SIZES[len(pairs)]))
    wrong = 0.08 * spoils
    parts = [
        Part(p.size, _restated(rng, p.kappa, 0.15, 0.3 * spoils), _restated(rng, p.iota, wrong, wrong))
        for p in plain.parts
    ]
    made = replace(plain, parts=tuple(parts))
    kappa = _restated(rng, kappa_of_parts(made), 0.15, 0.3 * spoils)
    return replace(made, kappa=kappa, iota=_restated(rng, iota_of_parts(made), wrong, 0.4 if whole else wrong))


def _restated(rng: Random, rows: Rows, less: float, more: float) -> Rows:
    """The relation, now and then without some pairs or with others."""
    if rng.random() < less:
        rows = tuple(row & ~(row & some(rng, row.bit_length(), 0.3)) for row in rows)
    if rng.random() < more:
        width = max(row.bit_length() for row in rows)
        rows = tuple(row | some(rng, width, 0.3) for row in rows)
    return rows
