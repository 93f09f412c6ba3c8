"""Every proof rule against enumeration: no counterexample to it, and one as soon as it lacks a condition.

`results.md` has the figures of the long run (20,000 instances of each rule) and says how to repeat it.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.scripts.rule import Rule, Variant, fuzz
from tests.scripts.rules import RULES, VARIANTS
from tests.scripts.shrinking import literal
from tests.scripts.test_counterexamples import WRONG, named

#: How many instances are looked at, and the samples of which seed they come from.
QUICK, LONG = (150, 0), (1_000, 1)
SIZES = pytest.mark.parametrize(("instances", "seed"), [QUICK, pytest.param(*LONG, marks=pytest.mark.fuzz)])
SOUND = [*RULES, *(v.rule for v in VARIANTS if v.redundant)]
#: Claims of scripts are made of more: of them so many times fewer instances are looked at in the quick tests.
OF_SCRIPTS, SHARE = "in scripts", 6
#: Nearly all rules need fewer than 10 samples for an instance.
PATIENCE = 40


@SIZES
@pytest.mark.parametrize("rule", SOUND, ids=[r.name for r in RULES] + [named(v) for v in VARIANTS if v.redundant])
def test_a_rule_has_no_counterexample(rule: Rule[Any], instances: int, seed: int) -> None:
    instances = instances // SHARE if OF_SCRIPTS in rule.name and (instances, seed) == QUICK else instances
    tally = fuzz(rule, instances, PATIENCE * instances, seed)
    assert not tally.counterexamples, literal(tally.counterexamples[0])
    assert tally.instances == instances, "too few instances in which the conditions hold"


@pytest.mark.fuzz
@pytest.mark.parametrize("variant", WRONG, ids=named)
def test_the_fuzzer_refutes_a_rule_that_lacks_something(variant: Variant[Any]) -> None:
    assert fuzz(variant.rule, 60_000, 60_000, enough=1).counterexamples
