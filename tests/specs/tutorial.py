"""Tutorial and README show files and outputs of commands as they are: `python -m tests.specs.tutorial` writes them in.

Behind a line `<!-- file: PATH -->` stands the file, behind `<!-- run: COMMAND -->` the command and its output.
"""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from sa.cli.main import application

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    *(ROOT / "docs" / name for name in ("TUTORIAL.md", "HOWTO.md", "TRAPS.md", "COMING-FROM.md")),
    ROOT / "README.md",
)
SLOT = re.compile(r"^<!-- (file|run): ([^\n]+) -->\n(?:\n```\w+\n.*?^```\n)?", re.MULTILINE | re.DOTALL)
#: What differs from one machine to the next, or says only how the engine went about it.
FIGURES = re.compile(
    r" +\d+\.\d\d s  +\d+ pairs?.*$|^  \d+\.\d\d s \(.*\)$|  \(\d+\.\d s\)$|(?<=  PROVED) {2,}\S.*$"
    r"|(?<=  REFUTED) {2,}\S.*$|(?<=  UNKNOWN) {2,}\S.*$|\n {40,}[^\s│][^│\n]*$"
    r"|^  Evidence: .*\n(?:  \S.*\n)*\n",
    re.MULTILINE,
)
#: The same in the tree of a proof, where lines and rules stay.
PROOF_FIGURES = re.compile(
    r"^  \d+\.\d\d s \(.*\)$| +<?\d+\.\d\d s(?=$|  line \d)| \(\d+ pairs?(?:, \d+ lemmas?)?\)", re.MULTILINE
)


def render(text: str) -> str:
    """A page with every slot filled anew."""
    return SLOT.sub(fill, text)


def fill(slot: re.Match[str]) -> str:
    """A slot with what belongs behind it."""
    kind, what = slot.groups()
    is_file = kind == "file"
    language, shown = (
        (what.rpartition(".")[2], (ROOT / what).read_text()) if is_file else ("console", f"$ {what}\n{output(what)}")
    )
    return f"<!-- {kind}: {what} -->\n\n```{language}\n{shown.rstrip()}\n```\n"


def output(command: str) -> str:
    """What the command prints, run from the root of the checkout, without times and sizes."""
    program, *arguments = command.split()
    assert program == "sacheck"
    result = CliRunner().invoke(application(), arguments, env={"COLUMNS": "100", "NO_COLOR": "1"})
    figures = PROOF_FIGURES if arguments[0] == "prove" else FIGURES
    lines = figures.sub("", result.stdout).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(render(page.read_text()))
