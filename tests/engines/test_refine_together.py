"""`refine` in two processes, of which one looks for plays first: nothing is lost when a process dies."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import dataclass

import pytest

from sa.base.diagnostic import InputError, error
from sa.base.limits import LimitReached, check_limits, limits
from sa.base.verdict import Reason, Unknown, Verdict
from sa.engines.options import Options
from sa.engines.outcome import Found, Outcome, Result, Statistics
from sa.engines.refine import refine
from sa.engines.together import found_together
from sa.question.goals import goals
from tests.language.texts import program_of

ONCE = "global w : int = 0; thread T[i : 1..2] { atomic { if (w == 0) { w := i; @win skip; } } }"
TESTED = "global d : int = 0; thread T[i : 1..2] { local r : int = 0; r := d; if (r == 0) { @win d := i; } }"
SWAPPED = """
global d : int = 0;
thread T[i : 1..2] { local ok : bool = false; atomic { ok := cas(d, 0, i); if (ok) { @win skip; } } }
"""
FAMILY = "global w : int = 0; thread T[i : *] { while (true) { @tick w := w + 1; } }"
SLOWER = "global v : int = 0; thread T[i : *] { while (true) { skip; @tick v := v + 1; } }"
WRONG = "global v : int = 0; thread T[i : *] { while (true) { @tock v := v + 1; } }"


def ask(abstract: str, concrete: str, jobs: int, seconds: float | None = None) -> Outcome:
    made = refine(program_of(abstract), program_of(concrete), None, Options(limits(seconds, None), jobs=jobs))
    assert not multiprocessing.active_children()
    return made


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize(
    ("abstract", "concrete", "verdict"),
    [
        (ONCE, SWAPPED, Verdict.PROVED),
        (ONCE, TESTED, Verdict.REFUTED),
        (FAMILY, SLOWER, Verdict.PROVED),
        (FAMILY, WRONG, Verdict.REFUTED),
        ("thread T { @a skip; }", "thread T { skip; @a skip; }", Verdict.PROVED),
        ("thread T { @a skip; }", "thread T { @a skip; @a skip; }", Verdict.REFUTED),
    ],
)
def test_the_verdict_does_not_depend_on_the_number_of_jobs(
    abstract: str, concrete: str, verdict: Verdict, jobs: int
) -> None:
    """And what was asked is told."""
    made = ask(abstract, concrete, jobs)
    assert made.verdict is verdict
    assert made.tried


@dataclass(frozen=True, slots=True)
class Searches:
    """What two processes do: each a function of its own."""

    first: object
    second: object

    def __call__(self, options: Options) -> Found:
        work = self.second if options.plays_first else self.first
        assert callable(work)
        found = work(options)
        assert isinstance(found, Found)
        return found


def found(verdict: Verdict) -> Found:
    program = program_of("thread T { skip; }")
    (goal,) = goals(program, program, None, whole=False)
    return Found((Result(goal, verdict, None, None, Unknown(Reason.BOUND), Statistics({})),))


def says(verdict: Verdict) -> object:
    return lambda options: found(verdict)


def waits(options: Options) -> Found:
    while True:
        check_limits(options.limits)


def dies(options: Options) -> Found:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def is_wrong(options: Options) -> Found:
    raise InputError((error("SA411", "wrong", None),))


def together(first: object, second: object, seconds: float | None = None) -> Verdict:
    made = found_together(Searches(first, second), Options(limits(seconds, None), jobs=2), ())
    assert not multiprocessing.active_children()
    return made.results[0].verdict


def test_whoever_knows_first_is_heard() -> None:
    """A search that does not end keeps nobody waiting."""
    assert together(waits, says(Verdict.REFUTED)) is Verdict.REFUTED
    assert together(says(Verdict.PROVED), waits) is Verdict.PROVED


def test_that_plays_were_not_found_is_no_answer() -> None:
    """The process that looks for proofs goes on."""
    assert together(says(Verdict.PROVED), says(Verdict.UNKNOWN)) is Verdict.PROVED
    assert together(says(Verdict.UNKNOWN), waits) is Verdict.UNKNOWN


def test_a_process_that_dies_takes_nothing_along() -> None:
    """The other one goes on; where there is none left there is no answer."""
    assert together(dies, says(Verdict.REFUTED)) is Verdict.REFUTED
    assert together(says(Verdict.PROVED), dies) is Verdict.PROVED
    with pytest.raises(LimitReached) as stopped:
        together(dies, dies)
    assert stopped.value.reason is Reason.MEMORY
    with pytest.raises(LimitReached) as stopped:
        together(waits, says(Verdict.UNKNOWN), 0.3)
    assert stopped.value.reason is Reason.TIMEOUT


def test_a_wrong_input_is_one_with_any_number_of_jobs() -> None:
    """Of the process that asks as one would."""
    with pytest.raises(InputError):
        together(is_wrong, waits)
