"""Rules that lack a condition, or are as printed, are wrong: the smallest counterexample of each, as a literal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scripts.claim_counterexamples import CASES as OF_CLAIMS
from tests.scripts.finite import is_weak_invariant
from tests.scripts.interference_rules import CASES as OF_INTERFERENCE
from tests.scripts.invariant_counterexamples import CASES as OF_INVARIANTS
from tests.scripts.parallel_counterexamples import CASES as OF_COMPOSITIONS
from tests.scripts.preservation_rules import THEOREM_5, environments_matched, matched_at_the_end, matched_within_lambda
from tests.scripts.refinement_counterexamples import CASES as OF_REFINEMENTS
from tests.scripts.refinement_counterexamples import preservation
from tests.scripts.rule import Variant
from tests.scripts.rules import RULES, VARIANTS
from tests.scripts.script_counterexamples import CASES as OF_SCRIPTS
from tests.scripts.shrinking import literal
from tests.scripts.step_counterexamples import CASES as OF_STEPS
from tests.scripts.writing import refinement

OF_RULES = {**OF_INVARIANTS, **OF_INTERFERENCE, **OF_REFINEMENTS, **OF_COMPOSITIONS, **OF_SCRIPTS}
CASES = {**OF_RULES, **OF_CLAIMS, **OF_STEPS}
WRONG = [v for v in VARIANTS if not v.redundant]


def named(variant: Variant[Any]) -> str:
    """How a test names a variant."""
    return f"{variant.rule.name} {variant.name}".replace(" ", "-")


@pytest.mark.parametrize("variant", WRONG, ids=named)
def test_a_rule_that_lacks_something_has_a_counterexample(variant: Variant[Any]) -> None:
    """It satisfies what is left of the conditions, says something, and fails the conclusion; the rule excludes it."""
    case = CASES[variant.rule.name, variant.name]
    (rule,) = (r for r in RULES if r.name == variant.rule.name)
    assert variant.rule.refuted_by(case), literal(case)
    assert not rule.refuted_by(case)


def test_every_wrong_rule_has_its_counterexample_and_no_other_has() -> None:
    assert CASES.keys() == {(v.rule.name, v.name) for v in WRONG}


#: THEORY section 6: λ2 is a weak invariant because the environment may not leave it, λ1 is not one.
THEOREM_5_AS_PRINTED = preservation(
    refinement("1x3; init 2; env 2>1; 0 t 0: 1>0", "1x3; init 2; env 2>1; 0 t 0: 1>0"), "1 2", "2"
)
#: THEORY section 6: the abstract environment takes a way outside λ2 that no run that counts takes.
THEOREM_5_END_ONLY = preservation(
    refinement("1x3; init 2; env 2>1; 0 t 0: 1>0", "1x3; init 2; env 2>0 0>1; 0 t 0: 1>0"), "1 2", "1 2"
)


def test_theorem_5_as_printed_carries_over_what_does_not_hold() -> None:
    printed = {**THEOREM_5.conditions, "environment paths": environments_matched}
    assert all(check(THEOREM_5_AS_PRINTED) for check in printed.values())
    assert not is_weak_invariant(THEOREM_5_AS_PRINTED.refinement.concrete, THEOREM_5_AS_PRINTED.lam1)
    assert not matched_within_lambda(THEOREM_5_AS_PRINTED)


def test_theorem_5_needs_lambda_2_on_the_whole_environment_path() -> None:
    at_the_end = {**THEOREM_5.conditions, "environment paths": matched_at_the_end}
    assert all(check(THEOREM_5_END_ONLY) for check in at_the_end.values())
    assert not is_weak_invariant(THEOREM_5_END_ONLY.refinement.concrete, THEOREM_5_END_ONLY.lam1)
    assert not matched_within_lambda(THEOREM_5_END_ONLY)
