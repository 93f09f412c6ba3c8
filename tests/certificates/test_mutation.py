"""Of corrupted certificates none is accepted but those that are true by enumeration. Figures: results.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.certificates.mutation import RESULTS, Tally, random_mutants, written_mutants

BLOCKS = [pytest.param(first, marks=pytest.mark.fuzz) for first in (100, 200)]


def sound(tally: Tally) -> None:
    assert [(name, mutant.kind, mutant.path) for name, mutant in tally.wrong] == []
    assert 0 < sum(tally.accepted.values()) < 0.3 * sum(tally.tried.values())


def test_corrupted_certificates_of_every_sort_of_evidence_are_rejected_or_true(tmp_path: Path) -> None:
    tally = written_mutants(tmp_path, 3)
    sound(tally)
    assert sum(tally.tried.values()) > 20


def test_corrupted_certificates_of_random_questions_are_rejected_or_true(tmp_path: Path) -> None:
    sound(random_mutants(range(3), tmp_path, 15))


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
