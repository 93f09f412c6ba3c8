"""What is wrong with Theorem 4 when something is missing: the smallest case of each.

Found and shrunk by `tests.scripts.shrinking`; the notation is that of `tests.scripts.writing`.
"""

from __future__ import annotations

from typing import Any

from tests.scripts.parallel_rules import Parallel
from tests.scripts.writing import refinement

#: By rule and by what it lacks.
CASES: dict[tuple[str, str], Any] = {
    # The second sets 0 where the first is at location 1, whose environment never does.
    ("theorem 4, n = 2", "without concrete compatibility"): Parallel(
        (
            refinement("2x2; init 0; env 0: 0>1; 1 t 1: 0>1", "1x2; init 0; env 1>0"),
            refinement("1x2; init 0; env 0>1; 0 t 0: 1>0", "1x2; init 0; 0 t 0: 1>0"),
        )
    ),
    # The first abstract thread sets 0, which the invariant of the second excludes.
    ("theorem 4, n = 2", "without abstract compatibility"): Parallel(
        (
            refinement("1x2; init 1; env 1>0; 0 a 0: 1>0", "1x2; init 1; 0 a 0: 1>0"),
            refinement("1x2; init 1; env 1>0", "1x2; init 1; inv 0: 1"),
        )
    ),
    # The second sets 1, of which θ1 knows nothing.
    ("theorem 4, n = 2", "without simulation 1"): Parallel(
        (
            refinement("1x2; init 0; env 0>1", "1x1; init 0", iota="0~0 1~0", theta="0:0~0:0"),
            refinement("1x2; init 0; env 0>1; 0 t 0: 0>1", "1x1; init 0", iota="0~0 1~0"),
        )
    ),
    # The second sets 0, and no abstract state is related to that.
    ("theorem 4, n = 2", "without simulation 2"): Parallel(
        (
            refinement("1x2; init 1; env 1>0", "1x2; init 1", iota="0~0 1~0 1~1"),
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1", iota="0~0 1~0 1~1"),
        )
    ),
    # The first sets 0, which ι2 excludes.
    ("theorem 4, n = 2", "without noninterference"): Parallel(
        (
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"),
            refinement("1x2; init 1; env 1>0", "1x2; init 1; env 1>0", iota="1~1"),
        )
    ),
    # A step of the second would change the first's local value, and ι1 speaks of that.
    ("theorem 4, n = 2", "without the frame"): Parallel(
        (
            refinement("1x2x2; init 0.0; env 0>1", "1x1; init 0", iota="0.0~0"),
            refinement("1x2; init 0; env 0>1; 0 t 0: 0>0", "1x1; init 0"),
        )
    ),
    # Two abstract environment steps lead from 2 to 1, where ι holds too; asked of single steps, θ1 need not know it.
    ("theorem 4, n = 2", "environment sequences cut after one step"): Parallel(
        (
            refinement(
                "1x2; init 1; env 1>0", "1x3; init 2; env 0>1 2>0", kappa="0~0 1~2", iota="0~1 1~1 1~2", theta="0:1~0:2"
            ),
            refinement(
                "1x2; init 1; env 1>0; 0 t 0: 1>1", "2x3; init 2; env 1: 0>1 2>0", kappa="0~0 1~2", iota="0~1 1~1 1~2"
            ),
        )
    ),
    # The second sets 0 where the third is at location 1, whose environment never does.
    ("theorem 4, n = 3", "without concrete compatibility"): Parallel(
        (
            refinement("1x2; init 1; env 1>0", "1x2; init 1; env 1>0"),
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"),
            refinement("2x2; init 1; env 1: 1>0; 0 t 1: 0>1", "1x2; init 1; env 1>0"),
        )
    ),
    # The third abstract thread sets 0, which the invariant of the second excludes.
    ("theorem 4, n = 3", "without abstract compatibility"): Parallel(
        (
            refinement("1x2; init 1; env 1>0", "1x2; init 1"),
            refinement("1x2; init 1; env 1>0", "1x2; init 1; inv 0: 1"),
            refinement("1x2; init 1; env 1>0; 0 a 0: 1>0", "1x2; init 1; 0 a 0: 1>0"),
        )
    ),
    # κ1 relates the initial states, θ1 does not.
    ("theorem 4, n = 3", "without simulation 1"): Parallel(
        (
            refinement("1x2; init 0; env 0>1 1>0", "1x1; init 0", iota="0~0 1~0", theta="0:1~0:0"),
            refinement("1x2; init 0; env 0>1 1>0", "1x1; init 0", iota="0~0 1~0"),
            refinement("1x2; init 0; env 0>1 1>0; 0 t 0: 1>0", "1x1; init 0", iota="0~0 1~0"),
        )
    ),
    # The environment moves to 0, of which θ2 knows nothing.
    ("theorem 4, n = 3", "without simulation 2"): Parallel(
        (
            refinement("1x2; init 1; env 1>0", "1x2; init 1; env 1>0"),
            refinement("1x2; init 1; env 1>0", "1x2; init 1; env 1>0", theta="0:1~0:1"),
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1; env 1>0"),
        )
    ),
    # The third sets 0, of which θ3 knows nothing.
    ("theorem 4, n = 3", "without simulation 3"): Parallel(
        (
            refinement("1x2; init 1; env 1>0", "1x2; init 1"),
            refinement("1x2; init 1; env 1>0", "1x2; init 1"),
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1", theta="0:1~0:1"),
        )
    ),
    # The third sets 1, which ι1 and ι2 exclude.
    ("theorem 4, n = 3", "without noninterference"): Parallel(
        (
            refinement("1x2; init 0; env 0>1", "1x1; init 0"),
            refinement("1x2; init 0; env 0>1", "1x1; init 0"),
            refinement("1x2x2; init 0.1; env 0>1; 0 t 0: 0.1>1.0", "1x1; init 0", iota="0.0~0 0.1~0 1.0~0"),
        )
    ),
    # The second sets 0, which the first's environment never does.
    ("theorem 4, weakened", "without concrete compatibility"): Parallel(
        (
            refinement("1x3; init 1; env 1>2", "1x2; init 1; env 1>0", theta="0:1~0:1"),
            refinement("1x3; init 1; env 1>2; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"),
        )
    ),
    # The second's abstract side does not expect 0, so θ2 need not know it.
    ("theorem 4, weakened", "without abstract compatibility"): Parallel(
        (
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"),
            refinement("1x2; init 1; env 1>0", "1x2; init 1", theta="0:1~0:1"),
        )
    ),
    # κ1 relates the initial states, but 1 is not in θ1.
    ("theorem 4, weakened", "without simulation 1"): Parallel(
        (
            refinement("1x2; init 1; env 1>0", "1x2; init 1", iota="0~0 1~0"),
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>1", "1x2; init 1", iota="0~0 1~0 1~1"),
        )
    ),
    # The second's steps have no answer.
    ("theorem 4, weakened", "without simulation 2"): Parallel(
        (
            refinement("1x2; init 1; env 0>1 1>0", "1x2; init 1"),
            refinement("1x2; init 1; env 0>1; 0 t 0: 1>0; 0 t 0: 0>0", "1x2; init 1"),
        )
    ),
    # The second sets 1, which ι1 excludes.
    ("theorem 4, weakened", "without noninterference"): Parallel(
        (
            refinement("1x2; init 0; env 0>1", "1x1; init 0"),
            refinement("1x2x2; init 0.1; env 0>1; 0 t 0: 0.1>1.0", "1x1; init 0", iota="0.0~0 0.1~0 1.0~0"),
        )
    ),
    # The first sets 0, which the second's environment at location 0 never does; a step there then breaks ι.
    ("theorem 4, runs", "without concrete compatibility"): Parallel(
        (
            refinement("1x2; init 1; env 0>1; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"),
            refinement("2x2x2; init 1.0; env 1: 0>1; 0 t 1: 0.0>1.1", "1x2; init 1; env 1>0"),
        )
    ),
    # The invariant of the second abstract thread excludes 0: the composed step does not exist.
    ("theorem 4, runs", "without abstract compatibility"): Parallel(
        (
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"),
            refinement("1x2; init 1; env 1>0", "1x2; init 1; inv 0: 1"),
        )
    ),
    # The first abstract thread has no step to answer with.
    ("theorem 4, runs", "without simulation 1"): Parallel(
        (
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1", theta="0:1~0:1"),
            refinement("1x2; init 1; env 1>0", "1x2; init 1"),
        )
    ),
    # The second sets 1, and ι relates no abstract state to that.
    ("theorem 4, runs", "without simulation 2"): Parallel(
        (
            refinement("1x2; init 0; env 0>1", "1x1; init 0"),
            refinement("1x2; init 0; env 0>1; 0 t 0: 0>1", "1x1; init 0", theta="ι"),
        )
    ),
    # The second sets 0, which ι1 excludes.
    ("theorem 4, runs", "without noninterference"): Parallel(
        (
            refinement("1x2; init 1; env 1>0", "1x2; init 1; env 1>0", iota="1~1"),
            refinement("1x2; init 1; env 1>0; 0 t 0: 1>0", "1x2; init 1; 0 t 0: 1>0"),
        )
    ),
    # The composition may start in 0, which κ relates to nothing.
    ("theorem 4, runs", "without coverage"): Parallel(
        (
            refinement("1x2; init 0 1; env 0>1", "1x2; init 1"),
            refinement("1x2; init 0 1; env 0>1; 0 t 0: 1>1", "1x2; init 1"),
        )
    ),
    # Both threads have a partner of the start 1, but with different shared values.
    ("theorem 4, runs", "coverage of the threads only"): Parallel(
        (
            refinement("1x2; init 0 1; env 0>1", "1x2; init 0 1", iota="0~0 1~0 1~1"),
            refinement("2x2; init 0 1; env 0: 0>1; 0 t 1: 1>1", "1x2; init 0", kappa="0~0 1~0", iota="0~0 1~0 1~1"),
        )
    ),
}
