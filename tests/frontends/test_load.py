"""A file is read by the loader of its kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.automata.program import Program
from sa.base.source import Source
from sa.frontends import load
from sa.frontends.load import load_program, loader_of
from sa.language import load as sa_files
from sa.language.loaded import Loaded, LoadedScript
from sa.terms import build


def test_files_of_the_language_are_read_by_it(tmp_path: Path) -> None:
    path = tmp_path / "a.sa"
    path.write_text("global x : int; thread T { x := 1; }")
    assert [t.name for t in load_program(str(path)).program.threads] == ["T"]


@pytest.mark.parametrize("name", ["a.sa", "a.SA", "a.txt", "a", "/dev/stdin"])
def test_what_has_no_loader_of_its_own_is_read_as_the_language(name: str) -> None:
    assert loader_of(name) is sa_files


class Toy:
    """Reads every file as the same program."""

    def load_program(self, path: str, split: bool = False) -> Loaded:
        """A program without threads."""
        source = Source(path, "toy")
        return Loaded(Program(source, (), (), (), build.TRUE, (), (), (), None), (), (source,))

    def load_script(self, path: str, split: bool = False) -> LoadedScript:
        """There are none."""
        raise NotImplementedError

    def load(self, path: str, split: bool = False) -> Loaded | LoadedScript:
        """A program without threads."""
        return self.load_program(path)


def test_another_kind_of_file_is_a_loader_and_a_suffix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "KINDS", {**load.KINDS, ".toy": Toy})
    assert load_program("nowhere.toy").sources[0].text == "toy"
