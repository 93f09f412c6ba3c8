"""`refine` of two modules: a row for each function, whether it is accepted or not, and certificates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.cli.main import application

pytest.importorskip("llvmlite")

TWICE = "define i32 @twice(i32 %x) {\n  %y = add i32 %x, %x\n  ret i32 %y\n}\n"
SHIFTED = "define i32 @twice(i32 %x) {\n  %y = shl i32 %x, 1\n  ret i32 %y\n}\n"
HALF = "define float @half(float %x) {\n  ret float %x\n}\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SACHECK_CACHE", "")


def sacheck(*arguments: str) -> tuple[int, str]:
    """The exit status, and all that is written."""
    result = CliRunner().invoke(application(), arguments)
    return result.exit_code, result.output


def write(before: str, after: str) -> None:
    """Two modules in the folder."""
    Path("before.ll").write_text(before)
    Path("after.ll").write_text(after)


def test_a_function_that_is_not_accepted_costs_the_others_nothing() -> None:
    write(TWICE + HALF, SHIFTED + HALF)
    status, told = sacheck("refine", "--certificate", "proof.json", "before.ll", "after.ll")
    assert status == 3
    assert "PROVED  twice" in told
    assert "this function was not compared (SA744)" in told
    status, told = sacheck("certify", "proof.json")
    assert (status, told.split()[0]) == (0, "ACCEPTED")


def test_a_certificate_is_about_the_texts_that_were_read() -> None:
    write(TWICE, SHIFTED)
    assert sacheck("refine", "--certificate", "proof.json", "before.ll", "after.ll")[0] == 0
    Path("after.ll").write_text(TWICE)
    assert sacheck("certify", "proof.json")[0] == 1


def test_a_relation_of_another_pair_is_not_accepted() -> None:
    """The checker makes the question again from the modules."""
    write(TWICE, SHIFTED)
    sacheck("refine", "--certificate", "proof.json", "before.ll", "after.ll")
    forged = json.loads(Path("proof.json").read_text())
    forged["files"] = list(reversed(forged["files"]))
    Path("forged.json").write_text(json.dumps(forged))
    assert sacheck("certify", "forged.json")[0] != 0


def test_without_an_accepted_function_there_is_nothing_to_certify() -> None:
    write(HALF, HALF)
    status, told = sacheck("refine", "--certificate", "proof.json", "before.ll", "after.ll")
    assert status == 2
    assert "SA903" in told


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("refine", "--function", "other", "before.ll", "after.ll"), "SA747"),
        (("refine", "--overflow", "check", "before.ll", "after.ll"), "SA705"),
        (("refine", "before.ll"), "SA748"),
        (("verify", "before.ll"), "SA748"),
    ],
)
def test_what_is_not_meant_for_modules_is_an_error_of_the_input(arguments: tuple[str, ...], code: str) -> None:
    write(TWICE, SHIFTED)
    status, told = sacheck(*arguments)
    assert status == 2
    assert code in told


SPINS = """@f = global i32 0
define void @wait() {{
entry:
  {0}
  br label %again
again:
  {1}
  %c = icmp eq i32 %v, 0
  br i1 %c, label %again, label %done
done:
  ret void
}}
"""
LOADS = "%v = load atomic i32, ptr @f monotonic, align 4"


@pytest.mark.parametrize(("after", "status"), [(SPINS.format("", LOADS), 0), (SPINS.format(LOADS, ""), 1)])
def test_a_load_that_leaves_its_loop_keeps_the_function_from_ending(after: str, status: int) -> None:
    write(SPINS.format("", LOADS), after)
    assert sacheck("refine", "before.ll", "after.ll")[0] == 0
    found, told = sacheck("refine", "--preserve", "termination", "before.ll", "after.ll")
    assert found == status, told
    assert ("again and again" in told) == (status == 1)
