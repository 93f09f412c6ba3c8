"""What engines make of a question for themselves may be wrong too: the checker does not accept what follows from it."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

import sa.engines.auxiliary_relations as besides
import sa.engines.programs
import sa.hybrid.control_variables as control
import sa.hybrid.engine  # noqa: F401
import sa.hybrid.points as points
from sa.base.limits import limits
from sa.engines.options import Options
from sa.engines.portfolio_of_claims import chosen
from sa.engines.refine import refine
from sa.engines.verify import Options as VerifyOptions
from sa.engines.verify import verify
from tests.endtoend.asking import read
from tests.engines.test_auxiliary_relations import ABSTRACT, CONCRETE
from tests.language.texts import program_of
from tests.question.mutants import Mutant, mutants
from tests.question.test_mutants import FEW, Asked, tried

pytestmark = pytest.mark.fuzz

#: Programs for control points, and the verdicts of their claims.
PROGRAMS = (
    (
        "global f : bool = false; global x : int = 0; thread T { x := 1; f := true; }\n"
        "thread U { await f; assert x == 1; x := x + 5; }\ninvariant small : x <= 6;",
        ["PROVED", "PROVED"],
    ),
    (
        "global f : bool = false; global x : int = 0; thread T { f := true; x := 1; }\n"
        "thread U { await f; assert x == 1; }",
        ["REFUTED"],
    ),
    (
        "global x, y : int = 0; thread T { while (true) { x := x + 1; y := y + 1; assert x >= y; } }\n"
        "thread U { local k : int = 0; while (k < 3) { k := k + 1; y := y - 1; } }",
        ["PROVED"],
    ),
    (
        "global x, y : int = 0; thread T { while (true) { y := y + 1; x := x + 1; assert x >= y; } }\n"
        "thread U { y := y + 1; }",
        ["REFUTED"],
    ),
)

#: Pairs of programs in which more is to be related than is asked.
PAIRS = ((CONCRETE, ["PROVED"]), (CONCRETE.replace("q := q + 2 * i;", "q := q + i;"), ["REFUTED"]))


def _verified(text: str, seconds: float) -> list[str]:
    options = VerifyOptions(limits(seconds, None), portfolio=chosen(("chc:encoding=control-points",)))
    return [f.verdict.value for f in verify(program_of(text), options).findings]


def _refined(concrete: str, seconds: float) -> list[str]:
    return [refine(*read(ABSTRACT, concrete), Options(limits(seconds, None))).verdict.value]


def _asked(mutant: Mutant, seconds: float) -> list[Asked]:
    if mutant.module == besides.__name__:
        return [(text, partial(_refined, text, 5 * seconds), right) for text, right in PAIRS]
    return [(text, partial(_verified, text, seconds), right) for text, right in PROGRAMS]


ALL = [m for module in (points, control, besides) for m in mutants(module)]
PARTS = 350


def test_without_a_change_all_answers_are_right() -> None:
    assert [_verified(text, 20.0) for text, _ in PROGRAMS] == [right for _, right in PROGRAMS]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_mutant_of_what_engines_look_at_makes_a_wrong_answer(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Counter[str]()
    for mutant in ALL[part::PARTS]:
        found += tried(mutant, _asked(mutant, FEW), monkeypatch)
    assert found
