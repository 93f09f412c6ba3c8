"""The programs of `specs/bounded` are answered as they say: wrong ones by bounded runs alone, right ones by proofs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.bounded import question
from bench.subjects import SPECS
from sa.base.budget import Budget, unheard
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.bounded.bounded_model_checking import by_rounds
from sa.bounded.wanted import Wanted
from sa.certificates.run import Run
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.engines.portfolio_of_claims import chosen
from sa.engines.verify import Options, verify
from sa.frontends.load import load_program
from sa.question.asked import Refuted

FILES = tuple(sorted(f for f in (SPECS / "bounded").iterdir() if f.suffix in (".sa", ".c")))
#: No engine decides them in a minute on every machine.
OPEN = ("fib_bench_longest-11.sa", "fib_bench_longer-6.sa", "indexer.c", "scull.c")


def expected(file: Path) -> str:
    """What a file says of itself."""
    found = re.search(r"expect: (\w+)", file.read_text(encoding="utf-8"))
    assert found is not None
    return found.group(1)


WRONG = tuple(f for f in FILES if expected(f) == "refuted")
RIGHT = tuple(f for f in FILES if expected(f) == "proved" and f.name not in OPEN)


@pytest.mark.parametrize("file", WRONG, ids=lambda f: f.name)
def test_what_is_wrong_is_refuted_by_bounded_runs_alone(file: Path) -> None:
    asked = question(load_program(str(file)).program)
    said = by_rounds(Wanted(), asked, Budget(limits(60.0, None)), unheard)
    found = next(answer for answer in said if isinstance(answer, Refuted))
    assert isinstance(found.evidence, Run)
    assert isinstance(check_run(asked.threads, found.bad, found.evidence), Accepted)


@pytest.mark.slow
@pytest.mark.parametrize("file", RIGHT, ids=lambda f: f.name)
def test_what_is_right_is_proved(file: Path) -> None:
    assert verify(load_program(str(file)).program, Options(limits(60.0, None))).verdict is Verdict.PROVED


@pytest.mark.parametrize("file", [*RIGHT, *(SPECS / "bounded" / name for name in OPEN)], ids=lambda f: f.name)
def test_what_is_right_is_not_refuted_by_bounded_runs(file: Path) -> None:
    options = Options(limits(10.0, None), portfolio=chosen((), Wanted(2, 2)))
    assert verify(load_program(str(file)).program, options).verdict is Verdict.UNKNOWN
