"""Every command that a page shows is one that sacheck accepts, and the files of the clone that it names are there.

Pages with outputs are compared elsewhere; here are the lines that stand alone. They are run page by page, with small
files of the names that they use.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sa.cli.main import application
from tests.specs.tutorial import ROOT

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))


def commands(page: Path) -> list[str]:
    """The lines of blocks that are commands of sacheck, continued ones put together."""
    parts = re.split(r"^```.*$", page.read_text(), flags=re.MULTILINE)
    lines = [line for block in parts[1::2] for line in block.splitlines()]
    return [m[1] for line in lines if (m := re.match(r"(?:\$ )?sacheck\s+(.*?)(?:\s+#.*)?$", line))]


SHOWN = [pytest.param(c, id=f"{p.name}: {c[:60]}") for p in PAGES for c in dict.fromkeys(commands(p))]


@pytest.mark.parametrize("shown", SHOWN)
def test_a_command_on_a_page_is_accepted(shown: str) -> None:
    name, *arguments = shlex.split(shown.partition(" && ")[0])
    group = typer.main.get_command(application())
    command = group.commands[name]  # type: ignore[attr-defined]
    with command.make_context(name, list(arguments)) as context:
        assert context.params
    missing = [a for a in arguments if a.startswith(("specs/", "docs/")) and not (ROOT / a).exists()]
    assert not missing


def test_pages_show_commands() -> None:
    assert len(SHOWN) > 30


PROGRAM = "global x : int = 0;\nthread T {{ {} }}\n"
C_PROGRAM = "int x;\nvoid see(int);\nint f(int n) {{ x = n; see({}); return 0; }}\nint main(void) {{ return f(1); }}\n"
FILES = {
    **dict.fromkeys(("before.sa", "abs.sa"), PROGRAM.format("x := 2;")),
    **dict.fromkeys(("between.sa", "after.sa", "conc.sa"), PROGRAM.format("skip; x := 2;")),
    **dict.fromkeys(("prog.c", "queue.c", "before.c"), C_PROGRAM.format("x")),
    "after.c": C_PROGRAM.format("n"),
    "before.ll": "define i32 @push(i32 %x) {\n  %y = add nsw i32 %x, 1\n  ret i32 %y\n}\n",
    "after.ll": "define i32 @push(i32 %x) {\n  %y = sub i32 %x, -1\n  ret i32 %y\n}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_without_an_output_on_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They prove or refute; what a command writes is there for the next one.

    Those that go on for ever, or need a compiler, are left out.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SACHECK_CACHE", "")
    (tmp_path / "specs").symlink_to(ROOT / "specs")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    compared = set(re.findall(r"<!-- run: sacheck (.*?) -->", page.read_text()))
    for shown in dict.fromkeys(commands(page)):
        command, _, folder = shown.partition(" && cd ")
        if shown not in compared and not command.startswith(("watch", "lsp", "compile-check", "batch")):
            result = CliRunner().invoke(application(), shlex.split(command))
            assert result.exit_code in (0, 1), (shown, result.output)
            if folder:
                monkeypatch.chdir(folder)
                assert CliRunner().invoke(application(), ["test"]).exit_code == 0
                monkeypatch.chdir(tmp_path)
