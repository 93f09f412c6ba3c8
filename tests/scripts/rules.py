"""All rules, and all variants of them that lack something."""

from __future__ import annotations

from typing import Any

from tests.scripts import (
    chain_claims,
    chain_rules,
    claim_rules,
    interference_rules,
    invariant_rules,
    parallel_rules,
    preservation_rules,
    script_rules,
    step_rules,
)
from tests.scripts.rule import Rule, Variant

RULES: tuple[Rule[Any], ...] = (
    invariant_rules.STRONG,
    invariant_rules.WEAK,
    script_rules.LESS_SAID,
    invariant_rules.THEOREM_1,
    invariant_rules.THEOREM_1_THREE,
    interference_rules.ALLOWED,
    interference_rules.ALLOWED_THREE,
    script_rules.THEOREM_1_STRONG,
    invariant_rules.COMPOSITION,
    preservation_rules.LEMMA_1,
    chain_rules.THEOREM_2,
    chain_rules.THEOREM_3,
    chain_rules.THEOREM_3_SEQUENCES,
    script_rules.THEOREM_3_LONG,
    parallel_rules.THEOREM_4,
    parallel_rules.THEOREM_4_THREE,
    parallel_rules.THEOREM_4_WEAKENED,
    parallel_rules.THEOREM_4_RUNS,
    *claim_rules.RULES,
    preservation_rules.THEOREM_5,
    script_rules.THEOREM_5_CLOSED,
    preservation_rules.STRONG_PRESERVATION,
    invariant_rules.THEOREM_6,
    *chain_claims.RULES,
    *step_rules.RULES,
)

VARIANTS: tuple[Variant[Any], ...] = (
    *invariant_rules.VARIANTS,
    *interference_rules.VARIANTS,
    *chain_rules.VARIANTS,
    *preservation_rules.VARIANTS,
    *parallel_rules.VARIANTS,
    *claim_rules.VARIANTS,
    *script_rules.VARIANTS,
    *chain_claims.VARIANTS,
    *step_rules.VARIANTS,
)
