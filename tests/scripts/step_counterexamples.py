"""What is wrong with chains, Theorem 5 and Theorem 1 in scripts when something is missing: the smallest case of each.

Found and shrunk by `tests.scripts.shrinking`, chains made smaller by hand; the notation is that of
`tests.scripts.writing` and `tests.scripts.step_shrinking`.
"""

from __future__ import annotations

from typing import Any

from tests.scripts.step_shrinking import chain_claim, located, parts
from tests.scripts.writing import refinement

#: One state, and one with a step; two values that nobody changes.
POINT = refinement("1x1; init 0", "1x1; init 0")
LOOP = refinement("1x1; init 0; 0 t 0: 0>0", "1x1; init 0")
STAYS = refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1")
STILL = refinement("1x2; init 1", "1x2; init 1")
#: Equal values; the environment may move on both sides.
MOVES = refinement("1x2; init 0; env 0>1; 0 t 0: 0>0", "1x2; init 0; env 0>1")
FOLLOWS = refinement("1x2; init 0; env 0>1", "1x2; init 0; env 0>1")
#: Of two starts one has a partner: what the links say, and not the claim.
ONE_START = refinement("1x2; init 0 1; env 0>1; 0 t 0: 1>1", "1x2; init 0; env 0>1")
#: θ knows the abstract start with local value 0 only, which is all that κ relates.
CHOSEN = refinement("1x1; init 0", "1x1x2; init 0.0 0.1", kappa="0~0.0", theta="0:0~0:0.0")
CHOSEN_AMONG_OTHERS = refinement(
    "1x2; init 0; env 0>1", "1x2x2; init 0.0 0.1; env 0>1", kappa="0~0.0", theta="0:0~0:0.0 0:1~0:1.0"
)

_1, _1_WHOLE = "theorem 1 in scripts", "theorem 1 in scripts, whole programs"
_2, _3 = "theorem 2 in scripts", "theorem 3 in scripts"
_5, _5_STRONG, _5_WHOLE = (f"theorem 5 in scripts{kind}" for kind in ("", ", strong", ", whole programs"))
IMPLIED = "without the abstract invariant and θ imply the concrete one"

