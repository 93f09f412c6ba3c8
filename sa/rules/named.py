"""The rules by the names that scripts have for them."""

from __future__ import annotations

from collections.abc import Sequence

from sa.automata.proof import Claim, Preserves, Refines
from sa.certificates.argument import Way
from sa.rules import invariances, refinements
from sa.rules.annotated_programs import Stage
from sa.rules.application import Applied, Unfit
from sa.rules.facts import Fact


def rule_of(stage: Stage, claim: Claim, way: Way, cited: Sequence[Fact]) -> Applied:
    """What follows from cited facts by a rule. Raises Unfit and NoQuestion."""
    match claim, way:
        case Refines(), Way.PARALLEL:
            return refinements.parallel(stage, claim, cited)
        case Refines(), Way.CHAIN:
            return refinements.chain(stage, claim, cited)
        case Refines(), Way.PRESERVATION:
            raise Unfit("preservation is about invariants, and this claims a refinement")
        case Preserves(), Way.PARALLEL:
            return invariances.parallel(stage, claim, cited)
        case Preserves(), Way.PRESERVATION:
            return invariances.preserved(stage, claim, cited)
        case Preserves(), Way.CHAIN:
            raise Unfit("chains are of refinements, and this claims an invariant")
    raise Unfit("this is no rule about other steps")
