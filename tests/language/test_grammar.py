"""The grammar has no conflicts, and its tables are kept safely."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from lark import Lark

from sa.base.source import Source
from sa.language.reading.grammar import cache_directory, make_parser
from sa.language.reading.keywords import grammar_path
from sa.language.reading.rules import builder, reading
from sa.language.syntax import Module

TEXT = Source("a.sa", "thread T { skip; }")


def test_the_grammar_is_lalr_without_conflicts_or_colliding_terminals() -> None:
    pytest.importorskip("interegular")
    options = {"parser": "lalr", "lexer": "basic", "keep_all_tokens": True, "maybe_placeholders": False}
    Lark(grammar_path().read_text(encoding="utf-8"), strict=True, **options)  # type: ignore[arg-type]


def read() -> Module:
    """The text, read by a parser made for it."""
    with reading(TEXT):
        module: Module = make_parser(builder()).parse(TEXT.text)  # type: ignore[assignment]
    return module


def tables(folder: Path) -> list[Path]:
    return list((folder / "sacheck").glob("*.tables"))


def test_tables_are_kept_in_the_users_cache_and_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    read()
    (kept,) = tables(tmp_path)
    written = kept.stat().st_mtime_ns
    assert read().declarations
    assert kept.stat().st_mtime_ns == written
    assert [p.name for p in kept.parent.iterdir()] == [kept.name]


def test_a_broken_cache_is_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    read()
    (kept,) = tables(tmp_path)
    good = kept.read_bytes()
    for bad in (b"", b"nonsense", good[: len(good) // 2]):
        kept.write_bytes(bad)
        assert read().declarations
        assert len(kept.read_bytes()) > len(good) // 2
        assert tables(tmp_path) == [kept]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs owners and modes of files")
def test_a_cache_that_others_can_write_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "sacheck").mkdir()
    (tmp_path / "sacheck").chmod(0o777)
    assert cache_directory() is None
    assert read().declarations
    assert tables(tmp_path) == []


def test_without_a_cache_the_tables_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cache_directory() is None
    assert make_parser(SimpleNamespace()).parse(TEXT.text)
