"""An answer is shown once: a limit that is reached, or Ctrl-C, while it is being shown changes nothing any more."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import sa.report.prove
import sa.report.refine
import sa.report.verify
from sa.cli.main import application

FILES = {
    "p.sa": "global x : int = 0;\nthread T { x := 1; }\ninvariant small : x < 2;\n",
    "s.sa": 'import "p.sa" as p;\nlemma one : p preserves x >= 0;\n',
}
COMMANDS = [
    (sa.report.verify, "verification_document", ("verify", "p.sa")),
    (sa.report.refine, "refinement_document", ("refine", "p.sa", "p.sa")),
    (sa.report.prove, "proof_document", ("prove", "s.sa")),
]


@pytest.mark.parametrize(("module", "name", "command"), COMMANDS, ids=lambda found: str(found)[:20])
def test_an_interrupt_while_the_answer_is_shown_comes_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, text in FILES.items():
        Path(file).write_text(text)
    document = getattr(module, name)

    def interrupted(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return document(*arguments)

    monkeypatch.setattr(module, name, interrupted)
    result = CliRunner().invoke(application(), [*command, "--no-cache"])
    assert (result.exit_code, result.stdout.count("PROVED"), "UNKNOWN" in result.stdout) == (0, 2, False)
