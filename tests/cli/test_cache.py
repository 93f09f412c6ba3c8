"""The cache on disk: where it is, what it survives, how large it gets."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from sa.app import cache as room
from sa.app.cache import Folder, users_cache
from sa.cli.main import application
from tests.engines.test_evidence_cache import ABSTRACT, BAD, GOOD

KEY = "ab" * 32


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory, and a cache that is not there yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SACHECK_CACHE", str(tmp_path / "cache"))
    for name, text in (("abs", ABSTRACT), ("good", GOOD), ("bad", BAD)):
        (tmp_path / f"{name}.sa").write_text(text)
    return tmp_path / "cache"


def strategy(*arguments: str) -> tuple[int, str]:
    """The status of `refine`, and how the first goal was decided."""
    result = CliRunner().invoke(application(), ["refine", *arguments, "--json"])
    document: Any = json.loads(result.stdout)
    return result.exit_code, document["outcomes"][0]["goals"][0]["statistics"]["strategy"]


@pytest.mark.parametrize(("concrete", "status"), [("good.sa", 0), ("bad.sa", 1)])
def test_the_second_run_finds_what_the_first_one_kept(concrete: str, status: int, folder: Path) -> None:
    first = strategy("abs.sa", concrete)
    assert first[0] == status and first[1] != "cached"
    assert strategy("abs.sa", concrete) == (status, "cached")
    assert strategy("abs.sa", concrete, "--no-cache") == first


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_lemmas_of_a_script_are_kept_too(jobs: str, folder: Path) -> None:
    """One that is refuted by a play of the pair alone as well as one that is proved."""
    claims = "lemma good : good refines abs;\nlemma bad : bad refines abs;\n"
    imports = "".join(f'import "{name}.sa" as {name};\n' for name in ("abs", "good", "bad"))
    Path("script.sa").write_text(imports + claims)

    def told(*more: str) -> tuple[int, list[str], list[str]]:
        result = CliRunner().invoke(application(), ["prove", "script.sa", "--json", "--jobs", jobs, *more])
        steps: Any = json.loads(result.stdout)["steps"]
        how = [g["statistics"]["strategy"] for s in steps for g in s["goals"]]
        return result.exit_code, [s["verdict"] for s in steps], how

    status, verdicts, first = told()
    assert (status, verdicts) == (1, ["PROVED", "REFUTED"])
    assert "cached" not in first
    assert told() == (status, verdicts, ["cached"] * len(first))
    assert told("--no-cache") == (status, verdicts, first)


def test_without_a_cache_nothing_is_written(folder: Path) -> None:
    strategy("abs.sa", "good.sa", "--no-cache")
    assert not folder.exists()


@pytest.mark.parametrize("change", [b"", b"x", b"\xff\xfe", b"0" * 64 + b"\n{}"])
def test_damaged_entries_are_ignored_and_replaced(change: bytes, folder: Path) -> None:
    strategy("abs.sa", "good.sa")
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(change or whole[: len(whole) // 2])
    assert strategy("abs.sa", "good.sa")[1] != "cached"
    assert entry.read_bytes() == whole


def test_an_entry_under_another_key_is_ignored(tmp_path: Path) -> None:
    kept = Folder(tmp_path)
    kept.write(KEY, "text")
    os.rename(tmp_path / f"{KEY}.evidence", tmp_path / f"{KEY[::-1]}.evidence")
    assert kept.read(KEY[::-1]) is None


@pytest.mark.parametrize("obstacle", ["file", "folder without rights", "link to nowhere"])
def test_a_cache_that_cannot_be_written_is_no_error(obstacle: str, folder: Path) -> None:
    match obstacle:
        case "file":
            folder.touch()
        case "link to nowhere":
            folder.symlink_to(folder.parent / "nowhere" / "at" / "all")
        case _:
            folder.mkdir(mode=0o500)
    assert strategy("abs.sa", "good.sa")[0] == 0


def test_the_oldest_are_removed_where_there_is_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_BYTES", 1000)
    kept = Folder(tmp_path)
    (tmp_path / "somebody.else").write_text("y" * 5000)
    for number in range(6):
        kept.write(f"{number}", "x" * 200)
        os.utime(tmp_path / f"{number}.evidence", (number, number))
    kept.write("last", "x" * 200)
    left = {p.name for p in tmp_path.iterdir()}
    assert left == {"4.evidence", "5.evidence", "last.evidence", "somebody.else"}


def test_what_is_used_is_not_old(tmp_path: Path) -> None:
    kept = Folder(tmp_path)
    kept.write(KEY, "text")
    os.utime(tmp_path / f"{KEY}.evidence", (1, 1))
    assert kept.read(KEY) == "text"
    assert (tmp_path / f"{KEY}.evidence").stat().st_mtime > 1


def test_an_entry_that_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_BYTES_OF_ONE", 10)
    kept = Folder(tmp_path)
    kept.write(KEY, "x" * 11)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("own", "xdg", "expected"),
    [
        ("/c", "/x", "/c"),
        ("", "/x", None),
        (None, "/x", "/x/sacheck"),
        (None, "relative", "/h/.cache/sacheck"),
        (None, None, "/h/.cache/sacheck"),
    ],
)
def test_where_the_cache_is(
    own: str | None, xdg: str | None, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("SACHECK_CACHE", own), ("XDG_CACHE_HOME", xdg), ("HOME", "/h")):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    found = users_cache()
    assert (None if found is None else str(found.path)) == expected
