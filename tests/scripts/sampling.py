"""Random tiny automata, simulations and invariants, guided so that the conditions of the rules often hold.

Concrete automata are abstract ones with a few changes, compatible ones are saturated, invariants grow from what
is reachable, θ is mostly the greatest one. Nothing here decides anything: every condition is judged afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.finite import (
    Automaton,
    Edge,
    Explicit,
    Mask,
    Rows,
    bits,
    everywhere,
    explicit,
    full,
    mask_of,
    shared_part,
    weakly_reachable,
    widened,
)
from tests.scripts.game import Moves, Refinement, greatest, related, standard
from tests.scripts.generating import Repairs, generate, saturated


class Shape(Struct, frozen=True):
    """How large automata may be, and how often a location has a reflexive environment."""

    locations: tuple[int, ...] = (1, 2, 2, 3)
    shared: tuple[int, ...] = (2, 3, 3, 4)
    own: tuple[int, ...] = (1, 1, 2)


TINY = Shape((1, 1, 2, 2), (2, 2, 3), (1, 1, 1, 2))


def some(rng: Random, size: int, density: float) -> Mask:
    """A random subset of 0..size-1."""
    return mask_of(i for i in range(size) if rng.random() < density)


def one_of(rng: Random, mask: Mask) -> Mask:
    """A random member, as a mask."""
    return 1 << rng.choice(bits(mask))


def automaton(rng: Random, shape: Shape, shared: int | None = None, plain: bool = False) -> Automaton:
    """A random automaton; `Init` is not empty and within the invariant."""
    size, g, own = rng.choice(shape.locations), shared or rng.choice(shape.shared), rng.choice(shape.own)
    edges = tuple(edge(rng, size, g, own) for _ in range(rng.choice((1, 2, 2, 3, 4))))
    inv = [full(g * own) if rng.random() < 0.7 else some(rng, g * own, 0.8) for _ in range(size)]
    inv[0] = inv[0] or full(g * own)
    common = environment(rng, g)
    env = tuple(common if rng.random() < 0.6 else environment(rng, g) for _ in range(size))
    a = Automaton(g, own, start(rng, inv[0]), tuple(inv), env, edges)
    return a if plain else lively(rng, a, full(a.valuations))


def start(rng: Random, inv: Mask) -> Mask:
    """One or two initial valuations."""
    return one_of(rng, inv) | (one_of(rng, inv) if rng.random() < 0.4 else 0)


def edge(rng: Random, size: int, shared: int, own: int) -> Edge:
    """A random edge: any guard; a constant, any function or nothing as its update, sometimes a choice."""
    n = shared * own
    guard = full(n) if rng.random() < 0.3 else some(rng, n, 0.5) or full(n)
    kind, constant = rng.random(), rng.randrange(n)
    targets = []
    for v in range(n):
        after = v if kind < 0.3 else constant if kind < 0.6 else rng.randrange(n)
        more = 1 << rng.randrange(n) if kind > 0.9 else 0
        targets.append(1 << after | more if guard >> v & 1 else 0)
    return Edge(rng.randrange(size), rng.choice((0, 0, 1, 1, 2)), tuple(targets), rng.randrange(size))


def environment(rng: Random, shared: int) -> Rows:
    """A few moves, and nearly always the identity."""
    identity = rng.random() < 0.95
    rows = [1 << g if identity else 0 for g in range(shared)]
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        rows[rng.randrange(shared)] |= 1 << rng.randrange(shared)
    return tuple(rows)


def changed(rng: Random, a: Automaton, times: int) -> Automaton:
    """The automaton after some small random changes."""
    for _ in range(times):
        a = rng.choice(CHANGES)(rng, a)
    return a


def _drop_edge(rng: Random, a: Automaton) -> Automaton:
    i = rng.randrange(len(a.edges))
    return replace(a, edges=a.edges[:i] + a.edges[i + 1 :]) if len(a.edges) > 1 else a


def _add_edge(rng: Random, a: Automaton) -> Automaton:
    return replace(a, edges=(*a.edges, edge(rng, len(a.inv), a.shared, a.own)))


def _guard(rng: Random, a: Automaton) -> Automaton:
    """One valuation loses its step, or gets another one."""
    i, v = rng.randrange(len(a.edges)), rng.randrange(a.valuations)
    rows = list(a.edges[i].targets)
    rows[v] = 0 if rng.random() < 0.6 else rows[v] | 1 << rng.randrange(a.valuations)
    return replace(a, edges=(*a.edges[:i], replace(a.edges[i], targets=tuple(rows)), *a.edges[i + 1 :]))


def _split(rng: Random, a: Automaton) -> Automaton:
    """A silent step before some edge."""
    if len(a.inv) > 2:
        return a
    i, middle = rng.randrange(len(a.edges)), len(a.inv)
    e, stay = a.edges[i], tuple(1 << v for v in range(a.valuations))
    halves = Edge(e.source, 0, stay, middle), replace(e, source=middle)
    wider = replace(a, inv=(*a.inv, full(a.valuations)), env=(*a.env, a.env[e.source]))
    return replace(wider, edges=(*a.edges[:i], *halves, *a.edges[i + 1 :]))


def _rely(rng: Random, a: Automaton) -> Automaton:
    """One environment move more or less, at one location or at all."""
    g, move = rng.randrange(a.shared), 1 << rng.randrange(a.shared)
    there = range(len(a.env)) if rng.random() < 0.5 else (rng.randrange(len(a.env)),)
    wider = rng.random() < 0.6
    env = [list(rows) for rows in a.env]
    for q in there:
        env[q][g] = env[q][g] | move if wider else env[q][g] & ~move | 1 << g
    return replace(a, env=tuple(map(tuple, env)))


def _cut(rng: Random, a: Automaton) -> Automaton:
    """A location's invariant without one valuation, the initial ones kept."""
    q = rng.randrange(len(a.inv))
    less = a.inv[q] & ~one_of(rng, full(a.valuations))
    inv = (*a.inv[:q], less | (a.init if q == 0 else 0), *a.inv[q + 1 :])
    return replace(a, inv=inv)


