"""All rules, and all variants of them that lack something."""

from __future__ import annotations

from typing import Any

from tests.proofs import invariant_rules, parallel_rules, refinement_rules
from tests.proofs.rule import Rule, Variant

RULES: tuple[Rule[Any], ...] = (
    invariant_rules.STRONG,
    invariant_rules.WEAK,
    invariant_rules.THEOREM_1,
    invariant_rules.THEOREM_1_THREE,
    invariant_rules.COMPOSITION,
    refinement_rules.LEMMA_1,
    refinement_rules.THEOREM_2,
    refinement_rules.THEOREM_3,
    refinement_rules.THEOREM_3_SEQUENCES,
    parallel_rules.THEOREM_4,
    parallel_rules.THEOREM_4_THREE,
    parallel_rules.THEOREM_4_WEAKENED,
    parallel_rules.THEOREM_4_RUNS,
    refinement_rules.THEOREM_5,
    refinement_rules.STRONG_PRESERVATION,
    invariant_rules.THEOREM_6,
)

VARIANTS: tuple[Variant[Any], ...] = (
    *invariant_rules.VARIANTS,
    *refinement_rules.VARIANTS,
    *parallel_rules.VARIANTS,
)
