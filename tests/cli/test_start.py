"""Help, version and wrong command lines, as separate processes: what a user starts first."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = (
    "refine",
    "verify",
    "compile-check",
    "batch",
    "prove",
    "certify",
    "check",
    "test",
    "watch",
    "generate",
    "simulate",
    "show",
    "fmt",
    "init",
    "explain",
    "engines",
    "lsp",
)


def sacheck(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command line in a new process."""
    command = [sys.executable, "-c", "from sa.cli.start import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("package", ["sa", "sacheck"])
def test_both_names_of_the_package_are_commands(package: str) -> None:
    command = [sys.executable, "-m", package, "--version"]
    assert re.fullmatch(
        r"sacheck [0-9.]+\n", subprocess.run(command, capture_output=True, text=True, check=True).stdout
    )


def test_a_shell_completes_commands_and_options() -> None:
    for words, wanted in (("sacheck ver", "verify"), ("sacheck verify --rac", "--races")):
        asked = {"_SACHECK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        assert sacheck(env={**os.environ, **asked}).stdout.split() == [wanted]


def test_help_lists_every_command() -> None:
    """`sacheck --help`."""
    found = sacheck("--help")
    assert found.returncode == 0
    assert re.findall(r"^  (\w[\w-]*)  ", found.stdout, re.MULTILINE) == list(COMMANDS)


def test_help_loads_neither_solver_nor_parser_nor_renderer() -> None:
    """It is quick because it imports little; the time itself is measured by the bench."""
    code = "import sys, sa.cli.main as m; m.application(); print(*{'z3', 'lark', 'rich'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "\n"


#: Commands without an answer of their own.
ASKING = {"init", "watch", "lsp"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_where_it_answers_json(command: str) -> None:
    """`--json` everywhere."""
    found = sacheck(command, "--help")
    assert found.returncode == 0
    assert ("--json" in found.stdout) == (command not in ASKING)


def test_version_is_the_packages() -> None:
    """`sacheck --version`."""
    import sa

    assert sacheck("--version").stdout == f"sacheck {sa.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("certify",),
        ("prove",),
        ("prove", "a.sa", "b.sa"),
        ("refine",),
        ("refine", "a.sa", "b.sa", "c.sa"),
        ("refine", "a.sa", "--timeout", "0"),
        ("refine", "a.sa", "--timeout", "nan"),
        ("refine", "a.sa", "--memory", "0"),
        ("refine", "a.sa", "--jobs", "0"),
        ("refine", "a.sa", "--report", "x.html"),
        ("fmt", "a.sa", "--seed", "1"),
        ("show", "a.sa", "--format", "svg"),
    ],
)
def test_a_wrong_command_line_is_status_2(arguments: tuple[str, ...]) -> None:
    """Options that do nothing are not accepted either."""
    found = sacheck(*arguments)
    assert found.returncode == 2
    assert "Traceback" not in found.stderr
    assert found.stdout == ""


def test_ctrl_c_before_anything_has_begun_is_silent(tmp_path: Path) -> None:
    """No trace of what was being imported."""
    (tmp_path / "typer.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n")
    found = sacheck("check", "p.sa", env={**os.environ, "PYTHONPATH": f"{tmp_path}:{Path(__file__).parents[2]}"})
    assert (found.returncode, found.stdout, found.stderr) == (-signal.SIGINT, "", "")
