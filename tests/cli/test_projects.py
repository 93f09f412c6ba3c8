"""Several files at once: `init`, `check FOLDER`, `test`, `watch`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sa.app.suite import Command, Question, partner, questions_of, suite_of
from sa.base.diagnostic import InputError
from sa.base.verdict import Verdict
from sa.cli.main import application
from sa.cli.watch import _read_by

ROOT = Path(__file__).parents[2]
GOOD = "global x : int = 0;\nthread T { x := 1; }\ninvariant small : x < 2;\n"
BAD = "global x : int = 0;\nthread T { x := 2; }\ninvariant small : x < 2;\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    return tmp_path


def sacheck(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(application(), list(arguments))


def verdicts(result: Result) -> list[tuple[str, str]]:
    """The first two words of each line about a question."""
    lines = result.stdout.splitlines()
    return [(words[0], words[1]) for line in lines if (words := line.split())[:1] in (["ok"], ["FAIL"])]


def test_init_writes_a_project_whose_files_are_answered_as_they_expect(folder: Path) -> None:
    assert sacheck("init", "new").exit_code == 0
    result = sacheck("test", "new")
    assert (result.exit_code, verdicts(result)) == (0, [("ok", "PROVED"), ("ok", "REFUTED")])


def test_the_project_is_formatted_and_without_warnings(folder: Path) -> None:
    sacheck("init", "new")
    assert sacheck("fmt", "--check", *map(str, Path("new").glob("*.sa"))).exit_code == 0
    result = sacheck("check", "new")
    assert result.stdout.splitlines()[-1] == "3 files: nothing wrong"
    assert result.stderr == ""


def test_init_overwrites_nothing(folder: Path) -> None:
    (folder / "new").mkdir()
    (folder / "new" / "mine.txt").write_text("mine")
    result = sacheck("init", "new")
    assert result.exit_code == 2
    assert "SA913" in result.stderr
    assert [p.name for p in (folder / "new").iterdir()] == ["mine.txt"]


def test_check_goes_through_folders_and_counts(folder: Path) -> None:
    (folder / "below" / ".hidden").mkdir(parents=True)
    (folder / "below" / ".hidden" / "no.sa").write_text("thread")
    (folder / "below" / "good.sa").write_text(GOOD)
    (folder / "wrong.sa").write_text("thread T { y := 1; }\n")
    (folder / "notes.txt").write_text("no program")
    result = sacheck("check", ".")
    assert result.exit_code == 2
    assert result.stdout == "below/good.sa: 1 thread, 1 global, 1 invariant\n2 files: 1 with errors\n"
    assert "SA101" in result.stderr


def test_a_folder_without_programs_is_an_error(folder: Path) -> None:
    result = sacheck("check", ".")
    assert result.exit_code == 2
    assert "SA915" in result.stderr


def test_expectations_are_found_in_programs_pairs_scripts_and_comments(folder: Path) -> None:
    (folder / "silent.sa").write_text(GOOD)
    (folder / "whole.sa").write_text(GOOD + "expect proved;\n")
    (folder / "claim.sa").write_text(GOOD.replace("< 2", "< 2 expect proved"))
    (folder / "abs.sa").write_text("global x : int = 0;\nthread T { x := 1; }\n")
    (folder / "conc.sa").write_text("global x : int = 0;\nthread T { x := 1; }\nexpect proved;\n")
    (folder / "script.sa").write_text(
        'import "whole.sa" as p;\nlemma one : p preserves x < 2 by parallel expect proved;\n'
    )
    (folder / "wrong.sa").write_text("thread\n")
    (folder / "a.before.c").write_text("int main(void) { return 0; }\n")
    (folder / "a.after.c").write_text("// expect: proved\nint main(void) { return 0; }\n")
    (folder / "plain.c").write_text("// expect: refuted\nint main(void) { return 0; }\n")
    suite = suite_of(["."])
    assert suite.questions == (
        Question(Command.REFINE, ("a.before.c", "a.after.c"), Verdict.PROVED),
        Question(Command.VERIFY, ("claim.sa",)),
        Question(Command.REFINE, ("abs.sa", "conc.sa")),
        Question(Command.VERIFY, ("plain.c",), Verdict.REFUTED),
        Question(Command.PROVE, ("script.sa",)),
        Question(Command.VERIFY, ("whole.sa",)),
        Question(Command.VERIFY, ("wrong.sa",)),
    )
    assert suite.silent == ("a.before.c", "abs.sa", "silent.sa")


def test_a_partner_is_found_by_name_and_only_beside_the_file(folder: Path) -> None:
    for name in ("abs.sa", "x.before.sa"):
        (folder / name).touch()
    assert partner("conc.sa") == "abs.sa"
    assert partner("x.after.sa") == partner("x.broken.sa") == "x.before.sa"
    assert partner("x.before.sa") is partner("abs.sa") is partner("below/conc.sa") is partner("y.after.sa") is None


def test_what_is_watched_asks_pairs_once_and_other_files_alone(folder: Path) -> None:
    (folder / "abs.sa").write_text(GOOD)
    (folder / "conc.sa").write_text(GOOD)
    (folder / "other.sa").write_text(GOOD)
    asked = [(q.command, q.paths) for q in questions_of(["."])]
    assert asked == [(Command.REFINE, ("abs.sa", "conc.sa")), (Command.VERIFY, ("other.sa",))]


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [
        (GOOD + "expect proved;\n", 0, []),
        (BAD + "expect refuted;\n", 0, []),
        (BAD.replace("< 2;", "< 2 expect refuted;"), 0, []),
        (BAD + "expect proved;\n", 1, ["the file expects PROVED"]),
        (GOOD + "expect refuted;\n", 1, ["the file expects REFUTED"]),
        ("thread T { y := 1; }\n", 2, ["p.sa:1:12: SA101: unknown variable `y`"]),
        # What has no expectation of its own should hold, where the file as a whole expects nothing.
        (
            BAD.replace("< 2;", "< 2 expect refuted;") + "invariant tiny : x < 1;\n",
            1,
            ["invariant tiny is REFUTED, expected PROVED: violated with x = 2"],
        ),
    ],
)
def test_test_compares_answers_with_expectations(folder: Path, text: str, status: int, why: list[str]) -> None:
    (folder / "p.sa").write_text(text)
    result = sacheck("test", "--json")
    document = json.loads(result.stdout)
    assert result.exit_code == document["status"] == status
    (case,) = document["cases"]
    assert (case["met"], case["why"]) == (not why, why)


def test_a_file_says_with_which_options_it_is_asked(folder: Path) -> None:
    text = "int x;\nvoid f(void) { x = 1; x = %s; }\n"
    (folder / "a.before.c").write_text(text % "1")
    (folder / "a.after.c").write_text("// expect: proved\n// options: --function f\n" + text % "1")
    (folder / "a.broken.c").write_text("// expect: refuted\n// options: --function f\n" + text % "2")
    result = sacheck("test", "--json")
    cases = json.loads(result.stdout)["cases"]
    assert [(case["options"], case["verdict"], case["met"]) for case in cases] == [
        (["--function", "f"], "PROVED", True),
        (["--function", "f"], "REFUTED", True),
    ]


def test_an_option_in_a_file_that_writes_another_file_is_refused(folder: Path) -> None:
    (folder / "p.sa").write_text(f"// options: --fair --certificate own.sa\n{GOOD}expect proved;\n")
    result = sacheck("test")
    assert result.exit_code == 2
    assert "SA924" in result.stderr
    assert "p.sa:1:20" in result.stderr


def test_a_question_that_takes_too_long_is_unknown(folder: Path) -> None:
    endless = "global x, y : int = 0;\nthread T { while (true) { x := x + 1; havoc y; } }\n"
    (folder / "a.sa").write_text(endless + "invariant no : x * x * x + y * y * y != 42 * x + 74;\nexpect proved;\n")
    result = sacheck("test", "--timeout", "0.5")
    assert (result.exit_code, verdicts(result)) == (3, [("FAIL", "UNKNOWN")])
    assert result.stdout.splitlines()[-1].startswith("0 as expected, 1 not as expected")


def test_where_nothing_is_expected_test_says_so(folder: Path) -> None:
    (folder / "p.sa").write_text(GOOD)
    result = sacheck("test")
    assert result.exit_code == 2
    assert "SA916" in result.stderr
    with pytest.raises(InputError):
        suite_of(["nothing" if (folder / "nothing").mkdir() is None else ""])


def test_watch_asks_again_when_a_file_is_saved_and_ends_with_ctrl_c(folder: Path) -> None:
    file = folder / "p.sa"
    file.write_text(GOOD)
    process = subprocess.Popen(
        [sys.executable, "-m", "sa", "watch", "--quiet", "p.sa"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("── verify p.sa")
        assert process.stdout.readline() == "PROVED  p.sa\n"
        time.sleep(0.3)
        file.write_text(BAD)
        assert process.stdout.readline().startswith("── verify p.sa")
        assert process.stdout.readline() == "REFUTED  p.sa\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()


def test_watch_asks_only_what_a_saved_file_may_change(folder: Path) -> None:
    (folder / "part.sa").write_text("const N = 1;\nglobal x : int = 0;\nthread T { x := N; }\n")
    (folder / "whole.sa").write_text('import "part.sa" as part;\n' + GOOD)
    (folder / "other.sa").write_text(GOOD)
    files = ("whole.sa", "other.sa")
    state = dict.fromkeys(("part.sa", *files), (0, 0))
    here = {f"./{name}": seen for name, seen in state.items()}
    assert _read_by(["whole.sa"], here) == {"./whole.sa", "./part.sa"}
    assert _read_by(["other.sa"], here) == {"./other.sa"}


def test_a_question_that_is_not_as_expected_comes_with_the_command_that_shows_why(tmp_path: Path) -> None:
    file = tmp_path / "two words.sa"
    file.write_text("global x : int = 0; thread T { x := 1; } invariant v : x == 0;\nexpect proved;\n")
    result = CliRunner().invoke(application(), ["test", str(file)])
    assert f"more: sacheck verify '{file}'" in result.stdout
