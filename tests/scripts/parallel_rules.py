"""Theorem 4: composition of local refinements. Conditions and conclusions by enumeration.

| rule | conditions | conclusion |
|---|---|---|
| Theorem 4 | both levels compatible; θi weak simulations; no interference of the ιi | θ1 ⊗ θ2 is a weak simulation |
| Theorem 4, runs | and κ1 ∧ κ2 covers the composition | each closed run has an abstract one with its actions |
| Theorem 4, weakened | no interference by real steps and their answers between related states only | as Theorem 4 |
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import combinations, permutations
from random import Random

from msgspec import Struct

from tests.scripts.finite import Explicit, Mask, bits, explicit, inverse, pairwise_compatible
from tests.scripts.game import Moves, Refinement, covers, is_weak_simulation, parallel, refinement_alive, runs_matched
from tests.scripts.invariant_rules import undisturbed
from tests.scripts.rule import Rule, Variant, concluding, instead, without
from tests.scripts.sampling import (
    TINY,
    Shape,
    changed,
    compatible_threads,
    detour,
    refinement,
    shared_relation,
    threads,
)


class Parallel(Struct, frozen=True):
    """Local refinements whose sides are to be composed."""

    parts: tuple[Refinement, ...]


SMALL = Shape((1, 2, 2), (2, 2, 3), (1, 1, 1, 2))


def refinements(
    rng: Random, count: int, shape: Shape, moves: Callable[[Explicit, Explicit], Moves] | None = None
) -> Parallel:
    """Local refinements, mostly between compatible automata and with one ι on the shared values."""
    abstract = threads(rng, count, shape)
    concrete = compatible_threads(rng, [changed(rng, a, rng.choice((0, 1, 1, 2))) for a in abstract])
    if rng.random() < 0.15:
        abstract = [detour(rng, a) for a in abstract]
    abstract = list(compatible_threads(rng, abstract))
    shared = shared_relation(rng, abstract[0].shared, abstract[0].shared)
    alike = rng.random() < 0.8
    return Parallel(
        tuple(refinement(rng, c, a, shared if alike else None, moves) for c, a in zip(concrete, abstract, strict=True))
    )


def composed(p: Parallel, frame: bool = True) -> Refinement:
    """The claim about the compositions."""
    return reduce(lambda a, b: parallel(a, b, frame), p.parts)


def concrete_compatible(p: Parallel) -> bool:
    """The concrete automata are compatible."""
    return pairwise_compatible([r.concrete for r in p.parts])


def abstract_compatible(p: Parallel) -> bool:
    """The abstract automata are compatible."""
    return pairwise_compatible([r.abstract for r in p.parts])


def is_simulation(k: int) -> Callable[[Parallel], bool]:
    """The k-th θ is a weak simulation."""
    return lambda p: is_weak_simulation(p.parts[k])


def by_locals(r: Refinement) -> list[Mask]:
    """For each pair of local values the pairs of shared values that ι relates."""
    own1, own2, there = r.concrete.own, r.abstract.own, r.abstract.shared
    parts = [0] * (own1 * own2)
    for v, row in enumerate(r.iota):
        for w in bits(row):
            parts[v % own1 * own2 + w % own2] |= 1 << (v // own1 * there + w // own2)
    return parts


def noninterference(p: Parallel) -> bool:
    """`noninterfere(ιi, ιj)` for all pairs."""
    parts = [by_locals(r) for r in p.parts]
    return all(undisturbed(a, b) and undisturbed(b, a) for a, b in combinations(parts, 2))


def noninterference_by_steps(p: Parallel) -> bool:
    """Every step of one thread has, wherever the other's pair is, an answer that keeps the other's ι."""
    return all(_steps_undisturbing(a, b) for a, b in permutations(p.parts, 2))


def _steps_undisturbing(a: Refinement, b: Refinement) -> bool:
    kept = by_locals(b)
    here = _locals_at(b)
    x1, x2 = explicit(a.concrete), explicit(a.abstract)
    for s1, row in enumerate(a.theta):
        for s2 in bits(row):
            others = here.get(_shared_pair(a, s1, s2), ())
            for steps, answers in zip(x1.steps, x2.answers, strict=True) if others else ():
                for t1 in bits(steps[s1]):
                    ends = {_shared_pair(a, t1, t2) for t2 in bits(answers[s2] & a.theta[t1])}
                    if not all(any(kept[local] >> end & 1 for end in ends) for local in others):
                        return False
    return True


def _shared_pair(r: Refinement, s1: int, s2: int) -> int:
    """The shared values of a pair of states, as one number."""
    g = s1 % r.concrete.valuations // r.concrete.own
    return g * r.abstract.shared + s2 % r.abstract.valuations // r.abstract.own


def _locals_at(r: Refinement) -> dict[int, set[int]]:
    """For each pair of shared values the pairs of local values that occur in θ with it."""
    found: dict[int, set[int]] = {}
    for s1, row in enumerate(r.theta):
        for s2 in bits(row):
            local = s1 % r.concrete.own * r.abstract.own + s2 % r.abstract.own
            found.setdefault(_shared_pair(r, s1, s2), set()).add(local)
    return found


def compositions_simulate(p: Parallel) -> bool:
    """θ1 ⊗ θ2 is a weak simulation."""
    return is_weak_simulation(composed(p))


def compositions_covered(p: Parallel) -> bool:
    """κ1 ∧ κ2 relates an initial state of the abstract composition to each of the concrete one."""
    return covers(composed(p))


def threads_covered(p: Parallel) -> bool:
    """Each κ covers its thread's initial states."""
    return all(map(covers, p.parts))


