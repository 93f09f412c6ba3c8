"""What scripts conclude of invariants, condition by condition as the tool asks for them.

| rule | what is its own |
|---|---|
| Theorem 5 in scripts | λ1 and λ2 speak of locations; one abstract environment step follows one concrete step |
| Theorem 1 in scripts | some parts are strong invariants; the claim may say less than the parts |

Conditions have the names that the tool tells its users.
"""

from __future__ import annotations

from itertools import permutations
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.finite import (
    Automaton,
    Explicit,
    Mask,
    alive,
    bits,
    composition,
    everywhere,
    explicit,
    is_closed,
    is_strong_invariant,
    is_weak_invariant,
    made_closed,
    mask_of,
    pairwise_compatible,
    preserving,
    weakly_reachable,
)
from tests.scripts.game import (
    Refinement,
    covers,
    is_weak_simulation,
    related,
    related_states,
    started,
)
from tests.scripts.interference_rules import undisturbed
from tests.scripts.invariant_rules import Invariants, conjunction, inside, invariants
from tests.scripts.preservation_rules import preservation
from tests.scripts.rule import Rule, Variant, without
from tests.scripts.sampling import Shape, some

# Theorem 5


class Located(Struct, frozen=True):
    """A refinement with λ1 and λ2 as sets of states: they may speak of locations."""

    refinement: Refinement
    lam1: Mask
    lam2: Mask


def located(rng: Random, strong: bool, closed: bool) -> Located:
    """Mostly invariants of the abstract side, and what θ makes of them."""
    p = preservation(rng, strong)
    r = p.refinement
    if closed and rng.random() < 0.9:
        r = replace(r, concrete=made_closed(r.concrete))
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    lam2 = everywhere(r.abstract, p.lam2)
    if rng.random() < 0.5:
        reached = x2.reachable if strong else weakly_reachable(x2, lam2)
        lam2 = reached | (some(rng, len(x2.env), 0.3) & lam2)
    lam1 = mask_of(s for s, row in enumerate(r.theta) if row & lam2)
    if rng.random() < 0.5:
        lam1 |= everywhere(r.concrete, p.lam1) if rng.random() < 0.5 else some(rng, len(x1.env), 0.3)
    if rng.random() < 0.1:
        lam1 &= some(rng, len(x1.env), 0.8)
    return Located(r, lam1, lam2)


def implied(p: Located) -> bool:
    """λ2 and θ imply λ1."""
    return all(p.lam1 >> s & 1 for s, row in enumerate(p.refinement.theta) if row & p.lam2)


def followed(p: Located, strong: bool) -> bool:
    """One abstract environment step follows, after which ι holds; of a weak λ2 it is one that keeps it."""
    r = p.refinement
    x1, x2 = explicit(r.concrete), explicit(r.abstract)
    pairs = related(x1, x2, r.iota)
    good1, good2 = (-1, -1) if strong else (p.lam1, p.lam2)
    return all(
        x2.env[s2] & pairs[t1] & good2
        for s1, row in enumerate(r.theta)
        if good1 >> s1 & 1
        for t1 in bits(x1.env[s1] & good1)
        for s2 in bits(row & good2)
    )


def _states_alive(p: Located, x: Explicit) -> bool:
    proper = x.inv & ~p.lam1 and explicit(p.refinement.abstract).inv & ~p.lam2
    return bool(proper) and started(p.refinement)


def weak_alive(p: Located) -> bool:
    """Both λ can be false; the refinement says something, of environment steps that keep λ1."""
    x = explicit(p.refinement.concrete)
    kept = replace(x, env=preserving(x, p.lam1))
    return _states_alive(p, x) and alive(kept, related_states(p.refinement))


def strong_alive(p: Located) -> bool:
    """The same, of all environment steps."""
    x = explicit(p.refinement.concrete)
    return _states_alive(p, x) and alive(x, related_states(p.refinement))


def whole_alive(p: Located) -> bool:
    """The same, where nobody else moves."""
    x = explicit(p.refinement.concrete)
    return _states_alive(p, x) and any(x.component[s] for s in bits(related_states(p.refinement)))


def is_weak(a: Automaton, states: Mask) -> bool:
    """Definition 5, for a set of states."""
    return weakly_reachable(explicit(a), states) & ~states == 0


def is_strong(a: Automaton, states: Mask) -> bool:
    """Definition 4, for a set of states."""
    return explicit(a).reachable & ~states == 0


CARRIED = {
    "simulation": lambda p: is_weak_simulation(p.refinement),
    "coverage": lambda p: covers(p.refinement),
    "the abstract invariant and θ imply the concrete one": implied,
}
WEAK_ABOVE = {"abstract invariant": lambda p: is_weak(p.refinement.abstract, p.lam2)}
THEOREM_5 = Rule(
    "theorem 5 in scripts",
    lambda rng: located(rng, False, False),
    {**CARRIED, **WEAK_ABOVE, "the environment is followed": lambda p: followed(p, False)},
    lambda p: is_weak(p.refinement.concrete, p.lam1),
    weak_alive,
)
THEOREM_5_STRONG = Rule(
    "theorem 5 in scripts, strong",
    lambda rng: located(rng, True, False),
    {
        **CARRIED,
        "abstract invariant": lambda p: is_strong(p.refinement.abstract, p.lam2),
        "the environment is followed": lambda p: followed(p, True),
    },
    lambda p: is_strong(p.refinement.concrete, p.lam1),
    strong_alive,
)
THEOREM_5_WHOLE = Rule(
    "theorem 5 in scripts, whole programs",
    lambda rng: located(rng, False, True),
    {"closed": lambda p: is_closed(p.refinement.concrete), **CARRIED, **WEAK_ABOVE},
    lambda p: is_strong(p.refinement.concrete, p.lam1),
    whole_alive,
)

