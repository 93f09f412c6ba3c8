"""The extension for VS Code: its files are there, and its grammar knows the words of the language."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sa.language.reading.grammar import keywords

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
GRAMMAR = json.loads((FOLDER / "syntaxes" / "sacheck.tmLanguage.json").read_text())


def scope(word: str) -> str | None:
    """What the grammar takes a word for: the first rule that matches all of it."""
    rules = (rule for rule in GRAMMAR["patterns"] if "match" in rule and re.fullmatch(rule["match"], word))
    return next((rule["name"] for rule in rules), None)


def test_the_manifest_names_files_that_exist() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text())
    contributed = manifest["contributes"]
    named = [manifest["main"], contributed["languages"][0]["configuration"], contributed["grammars"][0]["path"]]
    assert all((FOLDER / name).is_file() for name in named)
    assert contributed["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]
    json.loads((FOLDER / "language-configuration.json").read_text())


def test_every_word_of_the_language_is_coloured_and_no_name_is() -> None:
    assert {word for word in keywords() if scope(word) is None} == set()
    assert all(scope(name) is None for name in ("balance", "whiles", "threads", "x1"))


def test_comments_numbers_and_actions_are_told_apart() -> None:
    assert scope("// while") == "comment.line.double-slash.sacheck"
    assert scope("42") == "constant.numeric.sacheck"
    assert scope("@print") == "entity.name.tag.action.sacheck"
    assert scope("int") == "storage.type.sacheck"
