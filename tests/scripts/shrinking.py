"""The smallest counterexample: `python -m tests.scripts.shrinking` prints one for each rule that lacks something.

Greedy: locations, values, edges, moves and pairs are taken away as long as the counterexample remains one.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from tests.scripts.chain_claims import ChainClaim
from tests.scripts.chain_rules import Chain
from tests.scripts.claim_shrinking import claim_size, smaller_claims
from tests.scripts.claims import Claim, written_claim
from tests.scripts.cutting import (
    Cut,
    cost,
    cut_refinement,
    fewer,
    own_cuts,
    part,
    refinement_cost,
    replayed,
    simpler,
    smaller_refinements,
    swapped,
    value_cut,
    value_cuts,
    whole,
)
from tests.scripts.invariant_rules import Invariant, Invariants, Programs
from tests.scripts.parallel_rules import Parallel
from tests.scripts.preservation_rules import Preservation
from tests.scripts.rule import Rule, fuzz
from tests.scripts.rules import VARIANTS
from tests.scripts.script_rules import LongChain
from tests.scripts.step_rules import Located, Parts
from tests.scripts.step_shrinking import smaller_chain_claims, smaller_located, smaller_parts, step_size, written_step
from tests.scripts.writing import written, written_refinement, written_states, written_valuations


def smaller(instance: Any) -> Iterator[Any]:
    """Instances that are simpler in one respect."""
    match instance:
        case Invariant(a, lam, inductive):
            yield from (Invariant(b, lam, inductive) for b in simpler(a))
            yield from (Invariant(a, m, inductive) for m in fewer(lam))
            yield from (Invariant(a, lam, m) for m in fewer(inductive))
            cuts = [*own_cuts(a), *(value_cut(a, g) for g in range(a.shared) if a.shared > 1)]
            yield from (Invariant(c.automaton, part(lam, c.valuations), part(inductive, c.states)) for c in cuts)
        case Invariants(automata, lams):
            for i, a in enumerate(automata):
                yield from (Invariants(swapped(automata, i, b), lams) for b in simpler(a))
                for c in own_cuts(a):
                    cut_lams = swapped(lams, i, part(lams[i], c.valuations)) if lams else lams
                    yield Invariants(swapped(automata, i, c.automaton), cut_lams)
            yield from (Invariants(automata, swapped(lams, i, m)) for i, lam in enumerate(lams) for m in fewer(lam))
            for g in range(automata[0].shared) if automata[0].shared > 1 else ():
                parts = [value_cut(a, g) for a in automata]
                cut_lams = tuple(part(lam, c.valuations) for lam, c in zip(lams, parts, strict=True)) if lams else lams
                yield Invariants(tuple(c.automaton for c in parts), cut_lams)
        case Programs(automata, intervals):
            yield Programs(automata, False)
            yield from (Programs(i.automata, intervals) for i in smaller(Invariants(automata, ())))
            for i in range(len(automata)) if len(automata) > 2 else ():
                yield Programs(automata[:i] + automata[i + 1 :], intervals)
        case _:
            yield from _smaller_refining(instance)


def _smaller_refining(instance: Any) -> Iterator[Any]:
    match instance:
        case Claim():
            yield from smaller_claims(instance)
        case ChainClaim(links):
            yield from smaller_chain_claims(instance, _smaller_refining(links))
        case Located():
            yield from smaller_located(instance)
        case Parts(invariants):
            yield from smaller_parts(instance, smaller(invariants))
        case Preservation(r, lam1, lam2):
            yield from (Preservation(r, m, lam2) for m in fewer(lam1))
            yield from (Preservation(r, lam1, m) for m in fewer(lam2))
            for s in smaller_refinements(r):
                if (s.concrete.own, s.abstract.own) == (r.concrete.own, r.abstract.own):
                    yield Preservation(s, lam1, lam2)
            for one, two in value_cuts([r.concrete], [r.abstract]):
                cuts = one[0], two[0]
                yield Preservation(
                    cut_refinement(r, *cuts), part(lam1, cuts[0].valuations), part(lam2, cuts[1].valuations)
                )
        case Chain(first, second):
            yield from (Chain(r, second) for r in smaller_refinements(first) if r.abstract == first.abstract)
            yield from (Chain(first, r) for r in smaller_refinements(second) if r.concrete == second.concrete)
            for b in simpler(first.abstract):
                for r in replayed(replace(first, abstract=b)):
                    yield from (Chain(r, s) for s in replayed(replace(second, concrete=b)))
            for c in own_cuts(first.abstract):
                yield _cut_chain(instance, whole(first.concrete), c, whole(second.abstract))
            for g in range(min(a.shared for a in (first.concrete, first.abstract, second.abstract))):
                if first.abstract.shared > 1:
                    yield _cut_chain(
                        instance, *(value_cut(a, g) for a in (first.concrete, first.abstract, second.abstract))
                    )
        case Parallel(parts):
            for i, r in enumerate(parts):
                yield from (Parallel(swapped(parts, i, s)) for s in smaller_refinements(r))
            for one, two in value_cuts([r.concrete for r in parts], [r.abstract for r in parts]):
                yield Parallel(tuple(map(cut_refinement, parts, one, two)))


def _cut_chain(c: Chain, one: Cut, two: Cut, three: Cut) -> Chain:
    return Chain(cut_refinement(c.first, one, two), cut_refinement(c.second, two, three))


def size(instance: Any) -> int:
    """How much there is to read of an instance."""
    match instance:
        case Claim():
            return claim_size(instance)
        case ChainClaim() | Located() | Parts():
            return step_size(instance)
        case Invariant(a, lam, inductive):
            return cost(a) + lam.bit_count() + inductive.bit_count()
        case Invariants(automata, lams):
            return sum(map(cost, automata)) + sum(lam.bit_count() for lam in lams)
        case Programs(automata, intervals):
            return sum(map(cost, automata)) + intervals
        case Preservation(r, lam1, lam2):
            return cost(r.concrete) + cost(r.abstract) + refinement_cost(r) + lam1.bit_count() + lam2.bit_count()
        case Chain(first, second):
            sides = cost(first.concrete) + cost(first.abstract) + cost(second.abstract)
            return sides + refinement_cost(first) + refinement_cost(second)
        case Parallel(parts) | LongChain(parts):
            return sum(cost(r.concrete) + cost(r.abstract) + refinement_cost(r) for r in parts)
        case _:
            raise TypeError(instance)


def shrunk(instance: Any, bad: Callable[[Any], bool]) -> Any:
    """A counterexample from which nothing can be taken away."""
    found = True
    while found:
        found = False
        now = size(instance)
        for other in smaller(instance):
            if size(other) < now and bad(other):
                instance, found = other, True
                break
    return instance


def smallest(rule: Rule[Any], attempts: int, samples: int) -> Any | None:
    """The smallest of some counterexamples after shrinking each; None where none was found."""
    found = fuzz(rule, samples, samples, enough=attempts).counterexamples
    return min((shrunk(instance, rule.refuted_by) for instance in found), key=size, default=None)


def literal(instance: Any) -> str:
    """The Python text of an instance."""
    match instance:
        case Claim():
            return written_claim(instance)
        case ChainClaim() | Located() | Parts():
            return written_step(instance)
        case Invariant(a, lam, inductive):
            return _call("invariant", written(a), written_valuations(lam, a.own), written_states(inductive, a))
        case Invariants(automata, lams):
            sets = [written_valuations(lam, a.own) for lam, a in zip(lams, automata, strict=False)]
            return _call("invariants", [written(a) for a in automata], sets)
        case Programs(automata, intervals):
            return _call("programs", [written(a) for a in automata], intervals)
        case Preservation(r, lam1, lam2):
            sets = [written_valuations(lam1, r.concrete.own), written_valuations(lam2, r.abstract.own)]
            return f"preservation({written_refinement(r)}, {sets[0]!r}, {sets[1]!r})"
        case Chain(first, second):
            return f"Chain({written_refinement(first)}, {written_refinement(second)})"
        case Parallel(parts):
            return f"Parallel(({', '.join(map(written_refinement, parts))}))"
        case LongChain(links):
            return f"LongChain(({', '.join(map(written_refinement, links))}))"
        case _:
            raise TypeError(instance)


def _call(name: str, *given: object) -> str:
    return f"{name}({', '.join(map(repr, given))})"


def main() -> None:
    """Prints an entry for each variant of a rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rule", default="", help="only rules whose name begins so")
    parser.add_argument("--attempts", type=int, default=12)
    given = parser.parse_args()
    for v in VARIANTS:
        if v.rule.name.startswith(given.rule) and not v.redundant:
            found = smallest(v.rule, given.attempts, 60_000)
            print(f"({v.rule.name!r}, {v.name!r}): {literal(found) if found else None},", flush=True)


if __name__ == "__main__":
    main()
