"""Commands on files: what they print, what they write, how they end."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sa.cli.main import application
from tests.golden import assert_golden

PROGRAM = """\
param A : int;
global a : int = A;
init A > 0;

thread T1 {
  local m : int = 0;
  while (m == 0) {
    atomic { if (a == 1) { m := 1; } if (a > 1) { a := a - 1; } }
  }
}

thread T2 {
  @look(a) skip;
  assert a > 0;
}
"""
CROOKED = "global x:int;  // kept\nthread T{x:=1;}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory of the test's own, so that paths in outputs are short."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    (tmp_path / "p.sa").write_text(PROGRAM)
    return tmp_path


def sacheck(*arguments: str, input: str | None = None) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(application(), list(arguments), input=input)


def document(result: Result) -> Any:
    """The JSON that a command printed."""
    return json.loads(result.stdout)


def test_check_counts_what_is_in_a_good_file(folder: Path) -> None:
    """Status 0."""
    result = sacheck("check", "p.sa")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "p.sa: 2 threads, 1 global\n", "")


def test_check_reports_all_errors_of_all_files(folder: Path) -> None:
    """Status 2, and a good file beside bad ones is still counted."""
    (folder / "bad.sa").write_text("global x : int;\nthread T {\n  x := y;\n  x := true;\n}\n")
    result = sacheck("check", "bad.sa", "p.sa", "absent.sa")
    assert result.exit_code == 2
    assert result.stdout == "p.sa: 2 threads, 1 global\n3 files: 2 with errors\n"
    assert_golden("check-errors.txt", result.stderr)


def test_check_counts_what_was_written(folder: Path) -> None:
    """An array and a sequence are one global each; what sacheck adds for `start` is none; a family is no thread."""
    text = "global a : int[3] = 0; global q : seq<int, 2> = {};"
    text += " thread M { start T; } thread T { skip; } thread C[*] { skip; }"
    (folder / "q.sa").write_text(text)
    assert sacheck("check", "q.sa").stdout == "q.sa: 2 threads, 1 family, 2 globals\n"


def test_check_reads_refinement_blocks_if_it_knows_the_other_side(folder: Path) -> None:
    """The file that a block names, or `abs.sa` beside `conc.sa`; what is wrong with that file is told elsewhere."""
    (folder / "abs.sa").write_text("global x : int = 0;\nthread T { x := 1; }\n")
    (folder / "conc.sa").write_text("global x : int = 0;\nthread T { x := 1; }\nrefinement r { relate y; }\n")
    named = 'global x : int = 0;\nthread T { x := 1; }\nrefinement r { abstract "abs.sa"; inv conc.z == 0; }\n'
    (folder / "other.sa").write_text(named)
    assert "the concrete side has no variable `y`" in sacheck("check", "conc.sa").stderr
    assert "unknown name `conc.z`" in sacheck("check", "other.sa").stderr
    paired = 'global x : int = 0;\nthread T { x := 1; }\nrefinement r { abstract "abs.sa"; thread Q refines T; }\n'
    (folder / "other.sa").write_text(paired)
    assert "no concrete thread `Q`" in sacheck("check", "other.sa").stderr
    (folder / "other.sa").write_text(named.replace("conc.z", "conc.x"))
    (folder / "abs.sa").write_text("thread T { x := 1; }\n")
    assert sacheck("check", "other.sa").exit_code == 0


def test_a_file_that_a_block_names_and_that_is_not_there_is_shown_where_it_is_named(folder: Path) -> None:
    (folder / "other.sa").write_text('thread T { skip; }\nrefinement r {\n  abstract "nowhere.sa";\n}\n')
    for command in ("check", "refine"):
        assert "other.sa:3:3: error SA013" in sacheck(command, "other.sa").stderr


HEADER = '#include "limit.h"\nint main(void) { return LIMIT - N; }\n'


def test_check_and_show_take_what_the_preprocessor_is_given(folder: Path) -> None:
    (folder / "include").mkdir()
    (folder / "include" / "limit.h").write_text("#define LIMIT 3\n")
    Path("p.c").write_text(HEADER)
    said = sacheck("check", "p.c")
    assert said.exit_code == 2
    assert "say where headers are with `-I FOLDER`" in said.stderr
    given = ("-I", "include", "-D", "N=3")
    assert sacheck("check", "p.c", *given).stdout == "p.c: 1 thread\n"
    assert sacheck("check", "p.c", "--coverage", *given).exit_code == 0
    assert "automaton main" in sacheck("show", "p.c", *given).stdout
    # They are for files of C alone.
    Path("p.sa").write_text("thread T { skip; }")
    assert sacheck("check", "p.c", "p.sa", *given).exit_code == 0


def test_check_as_json_has_the_same_diagnostics(folder: Path) -> None:
    """With the status."""
    (folder / "bad.sa").write_text("thread T { x := 1; }\n")
    result = sacheck("check", "bad.sa", "--json")
    found = document(result)
    assert found["status"] == result.exit_code == 2
    assert [(d["code"], d["span"]["line"], d["span"]["column"]) for d in found["diagnostics"]] == [("SA101", 1, 12)]


def test_fmt_writes_in_place_and_keeps_the_mode(folder: Path) -> None:
    """Atomically: no other file stays behind."""
    path = folder / "crooked.sa"
    path.write_text(CROOKED)
    path.chmod(0o640)
    result = sacheck("fmt", "crooked.sa")
    assert (result.exit_code, result.stdout) == (0, "reformatted crooked.sa\n")
    assert path.read_text() == "global x : int;  // kept\nthread T { x := 1; }\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(os.listdir(folder)) == ["crooked.sa", "p.sa"]
    assert sacheck("fmt", "crooked.sa").stdout == ""


def test_fmt_follows_links(folder: Path) -> None:
    """The link stays a link."""
    (folder / "crooked.sa").write_text(CROOKED)
    (folder / "link.sa").symlink_to("crooked.sa")
    assert sacheck("fmt", "link.sa").exit_code == 0
    assert (folder / "link.sa").is_symlink()
    assert (folder / "crooked.sa").read_text() != CROOKED


def test_fmt_check_changes_nothing(folder: Path) -> None:
    """Status 1 if a file would change."""
    (folder / "crooked.sa").write_text(CROOKED)
    result = sacheck("fmt", "--check", "crooked.sa")
    assert (result.exit_code, result.stdout) == (1, "would reformat crooked.sa\n")
    assert (folder / "crooked.sa").read_text() == CROOKED


def test_fmt_leaves_a_file_with_errors_and_goes_on(folder: Path) -> None:
    """Status 2, the other file is formatted."""
    (folder / "bad.sa").write_text("thread T { x := ; }\n")
    (folder / "crooked.sa").write_text(CROOKED)
    result = sacheck("fmt", "bad.sa", "crooked.sa")
    assert (result.exit_code, result.stdout) == (2, "reformatted crooked.sa\n")
    assert (folder / "bad.sa").read_text() == "thread T { x := ; }\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_fmt_says_where_it_may_not_write(folder: Path) -> None:
    """A coded error, the file untouched."""
    (folder / "crooked.sa").write_text(CROOKED)
    folder.chmod(0o500)
    result = sacheck("fmt", "crooked.sa")
    folder.chmod(0o700)
    assert result.exit_code == 2
    assert "SA903" in result.stderr


def test_show_text(folder: Path) -> None:
    """All threads."""
    assert_golden("show.txt", sacheck("show", "p.sa").stdout)


def test_show_one_thread_as_dot_and_json(folder: Path) -> None:
    """Only that one."""
    assert sacheck("show", "p.sa", "--thread", "T2", "--format", "dot").stdout.count("subgraph") == 1
    assert [a["name"] for a in document(sacheck("show", "p.sa", "--thread", "T2", "--json"))["automata"]] == ["T2"]


def test_show_knows_which_thread_was_meant(folder: Path) -> None:
    """A coded error with a hint."""
    result = sacheck("show", "p.sa", "--thread", "T11")
    assert result.exit_code == 2
    assert "SA904" in result.stderr
    assert "did you mean `T1`?" in result.stderr


def test_simulate_has_a_column_per_thread(folder: Path) -> None:
    """Changed variables only; the same seed gives the same run."""
    result = sacheck("simulate", "p.sa", "--seed", "3")
    assert result.exit_code == 0
    assert_golden("simulate.txt", result.stdout)
    assert sacheck("simulate", "p.sa", "--seed", "3").stdout == result.stdout


def test_simulate_counts_as_far_as_it_goes(folder: Path) -> None:
    """More digits than Python writes by itself."""
    (folder / "long.sa").write_text("global x : int = 3;\nthread A { while (true) { x := x * x; } }\n")
    result = sacheck("simulate", "long.sa", "--steps", "32", "--json")
    assert result.exit_code == 0
    assert str(3 ** (2**16)) in result.stdout


def test_simulate_in_a_narrow_terminal_names_the_thread_of_each_step(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where columns do not fit."""
    monkeypatch.setenv("COLUMNS", "48")
    assert_golden("simulate-narrow.txt", sacheck("simulate", "p.sa", "--seed", "3").stdout)


