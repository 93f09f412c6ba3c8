"""A session of an editor with `sacheck lsp`."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
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
    (definition,) = editor.request("textDocument/definition", place)
    assert pieces(PROGRAM, [definition["range"]]) == [(3, "y")]
    params = {**place, "context": {"includeDeclaration": True}}
    found = editor.request("textDocument/references", params)
    assert pieces(PROGRAM, [r["range"] for r in found]) == [(3, "y"), (4, "y"), (4, "y")]
    (location,) = editor.request("textDocument/definition", at(uri, PROGRAM, "CS ==>"))
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


ABSTRACT = "param N : int;\nglobal x : int = 0;\nthread T { x := N; }\n"
CONCRETE = """\
param N : int;
global x : int = 0;
global spare : int = 0;
thread T { local k : int; k := N; x := k; }
refinement r { abstract "abs.sa"; relate x; inv conc.spare == 0 || abs.x == conc.k; thread T refines T; }
"""
SCRIPT = """\
import "abs.sa" as a;
import "conc.sa" as c;
lemma one : c.T refines a.T relate x;
lemma two : c.T preserves x == 0 || x == T.k;
"""


def renamed(editor: Client, place: dict[str, Any], name: str) -> dict[str, list[tuple[int, str]]]:
    """What a new name changes: by the name of the file the lines and the texts."""
    texts = {"abs.sa": ABSTRACT, "conc.sa": CONCRETE, "script.sa": SCRIPT}
    edit = editor.request("textDocument/rename", {**place, "newName": name})
    found = {} if edit is None else edit["changes"]
    return {
        file: pieces(texts[file], [e["range"] for e in edits])
        for file, edits in ((uri.rpartition("/")[2], edits) for uri, edits in found.items())
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two programs that are compared, and a proof about them."""
    for name, text in (("abs.sa", ABSTRACT), ("conc.sa", CONCRETE), ("script.sa", SCRIPT)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_renaming_changes_the_files_that_compare_or_import_this_one(editor: Client, folder: Path) -> None:
    uri, _ = opened(editor, folder / "conc.sa", CONCRETE)
    # `relate x` is about both sides, so that both are renamed.
    assert renamed(editor, at(uri, CONCRETE, "x : int"), "total") == {
        "abs.sa": [(1, "x"), (2, "x")],
        "conc.sa": [(1, "x"), (3, "x"), (4, "x"), (4, "x")],
        "script.sa": [(2, "x"), (3, "x"), (3, "x")],
    }
    assert renamed(editor, at(uri, CONCRETE, "k : int"), "copy") == {
        "conc.sa": [(3, "k"), (3, "k"), (3, "k"), (4, "k")],
        "script.sa": [(3, "k")],
    }
    assert renamed(editor, at(uri, CONCRETE, "spare : int"), "other") == {"conc.sa": [(2, "spare"), (4, "spare")]}
    assert set(renamed(editor, at(uri, CONCRETE, "N : int"), "Bound")) == {"abs.sa", "conc.sa"}
    assert renamed(editor, at(uri, CONCRETE, "T {"), "Main") == {
        "conc.sa": [(3, "T"), (4, "T")],
        "script.sa": [(2, "T"), (3, "T"), (3, "T")],
    }
    script, _ = opened(editor, folder / "script.sa", SCRIPT)
    assert renamed(editor, at(script, SCRIPT, "c;"), "impl") == {"script.sa": [(1, "c"), (2, "c"), (3, "c")]}
    for taken in ("N", "spare", "k"):
        assert renamed(editor, at(uri, CONCRETE, "x : int"), taken) == {}


def test_what_another_file_declares_is_found_from_where_it_is_used(editor: Client, folder: Path) -> None:
    uri, _ = opened(editor, folder / "script.sa", SCRIPT)
    (definition,) = editor.request("textDocument/definition", at(uri, SCRIPT, "k;"))
    assert definition["uri"].endswith("/conc.sa")
    assert pieces(CONCRETE, [definition["range"]]) == [(3, "k")]
    assert "local k : int;" in editor.request("textDocument/hover", at(uri, SCRIPT, "k;"))["contents"]["value"]
    both = editor.request("textDocument/definition", at(uri, SCRIPT, "x;"))
    assert [d["uri"].rpartition("/")[2] for d in both] == ["abs.sa", "conc.sa"]


def test_texts_that_are_open_count_instead_of_their_files(editor: Client, folder: Path) -> None:
    opened(editor, folder / "conc.sa", "// a new line\n" + CONCRETE)
    uri, _ = opened(editor, folder / "abs.sa", ABSTRACT)
    edit = editor.request("textDocument/rename", {**at(uri, ABSTRACT, "x : int"), "newName": "total"})
    (edits,) = [edits for file, edits in edit["changes"].items() if file.endswith("conc.sa")]
    assert [e["range"]["start"]["line"] for e in edits] == [2, 4, 5, 5]
    editor.notify("textDocument/didClose", {"textDocument": {"uri": (folder / "conc.sa").as_uri()}})


def test_hovering_shows_what_was_inferred_once_the_file_is_saved(editor: Client, tmp_path: Path) -> None:
    text = (
        "global x : 0..9 = 0;\nthread T {\n  local y : int = 3;\n  x := y;\n  y := 5;\n  y := 6;\n}\n"
        "thread U { x := 1; }\n"
    )
    path = tmp_path / "p.sa"
    path.write_text(text)
    uri, _ = opened(editor, path, text)
    told = patiently(lambda: editor.request("textDocument/hover", at(uri, text, ":= 6"))["contents"]["value"])
    assert "y == 5" in told
    assert "the others may: `y' == y" not in told
    told = editor.request("textDocument/hover", at(uri, text, "T {"))["contents"]["value"]
    assert "The others may do to `T`: `x' <= 1 && " in told
    changed(editor, uri, text + "\n")
    assert editor.request("textDocument/hover", at(uri, text, ":= 6")) is None


def patiently(ask: Callable[[], str]) -> str:
    """An answer that takes a while: none before is an error of the test after half a minute."""
    for _ in range(60):
        with suppress(TypeError):
            return ask()
        time.sleep(0.5)
    raise AssertionError("no answer")


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
    assert titles(editor, uri) == {0: "sacheck: prove or refute", 7: "prove or refute", 8: "prove or refute"}
    lens = editor.request("textDocument/codeLens", lenses)[0]
    command = {"command": lens["command"]["command"], "arguments": lens["command"]["arguments"]}
    editor.request("workspace/executeCommand", command)
    refuted = next(d for d in editor.diagnostics(uri) if d["code"] == "REFUTED")
    assert pieces(PROGRAM, [refuted["range"]]) == [(8, "invariant tiny : x < 2;")]
    assert [r["location"]["range"]["start"]["line"] for r in refuted["relatedInformation"]] == [4, 4]
    assert titles(editor, uri) == {0: "sacheck: REFUTED (ask again)", 7: "✓ PROVED", 8: "✗ REFUTED"}
    assert changed(editor, uri, PROGRAM + "\n") == []
    assert titles(editor, uri)[0] == "sacheck: prove or refute"


def titles(editor: Client, uri: str) -> dict[int, str]:
    """What stands above the lines."""
    lenses = editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in lenses}


