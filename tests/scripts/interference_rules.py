"""Theorem 1 as scripts apply it: only steps that the other thread's environment allows can interfere.

Threads are compatible, so the steps of one are among the environment steps of every other.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from msgspec.structs import replace

from tests.scripts.finite import Automaton, Mask, bits, explicit, shared_part
from tests.scripts.invariant_counterexamples import CASES as OF_INVARIANTS
from tests.scripts.invariant_rules import THEOREM_1, THEOREM_1_THREE, Invariants
from tests.scripts.rule import Rule, Variant, without

OF_ALLOWED = ", of allowed steps"


def undisturbed(actor: Mask, own: int, other: Automaton, lam: Mask) -> bool:
    """`λi ∧ λj ∧ λi' ∧ Envj ⇒ λj'`, at every location of j."""
    every, x = shared_part(actor, own), explicit(other)
    for state in bits(x.inv):
        here = state % other.valuations
        if lam >> here & 1 and every >> here // other.own & 1:
            for target in bits(x.env[state]):
                there = target % other.valuations
                if every >> there // other.own & 1 and not lam >> there & 1:
                    return False
    return True


def noninterference(i: Invariants) -> bool:
    """For all pairs."""
    parts = list(zip(i.automata, i.lams, strict=True))
    return all(undisturbed(p, a.own, b, q) for (a, p), (b, q) in permutations(parts, 2))


def _allowed(rule: Rule[Invariants]) -> Rule[Invariants]:
    conditions = {**rule.conditions, "noninterference": noninterference}
    return replace(rule, name=rule.name + OF_ALLOWED, conditions=conditions)


ALLOWED, ALLOWED_THREE = _allowed(THEOREM_1), _allowed(THEOREM_1_THREE)

VARIANTS: list[Variant[Invariants]] = [
    *(without(ALLOWED, name) for name in ALLOWED.conditions),
    *(without(ALLOWED_THREE, name) for name in ALLOWED_THREE.conditions),
]

#: What refutes a rule that lacks a condition refutes one that asks for less besides.
CASES: dict[tuple[str, str], Any] = {
    (v.rule.name, v.name): OF_INVARIANTS[v.rule.name.removesuffix(OF_ALLOWED), v.name] for v in VARIANTS
}