def closed_runs_matched(p: Parallel) -> bool:
    """Runs of the closed compositions."""
    return runs_matched(composed(p))


def parallel_alive(p: Parallel) -> bool:
    """The composition starts, in related states it makes a step, and its environment one that changes something."""
    return refinement_alive(composed(p))


def single_steps(x1: Explicit, x2: Explicit) -> Moves:
    """Spoiler makes at most one abstract environment step: not Definition 6."""
    return Moves(x1.env, inverse(tuple(row | 1 << s for s, row in enumerate(x2.env))))


def simulates_single_steps(k: int) -> Callable[[Parallel], bool]:
    """The k-th θ is a relation for single abstract environment steps."""
    return lambda p: is_weak_simulation(
        p.parts[k], single_steps(explicit(p.parts[k].concrete), explicit(p.parts[k].abstract))
    )


def theorem4(count: int, shape: Shape) -> Rule[Parallel]:
    """Theorem 4 for so many threads."""
    local = {f"simulation {k + 1}": is_simulation(k) for k in range(count)}
    levels = {"concrete compatibility": concrete_compatible, "abstract compatibility": abstract_compatible}
    return Rule(
        f"theorem 4, n = {count}",
        lambda rng: refinements(rng, count, shape),
        {**levels, **local, "noninterference": noninterference},
        compositions_simulate,
        parallel_alive,
    )


THEOREM_4 = theorem4(2, SMALL)
THEOREM_4_THREE = theorem4(3, TINY)
THEOREM_4_WEAKENED = Rule(
    "theorem 4, weakened",
    THEOREM_4.sample,
    {**THEOREM_4.conditions, "noninterference": noninterference_by_steps},
    compositions_simulate,
    parallel_alive,
)
THEOREM_4_RUNS = Rule(
    "theorem 4, runs",
    THEOREM_4.sample,
    {**THEOREM_4.conditions, "coverage": compositions_covered},
    closed_runs_matched,
    parallel_alive,
)
THEOREM_4_SINGLE = Rule(
    THEOREM_4.name,
    lambda rng: refinements(rng, 2, SMALL, single_steps),
    {**THEOREM_4.conditions, "simulation 1": simulates_single_steps(0), "simulation 2": simulates_single_steps(1)},
    compositions_simulate,
    parallel_alive,
)

VARIANTS: list[Variant[Parallel]] = [
    *(without(THEOREM_4, name) for name in THEOREM_4.conditions),
    concluding(THEOREM_4, "without the frame", lambda p: is_weak_simulation(composed(p, frame=False))),
    Variant(THEOREM_4_SINGLE, "environment sequences cut after one step"),
    *(without(THEOREM_4_THREE, name) for name in THEOREM_4_THREE.conditions),
    *(without(THEOREM_4_WEAKENED, name) for name in THEOREM_4_WEAKENED.conditions),
    *(without(THEOREM_4_RUNS, name) for name in THEOREM_4_RUNS.conditions),
    instead(THEOREM_4_RUNS, "coverage", "coverage of the threads only", threads_covered),
]
