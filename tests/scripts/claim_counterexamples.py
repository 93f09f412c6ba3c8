"""What is wrong with Theorem 4 in scripts when something is missing: the smallest case of each.

Found and shrunk by `tests.scripts.shrinking`, some made simpler by hand; the notation is that of
`tests.scripts.writing` and `tests.scripts.claims`. The cases of three threads are those of two with one that
does nothing.
"""

from __future__ import annotations

from typing import Any

from tests.scripts.claims import claim, pair, with_idle_pair
from tests.scripts.writing import refinement

WHOLE, OTHERS, DECLARED = "whole programs, n = 2", "among others, n = 2", "declared, n = 2"
ONE = "one pair"

#: Nothing happens, but the environment may move from 0 to 1 on both sides.
STILL = refinement("1x2; init 0; env 0>1", "1x2; init 0; env 0>1")
#: The same with a step that does nothing.
STAYS = refinement("1x2; init 0; env 0>1; 0 t 0: 0>0", "1x2; init 0; env 0>1")
#: One state, and one with a step.
POINT = refinement("1x1; init 0", "1x1; init 0")
LOOP = refinement("1x1; init 0; 0 t 0: 0>0", "1x1; init 0")
#: θ knows the abstract start with local value 0 only, which is all that κ relates.
CHOSEN = refinement(
    "1x2; init 0; env 0>1",
    "1x1x2; init 0.0 0.1",
    kappa="0~0.0",
    iota="0~0.0 0~0.1 1~0.0 1~0.1",
    theta="0:0~0:0.0 0:1~0:0.0",
)
BESIDE_CHOSEN = refinement("1x2; init 0; env 0>1; 0 t 0: 0>0", "1x1; init 0", iota="0~0 1~0")
#: θ does not know 2, which the environment never sets and the other thread does.
UNEXPECTED = (
    refinement("1x3; init 0; env 0>1", "1x3; init 0; env 0>1", theta="0:0~0:0 0:1~0:1"),
    refinement("1x3; init 0; env 0>1; 0 t 0: 0>2", "1x3; init 0; env 0>1; 0 t 0: 0>2"),
)
#: Two starts, of which one has a partner; the parts say just that.
TWO_STARTS = refinement("1x2; init 0 1; env 0>1", "1x2; init 0 1; env 0>1")
TWO_STARTS_AND_A_STEP = refinement("1x2; init 0 1; env 0>1; 0 a 0: 0>1", "1x2; init 0 1; env 0>1; 0 a 0: 0>1")
#: The environment moves, the abstract one cannot.
UNMATCHED = refinement("1x2; init 1; env 1>0", "1x1; init 0", kappa="1~0", iota="1~0")
UNMATCHED_WITH_A_STEP = refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x1; init 0", kappa="1~0", iota="1~0")