def _begin(rng: Random, a: Automaton) -> Automaton:
    return replace(a, init=start(rng, a.inv[0]))


def _remember(rng: Random, a: Automaton) -> Automaton:
    """A local bit more, which some edges set and test."""
    if a.own > 1:
        return a
    edges = []
    for e in a.edges:
        targets = []
        for after in e.targets:
            for local in range(2):
                new = local if rng.random() < 0.5 else rng.randrange(2)
                targets.append(widened(after, 2) << new if rng.random() < 0.9 else 0)
        edges.append(replace(e, targets=tuple(targets)))
    both = tuple(widened(mask, 2) * 3 for mask in a.inv)
    return replace(a, own=2, init=widened(a.init, 2) << rng.randrange(2), inv=both, edges=tuple(edges))


CHANGES = (_drop_edge, _add_edge, _guard, _guard, _split, _rely, _rely, _cut, _begin, _remember)


def shared_relation(rng: Random, here: int, there: int) -> Rows:
    """A relation between shared values: equality, somewhat more, or anything."""
    shape = rng.random()
    equal = [1 << g if g < there else 0 for g in range(here)]
    if shape < 0.5:
        return tuple(equal)
    if shape < 0.8:
        g = rng.randrange(here)
        equal[g] |= 1 << rng.randrange(there)
        return tuple(equal)
    return tuple(some(rng, there, 0.6) for _ in range(here))


def with_locals(rng: Random, shared: Rows, own: int, other: int) -> Rows:
    """The relation between shared values as one between valuations, sometimes with a condition on locals."""
    free = own * other == 1 or rng.random() < 0.5
    local = [full(other) if free or rng.random() < 0.3 else some(rng, other, 0.6) for _ in range(own)]
    joint = [mask_of(h * other + m for h in bits(row) for m in bits(local[i])) for row in shared for i in range(own)]
    if not free and rng.random() < 0.3:
        joint = [row & some(rng, len(shared) * 4, 0.8) for row in joint]
    return tuple(joint)


