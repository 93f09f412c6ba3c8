"""Every pair of specs of the paper, with its integers confined to 0..3, is answered as the oracle answers it.

What a spec expects does not matter here: confined to a range, steps that would leave it do not exist, and
some verdicts are others.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.subjects import PAPER, folders_with_pairs
from sa.base.limits import limits
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.goals import decide
from sa.question.goals import goals
from tests.endtoend.asking import read
from tests.oracle.explicit import restrict_goal
from tests.oracle.game import decide as enumerated

FOLDERS = tuple(folders_with_pairs(PAPER))


def _goals(folder: Path) -> tuple[Goal, ...]:
    texts = ((folder / name).read_text() for name in ("abs.sa", "conc.sa"))
    return tuple(restrict_goal(goal, 0, 3) for goal in goals(*read(*texts), whole=False))


#: Every third folder is for every day.
PARAMETERS = [
    pytest.param(f, id=f.relative_to(PAPER).as_posix(), marks=[pytest.mark.fuzz] * bool(n % 3))
    for n, f in enumerate(FOLDERS)
]


@pytest.mark.parametrize("folder", PARAMETERS)
def test_a_spec_over_small_ranges_is_answered_as_by_enumeration(folder: Path) -> None:
    for goal in _goals(folder):
        evidence = decide(goal, limits(60.0, None)).evidence
        assert not isinstance(evidence, Unknown), (goal.name, evidence)
        assert isinstance(evidence, Relation) == enumerated(goal).simulated, (goal.name, evidence)
        assert isinstance(check(goal, evidence, limits(60.0, None)), Accepted)
