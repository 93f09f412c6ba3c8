"""The reference says what is true: its examples are programs, in the formatter's layout, and its lists are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sa.base.source import Source
from sa.language.codes import CATALOGUE
from sa.language.format import format_source
from sa.language.load import load
from sa.language.loaded import LoadedScript
from sa.language.reading.keywords import keywords

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs" / "LANGUAGE.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```sa\n(.*?)^```", REFERENCE, re.MULTILINE | re.DOTALL)


#: Examples that others import: a comment at the head says how they are called.
NAMED = {match.group(1): text for text in EXAMPLES if (match := re.match(r"// (\w+\.sa)\b", text))}


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split("\n")[0])
def test_an_example_of_the_reference_has_a_meaning(text: str, tmp_path: Path) -> None:
    for name, content in {**NAMED, "example": text}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    loaded = load(str(tmp_path / "example"))
    if isinstance(loaded, LoadedScript):
        assert loaded.script.steps
    else:
        assert loaded.program.threads or loaded.program.families or loaded.blocks


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split("\n")[0])
def test_an_example_of_the_reference_keeps_its_tokens_when_formatted(text: str) -> None:
    assert re.sub(r"\s", "", format_source(Source("example", text))) == re.sub(r"\s", "", text)


def test_the_reference_lists_the_reserved_words() -> None:
    listed = re.search(r"^`(abstract.*?)`$", REFERENCE, re.MULTILINE | re.DOTALL)
    assert listed is not None
    assert set(listed.group(1).split()) == keywords()


def test_every_code_in_use_is_explained_and_every_explained_code_is_in_use() -> None:
    texts = [p.read_text(encoding="utf-8") for p in (ROOT / "sa").rglob("*.py") if p.name != "codes.py"]
    used = {code for text in texts for code in re.findall(r"\"(SA\d{3})\"", text)}
    assert used == set(CATALOGUE)