def test_refinements_and_steps_have_lenses_with_their_verdicts(editor: Client, folder: Path) -> None:
    for name, text, line in (("conc.sa", CONCRETE, 4), ("script.sa", SCRIPT, 2)):
        uri, _ = opened(editor, folder / name, text)
        assert titles(editor, uri)[line] == "prove or refute"
        editor.request("workspace/executeCommand", {"command": "sacheck.decide", "arguments": [uri]})
        assert titles(editor, uri)[line] == "asking … (cancel)"
        editor.diagnostics(uri)
        assert titles(editor, uri)[line] == "✓ PROVED"
        editor.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_a_question_is_asked_in_the_background_and_can_be_cancelled(editor: Client, tmp_path: Path) -> None:
    path = tmp_path / "hard.sa"
    text = (
        "global x, y : int = 0;\nthread T { while (true) { x := x + 1; havoc y; } }\n"
        "invariant no : x * x * x + y * y * y != 42 * x + 74;\n"
    )
    path.write_text(text)
    uri, _ = opened(editor, path, text)
    editor.request("workspace/executeCommand", {"command": "sacheck.decide", "arguments": [uri]})
    lens = editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})[0]
    assert titles(editor, uri) == {0: "sacheck: asking … (cancel)", 2: "asking … (cancel)"}
    editor.request("workspace/executeCommand", {"command": lens["command"]["command"], "arguments": [uri]})
    assert titles(editor, uri) == {0: "sacheck: prove or refute", 2: "prove or refute"}
