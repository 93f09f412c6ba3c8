"""The extension for VS Code: its files are there, and its grammar knows the words of the language."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from sa.language.reading.keywords import keywords

FOLDER = Path(__file__).parents[2] / "editors" / "vscode"
GRAMMAR = json.loads((FOLDER / "syntaxes" / "sacheck.tmLanguage.json").read_text())


def scope(word: str) -> str | None:
    """What the grammar takes a word for: the first rule that matches all of it."""
    rules = (rule for rule in GRAMMAR["patterns"] if "match" in rule and re.fullmatch(rule["match"], word))
    return next((rule["name"] for rule in rules), None)


def scopes(line: str) -> list[tuple[str, str | None]]:
    """The pieces of a line with what the grammar takes them for: at each place the first rule that matches earliest, as
    editors do it (oniguruma and `re` agree on these rules). Comments of several lines are not for this.
    """
    rules = [(rule["name"], re.compile(rule["match"])) for rule in GRAMMAR["patterns"] if "match" in rule]
    found, at = list[tuple[str, str | None]](), 0
    while at < len(line):
        hits = [
            (m.start(), number, m, name) for number, (name, rule) in enumerate(rules) if (m := rule.search(line, at))
        ]
        start, _, match, name = min(hits, key=lambda hit: hit[:2], default=(len(line), 0, None, None))
        found += [(word, None) for word in re.findall(r"\w+|[^\w\s]", line[at:start])]
        if match is not None:
            found.append((match.group(), name))
        at = len(line) if match is None else max(match.end(), at + 1)
    return found


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


@pytest.mark.parametrize(
    ("line", "word", "wanted"),
    [
        ("for i in 0..N - 1 {", "in", "keyword.control.thread.sacheck"),
        ("start Worker[1];", "start", "keyword.control.thread.sacheck"),
        ("global q : seq<int, 4> = {};", "seq", "keyword.control.thread.sacheck"),
        ("local seq : int = 0;", "seq", None),
        ("push(q, 1);", "push", "support.function.sacheck"),
        ("local first : int = 0;", "first", None),
        ("global c : condition;", "condition", "storage.type.sacheck"),
        ("barrier(b, 3);", "barrier", "support.function.sacheck"),
        ("expect proved;", "proved", "constant.language.sacheck"),
        ("x *= 2;", "*=", "keyword.operator.sacheck"),
        ("edge q0 -> q1;", "->", "keyword.operator.sacheck"),
        ("invariant i : forall i : T :: x == old(x);", "old", "keyword.control.thread.sacheck"),
        ("CS: x := 1;", "CS:", "entity.name.label.sacheck"),
    ],
)
def test_words_that_are_names_elsewhere_are_coloured_where_they_mean_something(
    line: str, word: str, wanted: str | None
) -> None:
    assert (word, wanted) in scopes(line)


def test_in_the_gallery_every_reserved_word_and_every_sign_is_coloured() -> None:
    plain = set[str]()
    for path in sorted((FOLDER.parents[1] / "specs").rglob("*.sa")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        plain |= {piece for line in text.splitlines() for piece, name in scopes(line) if name is None}
    assert plain & keywords() == set()
    assert {piece for piece in plain if not re.fullmatch(r"\w+", piece)} <= set("()[]{},;:.='")


@pytest.mark.fuzz
@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm")
def test_the_extension_is_packed_without_a_network_once_its_packages_are_there(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "ext")
    for command in (["npm", "install", "--silent"], ["npm", "run", "package", "--offline"]):
        subprocess.run(command, cwd=tmp_path / "ext", check=True, capture_output=True, timeout=300)
    (packed,) = (tmp_path / "ext").glob("*.vsix")
    names = zipfile.ZipFile(packed).namelist()
    assert {"extension/extension.js", "extension/syntaxes/sacheck.tmLanguage.json"} <= set(names)
    assert any(name.startswith("extension/node_modules/vscode-languageclient/") for name in names)
    assert not any(name.startswith("extension/node_modules/@vscode/vsce/") for name in names)
