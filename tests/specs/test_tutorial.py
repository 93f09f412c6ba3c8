"""The tutorial shows what the tool really says."""

import pytest

from tests.specs.tutorial import ROOT, TUTORIAL, render


def test_the_tutorial_shows_the_files_and_outputs_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = TUTORIAL.read_text()
    assert render(text) == text, "regenerate with `python -m tests.specs.tutorial` and read the difference"
