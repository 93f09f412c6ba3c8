"""What is said of plays of families that were not looked for, in one sentence."""

from __future__ import annotations

import pytest

import sa.engines.families as families
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from tests.language.texts import program_of

ABSTRACT = "global x : int = 0; thread T[*] { x := 1; } thread U[*] { x := 2; }"
CONCRETE = "global x : int = 0; thread T[*] { havoc x; } thread U[*] { x := 2; }"


def test_numbers_of_copies_that_are_too_many_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(families, "is_large", lambda program: len(program.threads) > 2)
    monkeypatch.setattr(families, "answered", lambda goal, *rest: families.Result(goal, Verdict.UNKNOWN, *4 * (None,)))
    outcome = refine(program_of(ABSTRACT), program_of(CONCRETE), None, Options(limits(20.0, None)))
    said = [note for note in outcome.notes if "joint locations" in note]
    both = "plays with 1 copy of T and 2 copies of U, or with 2 copies of T and 1 copy of U, or more, were not tried"
    assert said == [f"{both}: too many joint locations"]