OF_TWO: dict[tuple[str, str], Any] = {
    # What is written of the second abstract thread excludes 1, where its answer leads.
    (WHOLE, "without written invariant"): claim(
        [
            STILL,
            pair(refinement("1x2; init 0; 0 a 0: 0>1", "1x2; init 0; 0 a 0: 0>1"), written=({}, {0: "0"})),
        ]
    ),
    # The annotation of the second abstract thread excludes its start.
    (WHOLE, "without initial invariant"): claim(
        [POINT, pair(refinement("1x1; init 0; 0 t 0: 0>0", "1x1x2; init 0.1"), upper={0: "0.0"})]
    ),
    # The annotation of the first thread says that it never gets to location 1.
    (WHOLE, "without inductive invariant"): claim(
        [pair(refinement("2x1; init 0; 0 t 1: 0>0", "1x1; init 0"), lower={1: ""}), POINT]
    ),
    # The first goal says that the abstract side is never at 1, so θ1 knows nothing of that; the second sets 1.
    (WHOLE, "without invariant of the goal"): claim(
        [
            pair(refinement("1x2; init 0; env 0>1", "1x2; init 0; inv 0: 0; env 0>1"), upper={0: "0 1"}),
            refinement("1x2; init 0; 0 t 0: 0>1", "1x2; init 0; 0 t 0: 0>1"),
        ]
    ),
    # The first shows a and changes nothing, its answer does. To the second that is no step of its environment.
    (WHOLE, "without reflexive environment"): claim(
        [
            refinement("1x2; init 0; 0 a 0: 1>1", "1x2; init 0; 0 a 0: 0>0 1>0", iota="0~0 1~0 1~1"),
            refinement(
                "1x2; init 0; env only 0>0; 0 t 0: 0>0",
                "1x2; init 0; env 1>0",
                iota="0~0 1~0 1~1",
                theta="0:0~0:0 0:1~0:1",
            ),
        ]
    ),
    # The second sets 0, which the annotation of the first excludes.
    (WHOLE, "without compatible"): claim(
        [
            pair(refinement("1x2; init 1", "1x2; init 1"), lower={0: "1"}),
            refinement("1x2; init 1; 0 b 0: 1>0", "1x2; init 1; 0 b 0: 1>0"),
        ]
    ),
    # The claim's ι is nothing.
    (WHOLE, "without the parts' ι is that of the claim"): claim([POINT, LOOP], iota=""),
    # The claim is about another abstract start than the first part.
    (WHOLE, "without the claim's κ is that of the parts"): claim([CHOSEN, BESIDE_CHOSEN], kappa="0~0.1"),
    # The first sets 1, which ι2 excludes.
    (WHOLE, "without non-interference"): claim(
        [
            refinement("1x2; init 0; 0 t 0: 0>1", "1x1; init 0", iota="0~0 1~0"),
            refinement("1x2; init 0; env 0>1", "1x1; init 0"),
        ]
    ),
    # The goal's κ relates nothing to the start with local value 0, and the claim says the same.
    (WHOLE, "without initial coverage of the composition"): claim(
        [POINT, refinement("1x1x2; init 0.0 0.1; 0 t 0: 0.1>0.1", "1x1; init 0", kappa="0.1~0")]
    ),
    # The goals cover both starts, the first part relates one of them to nothing, and so does the claim.
    (WHOLE, "without initial coverage"): claim(
        [refinement("1x1x2; init 0.0 0.1", "1x1; init 0"), LOOP], parts=[(1, "0.0~0", None), (1, None, None)]
    ),
    # The second steps to 1, where the abstract side is not.
    (WHOLE, "without simulations"): claim(
        [
            refinement("1x2; init 0; env 0>1", "1x2; init 0"),
            refinement("2x2; init 0; 0 t 1: 0>1; 1 t 0: 1>1", "1x2; init 0"),
        ]
    ),
    # The claim says what the parts say, which is less than what the goals say.
    (WHOLE, "coverage of what the parts say"): claim(
        [refinement("1x1x2; init 0.0 0.1", "1x1; init 0"), LOOP], parts=[(1, "0.0~0", None), (1, None, None)]
    ),
    # The parts relate equal values, the claim any: so the environment of the claim may change one side only.
    (OTHERS, "without the claim's ι is that of the parts"): claim([STILL, STAYS], kappa="=", iota="0~0 0~1 1~0 1~1"),
    # The annotation of the first abstract thread excludes one of its starts.
    (OTHERS, "without initial invariant"): claim(
        [
            pair(refinement("1x2; init 0 1; env 1>0", "1x2; init 0 1"), upper={0: "1"}),
            refinement("2x2; init 0 1; env 1: 1>0; 0 t 1: 1>1", "1x2; init 0 1"),
        ]
    ),
    # The annotation of the second abstract thread says that its local value stays 1; its answer sets 0.
    (OTHERS, "without inductive invariant"): claim(
        [
            refinement("1x2; init 1; env 1>0", "1x1; init 0", kappa="1~0", iota="1~0"),
            pair(
                refinement(
                    "1x2; init 1; env 1>0; 0 a 0: 1>1",
                    "1x1x2; init 0.1; 0 a 0: 0.0>0.0 0.1>0.0",
                    kappa="1~0.1",
                    iota="1~0.0 1~0.1",
                ),
                upper={0: "0.1"},
            ),
        ]
    ),
    # The second goal says that location 1 is never reached with 0, so θ2 knows nothing of that.
    (OTHERS, "without invariant of the goal"): claim(
        [
            refinement("1x2; init 0; env 0>1", "1x1; init 0"),
            pair(refinement("2x2; init 0; inv 1: 1; env 0: 0>1; 0 t 1: 0>0", "1x1; init 0"), lower={1: "0 1"}),
        ]
    ),
    # The first shows a and changes nothing, its answer does. To the second at location 1 that is no environment step.
    (OTHERS, "without reflexive environment"): claim(
        [
            refinement("1x2; init 1; env 1>0; 0 a 0: 1>1", "1x2; init 1; 0 a 0: 0>0 1>0", iota="0~0 1~0 1~1"),
            refinement(
                "2x2; init 1; env 0: 1>0; env 1: only 0>0",
                "2x2; init 1; env 1>0",
                iota="0~0 1~0 1~1",
                theta="0:0~0:0 0:1~0:0 0:1~0:1 1:1~1:1",
            ),
        ]
    ),
    # The second sets 2, which the environment of the first never does.
    (OTHERS, "without compatible"): claim(UNEXPECTED),
    # The claim's ι is nothing.
    (OTHERS, "without the parts' ι is that of the claim"): claim([STILL, STAYS], iota=""),
    # The claim is about another abstract start than the first part.
    (OTHERS, "without the claim's κ is that of the parts"): claim([CHOSEN, BESIDE_CHOSEN], kappa="0~0.1"),
    # The first sets 0, which the second pair relates with local value 1 only.
    (OTHERS, "without non-interference"): claim(
        [
            refinement("1x2; init 1; env 0>1; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"),
            refinement("1x2; init 1; env 0>1 1>0", "1x2x2; init 1.1; env 1>0", iota="0~0.1 1~1.0 1~1.1"),
        ]
    ),
    # The start 1 has no partner, and the claim says the same.
    (OTHERS, "without initial coverage of the composition"): claim(
        [
            refinement("1x2; init 0 1; env 1>0", "1x2; init 0; env 1>0"),
            refinement("2x2; init 0 1; env 0: 1>0; 0 a 1: 1>0", "2x2; init 0; 0 a 1: 1>0"),
        ]
    ),
    # The goals cover both starts, the second part relates one of them to nothing, and so does the claim.
    (OTHERS, "without initial coverage"): claim(
        [TWO_STARTS, TWO_STARTS_AND_A_STEP], parts=[(1, None, None), (1, "0~0", None)]
    ),
    # The environment moves to 1, of which θ1 knows nothing.
    (OTHERS, "without simulations"): claim(
        [refinement("1x2; init 0; env 0>1", "1x2; init 0; env 0>1", theta="0:0~0:0"), STAYS]
    ),
    # What is written of the second abstract thread excludes 2.1, where its environment leads.
    (DECLARED, "without written invariants cut nothing"): claim(
        [
            refinement("1x3; init 1; env 1>0 1>2", "1x3; init 1; env 1>0 1>2"),
            refinement(
                "1x3x2; init 1.1; env 1>2; 0 t 0: 1.1>0.0",
                "1x3x2; init 1.1; inv 0: 0.0 0.1 1.0 1.1 2.0; env 1>2; 0 t 0: 1.1>0.0",
            ),
        ]
    ),
    # As among others.
    (DECLARED, "without the claim's ι is that of the parts"): claim([STILL, STAYS], kappa="=", iota="0~0 0~1 1~0 1~1"),
    # The first shows a and changes nothing, its answer does. To the second at location 1 that is no environment step.
    (DECLARED, "without reflexive environment"): claim(
        [
            refinement(
                "1x2; init 0; env 0>1; 0 a 0: 0>0",
                "1x2; init 1; env 0>1 1>0; 0 a 0: 0>1 1>1",
                kappa="0~0 0~1 1~1",
                iota="0~0 0~1 1~1",
            ),
            refinement(
                "2x2; init 0; env 1: only 0>1 1>1; 1 a 0: 0>0; 0 a 1: 0>0",
                "2x2; init 1; env 0>1; 1 a 0: 0>0; 0 a 1: 0>0 1>0",
                kappa="0~0 0~1 1~1",
                iota="0~0 0~1 1~1",
            ),
        ]
    ),
    # As among others.
    (DECLARED, "without compatible"): claim(UNEXPECTED),
    (DECLARED, "without the parts' ι is that of the claim"): claim([STILL, STAYS], iota=""),
    (DECLARED, "without the claim's κ is that of the parts"): claim([CHOSEN, BESIDE_CHOSEN], kappa="0~0.1"),
    # The second steps to 0, which it relates to 1 as well; the first does not.
    (DECLARED, "without non-interference"): claim(
        [
            refinement("1x2; init 1; env 1>0", "1x2; init 1; env 1>0"),
            refinement("2x2; init 1; env 1: 1>0; 0 t 1: 1>1; 1 t 1: 1>0", "1x2; init 1; env 1>0", iota="0~0 0~1 1~1"),
        ]
    ),
    # The start 1 has no partner, and the claim says the same.
    (DECLARED, "without initial coverage of the composition"): claim(
        [
            refinement("1x2; init 0 1; env 0>1", "1x2; init 0; env 0>1"),
            refinement("1x2; init 0 1; env 0>1; 0 t 0: 0>0", "1x2; init 0; env 0>1"),
        ]
    ),
    # The goals cover both starts, the claim relates one of them to nothing.
    (DECLARED, "without initial coverage"): claim([TWO_STARTS, TWO_STARTS_AND_A_STEP], kappa="0~0"),
    # As among others.
    (DECLARED, "without simulations"): claim(
        [refinement("1x2; init 0; env 0>1", "1x2; init 0; env 0>1", theta="0:0~0:0"), STAYS]
    ),
    # The environment moves, the abstract one cannot; ι relates no other value.
    (DECLARED, "without the environments match"): claim([UNMATCHED, UNMATCHED_WITH_A_STEP]),
    # The first follows from 0 to 2 by way of 1, the second at once: together they cannot.
    (DECLARED, "the threads' own environments match"): claim(
        [
            refinement("1x3; init 0; env 0>2 2>1", "1x3; init 0; env 0>1 1>2 2>1"),
            refinement("2x3; init 0; env 0: 0>2 2>1; 0 t 1: 1>1", "1x3; init 0; env 0>2 2>1"),
        ]
    ),
    # The abstract environments can follow at location 1, and the threads are at location 0.
    (DECLARED, "what some location's environment allows"): claim(
        [
            refinement("1x3; init 0; env 0>2 2>1", "2x3; init 0; env 1: 0>2 2>1"),
            refinement("2x3; init 0; env 0: 0>2 2>1; 0 t 1: 1>1", "2x3; init 0; env 1: 0>2 2>1"),
        ]
    ),
}

