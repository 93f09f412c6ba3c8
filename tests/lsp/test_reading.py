"""What an editor shows of a text while one reads or types: uses, kinds, signatures, symbols, and what hints change."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from sa.base.source import Source
from tests.lsp.client import Client
from tests.lsp.test_session import at, editor, opened

if importlib.util.find_spec("pygls") is None:
    pytest.skip("pygls is not installed", allow_module_level=True)

from sa.lsp.names import TOKENS

__all__ = ["editor"]

TEXT = """\
global x, y : int = 0;
function both(a : int, b : int) : bool = a == b;
thread T {
  local r : int = 0;
  r := x;
  x := r;
}
invariant same : both(x, y);
"""


def place(uri: str, piece: str, number: int = 0) -> dict[str, Any]:
    """A place in the text."""
    return at(uri, TEXT, piece, number)


def lines(found: list[dict[str, Any]]) -> list[int]:
    return sorted(one["range"]["start"]["line"] for one in found)


def test_the_uses_of_a_name_are_highlighted_and_no_others(editor: Client, tmp_path: Path) -> None:
    uri, _ = opened(editor, tmp_path / "p.sa", TEXT)
    assert lines(editor.request("textDocument/documentHighlight", place(uri, "r := x"))) == [3, 4, 5]
    assert lines(editor.request("textDocument/documentHighlight", place(uri, "x, y"))) == [0, 4, 5, 7]
    assert editor.request("textDocument/documentHighlight", place(uri, "== b")) == []


def test_names_have_their_kinds(editor: Client, tmp_path: Path) -> None:
    uri, _ = opened(editor, tmp_path / "p.sa", TEXT)
    data = editor.request("textDocument/semanticTokens/full", {"textDocument": {"uri": uri}})["data"]
    line = column = 0
    kinds = dict[str, str]()
    for down, right, length, kind, _ in zip(*(iter(data),) * 5, strict=True):
        line, column = line + down, right if down else column + right
        kinds[TEXT.splitlines()[line][column : column + length]] = TOKENS[kind]
    assert kinds["x"] == kinds["r"] == "variable"
    assert (kinds["both"], kinds["a"], kinds["T"], kinds["same"]) == ("function", "parameter", "class", "property")


def test_a_call_that_is_being_written_shows_what_it_takes(editor: Client, tmp_path: Path) -> None:
    begun = TEXT.replace("both(x, y);", "both(x, ")
    uri, _ = opened(editor, tmp_path / "p.sa", begun)
    where = {"textDocument": {"uri": uri}, "position": {"line": 7, "character": len("invariant same : both(x, ")}}
    shown = editor.request("textDocument/signatureHelp", where)
    assert shown["signatures"][0]["label"].startswith("function both(a : int, b : int)")
    assert [p["label"] for p in shown["signatures"][0]["parameters"]] == ["a : int", "b : int"]
    assert shown["activeParameter"] == 1
    outside = {"textDocument": {"uri": uri}, "position": {"line": 4, "character": 4}}
    assert editor.request("textDocument/signatureHelp", outside) is None


WRITTEN = "global count : int = 0;\nthread T { count := 1; }\n"


@pytest.mark.parametrize(
    ("wrong", "piece", "right"),
    [
        (
            "global count : int = 0;\nthread T { coumt := 1; }\n",
            "coumt",
            "global count : int = 0;\nthread T { count := 1; }\n",
        ),
        ("global x, y : int = 0;\nthread T { x := x + y; }\n", "x := x", None),
    ],
)
def test_a_hint_is_a_change_of_the_text(
    editor: Client, tmp_path: Path, wrong: str, piece: str, right: str | None
) -> None:
    uri, _ = opened(editor, tmp_path / "p.sa", wrong)
    start = at(uri, wrong, piece)["position"]
    asked = {"textDocument": {"uri": uri}, "range": {"start": start, "end": start}, "context": {"diagnostics": []}}
    (action, *_) = editor.request("textDocument/codeAction", asked)
    (edit,) = action["edit"]["changes"][uri]
    rows = wrong.splitlines(keepends=True)
    row, first, last = (edit["range"]["start"]["line"], *(edit["range"][e]["character"] for e in ("start", "end")))
    rows[row] = rows[row][:first] + edit["newText"] + rows[row][last:]
    assert "".join(rows) == (right or wrong.replace("x := x + y;", "atomic { x := x + y; }"))
    _, left = opened(editor, tmp_path / "q.sa", "".join(rows))
    assert not [d for d in left if piece.split()[0] in d["message"] and d["code"] != "SA401"]


def test_nothing_is_changed_where_nothing_is_wrong(editor: Client, tmp_path: Path) -> None:
    uri, _ = opened(editor, tmp_path / "p.sa", TEXT)
    start = place(uri, "local r")["position"]
    asked = {"textDocument": {"uri": uri}, "range": {"start": start, "end": start}, "context": {"diagnostics": []}}
    assert editor.request("textDocument/codeAction", asked) == []


def test_what_others_do_stands_behind_a_thread() -> None:
    from sa.app.editing import read
    from sa.lsp.names import environment_hints

    found = read("p.sa", TEXT)
    assert found is not None
    (hint,) = environment_hints(found, Source("p.sa", TEXT), {"T": "x' == x"})
    assert (hint.label, hint.position.line) == ("others: x' == x", 2)
    assert environment_hints(found, Source("p.sa", TEXT), {"U": "true"}) == []


def test_symbols_of_all_files_are_found_by_their_letters(tmp_path: Path) -> None:
    from sa.app.editing import read_file
    from sa.lsp.names import matching

    for name in ("one", "two"):
        (tmp_path / f"{name}.sa").write_text(TEXT.replace("both", f"both_of_{name}"))
    files = [str(tmp_path / f"{name}.sa") for name in ("one", "two", "gone")]
    found = [d.name for d in matching("bothtwo", files, lambda file: read_file(file, lambda _: None))]
    assert found == ["both_of_two"]
