"""`--certificate` and `sacheck certify` from the command line to the files and the exit status."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import sa.app.certify as app
from sa.base.limits import LimitReached, Limits
from sa.base.verdict import Reason
from sa.cli.main import application
from sa.smt.cvc5_session import is_installed, run_script
from sa.smt.session import Unsat
from tests.golden import assert_golden

ABSTRACT = "global x : int = 0;\nthread A { while (x < 5) { x := x + 1; } @end(x) skip; }\n"
CONCRETE = "global x : int = 0;\nthread A { while (x < 5) { skip; x := x + 1; } @end(x) skip; }\n"
WRONG = CONCRETE.replace("x := x + 1", "x := x + 2")
CLAIMS = "global x : 0..5 = 0;\nthread A { while (x < 5) { x := x + 1; } assert x == 5; }\ninvariant few : x <= 5;\n"
needs_cvc5 = pytest.mark.skipif(not is_installed(), reason="cvc5 is not installed")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with programs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    texts = {"abs": ABSTRACT, "conc": CONCRETE, "wrong": WRONG, "claims": CLAIMS}
    for name, text in texts.items():
        (tmp_path / f"{name}.sa").write_text(text)
    return tmp_path


def sacheck(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(application(), arguments)


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d\d s", "0.00 s", text)


def test_a_proof_a_refutation_and_claims_are_certified(folder: Path) -> None:
    assert sacheck("refine", "abs.sa", "conc.sa", "--certificate", "good.json").exit_code == 0
    assert sacheck("refine", "abs.sa", "wrong.sa", "--certificate", "bad.json").exit_code == 1
    assert sacheck("verify", "claims.sa", "--certificate", "claims.json").exit_code == 0
    shown = [sacheck("certify", f"{name}.json") for name in ("good", "bad", "claims")]
    assert [s.exit_code for s in shown] == [0, 0, 0]
    assert_golden("certify-accepted.txt", without_times("".join(s.stdout for s in shown)))


def test_what_is_rejected_is_said_with_its_obligation(folder: Path) -> None:
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")
    document = json.loads((folder / "c.json").read_text())
    document["questions"][0]["goals"][0]["relation"]["pairs"][-1]["lemmas"] = ["(= conc.x 7)"]
    (folder / "c.json").write_text(json.dumps(document))
    (folder / "abs.sa").write_text(ABSTRACT + "// changed\n")
    foreign = sacheck("certify", "c.json")
    (folder / "abs.sa").write_text(ABSTRACT)
    shown = [sacheck("certify", "c.json"), foreign]
    assert [s.exit_code for s in shown] == [1, 1]
    assert_golden("certify-rejected.txt", without_times("".join(s.stdout for s in shown)))


def test_json_says_the_same(folder: Path) -> None:
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")
    found = json.loads(sacheck("certify", "c.json", "--json").stdout)
    assert found["format"] == "sacheck-judgement/1"
    assert found["ruling"] == {"ruling": "accepted"}
    assert found["status"] == 0
    assert set(found["sources"]) == set(found["files"]) == {"abs.sa", "conc.sa"}
    assert [(j["name"], j["verdict"], j["ruling"]["ruling"]) for j in found["judged"]] == [("A", "PROVED", "accepted")]
    (folder / "conc.sa").write_text(WRONG)
    found = json.loads(sacheck("certify", "c.json", "--json").stdout)
    assert found["ruling"]["ruling"] == "rejected"
    assert (found["ruling"]["obligation"], found["ruling"]["where"]) == ("sources", "conc.sa")


def test_quiet_is_one_line(folder: Path) -> None:
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")
    assert sacheck("certify", "c.json", "-q").stdout == "ACCEPTED  c.json\n"


def test_sources_may_be_elsewhere(folder: Path) -> None:
    (folder / "kept").mkdir()
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "kept/c.json")
    missing = sacheck("certify", "kept/c.json")
    assert missing.exit_code == 2
    assert "SA912" in missing.stderr and "--source" in missing.stderr
    assert sacheck("certify", "kept/c.json", "--source", ".").exit_code == 0
    (folder / "kept" / "c.json").rename(folder / "c.json")
    assert sacheck("certify", "c.json").exit_code == 0


def test_sources_below_the_certificate_are_found_below_it(folder: Path) -> None:
    (folder / "deep").mkdir()
    for name in ("abs.sa", "conc.sa"):
        (folder / name).rename(folder / "deep" / name)
    sacheck("refine", "deep/abs.sa", "deep/conc.sa", "--certificate", "c.json")
    assert set(json.loads((folder / "c.json").read_text())["sources"]) == {"deep/abs.sa", "deep/conc.sa"}
    assert sacheck("certify", "c.json").exit_code == 0


def test_imports_are_sources_too(folder: Path) -> None:
    (folder / "lib.sa").write_text("const N = 5;\n")
    for name in ("abs.sa", "conc.sa"):
        text = (folder / name).read_text()
        (folder / name).write_text('import "lib.sa" as lib;\n' + text.replace("x < 5", "x < lib.N"))
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")
    assert sacheck("certify", "c.json").exit_code == 0
    (folder / "lib.sa").write_text("const N = 6;\n")
    changed = sacheck("certify", "c.json")
    assert changed.exit_code == 1
    assert "lib.sa" in changed.stdout


def test_an_answer_without_evidence_is_not_settled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sa.engines.results.found", _stopped)
    assert sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json").exit_code == 3
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    shown = sacheck("certify", "c.json")
    assert shown.exit_code == 3
    assert "NOT SETTLED" in shown.stdout and "without evidence" in shown.stdout


def _stopped(*_: object) -> Iterator[object]:
    from sa.base.verdict import Unknown
    from sa.question.asked import Decision

    yield Decision(Unknown(Reason.BOUND))


def test_a_limit_leaves_it_unsettled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")

    def stop(*_: object, **__: object) -> object:
        raise LimitReached(Reason.TIMEOUT)

    monkeypatch.setattr(app, "judge_refinement", stop)
    assert sacheck("certify", "c.json").exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("certify", "missing.json"), "SA013"),
        (("certify", "abs.sa"), "SA910"),
        (("refine", "abs.sa", "conc.sa", "--certificate", "no/such/folder/c.json"), "SA903"),
    ],
)
def test_wrong_input_is_said_with_its_code(folder: Path, arguments: tuple[str, ...], code: str) -> None:
    found = sacheck(*arguments)
    assert found.exit_code == 2
    assert code in found.stderr


def test_an_exported_folder_is_new(folder: Path) -> None:
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")
    assert sacheck("certify", "c.json", "--export", "out").exit_code == 0
    again = sacheck("certify", "c.json", "--export", "out")
    assert again.exit_code == 2
    assert "SA913" in again.stderr


@needs_cvc5
def test_exported_obligations_are_unsatisfiable_for_another_solver(folder: Path) -> None:
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")
    assert sacheck("certify", "c.json", "--export", "out").exit_code == 0
    manifest = json.loads((folder / "out" / "manifest.json").read_text())
    assert {p.name for p in (folder / "out").iterdir()} == {f["file"] for f in manifest["files"]} | {"manifest.json"}
    assert manifest["expected"] == "unsat"
    assert {"step", "start", "initial coverage"} <= {f["obligation"] for f in manifest["files"]}
    for listed in manifest["files"]:
        text = (folder / "out" / listed["file"]).read_text()
        assert isinstance(run_script(text, Limits()), Unsat), listed
        assert not isinstance(run_script(text[: text.rindex("(assert")] + "(check-sat)\n", Limits()), Unsat), listed


@needs_cvc5
@pytest.mark.parametrize("solver", ["cvc5", "both"])
def test_the_other_solver_accepts_too(folder: Path, solver: str) -> None:
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")
    assert sacheck("certify", "c.json", "--solver", solver).exit_code == 0


def test_a_solver_that_is_not_there_is_wrong_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sacheck("refine", "abs.sa", "conc.sa", "--certificate", "c.json")
    monkeypatch.setattr(app, "is_installed", lambda: False)
    found = sacheck("certify", "c.json", "--solver", "both")
    assert found.exit_code == 2
    assert "SA911" in found.stderr


def test_long_numbers_of_a_run_are_read_back(folder: Path) -> None:
    """Twelve squares of three have two thousand digits."""
    squares = "x := x * x; " * 12
    (folder / "long.sa").write_text(f"global x : int = 3;\nthread T {{ {squares} assert x < 0; }}\n")
    assert (
        sacheck("verify", "long.sa", "--engine", "chc:encoding=control-points", "--certificate", "long.json").exit_code
        == 1
    )
    assert sacheck("certify", "long.json").exit_code == 0
