"""Corrupted certificates about families of any number are rejected, or true of instances with 1 to 3 copies."""

from __future__ import annotations

import re

import pytest

from tests.certificates.crowd_mutation import RESULTS, random_crowd_mutants
from tests.certificates.mutation import Tally


def sound(tally: Tally) -> None:
    assert [(name, mutant.kind, mutant.path) for name, mutant in tally.wrong] == []
    assert sum(tally.accepted.values()) < 0.3 * sum(tally.tried.values())


def test_corrupted_certificates_are_rejected_or_true() -> None:
    sound(random_crowd_mutants(range(2), 5))


@pytest.mark.fuzz
def test_many_corrupted_certificates_are_rejected_or_true() -> None:
    sound(random_crowd_mutants(range(100, 130), 40))


def test_the_figures_that_are_kept_are_of_many_mutants_of_which_none_is_wrong() -> None:
    (whole,) = re.findall(r"^\| all \|(.*)\|$", RESULTS.read_text(encoding="utf-8"), re.MULTILINE)
    certificates, mutants, rejected, true, false = map(int, whole.split("|"))
    assert certificates > 20 and mutants > 500
    assert (rejected + true, false) == (mutants, 0)
