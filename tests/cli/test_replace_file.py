"""Files are replaced whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import sa.app.replace_file as room
from sa.app.replace_file import replace_file, write_folder
from sa.base.diagnostic import InputError

OLD, NEW = "the old text\n", "a new text\n" * 10_000


@pytest.fixture(params=["nameless", "named"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file, on systems with and without files that have no name."""
    if request.param == "named":
        monkeypatch.setattr(room, "_nameless", lambda folder: None)
    path = tmp_path / "x.sa"
    path.write_text(OLD)
    path.chmod(0o640)
    return path


@contextmanager
def hardly_any_room() -> Iterator[None]:
    """Within it no file can become larger than some bytes, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_file_gets_new_contents_and_keeps_its_mode(file: Path) -> None:
    replace_file(str(file), NEW)
    assert (file.read_text(), file.stat().st_mode & 0o777) == (NEW, 0o640)
    assert os.listdir(file.parent) == ["x.sa"]


def test_a_link_keeps_pointing(file: Path) -> None:
    link = file.parent / "link.sa"
    link.symlink_to(file)
    replace_file(str(link), NEW)
    assert (link.is_symlink(), file.read_text()) == (True, NEW)


def test_a_new_file_is_made_as_others_are(file: Path) -> None:
    other = file.parent / "other"
    other.touch()
    replace_file(str(file.parent / "new"), NEW)
    assert (file.parent / "new").read_text() == NEW
    assert (file.parent / "new").stat().st_mode == other.stat().st_mode


def test_a_full_disk_leaves_the_old_file_and_nothing_else(file: Path) -> None:
    with hardly_any_room(), pytest.raises(InputError) as raised:
        replace_file(str(file), NEW)
    assert raised.value.diagnostics[0].code == "SA903"
    assert file.read_text() == OLD
    assert os.listdir(file.parent) == ["x.sa"]


def test_a_folder_that_is_not_there_is_an_error(file: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        replace_file(str(file.parent / "absent" / "x.sa"), NEW)


def test_an_interrupt_leaves_the_old_file_and_nothing_else(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(str(file), NEW)
    assert file.read_text() == OLD
    assert os.listdir(file.parent) == ["x.sa"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="the system has no files without a name")
def test_a_process_that_is_killed_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.sa"
    path.write_text(OLD)
    killed = "import os, sys; os.fsync = lambda handle: os.kill(os.getpid(), 9)\n"
    killed += "from sa.app.replace_file import replace_file; replace_file(sys.argv[1], 'new')"
    run = subprocess.run([sys.executable, "-c", killed, str(path)], cwd=Path(__file__).parents[2], check=False)
    assert run.returncode == -9
    assert path.read_text() == OLD
    assert os.listdir(tmp_path) == ["x.sa"]


def test_a_folder_is_made_whole(tmp_path: Path) -> None:
    write_folder(str(tmp_path / "out"), {"a": NEW, "b": OLD})
    assert os.listdir(tmp_path) == ["out"]
    assert {p.name: p.read_text() for p in (tmp_path / "out").iterdir()} == {"a": NEW, "b": OLD}


def test_a_full_disk_leaves_no_folder(tmp_path: Path) -> None:
    with hardly_any_room(), pytest.raises(InputError, match="cannot write"):
        write_folder(str(tmp_path / "out"), {"a": OLD, "b": NEW})
    assert os.listdir(tmp_path) == []


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_folder(str(tmp_path / "out"), {"a": OLD})
    assert (tmp_path / "out" / "a").read_text() == OLD


@pytest.mark.parametrize("kind", ["folder", "file", "dangling link"])
def test_what_is_in_use_becomes_no_folder(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    match kind:
        case "folder":
            path.mkdir()
            (path / "own").touch()
        case "file":
            path.touch()
        case _:
            path.symlink_to(tmp_path / "absent")
    with pytest.raises(InputError, match="is in use"):
        write_folder(str(path), {"a": NEW})
    assert os.listdir(tmp_path) == ["out"]
