"""`refine` against enumeration: random pairs of sections under locks of all kinds, taken apart or not."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from sa.base.limits import allot, limits
from sa.base.verdict import Verdict
from sa.checker.question import question, whole_goal
from sa.engines.options import Options
from sa.engines.refine import refine
from tests.generators.sections import random_pair
from tests.language.texts import program_of
from tests.oracle.game import decide

#: Units of work for each pair: none takes longer than some seconds.
UNITS = 20_000_000

#: Of a hundred pairs so many may be undecided.
UNDECIDED = 1


def compare(seed: int) -> Verdict:
    """The answer of `refine`, which must be what enumeration says if it is one."""
    abstract, concrete = map(program_of, random_pair(Random(seed)))
    said = refine(abstract, concrete, None, Options(allot(limits(None, None), UNITS))).verdict
    if said is not Verdict.UNKNOWN:
        holds = decide(whole_goal(question(abstract, concrete, None, False))).simulated
        assert (said is Verdict.PROVED) == holds, seed
    return said


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(10))
def test_sections_refine_where_enumeration_says_so(part: int) -> None:
    """No answer is wrong, both occur, and hardly any pair is undecided: a thousand pairs in all."""
    found = Counter(compare(seed) for seed in range(5_000 + part * 100, 5_100 + part * 100))
    assert min(found[Verdict.PROVED], found[Verdict.REFUTED]) > 10, found
    assert found[Verdict.UNKNOWN] <= UNDECIDED, found
