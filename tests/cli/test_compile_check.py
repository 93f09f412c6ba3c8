"""`compile-check`: a file is compiled twice, and each function compared."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.cli.main import application

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
