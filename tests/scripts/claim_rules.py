"""Theorem 4 as scripts apply it, condition by condition as the tool asks for them; everything by enumeration.

| rule | conclusion |
|---|---|
| whole programs | θ1 ⊗ θ2 is a weak simulation of the threads as written, nobody else moving; κ covers; runs match |
| among others | the same of the annotated threads in their environments |
| declared | the same, and what the environment of A1 ∥ A2 does that of the abstract threads can follow (`WS`) |
| one pair | the same of a single pair, whose κ and ι are said anew |

Conditions have the names that the tool tells its users; those of a part are asked of each part, and of the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from operator import and_, or_

from msgspec.structs import replace

from tests.scripts.claim_sampling import sampled
from tests.scripts.claims import (
    Annotated,
    Claim,
    Pair,
    among_others,
    groups,
    in_common,
    iota_of_parts,
    kappa_of_parts,
    lower,
    merged,
    of_whole_programs,
    owns,
    shown,
    upper,
)
from tests.scripts.finite import Automaton, Mask, Rows, bits, composition, explicit, full, widened
from tests.scripts.game import (
    covers,
    is_weak_simulation,
    matches_environments,
    refinement_alive,
    related_states,
    runs_matched,
    started,
)
from tests.scripts.invariant_rules import undisturbed
from tests.scripts.parallel_rules import SMALL, by_locals
from tests.scripts.rule import Rule, Variant, instead, without
from tests.scripts.sampling import TINY

Condition = Callable[[Claim], bool]


def sides(c: Claim) -> list[list[Automaton]]:
    """The annotated threads of both sides."""
    return [lower(c.pairs), upper(c.pairs)]


# Annotations (`sa.checker.threads`, `sa.checker.written`)


def initial_invariants(c: Claim) -> bool:
    """Where all threads start, each one's invariant holds."""
    wholes = (composition(side) for side in sides(c))
    return all(whole.init & ~whole.inv[0] == 0 for whole in wholes)


def inductive_invariants(c: Claim) -> bool:
    """A thread's own steps, whatever is true after them, lead into its invariants."""
    return all(map(inductive, (a for side in sides(c) for a in side)))


def inductive(a: Automaton) -> bool:
    """Component steps that the guards allow keep the invariants."""
    return all(e.targets[v] & ~a.inv[e.target] == 0 for e in a.edges for v in bits(a.inv[e.source]))


