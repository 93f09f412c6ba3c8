"""What a command writes destroys nothing: no file that it reads, no source, no stream, no other output."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sa.api as api
from sa.app.outputs import Output, refuse_loss
from sa.base.diagnostic import InputError
from sa.cli.main import application

PROGRAM = "global x : int = 0;\nthread T {\n  x := 1;\n  assert x == 1;\n}\n"
C_PROGRAM = '#include "own.inc"\nint main(void) { return 0; }\n'

ANSWERS = ("--certificate", "--report", "--sarif", "--junit", "--trace")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "own.sa"
    path.write_text(PROGRAM)
    return path


def asked(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(application(), [str(w) for w in words])
    return result.exit_code, result.output


@pytest.mark.parametrize("option", [*ANSWERS, "--export"])
def test_an_output_that_is_the_input_is_an_error(program: Path, option: str) -> None:
    bounds = ("--rounds", 1, "--unwind", 0) if option == "--export" else ()
    status, said = asked("verify", *bounds, option, program, program)
    assert (status, program.read_text()) == (2, PROGRAM)
    assert "SA919" in said
    assert option in said


@pytest.mark.parametrize("option", ANSWERS)
@pytest.mark.parametrize("link", [Path.symlink_to, Path.hardlink_to])
def test_by_whatever_link_the_input_is_reached(program: Path, option: str, link: object) -> None:
    other = program.parent / "other"
    link(other, program)  # type: ignore[operator]
    assert asked("verify", option, other, program)[0] == 2
    assert other.read_text() == program.read_text() == PROGRAM


@pytest.mark.parametrize("option", ANSWERS)
def test_each_input_of_a_refinement_is_kept(program: Path, option: str) -> None:
    second = program.parent / "second"
    second.write_text(PROGRAM)
    assert asked("refine", option, second, program, second)[0] == 2
    assert second.read_text() == PROGRAM


def test_the_script_of_a_chain_is_none_of_its_programs(program: Path) -> None:
    assert asked("refine", "--chain", "--script", program, program, program, program)[0] == 2
    assert program.read_text() == PROGRAM


@pytest.mark.parametrize("option", ["--sarif", "--junit"])
@pytest.mark.parametrize("command", ["check", "test", "prove"])
def test_other_commands_keep_their_inputs(program: Path, command: str, option: str) -> None:
    assert asked(command, option, program, program)[0] == 2
    assert program.read_text() == PROGRAM


@pytest.mark.parametrize("option", ANSWERS)
def test_a_file_that_the_input_includes_is_kept(tmp_path: Path, option: str) -> None:
    """Whatever its name is: it is known when the input has been read."""
    included, source = tmp_path / "own.inc", tmp_path / "x.c"
    included.write_text("int x;\n")
    source.write_text(C_PROGRAM)
    status, said = asked("verify", "--sarif", included, source)
    assert (status, included.read_text()) == (2, "int x;\n")
    assert "SA919" in said


def test_an_answer_replaces_no_source_even_if_the_command_does_not_read_it(program: Path) -> None:
    other = program.parent / "another.c"
    other.write_text("int main(void) { return 0; }\n")
    status, said = asked("verify", "--report", other, program)
    assert (status, other.read_text()) == (2, "int main(void) { return 0; }\n")
    assert "would replace a source" in said


def test_two_outputs_are_two_files(program: Path) -> None:
    status, said = asked("verify", "--sarif", program.parent / "out", "--junit", f"{program.parent}/./out", program)
    assert status == 2
    assert "`--sarif` and `--junit` are one file" in said
    assert not (program.parent / "out").exists()


def test_what_is_thrown_away_may_be_thrown_away_twice() -> None:
    refuse_loss((Output("--sarif", os.devnull), Output("--junit", os.devnull)), ())


def test_an_old_output_is_replaced_through_its_link_and_keeps_its_mode(program: Path) -> None:
    target, link = program.parent / "target", program.parent / "link"
    target.write_text("old")
    target.chmod(0o604)
    link.symlink_to(target)
    assert asked("verify", "--certificate", link, program)[0] == 0
    assert link.is_symlink()
    assert target.read_text().startswith("{")
    assert target.stat().st_mode & 0o777 == 0o604


@pytest.mark.parametrize("option", ANSWERS)
def test_a_pipe_stays_a_pipe_and_gets_the_text(program: Path, option: str) -> None:
    pipe, got = program.parent / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    assert asked("verify", option, pipe, program)[0] == 0
    reader.join(10)
    assert pipe.is_fifo()
    assert len(got[0]) > 50


def test_a_folder_is_no_file(program: Path) -> None:
    status, said = asked("verify", "--certificate", program.parent, program)
    assert status == 2
    assert "it is a directory" in said


def test_formatting_leaves_a_pipe_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    status, said = asked("fmt", tmp_path / "pipe")
    assert status == 2
    assert "not a regular file" in said


def test_the_python_functions_keep_what_they_have_read(program: Path) -> None:
    answer = api.verify(program)
    for save in (answer.save_certificate, answer.save_report):
        with pytest.raises(InputError, match="would replace"):
            save(program)
    assert program.read_text() == PROGRAM
