"""Whatever the input is, the answer is a coded message with its place, status 2, and nothing written half."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import pytest
from msgspec import Struct
from typer.testing import CliRunner, Result

from sa.base.verdict import Verdict
from sa.cli.main import application
from sa.language.codes import CATALOGUE

GOOD = "global x : int = 0;\n\nthread T { x := x + 1; }\n"


class Bad(Struct, frozen=True):
    """A file that is wrong: what the message says, and the text under its caret."""

    what: str
    text: bytes | str
    code: str
    message: str
    caret: str | None = None
    hint: str | None = None


FILES = (
    Bad("a wrong encoding", b"global x : int; // caf\xe9\n", "SA014", "is not UTF-8 text", None, "save it as UTF-8"),
    Bad("an empty file", "", "SA017", "no thread is declared", "", "at least one `thread`"),
    Bad("a file of comments", "// later\n", "SA017", "no thread is declared", None, "at least one `thread`"),
    Bad("zero bytes", "global x\0 : int;\n", "SA015", "NUL"),
    Bad("an unknown name", "global flag1 : int;\nthread T { flag := 1; }\n", "SA101", "`flag`", "flag", "`flag1`?"),
    Bad("a type error", "global x : int;\nthread T { x := true; }\n", "SA201", "of type bool", "true"),
    Bad("an unmatched brace", "global x : int;\nthread T {\n  x := 1;\n", "SA005", "`{` is never closed", "{"),
    Bad("a brace too many", "global x : int;\nthread T { x := 1; } }\n", "SA002", "unexpected", "}"),
    Bad("a range that overflows", f"global x : 0..{10**30};\n", "SA207", "within -2^64..2^64", f"0..{10**30}", "int"),
    Bad("a long literal", f"const N = {'9' * 5000};\n", "SA007", "more than 1000 digits", "9" * 200),
    Bad("an empty range", "global x : 3..2;\n", "SA206", "empty", "3..2"),
    Bad(
        "a rely over locals",
        "global x : int;\nthread T { rely m' == m; local m : int; m := x; }\n",
        "SA304",
        "the local `m`",
        "m'",
        "neither reads nor changes",
    ),
    Bad(
        "a rely that keeps a local",
        "global x : int;\nthread T { rely unchanged m; local m : int; m := x; }\n",
        "SA304",
        "the local `m`",
        "m",
        "neither reads nor changes",
    ),
    Bad(
        "axioms that contradict each other",
        "function f(int) : int;\naxiom forall k : int :: f(k) > 0;\naxiom f(1) < 0;\n" + GOOD,
        "SA501",
        "contradict each other",
        "axiom forall k : int :: f(k) > 0;",
        "anything follows",
    ),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a good file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    write("good.sa", GOOD)
    return tmp_path


def write(name: str, text: str | bytes) -> None:
    """A file in the working directory."""
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)


def sacheck(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(application(), list(arguments))


def complaint(result: Result) -> str:
    """What a refused command says on standard error; nothing else is written."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "internal error" not in result.stderr
    return result.stderr


def underlined(text: str) -> list[str]:
    """What stands above the carets of a report."""
    lines = text.splitlines()
    marked = [(lines[i - 1], line) for i, line in enumerate(lines) if re.fullmatch(r" *│ +\^+", line)]
    return [above[line.index("^") : line.rindex("^") + 1].rstrip() for above, line in marked]


@pytest.mark.parametrize("command", ["check", "refine", "show", "simulate"])
@pytest.mark.parametrize("bad", FILES, ids=lambda bad: bad.what)
def test_a_wrong_file_is_refused_with_code_place_and_hint(bad: Bad, command: str) -> None:
    if bad.code == "SA501" and command in ("show", "simulate"):
        pytest.skip("the solver is not asked")
    write("bad.sa", bad.text)
    found = complaint(sacheck(command, "bad.sa", *(["good.sa"] if command == "refine" else [])))
    assert f"error {bad.code}: " in found
    assert bad.message in found
    if bad.caret is not None:
        assert underlined(found)[0].startswith(bad.caret[:60])
    if bad.hint is not None:
        assert bad.hint in found.split("hint: ")[1]


@pytest.mark.parametrize("more", [(), ("--races",), ("--deadlock",)])
def test_fairness_without_a_claim_about_infinite_runs_is_refused(more: tuple[str, ...]) -> None:
    write("a.c", "int main(void) { return 0; }\n")
    assert "--property termination" in complaint(sacheck("verify", "--fair", *more, "a.c"))


@pytest.mark.parametrize("bad", FILES, ids=lambda bad: bad.what)
def test_a_formatter_leaves_what_it_cannot_read_as_it_is(bad: Bad) -> None:
    write("bad.sa", bad.text)
    before = Path("bad.sa").read_bytes()
    result = sacheck("fmt", "bad.sa")
    assert result.exit_code in (0, 2)
    if result.exit_code == 2:
        assert Path("bad.sa").read_bytes() == before
    assert sorted(os.listdir()) == ["bad.sa", "good.sa"]


@pytest.mark.parametrize(
    ("name", "says", "command"),
    [
        *(("absent.sa", "No such file", command) for command in ("check", "refine", "show", "simulate", "fmt")),
        # `check` reads all files of a folder.
        *((".", "is a directory", command) for command in ("refine", "show", "simulate", "fmt")),
    ],
)
def test_a_file_that_is_not_there_is_refused(name: str, says: str, command: str) -> None:
    found = complaint(sacheck(command, name, *(["good.sa"] if command == "refine" else [])))
    assert "error SA013: " in found
    assert says in found


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused() -> None:
    Path("good.sa").chmod(0)
    assert "error SA013: " in complaint(sacheck("check", "good.sa"))


