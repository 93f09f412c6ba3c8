"""The rules about refinement of THEORY section 6: conditions and conclusions by enumeration.

| rule | conditions | conclusion |
|---|---|---|
| Lemma 1 | θ a weak simulation; `WS` | what the concrete side reaches, the abstract side reaches, related by θ |
| Theorem 2 | θ1, θ2 simulations; coverage; A1, A3 closed | θ2 ∘ θ1 is one for κ (with Init2) and ι, and κ covers |
| Theorem 3 | θ1, θ2 weak simulations; the middle step | θ2 ∘ θ1 is one for κ (with Init2) and ι |
| Theorem 3, sequences | the same proved for sequences of A1 and A2; the middle sequence | the same |
| Theorem 5 | simulation; coverage; λ2 ∧ ι ⇒ λ1; λ2 weak; environment paths within λ2 | λ1 is a weak invariant |
| strong preservation | simulation; coverage; λ2 ∧ ι ⇒ λ1; λ2 strong; `WS` | λ1 is a strong invariant |

Theorem 4 is in `parallel_rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from tests.proofs.finite import (
    Automaton,
    Explicit,
    Mask,
    Rows,
    bits,
    closed,
    everywhere,
    explicit,
    image,
    inverse,
    is_closed,
    is_strong_invariant,
    is_weak_invariant,
    made_closed,
    mask_of,
    preserving,
    shared_part,
)
from tests.proofs.game import (
    Moves,
    Refinement,
    chained,
    covers,
    is_weak_simulation,
    matches_environments,
    related,
)
from tests.proofs.invariant_rules import alive, inside
from tests.proofs.rule import Rule, Variant, concluding, instead, without
from tests.proofs.sampling import (
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


@dataclass(frozen=True, slots=True)
class Chain:
    """A1 to A2 and A2 to A3."""

    first: Refinement
    second: Refinement


@dataclass(frozen=True, slots=True)
class Preservation:
    """A refinement with λ1 of the concrete and λ2 of the abstract side."""

    refinement: Refinement
    lam1: Mask
    lam2: Mask


def related_states(r: Refinement) -> Mask:
    """The reachable concrete states that θ relates to something."""
    return mask_of(s for s, row in enumerate(r.theta) if row) & explicit(r.concrete).reachable


def started(r: Refinement) -> bool:
    """Whether κ relates some initial states."""
    return any(r.kappa[s] & explicit(r.abstract).init for s in bits(explicit(r.concrete).init))


def refinement_alive(r: Refinement) -> bool:
    """κ relates initial states, and related reachable states have component steps and changing environment steps."""
    return started(r) and alive(explicit(r.concrete), related_states(r))


# Theorems 2 and 3


def chain(rng: Random, moves: Callable[[Explicit, Explicit], Moves] | None = None) -> Chain:
    """Three automata that differ in little."""
    return _between(rng, automaton(rng, Shape()), lambda a: a, moves)


def closed_chain(rng: Random) -> Chain:
    """Three automata that differ in little, mostly closed."""
    return _between(rng, automaton(rng, Shape()), made_closed, None)


def _between(
    rng: Random,
    middle: Automaton,
    finish: Callable[[Automaton], Automaton],
    moves: Callable[[Explicit, Explicit], Moves] | None,
) -> Chain:
    concrete, abstract = changed(rng, middle, rng.choice((0, 1, 2))), changed(rng, middle, rng.choice((0, 1, 2)))
    if rng.random() < 0.3:
        abstract = detour(rng, abstract)
    if rng.random() < 0.15:
        middle = detour(rng, middle)
    a, b, c = (x if rng.random() < 0.06 else finish(x) for x in (concrete, middle, abstract))
    return Chain(refinement(rng, a, b, moves=moves), refinement(rng, b, c, moves=moves))


def chained_claim(c: Chain, through_init: bool = True) -> Refinement:
    """θ2 ∘ θ1 with the κ and ι of the chain."""
    middle = explicit(c.second.concrete).init if through_init else -1
    return Refinement(
        c.first.concrete,
        c.second.abstract,
        chained(c.first.kappa, c.second.kappa, middle),
        chained(c.first.iota, c.second.iota),
        chained(c.first.theta, c.second.theta),
    )


def first_simulates(c: Chain) -> bool:
    """θ1 is a weak simulation."""
    return is_weak_simulation(c.first)


def second_simulates(c: Chain) -> bool:
    """θ2 is a weak simulation."""
    return is_weak_simulation(c.second)


def chain_simulates(c: Chain) -> bool:
    """θ2 ∘ θ1 is a weak simulation."""
    return is_weak_simulation(chained_claim(c))


def chain_refines(c: Chain) -> bool:
    """θ2 ∘ θ1 is a weak simulation, and κ covers the initial states."""
    return chain_simulates(c) and covers(chained_claim(c))


def without_init(c: Chain) -> bool:
    """The same for κ as printed, through any valuation of the middle automaton."""
    return is_weak_simulation(chained_claim(c, through_init=False))


def middle_step(c: Chain, first: Rows, third: Rows, second: Rows) -> bool:
    """For related states, moves of A1 and A3 after which ι holds: a move of A2 after which ι1 and ι2 hold."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    one, two = related(x1, x2, c.first.iota), related(x2, x3, c.second.iota)
    both = related(x1, x3, chained(c.first.iota, c.second.iota))
    reach = [image(third, row) for row in c.second.theta]
    for s1, row in enumerate(c.first.theta):
        for t1 in bits(first[s1]) if row else ():
            for s2 in bits(row):
                if reach[s2] & both[t1] & ~image(two, second[s2] & one[t1]):
                    return False
    return True


