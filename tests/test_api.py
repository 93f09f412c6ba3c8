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
