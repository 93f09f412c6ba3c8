"""Tutorial and README show what the tool really says."""

from pathlib import Path

import pytest

from tests.specs.tutorial import PAGES, ROOT, render


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_shows_the_files_and_outputs_as_they_are(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text()
    assert render(text) == text, "regenerate with `python -m tests.specs.tutorial` and read the difference"
