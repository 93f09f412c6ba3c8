"""Of corrupted certificates none is accepted but those that are true by enumeration. Figures: results.md."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import REDUCTION
from tests.certificates.mutation import RESULTS, Tally, random_mutants, verification_mutants, written_mutants

BLOCKS = [pytest.param(first, marks=pytest.mark.fuzz) for first in (100, 200)]

SECTION = """global m : 0..2 = 0; global x, y : 0..2 = 0;
thread A { local t : 0..2 = 0; lock(m); t := x; x := 2 - t; y := 1; x := t; unlock(m); y := 0; }
thread B { lock(m); assert x == 0; unlock(m); y := 2; }
invariant ends : at A.exit && at B.exit ==> x == 0 && y != 1;"""


def sound(tally: Tally) -> None:
    assert [(name, mutant.kind, mutant.path) for name, mutant in tally.wrong] == []
    assert 0 < sum(tally.accepted.values()) < 0.3 * sum(tally.tried.values())


def test_corrupted_certificates_of_every_sort_of_evidence_are_rejected_or_true(tmp_path: Path) -> None:
    tally = written_mutants(tmp_path, 3)
    sound(tally)
    assert sum(tally.tried.values()) > 20


def test_corrupted_certificates_of_random_questions_are_rejected_or_true(tmp_path: Path) -> None:
    sound(random_mutants(range(3), tmp_path, 15))


@pytest.mark.parametrize("most", [25, pytest.param(600, marks=pytest.mark.fuzz)])
def test_corrupted_reductions_are_rejected_or_true(most: int, tmp_path: Path) -> None:
    """Phases, facts and what is shown of the blocks: a section under a lock, beside a write without it."""
    file = tmp_path / "program.sa"
    file.write_text(SECTION, encoding="utf-8")
    tally = verification_mutants("section", file, Random("section"), most, (Turn(REDUCTION, 1.0),))
    assert [(mutant.kind, mutant.path) for _, mutant in tally.wrong] == []
    assert sum(tally.tried.values()) > 20


@pytest.mark.fuzz
def test_many_corrupted_certificates_of_every_sort_of_evidence_are_rejected_or_true(tmp_path: Path) -> None:
    sound(written_mutants(tmp_path, 40))


@pytest.mark.parametrize("first", BLOCKS)
def test_many_corrupted_certificates_of_random_questions_are_rejected_or_true(first: int, tmp_path: Path) -> None:
    sound(random_mutants(range(first, first + 10), tmp_path, 30))


def test_the_figures_that_are_kept_are_of_thousands_of_mutants_of_which_none_is_wrong() -> None:
    (whole,) = re.findall(r"^\| all \|(.*)\|$", RESULTS.read_text(encoding="utf-8"), re.MULTILINE)
    certificates, mutants, rejected, true, false = map(int, whole.split("|"))
    assert certificates > 40 and mutants > 5_000
    assert (rejected + true, false) == (mutants, 0)
