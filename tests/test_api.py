"""`import sa`: the commands as functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sa
import sacheck

ROOT = Path(__file__).parents[1]
GOOD = "global x : int = 0;\nthread T { x := 1; }\ninvariant small : x < 2;\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program whose invariant holds."""
    path = tmp_path / "p.sa"
    path.write_text(GOOD)
    return path


def test_importing_loads_no_library() -> None:
    """Commands import the package first: what only programs use is loaded when it is used."""
    code = "import sa, sys; print(sorted({'z3', 'lark', 'rich', 'msgspec', 'typer'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


def test_both_packages_offer_the_same() -> None:
    names = set(sacheck.__all__) - {"__version__"}
    assert names <= set(dir(sa))
    assert all(getattr(sa, name) is getattr(sacheck, name) for name in names)
    assert not hasattr(sa, "nothing")


@pytest.mark.parametrize("package", ["sa", "sacheck"])
def test_both_packages_are_the_command(package: str) -> None:
    done = subprocess.run([sys.executable, "-m", package, "--version"], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, f"sacheck {sa.__version__}\n")


def test_an_answer_has_a_verdict_and_prints_as_the_command_shows_it(program: Path) -> None:
    answer = sa.verify(program)
    assert answer.verdict is sa.Verdict.PROVED
    assert answer.proved
    assert str(answer).splitlines()[0] == f"PROVED  {program}"
    assert answer.json()["format"] == "sacheck-verification/1"


def test_answers_and_files_render_in_notebooks(program: Path) -> None:
    for shown in (sa.verify(program), sa.load(program)):
        page = shown._repr_html_()
        assert page.startswith("<iframe")
        assert "<script" not in page, "a page is the text of an attribute"


def test_nothing_claimed_has_no_verdict(program: Path) -> None:
    program.write_text("global x : int = 0;\nthread T { x := 1; }\n")
    assert sa.verify(program).verdict is None
    assert not sa.verify(program).proved


def test_what_was_proved_is_certified(program: Path, tmp_path: Path) -> None:
    sa.verify(program).save_certificate(tmp_path / "c.json")
    assert sa.certify(tmp_path / "c.json") is True
    program.write_text(GOOD.replace("x := 1", "x := 0"))
    assert sa.certify(tmp_path / "c.json") is not True


def test_what_a_limit_stopped_has_no_certificate(program: Path, tmp_path: Path) -> None:
    answer = sa.prove(ROOT / "specs" / "proofs" / "peterson.sa", timeout=0.001)
    assert answer.verdict is sa.Verdict.UNKNOWN
    assert "UNKNOWN" in str(answer)
    assert sa.refine(program, program, timeout=0.0001).verdict is sa.Verdict.UNKNOWN


def test_generate_gives_a_program_that_can_be_read_back(program: Path, tmp_path: Path) -> None:
    found = sa.generate(program)
    (tmp_path / "again.sa").write_text(found.text)
    assert [t.name for t in sa.load(tmp_path / "again.sa").threads] == ["T"]


def test_wrong_input_is_an_exception_with_its_diagnostics(program: Path) -> None:
    program.write_text("thread T { y := 1; }\n")
    with pytest.raises(sa.InputError) as wrong:
        sa.verify(program)
    assert [d.code for d in wrong.value.diagnostics] == ["SA101"]


def test_numbers_of_any_length_are_no_error(tmp_path: Path) -> None:
    """Each abstract step doubles the digits: after some there are more than Python writes by itself."""
    abstract, concrete = tmp_path / "abs.sa", tmp_path / "conc.sa"
    abstract.write_text("global x : int = 2; thread T { while (true) { x := x * x; } }")
    concrete.write_text('global x : int = 2; thread T { x := 5; } refinement r { abstract "abs.sa"; }')
    assert sa.refine(abstract, concrete, timeout=60.0).verdict is sa.Verdict.REFUTED


RACE = """\
#include <pthread.h>
int x;
void *other(void *a) { x = 1; return a; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  x = 2;
  pthread_join(t, 0);
  return 0;
}
"""