def reflexive_environments(c: Claim) -> bool:
    """Environments may do nothing."""
    every = (a for side in sides(c) for a in side)
    return all(a.env[q][v // a.own] >> v // a.own & 1 for a in every for q, inv in enumerate(a.inv) for v in bits(inv))


def compatible(c: Claim) -> bool:
    """What changes shared values is allowed by the others' environments and keeps their invariants."""
    return all(_tolerates(b, a) for side in sides(c) for a in side for b in side if a is not b)


def _tolerates(b: Automaton, a: Automaton) -> bool:
    moves = {
        (v // a.own, w // a.own)
        for e in a.edges
        for v in bits(a.inv[e.source])
        for w in _landed(e.targets[v], a, e.target)
    }
    return all(
        b.env[q][g] >> h & 1 and all(inv >> (h * b.own + i) & 1 for i in here)
        for g, h in moves
        if g != h
        for q, inv in enumerate(b.inv)
        if (here := bits(inv >> (g * b.own) & full(b.own)))
    )


def _landed(targets: Mask, a: Automaton, place: int) -> tuple[int, ...]:
    return bits(targets & a.inv[place])


def written_invariants(c: Claim) -> bool:
    """What is written follows from what was shown."""
    return all(_within(there.inv, there.written) for p in c.pairs for there in (p.lower, p.upper))


def goal_invariants(c: Claim) -> bool:
    """What goals say follows from what was shown."""
    both = ((p.lower.inv, p.goal.concrete.inv) for p in c.pairs), ((p.upper.inv, p.goal.abstract.inv) for p in c.pairs)
    return all(_within(strong, weak) for pairs in both for strong, weak in pairs)


def _within(strong: Sequence[Mask], weak: Sequence[Mask]) -> bool:
    return all(x & ~y == 0 for x, y in zip(strong, weak, strict=True))


def uncut(c: Claim) -> bool:
    """Written invariants hold initially and after all steps, those of declared environments among them."""
    return all(map(_is_uncut, (a for side in sides(c) for a in side)))


def _is_uncut(a: Automaton) -> bool:
    return (
        a.init & ~a.inv[0] == 0
        and inductive(a)
        and all(
            widened(a.env[q][v // a.own], a.own) << v % a.own & ~inv == 0
            for q, inv in enumerate(a.inv)
            for v in bits(inv)
        )
    )


# Pairs (`sa.checker.composition`)


def simulations(c: Claim) -> bool:
    """Each pair's θ is a weak simulation of its goal."""
    return all(is_weak_simulation(p.goal) for p in c.pairs)


def noninterference(c: Claim) -> bool:
    """`noninterfere(ιi, ιj)` for all pairs, of the ι of their goals."""
    parts = [by_locals(p.goal) for p in c.pairs]
    return all(undisturbed(a, b) and undisturbed(b, a) for a, b in combinations(parts, 2))


def composition_covered(c: Claim) -> bool:
    """Every initial state of the concrete composition has one that the goals' κ all relate to it."""
    return covers(shown(c.pairs))


# The claim, and parts that were claimed in the same way (`sa.proofs.parallel_refinement`)


def _applications(c: Claim) -> Iterator[tuple[Sequence[Pair], Rows, Rows, Rows, Rows]]:
    """The pairs, κ and ι of the claim and of every part, and what the κ and ι say that these are made of."""
    yield c.pairs, c.kappa, c.iota, kappa_of_parts(c), iota_of_parts(c)
    for part, pairs in groups(c):
        said = shown(pairs)
        yield pairs, part.kappa, part.iota, said.kappa, said.iota


def kappa_that_of_parts(c: Claim) -> bool:
    """Of initial states κ relates those only that the parts' κ relate."""
    return all(_starts_within(*x[:2], x[3]) for x in _applications(c))


def _starts_within(pairs: Sequence[Pair], kappa: Rows, parts: Rows) -> bool:
    x1, x2 = explicit(composition(lower(pairs))), explicit(composition(upper(pairs)))
    return all(kappa[s] & ~parts[s] & x2.init == 0 for s in bits(x1.init))


def initially_covered(c: Claim) -> bool:
    """So does the claim's own κ, asked for where it is not certain to say no more than the goals' κ."""
    return _says_no_more(c, shown(c.pairs).kappa) or covers(among_others(c))


def initially_covered_by_parts(c: Claim) -> bool:
    """The same, not asked for where the claim's κ says no more than the parts' κ."""
    return _says_no_more(c, kappa_of_parts(c)) or covers(among_others(c))


def _says_no_more(c: Claim, kappa: Rows) -> bool:
    return all(part.size == 1 for part in c.parts) and _contained(kappa, c.kappa)


def _contained(these: Rows, those: Rows) -> bool:
    return all(x & ~y == 0 for x, y in zip(these, those, strict=True))


def iota_follows(c: Claim) -> bool:
    """The parts' ι imply that of the claim."""
    return all(_contained(parts, iota) for _, _, iota, _, parts in _applications(c))


def iota_implies(c: Claim) -> bool:
    """The claim's ι implies that of the parts."""
    return all(_contained(iota, parts) for _, _, iota, _, parts in _applications(c))


def environments_match(c: Claim) -> bool:
    """One step that every abstract thread's environment allows, wherever that is, follows each concrete one."""
    return _one_step_follows(c, and_)


def environments_of_some_location_match(c: Claim) -> bool:
    """The same for a step that each abstract thread's environment allows somewhere."""
    return _one_step_follows(c, or_)


def _one_step_follows(c: Claim, at_locations: Callable[[int, int], int]) -> bool:
    below = in_common([merged(p.goal.concrete, or_) for p in c.pairs])
    above = in_common([merged(p.goal.abstract, at_locations) for p in c.pairs])
    iota = iota_of_parts(c)
    own, there = owns(c.pairs)
    for v, row in enumerate(iota):
        for h in bits(below[v // own]):
            after = iota[h * own + v % own]
            if not all(widened(above[w // there], there) << w % there & after for w in bits(row)):
                return False
    return True


def goals_match(c: Claim) -> bool:
    """Each goal's environments match: `WS` for its θ."""
    return all(matches_environments(p.goal) for p in c.pairs)


# Conclusions


def whole_programs_refine(c: Claim) -> bool:
    """A weak simulation, initial coverage, and what both are for: runs have runs with the same visible actions."""
    r = of_whole_programs(c)
    return is_weak_simulation(r) and covers(r) and runs_matched(r)


def whole_programs_alive(c: Claim) -> bool:
    """κ relates starts, and in related states some thread makes a step."""
    r = of_whole_programs(c)
    component = explicit(r.concrete).component
    return started(r) and any(component[s] for s in bits(related_states(r)))


def threads_refine(c: Claim) -> bool:
    """A weak simulation, and initial coverage."""
    return is_weak_simulation(among_others(c)) and covers(among_others(c))


def declared_threads_refine(c: Claim) -> bool:
    """And environments that match."""
    return threads_refine(c) and matches_environments(among_others(c))


def threads_alive(c: Claim) -> bool:
    """The composition starts, in related states it makes a step, and its environment one that changes something."""
    return refinement_alive(among_others(c))


def declared_threads_alive(c: Claim) -> bool:
    """The same, and what is annotated is what is written: nothing is inferred."""
    written = all(said.inv == a.inv for p in c.pairs for a, said in _annotations(p))
    return written and threads_alive(c)


def _annotations(p: Pair) -> tuple[tuple[Automaton, Annotated], ...]:
    return (p.goal.concrete, p.lower), (p.goal.abstract, p.upper)


# Rules

#: What parts show, and what the claim says of them.
PARTS: dict[str, Condition] = {
    "reflexive environment": reflexive_environments,
    "compatible": compatible,
    "the parts' ι is that of the claim": iota_follows,
    "the claim's κ is that of the parts": kappa_that_of_parts,
    "non-interference": noninterference,
    "initial coverage of the composition": composition_covered,
    "initial coverage": initially_covered,
    "simulations": simulations,
}
INVARIANTS: dict[str, Condition] = {
    "initial invariant": initial_invariants,
    "inductive invariant": inductive_invariants,
    "invariant of the goal": goal_invariants,
}
OF_THE_PARTS = {"the claim's ι is that of the parts": iota_implies}
WHOLE = {"written invariant": written_invariants, **INVARIANTS, **PARTS}
OTHERS = {**OF_THE_PARTS, **INVARIANTS, **PARTS}
UNCUT = {"written invariants cut nothing": uncut}
DECLARED = {**UNCUT, **OF_THE_PARTS, **PARTS, "the environments match": environments_match}
#: Nobody is there to be compatible with.
BETWEEN = ("reflexive environment", "compatible", "non-interference", "initial coverage of the composition")
ALONE = {
    **UNCUT,
    **OF_THE_PARTS,
    **{name: check for name, check in PARTS.items() if name not in BETWEEN},
    "coverage": composition_covered,
    "matching of environments": goals_match,
}


def rule(name: str, count: int, kind: str, conditions: dict[str, Condition]) -> Rule[Claim]:
    """Theorem 4 for claims of a kind about so many threads."""
    whole, declared = kind == "whole", kind == "declared"
    conclusion = whole_programs_refine if whole else declared_threads_refine if declared else threads_refine
    return Rule(
        f"theorem 4 in scripts, {name}",
        lambda rng: sampled(rng, count, SMALL if count < 3 else TINY, kind),
        conditions,
        conclusion,
        whole_programs_alive if whole else declared_threads_alive if declared else threads_alive,
    )


WHOLE_TWO, WHOLE_THREE = (rule(f"whole programs, n = {n}", n, "whole", WHOLE) for n in (2, 3))
OTHERS_TWO, OTHERS_THREE = (rule(f"among others, n = {n}", n, "others", OTHERS) for n in (2, 3))
DECLARED_TWO, DECLARED_THREE = (rule(f"declared, n = {n}", n, "declared", DECLARED) for n in (2, 3))
ONE_PAIR = rule("one pair", 1, "declared", ALONE)
RULES = (WHOLE_TWO, WHOLE_THREE, OTHERS_TWO, OTHERS_THREE, DECLARED_TWO, DECLARED_THREE, ONE_PAIR)

OF_ITSELF = "θ was shown with just these invariants, and the claim is about the same automata"


def dropped(r: Rule[Claim], name: str) -> Variant[Claim]:
    """The rule without a condition. Samples of three threads that fail for their start alone are made more often."""
    kind = "whole" if r is WHOLE_THREE else "others"
    if name != "initial invariant" or r not in (WHOLE_THREE, OTHERS_THREE):
        return without(r, name)
    return without(replace(r, sample=lambda rng: sampled(rng, 3, TINY, kind, unstarted=True)), name)


VARIANTS: list[Variant[Claim]] = [
    *(dropped(r, name) for r in RULES for name in r.conditions if r is not ONE_PAIR or name not in UNCUT),
    *(without(ONE_PAIR, name, OF_ITSELF) for name in UNCUT),
    instead(WHOLE_TWO, "initial coverage", "coverage of what the parts say", initially_covered_by_parts),
    instead(DECLARED_TWO, "the environments match", "the threads' own environments match", goals_match),
    instead(
        DECLARED_TWO,
        "the environments match",
        "what some location's environment allows",
        environments_of_some_location_match,
    ),
]
