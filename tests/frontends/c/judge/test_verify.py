"""What `verify` answers about random programs is what the interpreter finds in all their executions."""

from __future__ import annotations

import pytest

from tests.frontends.c.judge.compare import QUESTIONS, run, run_alone


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_answer_about_a_random_program_is_wrong(question: str) -> None:
    tally, wrong = run(6, 0, question)
    assert not any("wrong" in word for word in tally), wrong[:1]


@pytest.mark.fuzz
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("seed", range(1, 16))
def test_no_answer_about_many_random_programs_is_wrong(question: str, seed: int) -> None:
    tally, wrong = run(50, seed, question)
    assert not any("wrong" in word for word in tally), wrong[:1]


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_no_answer_about_a_sequential_program_is_wrong(seed: int) -> None:
    """The address sanitizer of gcc judges these as well, where there is one."""
    tally, wrong = run_alone(50, seed)
    assert not any("wrong" in word for word in tally), wrong[:1]
