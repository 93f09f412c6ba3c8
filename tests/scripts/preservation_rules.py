"""The rules that carry properties over to the concrete level: conditions and conclusions by enumeration.

| rule | conditions | conclusion |
|---|---|---|
| Lemma 1 | θ a weak simulation; `WS` | what the concrete side reaches is related by θ to what the abstract reaches |
| Theorem 5 | simulation; coverage; λ2 ∧ ι ⇒ λ1; λ2 weak; environment paths within λ2 | λ1 is a weak invariant |
| strong preservation | simulation; coverage; λ2 ∧ ι ⇒ λ1; λ2 strong; `WS` | λ1 is a strong invariant |
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.finite import (
    Explicit,
    Mask,
    Rows,
    alive,
    bits,
    closed,
    everywhere,
    explicit,
    image,
    inverse,
    is_strong_invariant,
    is_weak_invariant,
    mask_of,
    preserving,
    shared_part,
)
from tests.scripts.game import (
    Refinement,
    covers,
    is_weak_simulation,
    matches_environments,
    refinement_alive,
    related_states,
)
from tests.scripts.invariant_rules import inside
from tests.scripts.rule import Rule, Variant, instead, without
from tests.scripts.sampling import (
    Shape,
    automaton,
    carried,
    changed,
    detour,
    grown,
    proper,
    refinement,
    respecting,
    some,
)


class Preservation(Struct, frozen=True):
    """A refinement with λ1 of the concrete and λ2 of the abstract side."""

    refinement: Refinement
    lam1: Mask
    lam2: Mask


def preservation(rng: Random, strong: bool) -> Preservation:
    """A refinement, an invariant of its abstract side mostly, and what ι makes of it."""
    abstract = automaton(rng, Shape())
    lam2 = proper(rng, abstract.valuations)
    abstract = respecting(rng, abstract, lam2, environment_too=strong and rng.random() < 0.8)
    concrete = changed(rng, abstract, rng.choice((0, 1, 1, 2)))
    if rng.random() < 0.15:
        abstract = detour(rng, abstract, shared_part(lam2, abstract.own))
    r = refinement(rng, concrete, abstract)
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    matched = mask_of(s for s in bits(x1.init) if r.kappa[s] & x2.init)
    if matched and rng.random() < 0.8:
        r = replace(r, concrete=replace(r.concrete, init=matched))
    if strong:
        lam2 |= mask_of(s % abstract.valuations for s in bits(x2.reachable)) if rng.random() < 0.9 else abstract.init
    else:
        lam2 = grown(rng, abstract, lam2, False)
    lam1 = carried(r.iota, lam2)
    if rng.random() < 0.3:
        lam1 |= some(rng, r.concrete.valuations, 0.3)
    if rng.random() < 0.15:
        lam1 &= some(rng, r.concrete.valuations, 0.7)
    return Preservation(r, lam1, lam2)


def simulates(p: Preservation) -> bool:
    """θ is a weak simulation."""
    return is_weak_simulation(p.refinement)


def initial_covered(p: Preservation) -> bool:
    """Every concrete initial state has an abstract one that κ relates to it."""
    return covers(p.refinement)


def implied(p: Preservation) -> bool:
    """λ2 and ι imply λ1."""
    return carried(p.refinement.iota, p.lam2) & ~p.lam1 == 0


def environments_matched(p: Preservation) -> bool:
    """`WS`."""
    return matches_environments(p.refinement)


def _matched_lawfully(p: Preservation, before: Callable[[Explicit, Mask], Rows], at_end: bool) -> bool:
    r = p.refinement
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    good1, good2 = everywhere(r.concrete, p.lam1), everywhere(r.abstract, p.lam2)
    paths = before(x2, good2)
    return all(
        row & good2 & ~image(paths, r.theta[t1] & (good2 if at_end else -1)) == 0
        for s1, row in enumerate(r.theta)
        if good1 >> s1 & 1
        for t1 in bits(x1.env[s1] & good1)
    )


def matched_within_lambda(p: Preservation) -> bool:
    """An environment step within λ1 is matched by an environment path every state of which satisfies λ2."""
    return _matched_lawfully(p, lambda x2, good: inverse(closed(preserving(x2, good))), True)


def matched_at_the_end(p: Preservation) -> bool:
    """The same, but λ2 is asked of the last state only."""
    return _matched_lawfully(p, lambda x2, good: x2.before_drift, True)


def preservation_alive(p: Preservation) -> bool:
    """The refinement says something, and both λ can be false."""
    r = p.refinement
    x, good = explicit(r.concrete), everywhere(r.concrete, p.lam1)
    possible = inside(r.concrete, p.lam1) and inside(r.abstract, p.lam2)
    return possible and refinement_alive(r) and alive(replace(x, env=preserving(x, good)), related_states(r))


def lam1_weak(p: Preservation) -> bool:
    """λ1 is a weak invariant of the concrete side."""
    return is_weak_invariant(p.refinement.concrete, p.lam1)


def reachability_carries_over(p: Preservation) -> bool:
    """Lemma 1: from related states, what the concrete side reaches is related to something the abstract reaches."""
    r = p.refinement
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    runs1, runs2 = closed(x1.every), closed(x2.every)
    return all(
        all(runs2[s2] & r.theta[t1] for s2 in bits(row)) for s1, row in enumerate(r.theta) for t1 in bits(runs1[s1])
    )


LEMMA_1 = Rule(
    "lemma 1",
    lambda rng: preservation(rng, True),
    {"simulation": simulates, "WS": environments_matched},
    reachability_carries_over,
    lambda p: refinement_alive(p.refinement),
)

THEOREM_5 = Rule(
    "theorem 5",
    lambda rng: preservation(rng, False),
    {
        "simulation": simulates,
        "coverage": initial_covered,
        "implication": implied,
        "abstract invariant": lambda p: is_weak_invariant(p.refinement.abstract, p.lam2),
        "environment paths": matched_within_lambda,
    },
    lam1_weak,
    preservation_alive,
)

STRONG_PRESERVATION = Rule(
    "strong preservation",
    lambda rng: preservation(rng, True),
    {
        "simulation": simulates,
        "coverage": initial_covered,
        "implication": implied,
        "abstract invariant": lambda p: is_strong_invariant(p.refinement.abstract, p.lam2),
        "WS": environments_matched,
    },
    lambda p: is_strong_invariant(p.refinement.concrete, p.lam1),
    preservation_alive,
)

VARIANTS: list[Variant[Preservation]] = [
    *(without(LEMMA_1, name) for name in LEMMA_1.conditions),
    *(without(THEOREM_5, name) for name in THEOREM_5.conditions),
    instead(THEOREM_5, "environment paths", "WS as printed", environments_matched),
    instead(THEOREM_5, "environment paths", "λ2 at the end of the path only", matched_at_the_end),
    *(without(STRONG_PRESERVATION, name) for name in STRONG_PRESERVATION.conditions),
]
