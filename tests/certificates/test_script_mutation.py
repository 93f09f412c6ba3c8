"""Corrupted certificates of scripts: those that are accepted are true by enumeration. Figures: results_scripts.md."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import patch

import pytest

from sa.checker.ruling import Accepted
from sa.rules import judge
from tests.certificates.script_mutation import RESULTS, ScriptTally, tallied
from tests.certificates.script_subjects import WRITTEN, random, rejected


def sound(tally: ScriptTally) -> None:
    assert [(name, mutant.kind, mutant.path) for name, mutant in tally.wrong] == []
    assert 0 < sum(tally.accepted.values()) < 0.4 * sum(tally.tried.values())


@pytest.mark.fuzz
def test_corrupted_certificates_of_scripts_with_every_sort_of_evidence_are_rejected_or_true(tmp_path: Path) -> None:
    tally = tallied(WRITTEN, tmp_path, 4)
    sound(tally)
    assert sum(tally.tried.values()) > 60 and tally.judged > 2 * tally.left_open
    kinds = {"relation", "pairs", "play", "alone", "threads", "joint", "keeps", "states"}
    rules = {f"{how}: {way}" for how in ("rule", "fails") for way in ("parallel", "chain", "preservation")}
    others = {"fails: threads", "fails: threads, with functions", "violation: a thread", "violation: all threads"}
    assert set(tally.kinds) >= kinds | rules | others


def test_a_judge_who_believes_what_is_said_by_induction_is_found_out(tmp_path: Path) -> None:
    subjects = [s for s in WRITTEN if s.name.startswith(("parallel, invariants", "violation"))]
    with patch.object(judge, "discharged", lambda *_: Accepted()):
        assert tallied(subjects, tmp_path, 15).wrong


@pytest.mark.fuzz
def test_many_corrupted_certificates_of_scripts_are_rejected_or_true(tmp_path: Path) -> None:
    sound(tallied(WRITTEN, tmp_path, 80))


@pytest.mark.fuzz
def test_corrupted_certificates_of_rejected_scripts_are_rejected_or_true(tmp_path: Path) -> None:
    sound(tallied(rejected(), tmp_path, 30))


@pytest.mark.fuzz
@pytest.mark.parametrize("first", [100, 110])
def test_corrupted_certificates_of_random_scripts_are_rejected_or_true(first: int, tmp_path: Path) -> None:
    sound(tallied(random(range(first, first + 10)), tmp_path, 30))


def test_the_figures_that_are_kept_are_of_thousands_of_mutants_of_which_none_is_wrong() -> None:
    (whole,) = re.findall(r"^\| all \|(.*)\|$", RESULTS.read_text(encoding="utf-8"), re.MULTILINE)
    certificates, mutants, refused, true, false = map(int, whole.split("|"))
    assert certificates > 60 and mutants > 3_000
    assert (refused + true, false) == (mutants, 0)
