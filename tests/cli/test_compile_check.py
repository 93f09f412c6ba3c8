"""`compile-check`: a file is compiled twice, and each function compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.app.passes import judged
from sa.base.limits import Limits
from sa.base.verdict import Verdict
from sa.cli.main import application
from sa.engines.options import Options
from sa.engines.outcome import Outcome
from sa.frontends.flow.compared import Refused
from sa.frontends.llvm.functions import load_chain
from sa.frontends.llvm.passes import passes_of

CLANG = next((name for name in ("clang", "clang-14") if shutil.which(name)), None)
FILE = """#include <stdatomic.h>
int data;
atomic_int ready;
void publish(int v) {
    data = 0;
    data = v;
    atomic_store_explicit(&ready, 1, memory_order_release);
}
float half(float x) { return x / 2; }
"""


def compile_check(*arguments: str) -> tuple[int, str]:
    """The exit status and all that is written."""
    result = CliRunner().invoke(application(), ["compile-check", *arguments])
    return result.exit_code, result.output


@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
def test_functions_are_compared_and_those_that_are_not_accepted_are_told(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite")
    file = tmp_path / "queue.c"
    file.write_text(FILE)
    status, told = compile_check("--cc", str(CLANG), "--quiet", str(file), "--", "-DNDEBUG")
    assert (status, told.split()) == (3, ["PROVED", "publish", "UNKNOWN", "half"])
    assert [p.name for p in tmp_path.iterdir()] == ["queue.c"]


@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
def test_what_clang_rejects_is_an_error_of_the_input(tmp_path: Path) -> None:
    file = tmp_path / "wrong.c"
    file.write_text("int f(void) { return missing; }\n")
    status, told = compile_check("--cc", str(CLANG), str(file))
    assert status == 2
    assert "SA749" in told
    assert "missing" in told


def test_a_compiler_that_is_not_there_is_an_error_of_the_input(tmp_path: Path) -> None:
    file = tmp_path / "queue.c"
    file.write_text(FILE)
    status, told = compile_check("--cc", "no-such-clang", str(file))
    assert status == 2
    assert "SA749" in told


def test_a_file_that_is_not_there_is_an_error_of_the_input() -> None:
    status, told = compile_check("no-such-file.c")
    assert status == 2
    assert "SA013" in told


@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
def test_passes_are_taken_from_what_clang_prints_and_make_a_chain(tmp_path: Path) -> None:
    file = tmp_path / "queue.c"
    file.write_text("int twice(int x) { int y = x; return y + x; }\nint other(void) { return 3; }\n")
    steps = passes_of(str(file), str(CLANG), ("-O2",), "twice", None)
    assert [steps[0].name, steps[-1].name] == ["", "what is left"]
    assert len(steps) > 3
    paths = [tmp_path / f"{number}.ll" for number, _ in enumerate(steps)]
    for path, step in zip(paths, steps, strict=True):
        path.write_text(step.text)
    assert not [x for x in load_chain(list(map(str, paths)), "twice") if isinstance(x, Refused)]


#: Modules on the way of a function: what is right, what a pass has broken, and what is behind that.
STEPS = (
    "  %y = mul i32 %x, 2\n  ret i32 %y\n",
    "  %y = shl i32 %x, 1\n  ret i32 %y\n",
    "  %y = shl i32 %x, 2\n  ret i32 %y\n",
    "  %y = mul i32 %x, 4\n  ret i32 %y\n",
)


def after(names: tuple[str, ...], bodies: tuple[str, ...], whole: Verdict, tmp_path: Path) -> Outcome:
    """What the steps tell of a function that is known to be `whole`."""
    paths = [tmp_path / f"{number}.ll" for number, _ in enumerate(bodies)]
    for path, body in zip(paths, bodies, strict=True):
        path.write_text(f"define i32 @f(i32 noundef %x) {{\n{body}}}\n")
    links = load_chain(list(map(str, paths)), "f")
    return judged(Outcome("f", whole, "", (), (), None, {}), names, links, Options(Limits()))


def test_the_first_step_that_is_refuted_is_named(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite")
    found = after(("InstCombine", "Wrong", "Back"), STEPS, Verdict.UNKNOWN, tmp_path)
    assert found.verdict is Verdict.REFUTED
    assert [(r.goal.name, r.verdict) for r in found.results] == [
        ("InstCombine (1 of 3)", Verdict.PROVED),
        ("Wrong (2 of 3)", Verdict.REFUTED),
    ]


def test_steps_that_are_all_proved_prove_the_whole(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite")
    found = after(("InstCombine", "Back"), (*STEPS[:2], STEPS[0]), Verdict.UNKNOWN, tmp_path)
    assert found.verdict is Verdict.PROVED


def test_a_step_that_is_not_accepted_proves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("llvmlite")
    refused = "  %w = zext i32 %x to i128\n  %y = trunc i128 %w to i32\n  ret i32 %y\n"
    found = after(("One", "Two"), (STEPS[0], refused, STEPS[0]), Verdict.UNKNOWN, tmp_path)
    assert found.verdict is Verdict.UNKNOWN
    assert any("One (1 of 2) is not accepted (SA744)" in note for note in found.notes)
