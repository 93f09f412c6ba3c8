"""A session of an editor with `sacheck lsp`."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.client import Client

if importlib.util.find_spec("pygls") is None:
    pytest.skip("pygls is not installed", allow_module_level=True)

PROGRAM = """\
// Größe 𝔸
global x : int = 0;
thread T {
  local y : int = 1;
  CS: x := y; /* 𝔸 */ x := x + y;
}
thread U { local y : int; y := x; }
invariant small : at T.CS ==> x < 1;
invariant tiny : x < 2;
"""


@pytest.fixture(scope="module")
def editor() -> Iterator[Client]:
    """One server for all tests of this file."""
    with Client() as client:
        yield client


def opened(editor: Client, path: Path, text: str) -> tuple[str, list[dict[str, Any]]]:
    """Open a text that is not saved, and what is wrong with it."""
    uri = path.as_uri()
    editor.notify(
        "textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "sacheck", "version": 1, "text": text}}
    )
    return uri, editor.diagnostics(uri)


def changed(editor: Client, uri: str, text: str) -> list[dict[str, Any]]:
    """Type a text, and what is wrong with it."""
    editor.notify(
        "textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]}
    )
    return editor.diagnostics(uri)


def at(uri: str, text: str, piece: str, number: int = 0) -> dict[str, Any]:
    """The place of the n-th occurrence of a piece of text, as the protocol counts."""
    offset = -1
    for _ in range(number + 1):
        offset = text.index(piece, offset + 1)
    line = text.count("\n", 0, offset)
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    return {
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": len(before.encode("utf-16-le")) // 2},
    }


def pieces(text: str, ranges: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """The lines and texts of ranges."""
    found = list[tuple[int, str]]()
    for r in ranges:
        line = text.splitlines()[r["start"]["line"]].encode("utf-16-le")
        found.append(
            (r["start"]["line"], line[2 * r["start"]["character"] : 2 * r["end"]["character"]].decode("utf-16-le"))
        )
    return found


def test_errors_are_shown_while_one_types_in_a_text_that_is_not_saved(editor: Client, tmp_path: Path) -> None:
    uri, found = opened(editor, tmp_path / "p.sa", PROGRAM)
    assert found == []
    wrong = PROGRAM.replace("x := y;", "x := z;")
    (problem,) = changed(editor, uri, wrong)
    assert (problem["code"], problem["severity"], problem["source"]) == ("SA101", 1, "sacheck")
    assert pieces(wrong, [problem["range"]]) == [(4, "z")]
    (problem,) = changed(editor, uri, PROGRAM.replace("thread U {", "thread U "))
    assert problem["code"] == "SA002"
    assert changed(editor, uri, PROGRAM) == []
    assert not (tmp_path / "p.sa").exists()


def test_hover_definition_and_references_know_scopes(editor: Client, tmp_path: Path) -> None:
    uri, _ = opened(editor, tmp_path / "p.sa", PROGRAM)
    # Behind a character that takes two units.
    place = at(uri, PROGRAM, "y;", 1)
    hover = editor.request("textDocument/hover", place)
    assert "local `y`" in hover["contents"]["value"]
    assert "local y : int = 1;" in hover["contents"]["value"]
    definition = editor.request("textDocument/definition", place)
    assert pieces(PROGRAM, [definition["range"]]) == [(3, "y")]
    params = {**place, "context": {"includeDeclaration": True}}
    found = editor.request("textDocument/references", params)
    assert pieces(PROGRAM, [r["range"] for r in found]) == [(3, "y"), (4, "y"), (4, "y")]
    location = editor.request("textDocument/definition", at(uri, PROGRAM, "CS ==>"))
    assert pieces(PROGRAM, [location["range"]]) == [(4, "CS")]
    assert editor.request("textDocument/hover", at(uri, PROGRAM, "// Gr")) is None


def test_renaming_changes_all_uses_and_nothing_else(editor: Client, tmp_path: Path) -> None:
    uri, _ = opened(editor, tmp_path / "p.sa", PROGRAM)
    edit = editor.request("textDocument/rename", {**at(uri, PROGRAM, "x := y"), "newName": "total"})
    (edits,) = edit["changes"].values()
    assert [line for line, _ in pieces(PROGRAM, [e["range"] for e in edits])] == [1, 4, 4, 4, 6, 7, 8]
    assert {text for _, text in pieces(PROGRAM, [e["range"] for e in edits])} == {"x"}
    for name in ("y", "while", "2x", "T"):
        refused = editor.request("textDocument/rename", {**at(uri, PROGRAM, "x := y"), "newName": name})
        assert (refused is None) == (name != "T"), name


def test_symbols_formatting_and_completion(editor: Client, tmp_path: Path) -> None:
    crooked = PROGRAM.replace("x := x + y", "x:=x+y")
    uri, _ = opened(editor, tmp_path / "p.sa", crooked)
    symbols = editor.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert [(s["name"], [c["name"] for c in s["children"]]) for s in symbols] == [
        ("x", []),
        ("T", ["y", "CS"]),
        ("U", ["y"]),
        ("small", []),
        ("tiny", []),
    ]
    options = {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}
    (edit,) = editor.request("textDocument/formatting", options)
    assert "x := x + y;" in edit["newText"]
    items = editor.request("textDocument/completion", at(uri, crooked, "y := x"))
    known = {item["label"]: item["detail"] for item in (items if isinstance(items, list) else items["items"])}
    assert (known["x"], known["y"], known["while"]) == ("global", "local", "keyword")


def test_a_lens_decides_the_file_and_shows_the_run_as_related_places(editor: Client, tmp_path: Path) -> None:
    path = tmp_path / "p.sa"
    path.write_text(PROGRAM)
    uri, _ = opened(editor, path, PROGRAM)
    lenses = {"textDocument": {"uri": uri}}
    (lens,) = editor.request("textDocument/codeLens", lenses)
    assert lens["command"]["title"] == "sacheck: prove or refute"
    command = {"command": lens["command"]["command"], "arguments": lens["command"]["arguments"]}
    editor.request("workspace/executeCommand", command)
    refuted = next(d for d in editor.diagnostics(uri) if d["code"] == "REFUTED")
    assert pieces(PROGRAM, [refuted["range"]]) == [(8, "invariant tiny : x < 2;")]
    assert [r["location"]["range"]["start"]["line"] for r in refuted["relatedInformation"]] == [4, 4]
    titles = {
        n["range"]["start"]["line"]: n["command"]["title"] for n in editor.request("textDocument/codeLens", lenses)
    }
    assert titles == {0: "sacheck: REFUTED (ask again)", 7: "✓ PROVED", 8: "✗ REFUTED"}
    assert changed(editor, uri, PROGRAM + "\n") == []
    (lens,) = editor.request("textDocument/codeLens", lenses)
    assert lens["command"]["title"] == "sacheck: prove or refute"


def test_a_question_is_asked_in_the_background_and_can_be_cancelled(editor: Client, tmp_path: Path) -> None:
    path = tmp_path / "hard.sa"
    text = (
        "global x, y : int = 0;\nthread T { while (true) { x := x + 1; havoc y; } }\n"
        "invariant no : x * x * x + y * y * y != 42 * x + 74;\n"
    )
    path.write_text(text)
    uri, _ = opened(editor, path, text)
    editor.request("workspace/executeCommand", {"command": "sacheck.decide", "arguments": [uri]})
    (lens,) = editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert lens["command"]["title"] == "sacheck: asking … (cancel)"
    editor.request("workspace/executeCommand", {"command": lens["command"]["command"], "arguments": [uri]})
    (lens,) = editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert lens["command"]["title"] == "sacheck: prove or refute"