def test_simulate_follows_a_script(folder: Path) -> None:
    """Threads by name, the step's number behind a colon."""
    steps = document(sacheck("simulate", "p.sa", "--script", "T2,T1:0,T2", "--json"))["steps"]
    assert [s["thread"] for s in steps] == ["T2", "T1", "T2"]
    assert steps[0]["action"] == "look"


def test_simulate_refuses_a_script_that_cannot_happen(folder: Path) -> None:
    """Status 2 with the step's place."""
    result = sacheck("simulate", "p.sa", "--script", "T2,T3")
    assert result.exit_code == 2
    assert "SA905: step 2 of the script" in result.stderr


def test_a_run_that_fails_is_status_1(folder: Path) -> None:
    """A false assertion."""
    (folder / "f.sa").write_text("thread T { assert false; }\n")
    result = sacheck("simulate", "f.sa")
    assert result.exit_code == 1
    assert "a thread has failed" in result.stdout


def test_simulate_step_by_step_asks_until_it_is_answered(folder: Path) -> None:
    """A number takes a step, nonsense is asked again, the end of the input ends the run."""
    result = sacheck("simulate", "p.sa", "--interactive", input="2\nnonsense\n99\n")
    assert result.exit_code == 0
    assert "@look" in result.stdout
    assert result.stdout.count("please") == 2


