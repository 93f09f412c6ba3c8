"""JSON has published schemas (docs/schemas): they are current, and what commands write is as they say."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sa.cli.main import application
from sa.report.formats import FORMATS, schemas

jsonschema = pytest.importorskip("jsonschema", reason="make check installs it")

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "schemas"

PROGRAM = "global x : int = 0;\nthread T {{ rely unchanged x; {} }}\n"
FILES = {
    "abs.sa": PROGRAM.format("x := x + 2;"),
    "same.sa": PROGRAM.format("x := x + 1; x := x + 1;"),
    "conc.sa": PROGRAM.format("x := 2;") + "invariant small : x < 9;\n",
    "bad.sa": "global x : int = 0;\nthread T { x := 1; assert x == 0; }\n",
    "set.sa": "global x : int = 0;\nglobal b : bool = true;\nthread T { havoc x; @say(x, b) skip; }\n",
    "plain.sa": "global x : int = 0;\nthread T { x := 1; }\n",
    "twice.sa": "global x : int = 0;\nthread T { x := x; x := 1; }\n",
    "none.sa": "global x : int = 0;\ninit x < 0 && x > 0;\nthread T { x := 1; }\n",
    "good.sa": "global x : int = 0;\nthread T { x := 1; }\ninvariant small : x < 9;\nexpect proved;\n",
    "wrong.sa": "thread T { y := 1; }\n",
    "script.sa": 'import "abs.sa" as a;\nimport "conc.sa" as c;\nlemma one : c.T refines a.T relate x;\n'
    "lemma two : c preserves x >= 0 by parallel;\n",
}

#: Commands, and the format of what they write.
COMMANDS = (
    (("refine", "abs.sa", "abs.sa"), "sacheck-outcome"),
    (("refine", "abs.sa", "conc.sa"), "sacheck-outcome"),
    (("refine", "abs.sa", "same.sa"), "sacheck-outcome"),
    (("refine", "--weakest-rely", "plain.sa", "twice.sa"), "sacheck-weakest-rely"),
    (("verify", "conc.sa"), "sacheck-verification"),
    (("verify", "bad.sa"), "sacheck-verification"),
    (("verify", "abs.sa"), "sacheck-verification"),
    (("prove", "script.sa"), "sacheck-proof"),
    (("certify", "proof.json"), "sacheck-judgement"),
    (("show", "set.sa"), "sacheck-automata"),
    (("generate", "plain.sa"), "sacheck-automata"),
    (("simulate", "bad.sa"), "sacheck-run"),
    (("test", "good.sa"), "sacheck-suite"),
    (("batch", "good.sa"), "sacheck-batch"),
    (("batch", "bad.sa", "--results", "units.jsonl"), "sacheck-unit"),
    (("engines",), "sacheck-engines"),
    (("explain", "SA101"), "sacheck-explanation"),
    (("check", "conc.sa"), "sacheck-diagnostics"),
    (("refine", "wrong.sa", "abs.sa"), "sacheck-diagnostics"),
    (("fmt", "--check", "bad.sa"), "sacheck-diagnostics"),
    (("simulate", "none.sa"), "sacheck-stopped"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files, and a certificate, in a folder of their own."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SACHECK_CACHE", "")
    return tmp_path


def run(*arguments: str) -> None:
    """Run a command in this process."""
    with pytest.raises(SystemExit):
        application()(arguments, prog_name="sacheck")


def written(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The document that a command writes."""
    if "proof.json" in arguments:
        run("refine", "abs.sa", "abs.sa", "--certificate", "proof.json")
        capsys.readouterr()
    run(*arguments, "--json")
    shown = capsys.readouterr().out
    document: dict[str, Any] = json.loads(Path("units.jsonl").read_text() if "units.jsonl" in arguments else shown)
    return document


def test_published_schemas_are_those_of_the_code() -> None:
    """`make schemas` writes them."""
    if os.environ.get("SACHECK_GOLDEN") == "write":
        PUBLISHED.mkdir(exist_ok=True)
        for name, schema in schemas().items():
            (PUBLISHED / f"{name}.json").write_text(json.dumps(schema, indent=2) + "\n")
    assert {p.stem: json.loads(p.read_text()) for p in PUBLISHED.glob("*.json")} == schemas()


@pytest.mark.parametrize("name", FORMATS)
def test_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schemas()[name])


@pytest.mark.parametrize(("arguments", "name"), COMMANDS, ids=lambda a: " ".join(a) if isinstance(a, tuple) else a)
def test_what_commands_write_is_as_its_schema_says(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], name: str
) -> None:
    document = written(arguments, capsys)
    assert document["format"].split("/")[0] == name
    jsonschema.Draft202012Validator(schemas()[name]).validate(document)


def test_every_format_is_written_by_some_command() -> None:
    assert {name for _, name in COMMANDS} == set(FORMATS)


def test_a_document_that_lacks_a_field_is_not_as_its_schema_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The test above can fail."""
    document = written(("refine", "abs.sa", "same.sa"), capsys)
    assert document["outcomes"][0]["goals"][0].pop("play", None) is not None
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schemas()["sacheck-outcome"]).validate(document)
