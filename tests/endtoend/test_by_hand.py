"""The small questions of `cases.txt` get the answers that stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from tests.endtoend.asking import read

CASE = re.compile(r"^== ([^\n]+): (proved|refuted)\n(.*?)\n--\n(.*?)(?=^== |^# |\Z)", re.MULTILINE | re.DOTALL)
CASES = CASE.findall(Path(__file__).with_name("cases.txt").read_text())

#: An invariant that the first step breaks: without that step the concrete thread would do nothing.
CUTTING = """automaton T { global x : int = 0; rely unchanged x; location q0 initial; location q1 { inv x == 7; }
  edge q0 -> q1 @b { x := 1; } }"""


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "abstract", "concrete"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_a_small_question_gets_its_answer(answer: str, abstract: str, concrete: str) -> None:
    outcome = refine(*read(abstract, concrete), Options(limits(60.0, None)))
    assert outcome.verdict is Verdict[answer.upper()], [r.unknown for r in outcome.results]


def test_the_cases_are_read() -> None:
    assert len(CASES) == Path(__file__).with_name("cases.txt").read_text().count("\n== ")


def test_an_invariant_that_cuts_runs_proves_nothing() -> None:
    try:
        verdict = refine(
            *read("global x : int = 0; thread T { rely unchanged x; @a x := 1; }", CUTTING), Options(limits(60.0, None))
        ).verdict
    except InputError:
        return
    assert verdict is not Verdict.PROVED