@pytest.fixture
def race(tmp_path: Path) -> Path:
    """A program in C with a data race and without a deadlock."""
    path = tmp_path / "race.c"
    path.write_text(RACE)
    return path


def test_what_is_asked_of_c_is_what_the_options_of_the_command_ask(race: Path) -> None:
    assert sa.verify(race, races=True).verdict is sa.Verdict.REFUTED
    assert sa.verify(race, deadlock=True).verdict is sa.Verdict.PROVED


def test_overflow_is_looked_for_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "o.c"
    path.write_text("int main(void) { int x = 2147483647; x = x + 1; return 0; }\n")
    assert sa.verify(path, overflow="check").verdict is sa.Verdict.REFUTED
    assert sa.verify(path).verdict is not sa.Verdict.REFUTED
    with pytest.raises(ValueError, match="overflow"):
        sa.verify(path, overflow="never")


def test_functions_are_compared_alone(tmp_path: Path) -> None:
    before, after, broken = (tmp_path / f"{name}.c" for name in ("before", "after", "broken"))
    before.write_text("int g;\nvoid f(void) { g = 1; g = 2; }\n")
    after.write_text("int g;\nvoid f(void) { g = 2; }\n")
    broken.write_text("int g;\nvoid f(void) { g = 1; }\n")
    assert sa.refine(before, after, function="f").verdict is sa.Verdict.PROVED
    assert sa.refine(before, broken, function="f").verdict is sa.Verdict.REFUTED
    with pytest.raises(ValueError, match="function"):
        sa.refine(before, after, function="f", whole=True)


def test_termination_is_preserved_or_not(tmp_path: Path) -> None:
    ends, spins = tmp_path / "ends.sa", tmp_path / "spins.sa"
    ends.write_text("global x : int = 0;\nthread T { x := 1; }\n")
    spins.write_text("global x : int = 0;\nthread T { while (x == 0) { skip; } x := 1; }\n")
    assert sa.refine(ends, spins).verdict is sa.Verdict.PROVED
    assert sa.refine(ends, spins, preserve="termination").verdict is sa.Verdict.REFUTED
    assert sa.refine(ends, ends, preserve="termination").verdict is sa.Verdict.PROVED


def test_the_weakest_rely_is_an_answer_too(tmp_path: Path) -> None:
    once, twice = tmp_path / "once.sa", tmp_path / "twice.sa"
    twice.write_text("global x : int;\nthread T { local r, s : int; r := x; @mid skip; s := x; @out(r, s) skip; }\n")
    once.write_text("global x : int;\nthread T { local r, s : int; r := x; @mid skip; s := r; @out(r, s) skip; }\n")
    answer = sa.weakest_rely(twice, once)
    assert answer.proved
    assert "unchanged x" in str(answer)
    assert answer.json()["format"] == "sacheck-weakest-rely/1"
    assert answer._repr_html_().startswith("<iframe")


def test_no_environment_of_a_program_in_c_is_an_answer(tmp_path: Path) -> None:
    """Nobody but its own threads changes a variable of C, so that any environment would do."""
    path = tmp_path / "one.c"
    path.write_text("int x; int main(void) { x = 1; return 0; }\n")
    with pytest.raises(sa.InputError) as wrong:
        sa.weakest_rely(path, path)
    assert [d.code for d in wrong.value.diagnostics] == ["SA705"]


def test_a_batch_asks_each_question_by_itself(program: Path, race: Path) -> None:
    asked = [("verify", str(program)), ("verify", str(race), "--races"), ("verify", "nowhere.sa")]
    good, bad, wrong = sa.batch(asked, jobs=2)
    assert (good.verdict, bad.verdict, wrong.verdict) == (sa.Verdict.PROVED, sa.Verdict.REFUTED, None)
    assert good.json["format"] == "sacheck-verification/1"
    assert wrong.command == ("verify", "nowhere.sa")