OF_ONE: dict[tuple[str, str], Any] = {
    # The pair relates equal values, the claim any: so the environment of the claim may change one side only.
    (ONE, "without the claim's ι is that of the parts"): claim([STAYS], kappa="=", iota="0~0 0~1 1~0 1~1"),
    # The claim's ι is nothing.
    (ONE, "without the parts' ι is that of the claim"): claim([STAYS], iota=""),
    # The claim relates a start that the goal does not.
    (ONE, "without the claim's κ is that of the parts"): claim(
        [refinement("2x2; init 1; env 1: 1>0; 0 t 1: 1>1", "1x2; init 0 1; env 1>0")], kappa="1~0"
    ),
    # The goal covers both starts, the part and the claim one of them.
    (ONE, "without initial coverage"): claim([TWO_STARTS_AND_A_STEP], parts=[(1, "0~0", None)]),
    # The abstract thread is at location 1 in θ, which it never gets to.
    (ONE, "without simulations"): claim(
        [refinement("2x2; init 1; env 0: 1>0; 0 t 1: 0>1", "2x2; init 1; env 1: 1>0", theta="0:0~1:0 0:1~1:1")]
    ),
    # The start 0 has no partner, and the claim says the same.
    (ONE, "without coverage"): claim([refinement("1x3; init 0 2; env 0>1; 0 t 0: 2>2", "1x3; init 2; env 0>1")]),
    # The environment moves, the abstract one cannot.
    (ONE, "without matching of environments"): claim([UNMATCHED_WITH_A_STEP]),
}

#: By rule and by what it lacks.
CASES: dict[tuple[str, str], Any] = {
    (f"theorem 4 in scripts, {rule}", name): case for (rule, name), case in (*OF_TWO.items(), *OF_ONE.items())
} | {
    (f"theorem 4 in scripts, {rule.replace('n = 2', 'n = 3')}", name): with_idle_pair(case)
    for (rule, name), case in OF_TWO.items()
    if name.startswith("without ")
}