def test_options_that_exclude_each_other_are_refused(folder: Path) -> None:
    """None is ignored."""
    assert sacheck("simulate", "p.sa", "--script", "T1", "--seed", "1").exit_code == 2
    assert sacheck("simulate", "p.sa", "--interactive", "--json").exit_code == 2
    assert sacheck("show", "p.sa", "--json", "--format", "dot").exit_code == 2


def test_explain_knows_every_code_in_any_case() -> None:
    """From the catalogue."""
    from sa.language.codes import CATALOGUE

    assert CATALOGUE
    for code in CATALOGUE:
        result = sacheck("explain", code.lower())
        assert result.exit_code == 0
        assert result.stdout.startswith(f"{code}: ")


def test_the_catalogue_has_exactly_the_codes_that_are_used() -> None:
    """None unexplained, none left over."""
    from sa.language.codes import CATALOGUE

    root = Path(__file__).parents[2] / "sa"
    texts = [p.read_text(encoding="utf-8") for p in root.rglob("*.py") if p.name != "codes.py"]
    assert {code for text in texts for code in re.findall(r'"(SA\d{3})"', text)} == set(CATALOGUE)


def test_explain_does_not_make_codes_up() -> None:
    """Status 2 with a hint."""
    result = sacheck("explain", "SA9999")
    assert result.exit_code == 2
    assert "no code" in result.stderr


def test_a_reader_that_went_away_is_no_error(folder: Path) -> None:
    """`sacheck show p.sa | head -0` prints no traceback and keeps its status."""
    import subprocess
    import sys

    command = [sys.executable, "-c", "from sa.cli.main import main; main()", "show", "p.sa"]
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")
