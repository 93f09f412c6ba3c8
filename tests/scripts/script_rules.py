"""What scripts conclude beyond the letter of the paper: conditions and conclusions by enumeration.

| rule | conditions | conclusion |
|---|---|---|
| Theorem 1, strong | compatible; λi strong invariants | ⋀ λi is a strong invariant of A1 ∥ A2 |
| weak invariant, less said | one that implies λ; environment steps that lead into λ keep it | λ is a weak invariant |
| Theorem 3, three links | θ1, θ2, θ3 weak simulations; single steps in the middle | θ3 ∘ θ2 ∘ θ1 is one for κ and ι |
| Theorem 5, whole programs | A1 closed; simulation; coverage; λ2 ∧ ι ⇒ λ1; λ2 weak | λ1 is a strong invariant |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.chain_rules import chain
from tests.scripts.finite import (
    Mask,
    Rows,
    alive,
    bits,
    composition,
    everywhere,
    explicit,
    image,
    is_closed,
    is_strong_invariant,
    made_closed,
    mask_of,
    weakly_reachable,
)
from tests.scripts.game import (
    Refinement,
    chained,
    is_weak_simulation,
    refinement_alive,
    related,
    related_states,
    started,
)
from tests.scripts.invariant_rules import (
    WEAK,
    Invariant,
    Invariants,
    compatible,
    conjunction,
    inside,
    weak_alive,
    within_lambda,
)
from tests.scripts.preservation_rules import THEOREM_5, Preservation, preservation
from tests.scripts.rule import Rule, Variant, without
from tests.scripts.sampling import (
    Shape,
    automaton,
    changed,
    compatible_threads,
    grown,
    proper,
    refinement,
    respecting,
    some,
    threads,
)


class LongChain(Struct, frozen=True):
    """Refinements, each of which begins where the one before it ends."""

    links: tuple[Refinement, ...]


# Theorem 1 for strong invariants


def strong_invariants(rng: Random) -> Invariants:
    """Automata mostly compatible, each λ mostly a strong invariant."""
    plain = threads(rng, 2, Shape())
    lams = [proper(rng, a.valuations) for a in plain]
    automata = compatible_threads(
        rng, [respecting(rng, a, lam, environment_too=True) for a, lam in zip(plain, lams, strict=True)]
    )
    for k, a in enumerate(automata):
        if rng.random() < 0.9:
            lams[k] |= mask_of(s % a.valuations for s in bits(explicit(a).reachable))
    return Invariants(automata, tuple(lams))


def is_local(k: int) -> Callable[[Invariants], bool]:
    """λk is a strong invariant of the k-th automaton."""
    return lambda i: is_strong_invariant(i.automata[k], i.lams[k])


def strong_together(i: Invariants) -> bool:
    """⋀ λi is a strong invariant of the composition."""
    return is_strong_invariant(composition(i.automata), conjunction(i))


def strong_alive(i: Invariants) -> bool:
    """Every λ can be false; the composition makes a step, and its environment one that changes something."""
    x = explicit(composition(i.automata))
    return all(map(inside, i.automata, i.lams)) and alive(x, x.reachable)


THEOREM_1_STRONG = Rule(
    "theorem 1, strong",
    strong_invariants,
    {"compatibility": compatible, "local invariant 1": is_local(0), "local invariant 2": is_local(1)},
    strong_together,
    strong_alive,
)

# A weak invariant that says less than was shown


def less_said(rng: Random) -> Invariant:
    """A weak invariant, as states, and a λ that mostly follows from it."""
    a = automaton(rng, Shape())
    shown = proper(rng, a.valuations)
    a = respecting(rng, a, shown)
    shown = grown(rng, a, shown, False) if rng.random() < 0.9 else shown
    more = some(rng, a.valuations, 0.4)
    return Invariant(a, shown | more if rng.random() < 0.9 else more, everywhere(a, shown))


def was_shown(i: Invariant) -> bool:
    """What λ follows from is a weak invariant."""
    return weakly_reachable(explicit(i.automaton), i.inductive) & ~i.inductive == 0


def environment_keeps_what_was_shown(i: Invariant) -> bool:
    """An environment step after which λ holds keeps it."""
    steps = image(explicit(i.automaton).env, i.inductive)
    return steps & everywhere(i.automaton, i.lam) & ~i.inductive == 0


LESS_SAID = Rule(
    "weak invariant, less said",
    less_said,
    {"invariant": was_shown, "implication": within_lambda, "environment": environment_keeps_what_was_shown},
    WEAK.conclusion,
    weak_alive,
)

# Theorem 3 with more than one automaton in the middle


def long_chain(rng: Random) -> LongChain:
    """Four automata that differ in little."""
    two = chain(rng)
    last = two.second.abstract
    return LongChain((two.first, two.second, refinement(rng, last, changed(rng, last, rng.choice((0, 1, 2))))))


def long_claim(c: LongChain) -> Refinement:
    """The relations of all links, one behind the other, κ by way of initial states."""
    return reduce(_one_behind_the_other, c.links)


def _one_behind_the_other(one: Refinement, two: Refinement) -> Refinement:
    return Refinement(
        one.concrete,
        two.abstract,
        chained(one.kappa, two.kappa, explicit(two.concrete).init),
        chained(one.iota, two.iota),
        chained(one.theta, two.theta),
    )


def link_simulates(k: int) -> Callable[[LongChain], bool]:
    """The k-th θ is a weak simulation."""
    return lambda c: is_weak_simulation(c.links[k])


def middle_steps(c: LongChain) -> bool:
    """One step of the first environment, a sequence of the last, ι afterwards: one step of each in the middle."""
    first, last, whole = explicit(c.links[0].concrete), explicit(c.links[-1].abstract), long_claim(c)
    after = related(first, last, whole.iota)
    return all(
        _followed(c.links, s1, 1 << t1, after[t1], last.environment_move)
        for s1, row in enumerate(c.links[0].theta)
        for t1 in (bits(first.env[s1]) if row else ())
    )


def _followed(links: Sequence[Refinement], s: int, moved: Mask, wanted: Mask, environment_move: Rows) -> bool:
    """Whether what is related to s can follow; `moved` is where the environment below may have gone."""
    here, rest = links[0], links[1:]
    x = explicit(here.abstract)
    allowed = image(related(explicit(here.concrete), x, here.iota), moved)
    if not rest:
        return all(environment_move[t] & wanted & ~allowed == 0 for t in bits(here.theta[s]))
    return all(_followed(rest, t, x.env[t] & allowed, wanted, environment_move) for t in bits(here.theta[s]))


THEOREM_3_LONG = Rule(
    "theorem 3, three links",
    long_chain,
    {**{f"simulation {k + 1}": link_simulates(k) for k in range(3)}, "middle steps": middle_steps},
    lambda c: is_weak_simulation(long_claim(c)),
    lambda c: refinement_alive(long_claim(c)),
)

# Theorem 5 for whole programs


def closed_preservation(rng: Random) -> Preservation:
    """A refinement whose concrete side mostly is closed; what simulates with an environment does without."""
    p = preservation(rng, False)
    if rng.random() < 0.1:
        return p
    return replace(p, refinement=replace(p.refinement, concrete=made_closed(p.refinement.concrete)))


def closed_preservation_alive(p: Preservation) -> bool:
    """The refinement starts and makes a step, and both λ can be false."""
    r = p.refinement
    x = explicit(r.concrete)
    possible = inside(r.concrete, p.lam1) and inside(r.abstract, p.lam2)
    return possible and started(r) and any(x.component[s] for s in bits(related_states(r)))


THEOREM_5_CLOSED = Rule(
    "theorem 5, whole programs",
    closed_preservation,
    {
        "closed": lambda p: is_closed(p.refinement.concrete),
        **{name: check for name, check in THEOREM_5.conditions.items() if name != "environment paths"},
    },
    lambda p: is_strong_invariant(p.refinement.concrete, p.lam1),
    closed_preservation_alive,
)

VARIANTS: list[Variant[Invariants] | Variant[Invariant] | Variant[LongChain] | Variant[Preservation]] = [
    *(without(THEOREM_1_STRONG, name) for name in THEOREM_1_STRONG.conditions),
    *(without(LESS_SAID, name) for name in LESS_SAID.conditions),
    *(without(THEOREM_3_LONG, name) for name in THEOREM_3_LONG.conditions),
    *(without(THEOREM_5_CLOSED, name) for name in THEOREM_5_CLOSED.conditions),
]
