"""Every closed program of the paper, with its integers confined to 0..3, is answered as the oracle answers it.

The game is played on the whole products. What a spec expects does not matter here: confined to a range, steps
that would leave it do not exist, and some verdicts are others.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.subjects import SPECS, folders_with_pairs
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

CLOSED = SPECS / "closed"
FOLDERS = tuple(folders_with_pairs(CLOSED))
#: The seconds after which the game on the product of the two full GCD threads, too large for it, is given up.
TOO_LARGE = {"gcd": 3.0, "gcd/broken-stale-read": 3.0}


def _name(folder: Path) -> str:
    return folder.relative_to(CLOSED).as_posix()


def _goal(folder: Path) -> Goal:
    texts = ((folder / name).read_text() for name in ("abs.sa", "conc.sa"))
    (goal,) = goals(*read(*texts), whole=True)
    return restrict_goal(goal, 0, 3)


#: Every third folder is for every day.
PARAMETERS = [pytest.param(f, id=_name(f), marks=[pytest.mark.fuzz] * bool(n % 3)) for n, f in enumerate(FOLDERS)]


@pytest.mark.parametrize("folder", PARAMETERS)
def test_a_closed_program_over_small_ranges_is_answered_as_by_enumeration(folder: Path) -> None:
    goal = _goal(folder)
    seconds = TOO_LARGE.get(_name(folder), 60.0)
    evidence = decide(goal, limits(seconds, None)).evidence
    if isinstance(evidence, Unknown):
        assert _name(folder) in TOO_LARGE, evidence
        pytest.xfail("the product is too large for the game")
    assert isinstance(evidence, Relation) == enumerated(goal).simulated, evidence
    assert isinstance(check(goal, evidence, limits(60.0, None)), Accepted)


def test_the_environment_is_the_same_program_on_both_sides() -> None:
    for folder in FOLDERS:
        source, target = ((folder / name).read_text() for name in ("abs.sa", "conc.sa"))
        if "thread Ce" in source:
            assert _thread(source, "Ce") == _thread(target, "Ce"), folder


def test_nothing_is_relied_on() -> None:
    for file in CLOSED.rglob("*.sa"):
        assert "rely" not in file.read_text(), file


def _thread(text: str, name: str) -> str:
    start = text.index(f"thread {name} {{")
    return text[start : text.index("\n}\n", start)]
