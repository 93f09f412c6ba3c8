"""The page about Python shows what functions really give."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from tests.specs.tutorial import ROOT


def test_the_examples_are_as_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = ROOT / "docs" / "PYTHON.md"
    found = doctest.testfile(str(page), module_relative=False, globs={"folder": tmp_path}, encoding="utf-8")
    assert (found.failed, found.attempted > 15) == (0, True)
    assert (tmp_path / "proof.html").read_text().startswith("<!DOCTYPE html>")
