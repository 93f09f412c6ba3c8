"""What is wrong with what scripts conclude when something is missing: the smallest case of each.

Found and shrunk by `tests.scripts.shrinking`, the chains made longer by hand; the notation is that of
`tests.scripts.writing`.
"""

from __future__ import annotations

from typing import Any

from tests.scripts.invariant_counterexamples import invariant, invariants
from tests.scripts.refinement_counterexamples import preservation
from tests.scripts.script_rules import LongChain
from tests.scripts.writing import refinement

#: By rule and by what it lacks.
CASES: dict[tuple[str, str], Any] = {
    # Nothing is an invariant from the start.
    ("weak invariant, less said", "without invariant"): invariant("1x2; init 1; env 1>0; 0 t 0: 1>0", "", ""),
    # λ is nothing.
    ("weak invariant, less said", "without implication"): invariant("1x2; init 1; env 1>0; 0 t 0: 1>1", "", "0:1"),
    # The environment moves from 2 to 1, which keeps λ and not the invariant; there a step violates λ.
    ("weak invariant, less said", "without environment"): invariant("1x3; init 2; env 2>1; 0 t 0: 1>0", "1 2", "0:2"),
    # The first sets 1, which the second's environment never does, and λ2 excludes.
    ("theorem 1, strong", "without compatibility"): invariants(
        ["1x2x2; init 0.1; env 1>0; 0 t 0: 0.1>1.1", "1x2; init 0; env 1>0"], ["0.1 1.1", "0"]
    ),
    # λ1 is false from the start.
    ("theorem 1, strong", "without local invariant 1"): invariants(
        ["1x3; init 0; env 0>2", "1x3; init 0; env 0>2; 0 t 0: 2>2"], ["", "0 2"]
    ),
    # λ2 is false from the start.
    ("theorem 1, strong", "without local invariant 2"): invariants(
        ["1x3; init 1; env 2>1; 0 t 0: 1>2", "1x3; init 1; env 1>2 2>1"], ["1 2", ""]
    ),
    # A1 steps to what θ1 does not know.
    ("theorem 3, three links", "without simulation 1"): LongChain(
        (
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1", theta="0:1~0:1"),
            refinement("1x2; init 1", "1x2; init 1"),
            refinement("1x2; init 1", "1x2; init 1"),
        )
    ),
    # κ2 relates initial states that ι2 does not.
    ("theorem 3, three links", "without simulation 2"): LongChain(
        (
            refinement("1x2; init 0; env 0>1; 0 t 0: 1>0", "1x2; init 0", iota="0~0 0~1 1~1"),
            refinement("1x2; init 0", "1x2; init 0", iota="1~1"),
            refinement("1x2; init 0", "1x2; init 0"),
        )
    ),
    # κ3 relates initial states that ι3 does not.
    ("theorem 3, three links", "without simulation 3"): LongChain(
        (
            refinement("1x2; init 0; env 0>1; 0 t 0: 1>0", "1x2; init 0", iota="0~0 0~1 1~1"),
            refinement("1x2; init 0", "1x2; init 0"),
            refinement("1x2; init 0", "1x2; init 0", iota="1~1"),
        )
    ),
    # The environments at both ends move to 0, those in the middle cannot; θ3 does not know 0.
    ("theorem 3, three links", "without middle steps"): LongChain(
        (
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1"),
            refinement("1x2; init 1", "1x2; init 1"),
            refinement("1x2; init 1", "1x2; init 1; env 1>0", theta="0:1~0:1"),
        )
    ),
    # The environment moves to 1, which λ1 excludes.
    ("theorem 5, whole programs", "without closed"): preservation(
        refinement("1x2; init 0; env 0>1; 0 t 0: 1>1", "1x2; init 0"), "0", "0"
    ),
    # The abstract side has no step to answer with; θ is all of ι.
    ("theorem 5, whole programs", "without simulation"): preservation(
        refinement("1x2; init 1; 0 t 0: 1>0", "1x2; init 1", theta="ι"), "1", "1"
    ),
    # The concrete side may start in 1 as well, which is not in λ1.
    ("theorem 5, whole programs", "without coverage"): preservation(
        refinement("1x2; init 0 1; 0 t 0: 1>1", "1x2; init 0"), "0", "0"
    ),
    # λ1 is nothing.
    ("theorem 5, whole programs", "without implication"): preservation(
        refinement("1x1; init 0; 0 t 0: 0>0", "1x2; init 0"), "", "0"
    ),
    # λ2 is nothing, so λ1 may be.
    ("theorem 5, whole programs", "without abstract invariant"): preservation(
        refinement("1x1; init 0; 0 t 0: 0>0", "1x1; init 0"), "", ""
    ),
}
