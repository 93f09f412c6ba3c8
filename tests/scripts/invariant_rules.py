"""The rules about invariants of THEORY section 6, and Theorem 6: conditions and conclusions by enumeration.

| rule | conditions | conclusion |
|---|---|---|
| strong invariant | a set J of states that contains the initial ones, closed under all steps, within λ | Definition 4 |
| weak invariant | the same with only those environment steps that preserve λ | Definition 5 |
| Theorem 1 | compatible; λi weak invariants; no interference, all pairwise | ⋀ λi is a weak invariant of A1 ∥ … ∥ An |
| composition | pairwise compatible | a composition is compatible with a further automaton |
| Theorem 6 | (none but the repairs of Algorithm 1) | the result is compatible, inductive, covers the program |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from tests.scripts.finite import (
    Automaton,
    Mask,
    alive,
    bits,
    composition,
    everywhere,
    explicit,
    full,
    image,
    is_strong_invariant,
    is_weak_invariant,
    joined,
    mask_of,
    pairwise_compatible,
    preserving,
    product,
    reached,
    shared_part,
    slice_of,
    weakly_reachable,
)
from tests.scripts.generating import Repairs, generate
from tests.scripts.rule import Rule, Variant, concluding, instead, without
from tests.scripts.sampling import (
    TINY,
    Shape,
    automaton,
    compatible_threads,
    grown,
    proper,
    reached_by,
    respecting,
    some,
    threads,
)


class Invariant(Struct, frozen=True):
    """λ of an automaton, a set of valuations, and J, a set of states that is to show it."""

    automaton: Automaton
    lam: Mask
    inductive: Mask


class Invariants(Struct, frozen=True):
    """Automata to be composed, each with its λ."""

    automata: tuple[Automaton, ...]
    lams: tuple[Mask, ...]


class Programs(Struct, frozen=True):
    """Threads without invariants and environments; whether the analysis keeps intervals only."""

    automata: tuple[Automaton, ...]
    intervals: bool


def inside(a: Automaton, lam: Mask) -> bool:
    """Whether λ is false in some state that the invariants allow."""
    return explicit(a).inv & ~everywhere(a, lam) != 0


# Strong and weak invariants of one automaton


def invariant(rng: Random, strong: bool) -> Invariant:
    """A random λ that mostly is an invariant, with a J that mostly shows it."""
    a = automaton(rng, Shape())
    lam = proper(rng, a.valuations)
    a = respecting(rng, a, lam, environment_too=strong)
    x = explicit(a)
    if strong:
        lam |= mask_of(s % a.valuations for s in bits(x.reachable)) if rng.random() < 0.7 else a.init
    elif rng.random() < 0.7:
        lam = grown(rng, a, lam, False)
    steps = x.env if strong else preserving(x, everywhere(a, lam))
    # J contains and is closed under what it must be, mostly.
    start = x.init if rng.random() < 0.85 else 0
    component = x.component if rng.random() < 0.85 else (0,) * len(x.env)
    steps = steps if rng.random() < 0.85 else (0,) * len(x.env)
    more = some(rng, len(x.env), 0.2) & x.inv & everywhere(a, lam) if rng.random() < 0.5 else 0
    inductive = reached([c | e for c, e in zip(component, steps, strict=True)], start | more)
    return Invariant(a, lam, inductive)


def contains_initial(i: Invariant) -> bool:
    """Initiation."""
    return explicit(i.automaton).init & ~i.inductive == 0


def kept_by_component(i: Invariant) -> bool:
    """Consecution under component steps."""
    return image(explicit(i.automaton).component, i.inductive & explicit(i.automaton).inv) & ~i.inductive == 0


def kept_by_environment(i: Invariant) -> bool:
    """Consecution under environment steps."""
    return image(explicit(i.automaton).env, i.inductive) & ~i.inductive == 0


def kept_by_preserving_environment(i: Invariant) -> bool:
    """Consecution under those environment steps that preserve λ."""
    steps = preserving(explicit(i.automaton), everywhere(i.automaton, i.lam))
    return image(steps, i.inductive) & ~i.inductive == 0


def within_lambda(i: Invariant) -> bool:
    """J implies λ."""
    return i.inductive & ~everywhere(i.automaton, i.lam) == 0


def strong_alive(i: Invariant) -> bool:
    """λ can be false, and steps are possible on runs."""
    return inside(i.automaton, i.lam) and alive(explicit(i.automaton), explicit(i.automaton).reachable)


def weak_alive(i: Invariant) -> bool:
    """λ can be false, and a component and a preserving environment step are possible on the runs that count."""
    x, good = explicit(i.automaton), everywhere(i.automaton, i.lam)
    return inside(i.automaton, i.lam) and alive(replace(x, env=preserving(x, good)), reached_by(i.automaton, i.lam))


STRONG = Rule(
    "strong invariant",
    lambda rng: invariant(rng, True),
    {
        "initiation": contains_initial,
        "consecution": kept_by_component,
        "stability": kept_by_environment,
        "implication": within_lambda,
    },
    lambda i: is_strong_invariant(i.automaton, i.lam),
    strong_alive,
)

WEAK = Rule(
    "weak invariant",
    lambda rng: invariant(rng, False),
    {
        "initiation": contains_initial,
        "consecution": kept_by_component,
        "stability": kept_by_preserving_environment,
        "implication": within_lambda,
    },
    lambda i: is_weak_invariant(i.automaton, i.lam),
    weak_alive,
)

# Theorem 1


def invariants(rng: Random, count: int, shape: Shape) -> Invariants:
    """Automata mostly compatible, each λ mostly a weak invariant, often the same on the shared values."""
    plain = threads(rng, count, shape)
    shared, alike = plain[0].shared, rng.random() < 0.8
    common = proper(rng, shared)
    lams = [lambda_over(rng, common if alike else proper(rng, shared), a.own) for a in plain]
    move = rng.choice(bits(common)), rng.choice(bits(common))
    kept = [respecting(rng, a, lam, move=move) for a, lam in zip(plain, lams, strict=True)]
    automata = compatible_threads(rng, kept)
    for _ in range(2 * shared):
        lams = [grown(rng, a, lam, alike) for a, lam in zip(automata, lams, strict=True)]
        if not alike:
            break
        parts = [shared_part(lam, a.own) for a, lam in zip(automata, lams, strict=True)]
        if len(set(parts)) == 1:
            break
        union = mask_of(g for part in parts for g in bits(part))
        lams = [
            lam | mask_of(g * a.own + i for g in bits(union & ~part) for i in range(a.own))
            for a, lam, part in zip(automata, lams, parts, strict=True)
        ]
    return Invariants(automata, tuple(lams))


def lambda_over(rng: Random, values: Mask, own: int) -> Mask:
    """Valuations with these shared values, and sometimes with some of the local ones only."""
    local = full(own) if rng.random() < 0.5 else proper(rng, own)
    return mask_of(g * own + i for g in bits(values) for i in bits(local))


def by_local(lam: Mask, own: int) -> list[Mask]:
    """The shared values of λ for each local one."""
    return [slice_of(lam, own, i) for i in range(own)]


def undisturbed(actor: Sequence[Mask], other: Sequence[Mask]) -> bool:
    """`p1 ∧ p2 ∧ p1' ⇒ p2[shared'/shared]`, both given as sets of shared values for each local one."""
    every = mask_of(g for part in actor for g in bits(part))
    return all(not every & part or every & ~part == 0 for part in other)


def noninterference(i: Invariants) -> bool:
    """`noninterfere(λi, λj)` for all pairs."""
    parts = [by_local(lam, a.own) for a, lam in zip(i.automata, i.lams, strict=True)]
    return all(undisturbed(p, q) and undisturbed(q, p) for p, q in combinations(parts, 2))


def compatible(i: Invariants) -> bool:
    """All pairs are compatible."""
    return pairwise_compatible(i.automata)


def is_local(k: int) -> Callable[[Invariants], bool]:
    """λk is a weak invariant of the k-th automaton."""
    return lambda i: is_weak_invariant(i.automata[k], i.lams[k])


def conjunction(i: Invariants) -> Mask:
    """⋀ λi on the valuations of the composition."""
    own, lam = i.automata[0].own, i.lams[0]
    for a, other in zip(i.automata[1:], i.lams[1:], strict=True):
        lam, own = joined(lam, own, other, a.own), own * a.own
    return lam


def together(i: Invariants, frame: bool = True) -> bool:
    """⋀ λi is a weak invariant of the composition."""
    return is_weak_invariant(composition(i.automata, frame), conjunction(i))


def invariants_alive(i: Invariants) -> bool:
    """Every λ can be false; the composition makes a step, and its environment one that changes something."""
    whole = composition(i.automata)
    x, good = explicit(whole), everywhere(whole, conjunction(i))
    possible = all(inside(a, lam) for a, lam in zip(i.automata, i.lams, strict=True))
    return possible and alive(replace(x, env=preserving(x, good)), weakly_reachable(x, good))


def theorem1(count: int, shape: Shape) -> Rule[Invariants]:
    """Theorem 1 for so many automata."""
    local = {f"local invariant {k + 1}": is_local(k) for k in range(count)}
    conditions = {"compatibility": compatible, **local, "noninterference": noninterference}
    name = f"theorem 1, n = {count}"
    return Rule(name, lambda rng: invariants(rng, count, shape), conditions, together, invariants_alive)


THEOREM_1 = theorem1(2, Shape())
THEOREM_1_THREE = theorem1(3, TINY)

# Compatibility of compositions


def three(rng: Random) -> Invariants:
    """Three automata, mostly compatible."""
    return Invariants(compatible_threads(rng, threads(rng, 3, TINY)), ())


def composed_compatible(i: Invariants) -> bool:
    """The composition of the first two is compatible with the third."""
    return pairwise_compatible([product(*i.automata[:2]), i.automata[2]])


def composition_alive(i: Invariants) -> bool:
    """The composition makes a step, and its environment one that changes something."""
    x = explicit(composition(i.automata))
    return alive(x, x.reachable)


def first_with_third(i: Invariants) -> bool:
    """Only the first automaton is compatible with the third."""
    return pairwise_compatible((i.automata[0], i.automata[2]))


COMPOSITION = Rule(
    "composition of compatible automata", three, {"compatibility": compatible}, composed_compatible, composition_alive
)

# Theorem 6


def programs(rng: Random) -> Programs:
    """Two or three threads."""
    found = threads(rng, rng.choice((2, 2, 3)), TINY)
    return Programs(tuple(replace(t, inv=(full(t.valuations),) * len(t.inv)) for t in found), rng.random() < 0.3)


def adequate(p: Programs, repairs: Repairs) -> bool:
    """The generated automata are compatible, contain the initial states, and cut no step of thread or environment."""
    made = generate(p.automata, replace(repairs, intervals=p.intervals))
    return pairwise_compatible(made) and all(map(_cuts_nothing, made)) and covered(p, made)


def _cuts_nothing(a: Automaton) -> bool:
    """The invariants contain `Init` and are inductive and stable under the automaton's unrestricted steps."""
    loose = explicit(replace(a, inv=(full(a.valuations),) * len(a.inv)))
    inv = explicit(a).inv
    return loose.init & ~inv == 0 and image(loose.every, inv) & ~inv == 0