def middle_of_theorem_3(c: Chain) -> bool:
    """One step of A1, a sequence of A3: one step of A2."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    return middle_step(c, x1.env, x3.drift, x2.env)


def middle_with_single_steps(c: Chain) -> bool:
    """One step of A1, one step of A3: one step of A2."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    return middle_step(c, x1.env, x3.env, x2.env)


def middle_with_sequence(c: Chain) -> bool:
    """One step of A1, a sequence of A3: a sequence of A2."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    return middle_step(c, x1.env, x3.drift, x2.drift)


def middle_with_sequences(c: Chain) -> bool:
    """A sequence of A1, a sequence of A3: a sequence of A2."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    return middle_step(c, x1.drift, x3.drift, x2.drift)


def middle_as_printed(c: Chain) -> bool:
    """Single steps, for all locations and valuations that ι, ι1 and ι2 relate, in θ or not."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    one, two = related(x1, x2, c.first.iota), related(x2, x3, c.second.iota)
    both = related(x1, x3, chained(c.first.iota, c.second.iota))
    anything = (
        (c.first.concrete, c.second.concrete, c.first.iota),
        (c.second.concrete, c.second.abstract, c.second.iota),
    )
    loose1, loose2 = (_everything_related(*pair) for pair in anything)
    for s1, row in enumerate(loose1):
        for t1 in bits(x1.env[s1]):
            for s2 in bits(row):
                if image(x3.env, loose2[s2]) & both[t1] & ~image(two, x2.env[s2] & one[t1]):
                    return False
    return True


def _everything_related(a: Automaton, b: Automaton, iota: Rows) -> Rows:
    """By state of a the states of b whose valuations ι relates, whatever the invariants say."""
    return tuple(everywhere(b, iota[s % a.valuations]) for s in range(len(a.inv) * a.valuations))


def chain_alive(c: Chain) -> bool:
    """The chain starts, and has both kinds of steps."""
    return refinement_alive(chained_claim(c))


def closed_chain_alive(c: Chain) -> bool:
    """The chain starts and makes a step; there is nothing to ask of the environment."""
    r = chained_claim(c)
    x = explicit(r.concrete)
    return started(r) and any(x.component[s] for s in bits(related_states(r)))


def with_sequences(x1: Explicit, x2: Explicit) -> Moves:
    """Spoiler moves the concrete environment, too, any number of steps."""
    return Moves(x1.drift, x2.before_drift)


def simulates_sequences(r: Refinement) -> bool:
    """θ is a weak simulation even if Spoiler makes sequences of concrete environment steps."""
    return is_weak_simulation(r, with_sequences(explicit(r.concrete), explicit(r.abstract)))


THEOREM_2 = Rule(
    "theorem 2",
    closed_chain,
    {
        "first closed": lambda c: is_closed(c.first.concrete),
        "third closed": lambda c: is_closed(c.second.abstract),
        "second closed": lambda c: is_closed(c.second.concrete),
        "first simulation": first_simulates,
        "second simulation": second_simulates,
        "first coverage": lambda c: covers(c.first),
        "second coverage": lambda c: covers(c.second),
    },
    chain_refines,
    closed_chain_alive,
)

THEOREM_3 = Rule(
    "theorem 3",
    chain,
    {"first simulation": first_simulates, "second simulation": second_simulates, "middle step": middle_of_theorem_3},
    chain_simulates,
    chain_alive,
)

THEOREM_3_SEQUENCES = Rule(
    "theorem 3, sequences",
    lambda rng: chain(rng, with_sequences),
    {
        "first simulation": lambda c: simulates_sequences(c.first),
        "second simulation": lambda c: simulates_sequences(c.second),
        "middle sequence": middle_with_sequences,
    },
    chain_simulates,
    chain_alive,
)

# Preservation of invariants


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

MIDDLE_IDLE = "the environments of A1 and A3 alone move in 2.a of the chain, and closed ones leave the pair where it is"

VARIANTS: list[Variant[Chain] | Variant[Preservation]] = [
    *(without(THEOREM_2, c, MIDDLE_IDLE if c == "second closed" else "") for c in THEOREM_2.conditions),
    concluding(THEOREM_2, "κ as printed, without Init2", without_init),
    *(without(THEOREM_3, name) for name in THEOREM_3.conditions),
    concluding(THEOREM_3, "κ as printed, without Init2", without_init),
    instead(THEOREM_3, "middle step", "a single step of A3", middle_with_single_steps),
    instead(THEOREM_3, "middle step", "as printed", middle_as_printed),
    instead(THEOREM_3, "middle step", "a sequence of A2", middle_with_sequence),
    *(without(THEOREM_3_SEQUENCES, name) for name in THEOREM_3_SEQUENCES.conditions),
    *(without(LEMMA_1, name) for name in LEMMA_1.conditions),
    *(without(THEOREM_5, name) for name in THEOREM_5.conditions),
    instead(THEOREM_5, "environment paths", "WS as printed", environments_matched),
    instead(THEOREM_5, "environment paths", "λ2 at the end of the path only", matched_at_the_end),
    *(without(STRONG_PRESERVATION, name) for name in STRONG_PRESERVATION.conditions),
]
