"""The notebooks show what their cells really give."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.specs.notebook import NOTEBOOKS, executed


def told(notebook: dict[str, Any]) -> list[list[Any]]:
    """The outputs of the code cells: texts without times, and which verdict a page shows."""
    return [[_told(o) for o in cell["outputs"]] for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _told(output: dict[str, Any]) -> tuple[str, ...]:
    if output["output_type"] == "stream":
        return (re.sub(r"[\d.]+ s\b.*", "", "".join(output["text"])),)
    page = "".join(output["data"].get("text/html", []))
    return "".join(output["data"]["text/plain"]), *re.findall(r"\b(?:PROVED|REFUTED|UNKNOWN)\b", page)[:1]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_shows_what_its_cells_give(path: Path, tmp_path: Path) -> None:
    kept = json.loads(path.read_text())
    assert (kept["nbformat"], len(told(kept)) > 3) == (4, True)
    assert told(executed(kept, tmp_path)) == told(kept)


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