def refinement(
    rng: Random,
    a: Automaton,
    b: Automaton,
    shared: Rows | None = None,
    moves: Callable[[Explicit, Explicit], Moves] | None = None,
) -> Refinement:
    """A claim that a is simulated by b: θ mostly a weak simulation, κ mostly within it."""
    iota = with_locals(rng, shared or shared_relation(rng, a.shared, b.shared), a.own, b.own)
    x1, x2 = explicit(a), explicit(b)
    game = (moves or standard)(x1, x2)
    played = rng.random() < 0.92
    theta = greatest(x1, x2, iota, game) if played else related(x1, x2, iota)
    kappa = tuple(_precondition(rng, theta[v], x2, x1.init >> v & 1 == 1, b) for v in range(a.valuations))
    if played and rng.random() < 0.35:
        theta = _smaller(rng, (x1, x2), game, iota, kappa, theta)
    if rng.random() < 0.1:
        theta = _spoilt(rng, theta, len(x2.env))
    return Refinement(a, b, kappa, iota, theta)


def _precondition(rng: Random, row: Mask, x2: Explicit, initial: bool, b: Automaton) -> Mask:
    """κ for one concrete valuation: initial pairs of θ, and anything that is not initial."""
    good = row & x2.init if initial else full(b.valuations)
    if rng.random() < 0.3:
        good &= some(rng, b.valuations, 0.7)
    other = full(b.valuations) & ~x2.init
    return good | (some(rng, b.valuations, 0.5) & other if rng.random() < 0.3 else 0)


def _smaller(rng: Random, sides: tuple[Explicit, Explicit], game: Moves, iota: Rows, kappa: Rows, theta: Rows) -> Rows:
    """A simulation inside a greatest one: what the initial pairs need, with one answer for each step."""
    x1, x2 = sides
    pairs = related(x1, x2, iota)
    seen = [0] * len(theta)
    pending = [(s1, s2) for s1 in bits(x1.init) for s2 in bits(kappa[s1] & x2.init & theta[s1])]
    while pending:
        s1, s2 = pending.pop()
        if not seen[s1] >> s2 & 1:
            seen[s1] |= 1 << s2
            pending += [(t1, t2) for t1 in bits(game.concrete[s1]) for t2 in bits(x2.environment_move[s2] & pairs[t1])]
            for steps, answers in zip(x1.steps, x2.answers, strict=True):
                for t1 in bits(steps[s1]):
                    good = answers[s2] & theta[t1]
                    if good and not good & seen[t1]:
                        pending.append((t1, rng.choice(bits(good))))
    return tuple(seen)


def _spoilt(rng: Random, theta: Rows, size: int) -> Rows:
    """A relation with a few pairs more or less."""
    rows = list(theta)
    for _ in range(rng.choice((1, 1, 3))):
        rows[rng.randrange(len(rows))] ^= 1 << rng.randrange(size)
    return tuple(rows)


def compatible_threads(rng: Random, threads: Sequence[Automaton]) -> tuple[Automaton, ...]:
    """The automata made compatible, mostly: saturated, or generated from their edges and then given more."""
    kind = rng.random()
    if kind < 0.3:
        threads = [_with_more(rng, a) for a in generate(threads, Repairs())]
    if kind < 0.85:
        return saturated(threads)
    return tuple(_less(rng, a) for a in saturated(threads)) if kind < 0.95 else tuple(threads)


def _less(rng: Random, a: Automaton) -> Automaton:
    """Without one environment move, at one location or at all."""
    g, there = rng.randrange(a.shared), rng.randrange(len(a.inv) + 1)
    rows = [(row & ~one_of(rng, row & ~(1 << g))) if row & ~(1 << g) else row for row in (q[g] for q in a.env)]
    env = [list(q) for q in a.env]
    for q, row in enumerate(rows):
        env[q][g] = row if there in (q, len(a.inv)) else env[q][g]
    return replace(a, env=tuple(map(tuple, env)))


def detour(rng: Random, a: Automaton, avoiding: Mask = 0) -> Automaton:
    """An environment move made in two steps, by way of some other value, where possible outside a set."""
    moves = [(g, h) for g in range(a.shared) for h in bits(a.env[0][g] & ~(1 << g))]
    if not moves:
        return a
    g, h = rng.choice(moves)
    k = rng.choice(bits(full(a.shared) & ~avoiding) or range(a.shared))
    env = [list(rows) for rows in a.env]
    for rows in env:
        rows[g] = rows[g] & ~(1 << h) | 1 << k
        rows[k] |= 1 << h
    return replace(a, env=tuple(map(tuple, env)))


