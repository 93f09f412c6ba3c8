"""Every command that a page shows is one that sacheck accepts, and the files of the clone that it names are there.

Pages with outputs are compared elsewhere; here are the lines that stand alone.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

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