def covered(p: Programs, made: Sequence[Automaton]) -> bool:
    """Every reachable state of the program satisfies the generated invariants."""
    program, model = explicit(composition(p.automata)), explicit(composition(made))
    return reached(program.component, program.init) & ~model.inv == 0


def programs_alive(p: Programs) -> bool:
    """The program makes a step that changes a shared value, and each thread is left with one."""
    made = generate(p.automata, Repairs())
    whole = composition(p.automata)
    x = explicit(whole)
    here = bits(reached(x.component, x.init))
    changes = any(
        shared_part(mask_of(t % whole.valuations for t in bits(x.component[s])), whole.own)
        & ~(1 << s % whole.valuations // whole.own)
        for s in here
    )
    return changes and all(explicit(a).component != () for a in made)


def repaired(p: Programs) -> bool:
    """Theorem 6 for the repaired algorithm."""
    return adequate(p, Repairs())


def compatible_as_printed(p: Programs) -> bool:
    """Compatible, although nothing was put into the invariants at first: all of them are false."""
    made = generate(p.automata, Repairs(start=False, intervals=p.intervals))
    return pairwise_compatible(made) and not any(mask for a in made for mask in a.inv)


THEOREM_6 = Rule("theorem 6", programs, {}, repaired, programs_alive)

BY_THEOREM_6 = [
    concluding(THEOREM_6, "Init not put into Inv", lambda p: adequate(p, Repairs(start=False))),
    concluding(THEOREM_6, "the other environment reset", lambda p: adequate(p, Repairs(resets_what_it_fills=False))),
    concluding(THEOREM_6, "stops on no new states", lambda p: adequate(p, Repairs(waits_for_environments=False))),
    concluding(THEOREM_6, "not made reflexive", lambda p: adequate(p, Repairs(reflexive=False))),
    concluding(
        THEOREM_6,
        "Init not put into Inv, compatibility only",
        compatible_as_printed,
        "every invariant stays false, so nothing can be incompatible",
    ),
]

VARIANTS: list[Variant[Invariant] | Variant[Invariants] | Variant[Programs]] = [
    *(without(STRONG, name) for name in STRONG.conditions),
    *(without(WEAK, name) for name in WEAK.conditions),
    *(without(THEOREM_1, name) for name in THEOREM_1.conditions),
    concluding(THEOREM_1, "without the frame", lambda i: together(i, frame=False)),
    *(without(THEOREM_1_THREE, name) for name in THEOREM_1_THREE.conditions),
    without(COMPOSITION, "compatibility"),
    instead(COMPOSITION, "compatibility", "the first compatible with the third only", first_with_third),
    *BY_THEOREM_6,
]