def _with_more(rng: Random, a: Automaton) -> Automaton:
    return replace(a, inv=tuple(mask | some(rng, a.valuations, 0.2) for mask in a.inv))


def threads(rng: Random, count: int, shape: Shape) -> list[Automaton]:
    """Automata over the same shared values, with some environment moves in common."""
    shared = rng.choice(shape.shared)
    move = rng.randrange(shared), rng.randrange(shared)
    more, both = environment(rng, shared), full(shared)
    common = rng.choice((both, both, some(rng, shared, 0.5) or both))
    found = []
    for _ in range(count):
        a = automaton(rng, shape, shared, plain=True)
        a = replace(a, env=tuple(tuple(map(int.__or__, rows, more)) for rows in a.env))
        agreed = widened(common, a.own) * full(a.own) & a.inv[0]
        a = replace(a, init=agreed if agreed and rng.random() < 0.6 else a.init)
        found.append(lively(rng, a, full(a.valuations), move))
    return found


def proper(rng: Random, size: int) -> Mask:
    """A random subset that is not everything, of at least two where that is possible."""
    return mask_of(rng.sample(range(size), rng.randint(min(2, size - 1), size - 1))) if size > 1 else 1


def lively(rng: Random, a: Automaton, within: Mask, move: tuple[int, int] | None = None) -> Automaton:
    """The automaton with a component and an environment step from some start, mostly, that stay in a set.

    `move` gives the shared values before and after that environment step.
    """
    inside = shared_part(within, a.own)
    g, h = move or (bits(shared_part(a.init, a.own))[0], rng.choice(bits(inside)))
    v = rng.choice([v for v in bits(a.init | within) if v // a.own == g] or bits(a.init))
    env = a.env
    if rng.random() < 0.95:
        env = tuple(tuple(row | 1 << h if x == g else row for x, row in enumerate(rows)) for rows in env)
    edges = a.edges
    if rng.random() < 0.95:
        i = next((i for i, e in enumerate(edges) if e.source == 0), 0)
        targets = list(edges[i].targets)
        targets[v] = targets[v] or one_of(rng, within)
        edges = (*edges[:i], replace(edges[i], source=0, targets=tuple(targets)), *edges[i + 1 :])
    inv = (a.inv[0] | 1 << v | (widened(1 << h, a.own) << v % a.own), *(mask | within for mask in a.inv[1:]))
    return replace(a, init=a.init | 1 << v, env=env, edges=edges, inv=inv if rng.random() < 0.8 else a.inv)


def respecting(
    rng: Random, a: Automaton, valuations: Mask, environment_too: bool = False, move: tuple[int, int] | None = None
) -> Automaton:
    """The automaton with most steps that leave a set removed, so that it has an interesting invariant."""
    edges = [
        replace(e, targets=tuple(t & valuations if valuations >> v & 1 else t for v, t in enumerate(e.targets)))
        if rng.random() < 0.8
        else e
        for e in a.edges
    ]
    within = shared_part(valuations, a.own)
    env = tuple(tuple(row & within if within >> g & 1 else row for g, row in enumerate(rows)) for rows in a.env)
    good = a.inv[0] & valuations
    if not good:
        return a
    init = a.init & valuations or one_of(rng, good)
    kept = replace(a, init=init, edges=tuple(edges), env=env if environment_too else a.env)
    return lively(rng, kept, valuations, move)


def grown(rng: Random, a: Automaton, valuations: Mask, shared_only: bool) -> Mask:
    """A weak invariant that contains the set, mostly."""
    x, wanted = explicit(a), valuations | a.init
    for _ in range(a.valuations if rng.random() < 0.92 else 0):
        bad = weakly_reachable(x, everywhere(a, wanted)) & ~everywhere(a, wanted)
        if not bad:
            break
        new = mask_of(s % a.valuations for s in bits(bad))
        wanted |= widened(shared_part(new, a.own), a.own) * full(a.own) if shared_only else new
    return wanted


def reached_by(a: Automaton, valuations: Mask) -> Mask:
    """The states of the runs whose environment steps preserve the set."""
    return weakly_reachable(explicit(a), everywhere(a, valuations))


def carried(iota: Rows, abstract: Mask) -> Mask:
    """The concrete valuations that ι relates to one of the abstract set."""
    return mask_of(v for v, row in enumerate(iota) if row & abstract)