#: By rule and by what it lacks.
CASES: dict[tuple[str, str], Any] = {
    # The first sets 1, which the environment of the second never does, and λ2 excludes.
    (_1, "without compatible"): parts(
        ["2x3; init 0; env 1: 1>0; 0 t 1: 0>1", "1x3; init 0; env 1>0"], ["0 1", "0"], ["strong", "weak"]
    ),
    # λ1 and λ2 are nothing.
    (_1, "without local invariants"): parts(
        ["1x3; init 1; env 1>0; 0 t 0: 1>0", "1x3; init 1; env 1>0"], ["", ""], ["weak", "weak"]
    ),
    # The second sets 0, which λ1 excludes.
    (_1, "without non-interference"): parts(
        ["1x3; init 1; env 0>2 1>0", "2x3; init 1; env 1: 0>2; 0 t 1: 1>0"], ["1", "0 1"], ["weak", "weak"]
    ),
    # The claim is nothing.
    (_1, "without the parts imply the claim"): parts(
        ["1x3; init 2; env 2>1", "1x3; init 2; env 2>1; 0 t 0: 2>1"], ["1 2", "1 2"], ["weak", "strong"], claim=""
    ),
    # The environment moves to 0, which the claim allows and the parts do not; there the first steps to 2.
    (_1, "without an environment that keeps the claim keeps the parts"): parts(
        ["2x4; init 3; env 0: 3>0; 0 t 1: 0>2", "1x4; init 3; env 0>2 3>0"],
        ["1 3", "1 3"],
        ["weak", "weak"],
        claim="0 1 3",
    ),
    # The second sets 2, which the environment of the first never does, and λ1 excludes.
    (_1_WHOLE, "without compatible"): parts(
        ["1x3; init 0", "2x3; init 0; 0 t 1: 0>2"], ["0", "0 2"], ["weak", "strong"]
    ),
    # λ1 and λ2 are nothing.
    (_1_WHOLE, "without local invariants"): parts(
        ["1x1; init 0", "1x1x2; init 0.0; 0 t 0: 0.0>0.1"], ["", ""], ["weak", "weak"]
    ),
    # The first sets 2, which λ2 excludes; only after a step of the second.
    (_1_WHOLE, "without non-interference"): parts(
        ["2x4; init 0; env 0>1; 0 t 1: 1>2", "1x4; init 0; env 1>2; 0 t 0: 0>1"],
        ["0 1 2", "0 1"],
        ["strong", "weak"],
    ),
    # The claim is nothing.
    (_1_WHOLE, "without the parts imply the claim"): parts(
        ["1x3; init 0; env 0>1", "2x3; init 0; 0 t 1: 0>1"], ["0 1", "0 1"], ["strong", "strong"], claim=""
    ),
    # A1's environment moves to 0, which ι relates to 1 by way of 0, but θ2 does not know 0.
    (_2, "without first closed"): chain_claim(
        STAYS, refinement("1x2; init 1", "1x2; init 1", iota="0~1 1~1", theta="0:1~0:1")
    ),
    # A3's environment moves to 1, which ι relates to 0 by way of 1, but θ2 does not know 1.
    (_2, "without third closed"): chain_claim(
        refinement("1x2; init 0; 0 t 0: 0>0", "1x2; init 0", iota="0~0 0~1 1~1"),
        refinement("1x2; init 0", "1x2; init 0; env 0>1", theta="0:0~0:0"),
    ),
    # A1 steps to a location that θ1 does not know.
    (_2, "without first simulation"): chain_claim(
        refinement("2x1; init 0; 0 t 1: 0>0", "1x1; init 0", theta="0:0~0:0"), POINT
    ),
    # θ2 relates what ι2 does not.
    (_2, "without second simulation"): chain_claim(
        refinement("1x2; init 1; 0 t 0: 1>1", "1x2; init 1"),
        refinement("1x2; init 1", "1x2; init 1", theta="0:0~0:1 0:1~0:1"),
    ),
    # The claim is about another start of A3 than κ2.
    (_2, "without a middle initial state"): chain_claim(LOOP, CHOSEN, kappa="0~0.1"),
    # The claim's ι is nothing.
    (_2, "without ι of the chain"): chain_claim(LOOP, POINT, iota=""),
    # The claim relates nothing to the start with local value 0.
    (_2, "without initial coverage"): chain_claim(
        refinement("1x1x2; init 0.0 0.1; 0 t 0: 0.1>0.1", "1x1; init 0"), POINT, kappa="0.1~0"
    ),
    # A1 steps to what θ1 does not know.
    (_3, "without first simulation"): chain_claim(
        refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1", theta="0:1~0:1"), STILL
    ),
    # θ2 relates what ι2 does not.
    (_3, "without second simulation"): chain_claim(
        STAYS, refinement("1x2; init 1", "1x2; init 1", theta="0:0~0:1 0:1~0:1")
    ),
    # The claim is about another start of A3 than κ2.
    (_3, "without a middle initial state"): chain_claim(MOVES, CHOSEN_AMONG_OTHERS, kappa="0~0.1"),
    # The claim's ι is nothing.
    (_3, "without ι of the chain"): chain_claim(MOVES, FOLLOWS, iota=""),
    # The start 1 of A1 has no partner.
    (_3, "without initial coverage"): chain_claim(ONE_START, FOLLOWS),
    # The claim relates 1 to 0, and to that the environment of A1 moves; A2 cannot follow.
    (_3, "without an environment step in the middle"): chain_claim(
        refinement("2x2; init 0; env 0: 0>1; 0 t 1: 1>1", "1x2; init 0"),
        refinement("1x2; init 0", "1x2; init 0"),
        iota="0~0 1~0 1~1",
    ),
    # A1's environment moves, those of A2 and A3 cannot.
    (_3, "environments of links that do not match"): chain_claim(STAYS, STILL),
    # The abstract side has no step to answer with, where the environment has moved to 2.
    (_5, "without simulation"): located(
        refinement("1x3x2; init 0.0; env 0>2; 0 t 0: 2.0>1.1", "1x3; init 0; env 0>2", theta="0:0.0~0:0 0:2.0~0:2"),
        "0:0.0 0:2.0",
        "0:0 0:2",
    ),
    # The concrete side may start with local value 0 as well, which is not in λ1.
    (_5, "without coverage"): located(
        refinement(
            "2x2x2; init 1.0 1.1; env 1: 0>1 1>0; 0 t 1: 1.1>1.1",
            "1x2; init 1",
            kappa="0.0~0 0.1~0 1.1~1",
            iota="0.1~0 1.1~1",
        ),
        "0:1.1 1:1.1",
        "0:1",
    ),
    # λ1 is nothing.
    (_5, IMPLIED): located(refinement("2x2; init 1; env 1: 1>0; 0 t 1: 1>1", "1x2; init 1"), "", "0:1"),
    # λ2 is nothing, so λ1 may be.
    (_5, "without abstract invariant"): located(refinement("1x2; init 0; env 0>1; 0 t 0: 1>1", "1x2; init 0"), "", ""),
    # At location 1 the environment moves to 1 within λ1, the abstract one cannot; from there a step violates λ1.
    (_5, "without the environment is followed"): located(
        refinement("2x2; init 0; env 1: 0>1; 0 t 1: 0>0; 1 t 0: 1>1", "1x2; init 0"), "0:0 1:0 1:1", "0:0"
    ),
    # The abstract side has no step to answer with, where the environment has moved to 0.
    (_5_STRONG, "without simulation"): located(
        refinement("1x3; init 1; env 1>0; 0 t 0: 0>2", "1x3; init 1; env 1>0", theta="0:0~0:0 0:1~0:1"),
        "0:0 0:1",
        "0:0 0:1",
    ),
    # The concrete side may start with local value 1 as well, which is not in λ1.
    (_5_STRONG, "without coverage"): located(
        refinement(
            "2x2x2; init 0.0 0.1; env 0: 0>1; 0 b 1: 0.0>1.0",
            "2x2; init 0; env 0: 0>1; 0 b 1: 0>1",
            kappa="0.0~0 1.1~1",
            theta="0:0.0~0:0 0:1.0~0:1 1:1.0~1:1",
        ),
        "0:0.0 0:1.0 1:1.0",
        "0:0 0:1 1:1",
    ),
    # λ1 is nothing.
    (_5_STRONG, IMPLIED): located(
        refinement("1x2; init 0; env 0>1; 0 a 0: 0>1", "1x3; init 0; env 0>1; 0 a 0: 0>1"), "", "0:0 0:1"
    ),
    # λ2 is nothing, so λ1 may be.
    (_5_STRONG, "without abstract invariant"): located(
        refinement("1x2; init 0; env 0>1; 0 t 0: 0>0", "1x2; init 0; env 0>1"), "", ""
    ),
    # The environment moves to 1, which λ1 excludes; the abstract one cannot.
    (_5_STRONG, "without the environment is followed"): located(
        refinement("1x2; init 0; env 0>1; 0 t 0: 0>0", "1x2; init 0"), "0:0", "0:0"
    ),
    # The environment moves to 1, which λ1 excludes.
    (_5_WHOLE, "without closed"): located(refinement("1x2; init 0; env 0>1; 0 t 0: 1>1", "1x2; init 0"), "0:0", "0:0"),
    # κ relates the starts, θ nothing.
    (_5_WHOLE, "without simulation"): located(
        refinement("1x2; init 1; 0 t 0: 1>0", "1x2; init 1", theta="0:1~0:1"), "0:1", "0:1"
    ),
    # The concrete side may start in 1.0 as well, which is not in λ1.
    (_5_WHOLE, "without coverage"): located(
        refinement("1x2x2; init 0.1 1.0; 0 t 0: 0.1>0.1", "1x2; init 0", iota="0.1~0 1.1~1"), "0:0.1", "0:0"
    ),
    # λ1 is nothing, after the first step.
    (_5_WHOLE, IMPLIED): located(refinement("2x2; init 1; 0 t 1: 1>0", "2x2; init 1; 0 t 1: 1>0"), "", "0:1 1:0"),
    # λ2 is nothing, so λ1 may be.
    (_5_WHOLE, "without abstract invariant"): located(
        refinement("1x2; init 1; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"), "", ""
    ),
}
