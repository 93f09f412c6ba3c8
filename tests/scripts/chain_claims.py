"""Chains as scripts claim them, condition by condition as the tool asks for them.

The claim's κ and ι are its own, follow from those of the links, and its κ covers. Where the environments of both links
match, so do those of the claim. Conditions have the names that the tool tells its users.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.chain_rules import (
    MIDDLE_IDLE,
    Chain,
    chain,
    chained_claim,
    closed_chain,
    first_simulates,
    middle_step,
    second_simulates,
)
from tests.scripts.finite import (
    Rows,
    bits,
    explicit,
    is_closed,
)
from tests.scripts.game import (
    Refinement,
    chained,
    covers,
    is_weak_simulation,
    matches_environments,
    refinement_alive,
    related_states,
    runs_matched,
    started,
)
from tests.scripts.rule import Rule, Variant, concluding, without
from tests.scripts.sampling import some


class ChainClaim(Struct, frozen=True):
    """Two links, and the κ and ι that are claimed of both together."""

    chain: Chain
    kappa: Rows
    iota: Rows


def claimed_of_chain(rng: Random, c: Chain) -> ChainClaim:
    """Mostly what follows from the links, or something a little different."""
    said = chained_claim(c)
    n = c.second.abstract.valuations
    less, more = (row & ~some(rng, n, 0.3) for row in said.kappa), (row | some(rng, n, 0.2) for row in said.kappa)
    chance = rng.random()
    kappa = tuple(less) if chance < 0.1 else tuple(more) if chance < 0.2 else said.kappa
    chance = rng.random()
    more = (row | some(rng, n, 0.3) for row in said.iota)
    iota = tuple(row & ~some(rng, n, 0.2) for row in said.iota) if chance < 0.1 else said.iota
    return ChainClaim(c, kappa, tuple(more) if chance > 0.75 else iota)


def outer(c: ChainClaim) -> Refinement:
    """The claim with θ2 ∘ θ1."""
    return replace(chained_claim(c.chain), kappa=c.kappa, iota=c.iota)


def middle_initial_state(c: ChainClaim) -> bool:
    """What κ relates of initial states has an initial state between, with κ1 and κ2."""
    init1, init3 = explicit(c.chain.first.concrete).init, explicit(c.chain.second.abstract).init
    through = chained(c.chain.first.kappa, c.chain.second.kappa, explicit(c.chain.second.concrete).init)
    return all(c.kappa[s] & init3 & ~through[s] == 0 for s in bits(init1))


def iota_of_chain(c: ChainClaim) -> bool:
    """ι1 and ι2 imply ι."""
    both = chained(c.chain.first.iota, c.chain.second.iota)
    return all(row & ~said == 0 for row, said in zip(both, c.iota, strict=True))


def middle_follows(c: ChainClaim) -> bool:
    """One step of A1, a sequence of A3 after which the claim's ι holds: one step of A2."""
    x1, x2, x3 = (explicit(a) for a in (c.chain.first.concrete, c.chain.second.concrete, c.chain.second.abstract))
    return middle_step(c.chain, x1.env, x3.environment_move, x2.env, c.iota)


def closed_chain_refines(c: ChainClaim) -> bool:
    """A weak simulation, initial coverage, and what both are for."""
    return is_weak_simulation(outer(c)) and covers(outer(c)) and runs_matched(outer(c))


def open_chain_refines(c: ChainClaim) -> bool:
    """A weak simulation and initial coverage; and where the environments of both links match, so do the claim's."""
    links = matches_environments(c.chain.first) and matches_environments(c.chain.second)
    return is_weak_simulation(outer(c)) and covers(outer(c)) and (not links or matches_environments(outer(c)))


def matching_taken_for_granted(c: ChainClaim) -> bool:
    """The claim's environments match, whether those of the links do or not."""
    return open_chain_refines(c) and matches_environments(outer(c))


def closed_alive(c: ChainClaim) -> bool:
    """The chain starts and makes a step; nobody else moves."""
    component = explicit(c.chain.first.concrete).component
    return started(outer(c)) and any(component[s] for s in bits(related_states(outer(c))))


LINKS = {
    "first simulation": lambda c: first_simulates(c.chain),
    "second simulation": lambda c: second_simulates(c.chain),
    "a middle initial state": middle_initial_state,
    "ι of the chain": iota_of_chain,
    "initial coverage": lambda c: covers(outer(c)),
}
THEOREM_2 = Rule(
    "theorem 2 in scripts",
    lambda rng: claimed_of_chain(rng, closed_chain(rng)),
    {
        "first closed": lambda c: is_closed(c.chain.first.concrete),
        "third closed": lambda c: is_closed(c.chain.second.abstract),
        "second closed": lambda c: is_closed(c.chain.second.concrete),
        **LINKS,
    },
    closed_chain_refines,
    closed_alive,
)
THEOREM_3 = Rule(
    "theorem 3 in scripts",
    lambda rng: claimed_of_chain(rng, chain(rng)),
    {**LINKS, "an environment step in the middle": middle_follows},
    open_chain_refines,
    lambda c: refinement_alive(outer(c)),
)

RULES = (THEOREM_2, THEOREM_3)
VARIANTS: list[Variant[ChainClaim]] = [
    *(without(THEOREM_2, name, MIDDLE_IDLE if name == "second closed" else "") for name in THEOREM_2.conditions),
    *(without(THEOREM_3, name) for name in THEOREM_3.conditions),
    concluding(THEOREM_3, "environments of links that do not match", matching_taken_for_granted),
]
