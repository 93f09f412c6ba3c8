"""What is wrong with the rules about one refinement or a chain when something is missing: the smallest cases.

Found and shrunk by `tests.scripts.shrinking`; the notation is that of `tests.scripts.writing`.
"""

from __future__ import annotations

from typing import Any

from tests.scripts.chain_rules import Chain
from tests.scripts.game import Refinement
from tests.scripts.preservation_rules import Preservation
from tests.scripts.writing import refinement, valuations


def preservation(r: Refinement, lam1: str, lam2: str) -> Preservation:
    """A refinement with λ1 and λ2 as valuations."""
    return Preservation(r, valuations(lam1, r.concrete.own), valuations(lam2, r.abstract.own))


#: By rule and by what it lacks.
CASES: dict[tuple[str, str], Any] = {
    # A1's environment moves to 0, which ι relates to 1 by way of 0, but θ2 does not know 0.
    ("theorem 2", "without first closed"): Chain(
        refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1"),
        refinement("1x2; init 1", "1x2; init 1", iota="0~1 1~1", theta="0:1~0:1"),
    ),
    # A3's environment moves to 1, which ι relates to 0 by way of 1, but θ2 does not know 1.
    ("theorem 2", "without third closed"): Chain(
        refinement("1x2; init 0; 0 t 0: 0>0", "1x2; init 0", iota="0~0 0~1 1~1"),
        refinement("1x2; init 0", "1x2; init 0; env 0>1", theta="0:0~0:0"),
    ),
    # A1 steps to a location that θ1 does not know.
    ("theorem 2", "without first simulation"): Chain(
        refinement("2x1; init 0; 0 t 1: 0>0", "1x1; init 0", theta="0:0~0:0"), refinement("1x1; init 0", "1x1; init 0")
    ),
    # κ2 relates initial states that ι2 does not.
    ("theorem 2", "without second simulation"): Chain(
        refinement("2x1; init 0; 0 t 1: 0>0", "1x1; init 0"), refinement("1x1; init 0", "1x1x2; init 0.1", iota="0~0.0")
    ),
    # The initial state 0 of A1 has no partner.
    ("theorem 2", "without first coverage"): Chain(
        refinement("1x2; init 0 1; 0 t 0: 1>1", "1x2; init 1"), refinement("1x2; init 1", "1x2; init 1")
    ),
    # What κ1 relates to one initial state of A1 has no partner in A3.
    ("theorem 2", "without second coverage"): Chain(
        refinement("1x1x2; init 0.0 0.1; 0 t 0: 0.1>0.1", "1x1x2; init 0.0 0.1", kappa="0.0~0.0 0.0~0.1 0.1~0.1"),
        refinement("1x1x2; init 0.0 0.1", "1x1; init 0", kappa="0.0~0"),
    ),
    # By way of local value 1, which is not initial, κ relates the start to a state of A3 that cannot do b.
    ("theorem 2", "κ as printed, without Init2"): Chain(
        refinement("1x1x2; init 0.0; 0 b 0: 0.0>0.1", "1x1x2; init 0.0; 0 b 0: 0.0>0.1"),
        refinement(
            "1x1x2; init 0.0; 0 b 0: 0.0>0.1", "1x1x2; init 0.0 0.1; 0 b 0: 0.0>0.1", kappa="0.0~0.0 0.1~0.0 0.1~0.1"
        ),
    ),
    # A1 steps to what θ1 does not know.
    ("theorem 3", "without first simulation"): Chain(
        refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1", theta="0:1~0:1"),
        refinement("1x2; init 1", "1x2; init 1"),
    ),
    # κ2 relates initial states that ι2 does not.
    ("theorem 3", "without second simulation"): Chain(
        refinement("1x2; init 0; env 0>1; 0 t 0: 1>0", "1x2; init 0", iota="0~0 0~1 1~1"),
        refinement("1x2; init 0", "1x2; init 0", iota="1~1"),
    ),
    # The environments of A1 and A3 move to 0, that of A2 cannot; θ2 does not know 0.
    ("theorem 3", "without middle step"): Chain(
        refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1"),
        refinement("1x2; init 1", "1x2; init 1; env 1>0", theta="0:1~0:1"),
    ),
    # By way of 1, which is not initial in A2, κ relates 0 to 1, which ι does not.
    ("theorem 3", "κ as printed, without Init2"): Chain(
        refinement("2x2; init 0; env 1: 0>1; 0 t 1: 0>0", "1x2; init 0", kappa="0~0 0~1 1~1"),
        refinement("1x2; init 0", "1x2; init 0 1"),
    ),
    # A3's environment goes from 1 to 0 by way of 2, where ι fails; A2's cannot follow.
    ("theorem 3", "a single step of A3"): Chain(
        refinement("1x3; init 1; env 2>0; 0 t 0: 1>2", "1x3; init 1; env 2>0; 0 t 0: 1>2", iota="0~0 1~0 1~1 2~2"),
        refinement("1x3; init 1; env 2>0; 0 t 0: 1>2", "1x3; init 1; env 1>2 2>0; 0 t 0: 1>2"),
    ),
    # A3's environment goes from 1 to 0 by way of 2, where ι fails; A2's cannot follow.
    ("theorem 3", "as printed"): Chain(
        refinement("1x3; init 1; env 2>0; 0 t 0: 1>2", "1x3; init 1; env 2>0; 0 t 0: 1>2", iota="0~0 1~0 1~1 2~2"),
        refinement("1x3; init 1; env 2>0; 0 t 0: 1>2", "1x3; init 1; env 1>2 2>0; 0 t 0: 1>2"),
    ),
    # A2's environment goes from 2 to 0 in two steps; of the state between, and of 0, θ2 knows nothing.
    ("theorem 3", "a sequence of A2"): Chain(
        refinement("1x3; init 2; env 2>0; 0 t 0: 2>2", "1x3; init 2; env 1>0 2>1"),
        refinement("1x3; init 2; env 1>0 2>1", "1x3; init 2; env 2>0", theta="0:2~0:2"),
    ),
    # A1's environment moves to what θ1 does not know.
    ("theorem 3, sequences", "without first simulation"): Chain(
        refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1; env 1>0", theta="0:1~0:1"),
        refinement("1x2; init 1; env 1>0", "1x2; init 1; env 1>0"),
    ),
    # θ2 relates what ι2 does not.
    ("theorem 3, sequences", "without second simulation"): Chain(
        refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1"),
        refinement("1x2; init 1", "1x2; init 1", theta="0:0~0:1 0:1~0:1"),
    ),
    # A3's or A1's environment moves to 1, that of A2 cannot; θ2 does not know 1.
    ("theorem 3, sequences", "without middle sequence"): Chain(
        refinement("1x2; init 0; env 0>1; 0 t 0: 0>0", "1x2; init 0"),
        refinement("1x2; init 0", "1x2; init 0; env 0>1", theta="0:0~0:0"),
    ),
    # θ knows the step's end at location 1 only, where the abstract side is not from 0.
    ("lemma 1", "without simulation"): preservation(
        refinement("1x2; init 0; env 0>1; 0 t 0: 1>0", "2x2; init 0; env 1: 0>1", theta="0:0~1:0 0:1~1:1"), "", ""
    ),
    # The concrete environment moves, the abstract one cannot.
    ("lemma 1", "without WS"): preservation(refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1"), "", ""),
    # The abstract side has no step to answer with; θ is all of ι.
    ("theorem 5", "without simulation"): preservation(
        refinement("1x2; init 0; env 1>0; 0 t 0: 0>1", "1x2; init 0", theta="ι"), "0", "0"
    ),
    # The concrete side may start in 0 as well, which is not in λ1.
    ("theorem 5", "without coverage"): preservation(
        refinement("2x2; init 0 1; env 1: 0>1 1>0; 0 t 1: 1>1", "1x2; init 1"), "1", "1"
    ),
    # λ1 is nothing.
    ("theorem 5", "without implication"): preservation(
        refinement("1x2; init 0; env 0>1; 0 t 0: 1>1", "1x2; init 0"), "", "0"
    ),
    # λ2 is nothing, so λ1 may be.
    ("theorem 5", "without abstract invariant"): preservation(
        refinement("1x2; init 0; env 0>1; 0 t 0: 1>1", "1x2; init 0"), "", ""
    ),
    # The environment moves to 1 within λ1, the abstract one cannot; there a step violates λ1.
    ("theorem 5", "without environment paths"): preservation(
        refinement("1x2x2; init 0.0; env 0>1; 0 t 0: 1.0>1.1", "1x2; init 0"), "0.0 0.1 1.0", "0"
    ),
    # The abstract environment can follow to 1, but λ2 ends there, so λ2 says nothing of what comes then.
    ("theorem 5", "WS as printed"): preservation(
        refinement("1x2x2; init 0.0; env 0>1; 0 t 0: 1.0>1.1", "1x2; init 0; env 0>1"), "0.0 0.1 1.0", "0"
    ),
    # The abstract environment goes from 2 to 0 by way of 1, outside λ2, so no run that counts gets to 0.
    ("theorem 5", "λ2 at the end of the path only"): preservation(
        refinement("1x3; init 2; env 2>0; 0 a 0: 0>1", "1x3; init 2; env 1>0 2>1; 0 a 0: 0>1"), "0 2", "0 2"
    ),
    # The abstract side has no step to answer with; θ is all of ι.
    ("strong preservation", "without simulation"): preservation(
        refinement("1x2; init 1; env 0>1; 0 t 0: 1>0", "1x2; init 1; env 0>1", theta="ι"), "1", "1"
    ),
    # The concrete side may start in 0 as well, which is not in λ1.
    ("strong preservation", "without coverage"): preservation(
        refinement("1x2; init 0 1; env 0>1; 0 t 0: 1>1", "1x2; init 1; env 0>1"), "1", "1"
    ),
    # λ1 is nothing.
    ("strong preservation", "without implication"): preservation(
        refinement("1x3; init 1; env 1>2; 0 t 0: 1>1", "1x3; init 1; env 1>2"), "", "1 2"
    ),
    # λ2 is nothing, so λ1 may be.
    ("strong preservation", "without abstract invariant"): preservation(
        refinement("1x2; init 0; env 0>1; 0 t 0: 0>0", "1x2; init 0; env 0>1"), "", ""
    ),
    # The concrete environment moves to 0, the abstract one cannot.
    ("strong preservation", "without WS"): preservation(
        refinement("1x2; init 1; env 0>1 1>0; 0 t 0: 1>1", "1x2; init 1"), "1", "1"
    ),
}