def test_files_that_import_each_other_are_refused_at_the_import() -> None:
    write("a.sa", 'import "b.sa" as b;\n' + GOOD)
    write("b.sa", 'import "a.sa" as a;\nconst N = 1;\n')
    found = complaint(sacheck("check", "a.sa"))
    assert "b.sa:1:1: error SA018: a file imports itself" in found
    assert underlined(found) == ['import "a.sa" as a;']


def test_a_file_that_imports_what_is_not_there_is_refused_at_the_import() -> None:
    write("a.sa", 'import "absent.sa" as b;\n' + GOOD)
    found = complaint(sacheck("refine", "good.sa", "a.sa"))
    assert "error SA013: " in found
    assert underlined(found) == ['import "absent.sa" as b;']


@pytest.mark.parametrize("side", ["abstract", "concrete"])
def test_a_thread_on_one_side_only_is_refused(side: str) -> None:
    write("two.sa", GOOD + "\nthread U { x := 2; }\n")
    files = ("two.sa", "good.sa") if side == "abstract" else ("good.sa", "two.sa")
    found = complaint(sacheck("refine", *files))
    assert f"two.sa:5:1: error SA404: the {side} thread `U` has no partner" in found
    assert underlined(found) == ["thread U { x := 2; }"]
    assert "pair names that differ with `thread C refines A;`" in found


def test_different_sets_of_threads_are_refused_on_both_sides() -> None:
    write("other.sa", GOOD.replace("thread T", "thread V"))
    found = complaint(sacheck("refine", "good.sa", "other.sa"))
    assert found.count("error SA404: ") == 2
    assert found.endswith("2 errors\n")


def test_a_pairing_of_unknown_threads_is_refused_with_the_closest_name() -> None:
    write("paired.sa", GOOD.replace("thread T", "thread Main") + "refinement r { thread Mian refines T; }\n")
    found = complaint(sacheck("refine", "good.sa", "paired.sa"))
    assert "error SA401: no concrete thread `Mian`" in found
    assert "did you mean `Main`?" in found


def test_axioms_that_contradict_each_other_across_the_two_sides_are_refused() -> None:
    write("up.sa", "function f(int) : int;\naxiom f(1) > 0;\n" + GOOD)
    write("down.sa", "function f(int) : int;\naxiom f(1) < 0;\n" + GOOD)
    assert "error SA501: the axioms of the two sides contradict each other" in complaint(
        sacheck("refine", "up.sa", "down.sa")
    )


def test_a_precondition_that_nobody_satisfies_is_refused_where_it_stands() -> None:
    write("pre.sa", GOOD + "refinement r { pre conc.x == abs.x; pre conc.x > 0; }\n")
    found = complaint(sacheck("refine", "good.sa", "pre.sa"))
    assert "error SA407: no pair of initial states satisfies the precondition" in found
    assert underlined(found) == ["conc.x > 0"]


def test_initial_values_that_differ_are_no_wrong_input_but_a_refutation() -> None:
    """The programs say so, not the question."""
    write("other.sa", GOOD.replace("= 0", "= 1"))
    result = sacheck("refine", "good.sa", "other.sa")
    assert result.exit_code == 1
    assert result.stdout.startswith(Verdict.REFUTED.value)


@pytest.mark.parametrize(
    ("code", "caret", "text"),
    [
        ("SA502", "thread T", "global x : int = 0;\ninit x > 0;\nthread T { x := 1; }\n"),
        ("SA504", "assume x > 5;", "global x : 0..3 = 0;\nthread T {\n  choose { assume x > 5; } or { skip; }\n}\n"),
        ("SA505", "await x > x + 1", "global x : int = 0;\nthread T {\n  await x > x + 1 { x := 2; }\n}\n"),
        (
            "SA503",
            "location b",
            "global x : int;\nautomaton T {\n  location a initial;\n  location b { inv x != x; }\n}\n",
        ),
    ],
)
def test_what_is_legal_but_empty_is_a_warning(code: str, caret: str, text: str) -> None:
    """`check` and `refine` both say so, about either side; the status is the answer's."""
    write("void.sa", text)
    checked = sacheck("check", "void.sa")
    assert checked.exit_code == 0
    assert f"warning {code}: " in checked.stderr
    for files in (("void.sa", "good.sa"), ("good.sa", "void.sa")):
        found = sacheck("refine", *files)
        assert found.exit_code in (0, 1, 3)
        assert f"void.sa:{place_of(caret, text)}" in found.stderr
        assert f"warning {code}: " in found.stderr
        assert f"warning {code}" not in sacheck("refine", *files, "--quiet").stderr


def place_of(caret: str, text: str) -> str:
    """The line on which a text begins."""
    return f"{text[: text.index(caret)].count(chr(10)) + 1}:"


def test_every_code_of_this_file_can_be_explained() -> None:
    codes = set(re.findall(r"SA\d{3}", Path(__file__).read_text(encoding="utf-8")))
    assert codes <= set(CATALOGUE)


@pytest.mark.parametrize("name", ["/etc/hostname", "x" * 300 + ".sa", "x\x07.sa", "pipe", "."])
def test_a_text_does_not_reach_for_what_is_no_file_beside_it(name: str) -> None:
    os.mkfifo("pipe")
    write("a.sa", f'import "{name}" as b;\n' + GOOD)
    write("block.sa", f'refinement r {{ abstract "{name}"; concrete "good.sa"; }}\n')
    for command in (("check", "a.sa"), ("refine", "block.sa")):
        found = complaint(sacheck(*command))
        assert re.search(r"error SA01[39]: ", found)


def test_a_pipe_that_the_user_names_is_read() -> None:
    os.mkfifo("pipe")
    threading.Thread(target=write, args=("pipe", GOOD)).start()
    assert sacheck("check", "pipe").exit_code == 0
