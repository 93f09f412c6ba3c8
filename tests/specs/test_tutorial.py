"""Tutorial and README show what the tool really says."""

from pathlib import Path

import pytest

from tests.specs.tutorial import PAGES, ROOT, render

#: Finding the invariants of other tools' examples takes some seconds.
LONG = {"COMING-FROM.md"}
SHOWN = [pytest.param(p, id=p.name, marks=[pytest.mark.fuzz] if p.name in LONG else []) for p in PAGES]


@pytest.mark.parametrize("page", SHOWN)
def test_a_page_shows_the_files_and_outputs_as_they_are(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text()
    assert render(text) == text, "regenerate with `python -m tests.specs.tutorial` and read the difference"
