"""The rules about chains of refinements of THEORY section 6: conditions and conclusions by enumeration.

| rule | conditions | conclusion |
|---|---|---|
| Theorem 2 | θ1, θ2 weak simulations; both cover; A1 and A3 closed | θ2 ∘ θ1 is one for κ and ι, and κ covers |
| Theorem 3 | θ1, θ2 weak simulations; the middle step | θ2 ∘ θ1 is one for κ and ι |
| Theorem 3, sequences | the same proved for sequences of A1 and A2; the middle sequence | the same |

κ goes through initial states of A2; without that, as printed, both theorems are wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct

from tests.scripts.finite import (
    Automaton,
    Explicit,
    Rows,
    bits,
    everywhere,
    explicit,
    image,
    is_closed,
    made_closed,
)
from tests.scripts.game import (
    Moves,
    Refinement,
    chained,
    covers,
    is_weak_simulation,
    refinement_alive,
    related,
    related_states,
    started,
)
from tests.scripts.rule import Rule, Variant, concluding, instead, without
from tests.scripts.sampling import (
    Shape,
    automaton,
    changed,
    detour,
    refinement,
)


class Chain(Struct, frozen=True):
    """A1 to A2 and A2 to A3."""

    first: Refinement
    second: Refinement


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


def middle_step(c: Chain, first: Rows, third: Rows, second: Rows, iota: Rows | None = None) -> bool:
    """For related states, moves of A1 and A3 after which ι holds: a move of A2 after which ι1 and ι2 hold."""
    claimed = chained(c.first.iota, c.second.iota) if iota is None else iota
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    one, two = related(x1, x2, c.first.iota), related(x2, x3, c.second.iota)
    both = related(x1, x3, claimed)
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
    return middle_step(c, x1.env, x3.environment_move, x2.env)


def middle_with_single_steps(c: Chain) -> bool:
    """One step of A1, one step of A3: one step of A2."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    return middle_step(c, x1.env, x3.env, x2.env)


def middle_with_sequence(c: Chain) -> bool:
    """One step of A1, a sequence of A3: a sequence of A2."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    return middle_step(c, x1.env, x3.environment_move, x2.environment_move)


def middle_with_sequences(c: Chain) -> bool:
    """A sequence of A1, a sequence of A3: a sequence of A2."""
    x1, x2, x3 = explicit(c.first.concrete), explicit(c.second.concrete), explicit(c.second.abstract)
    return middle_step(c, x1.environment_move, x3.environment_move, x2.environment_move)


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
    return Moves(x1.environment_move, x2.before_drift)


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

MIDDLE_IDLE = "the environments of A1 and A3 alone move in 2.a of the chain, and closed ones leave the pair where it is"

VARIANTS: list[Variant[Chain]] = [
    *(without(THEOREM_2, c, MIDDLE_IDLE if c == "second closed" else "") for c in THEOREM_2.conditions),
    concluding(THEOREM_2, "κ as printed, without Init2", without_init),
    *(without(THEOREM_3, name) for name in THEOREM_3.conditions),
    concluding(THEOREM_3, "κ as printed, without Init2", without_init),
    instead(THEOREM_3, "middle step", "a single step of A3", middle_with_single_steps),
    instead(THEOREM_3, "middle step", "as printed", middle_as_printed),
    instead(THEOREM_3, "middle step", "a sequence of A2", middle_with_sequence),
    *(without(THEOREM_3_SEQUENCES, name) for name in THEOREM_3_SEQUENCES.conditions),
]