# Theorem 1


class Parts(Struct, frozen=True):
    """Automata with an invariant each, some of them strong, and a claim about the composition's valuations."""

    parts: Invariants
    strong: tuple[bool, ...]
    claim: Mask


def parts(rng: Random) -> Parts:
    """Mostly invariants, and what follows from them."""
    i = invariants(rng, 2, Shape())
    strong = tuple(rng.random() < 0.35 for _ in i.automata)
    lams = tuple(
        lam | (mask_of(s % a.valuations for s in bits(explicit(a).reachable)) if s_ and rng.random() < 0.9 else 0)
        for a, lam, s_ in zip(i.automata, i.lams, strong, strict=True)
    )
    made = Invariants(i.automata, lams)
    claim, size = conjunction(made), composition(i.automata).valuations
    if rng.random() < 0.4:
        claim |= some(rng, size, 0.3)
    if rng.random() < 0.06:
        claim &= some(rng, size, 0.8)
    return Parts(made, strong, claim)


def local_invariants(p: Parts) -> bool:
    """Each part is an invariant of its thread, weak or strong as it says."""
    kinds = (is_strong_invariant if s else is_weak_invariant for s in p.strong)
    return all(kind(a, lam) for kind, a, lam in zip(kinds, p.parts.automata, p.parts.lams, strict=True))


def noninterference(p: Parts) -> bool:
    """No part interferes with a weak one, by steps that the environment of that allows."""
    every = list(zip(p.parts.automata, p.parts.lams, p.strong, strict=True))
    return all(s or undisturbed(lam, a.own, b, other) for (a, lam, _), (b, other, s) in permutations(every, 2))


def parts_imply_claim(p: Parts) -> bool:
    """The conjunction implies the claim."""
    return conjunction(p.parts) & ~p.claim == 0


def environment_keeps_parts(p: Parts) -> bool:
    """An environment step of the composition after which the claim holds keeps the weak parts."""
    lams = [_lifted(p, k) for k in range(len(p.strong))]
    x, all_ = explicit(composition(p.parts.automata)), conjunction(p.parts)
    n = composition(p.parts.automata).valuations
    certain = p.claim
    for lam, strong in zip(lams, p.strong, strict=True):
        certain &= lam if strong else -1
    return all(
        not (certain >> t % n & 1) or all_ >> t % n & 1
        for s, row in enumerate(x.env)
        if all_ >> s % n & 1
        for t in bits(row)
    )


def _lifted(p: Parts, k: int) -> Mask:
    """λk on the valuations of the composition."""
    anything = [(1 << a.valuations) - 1 for a in p.parts.automata]
    return conjunction(
        Invariants(p.parts.automata, tuple(p.parts.lams[j] if j == k else m for j, m in enumerate(anything)))
    )


def weak_together(p: Parts) -> bool:
    """The claim is a weak invariant of the composition."""
    return is_weak_invariant(composition(p.parts.automata), p.claim)


def parts_alive(p: Parts) -> bool:
    """Parts and claim can be false; the composition makes a step, and its environment one that changes something."""
    whole = composition(p.parts.automata)
    x, good = explicit(whole), everywhere(whole, p.claim)
    possible = all(map(inside, p.parts.automata, p.parts.lams)) and inside(whole, p.claim)
    return possible and alive(replace(x, env=preserving(x, good)), weakly_reachable(x, good))


def whole_parts_alive(p: Parts) -> bool:
    """The same, where nobody else moves."""
    whole = made_closed(composition(p.parts.automata))
    x = explicit(whole)
    possible = all(map(inside, p.parts.automata, p.parts.lams)) and inside(whole, p.claim)
    return possible and any(x.component[s] for s in bits(x.reachable))


TOGETHER = {
    "compatible": lambda p: pairwise_compatible(p.parts.automata),
    "local invariants": local_invariants,
    "non-interference": noninterference,
    "the parts imply the claim": parts_imply_claim,
}
THEOREM_1 = Rule(
    "theorem 1 in scripts",
    parts,
    {**TOGETHER, "an environment that keeps the claim keeps the parts": environment_keeps_parts},
    weak_together,
    parts_alive,
)
THEOREM_1_WHOLE = Rule(
    "theorem 1 in scripts, whole programs",
    parts,
    TOGETHER,
    lambda p: is_strong_invariant(made_closed(composition(p.parts.automata)), p.claim),
    whole_parts_alive,
)

RULES = (
    THEOREM_1,
    THEOREM_1_WHOLE,
    THEOREM_5,
    THEOREM_5_STRONG,
    THEOREM_5_WHOLE,
)
VARIANTS: list[Variant[Located] | Variant[Parts]] = [
    *(without(THEOREM_1, name) for name in THEOREM_1.conditions),
    *(without(THEOREM_1_WHOLE, name) for name in THEOREM_1_WHOLE.conditions),
    *(without(THEOREM_5, name) for name in THEOREM_5.conditions),
    *(without(THEOREM_5_STRONG, name) for name in THEOREM_5_STRONG.conditions),
    *(without(THEOREM_5_WHOLE, name) for name in THEOREM_5_WHOLE.conditions),
]
