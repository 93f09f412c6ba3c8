"""Answers for other tools: SARIF for code scanning, JUnit XML for continuous integration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from sa.cli.main import application

#: What the standard says of a document, beyond what its text says of numbers of lines and levels.
STANDARD = Draft202012Validator(json.loads((Path(__file__).parent / "sarif" / "sarif-2.1.0.json").read_text()))
BAD = "global x : int = 0;\nthread T { x := 2; }\ninvariant small : x < 2;\ninvariant whole : x >= 0;\n"
FILES = {
    "bad.sa": BAD,
    "expected.sa": BAD + "expect refuted;\n",
    "abs.sa": "global x : int = 0;\nthread T { x := 1; }\n",
    "conc.sa": "global x : int = 0;\nthread T { x := 2; }\n",
    "wrong.sa": "thread T {\n  y := 1; }\n",
    "script.sa": 'import "bad.sa" as p;\nlemma one : p preserves x < 2 by parallel;\n',
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def results(*arguments: str) -> list[dict[str, Any]]:
    """The results that a command writes as SARIF."""
    CliRunner().invoke(application(), [*arguments, "--sarif", "out.sarif"])
    document = json.loads(Path("out.sarif").read_text())
    assert [f"{wrong.json_path}: {wrong.message}" for wrong in STANDARD.iter_errors(document)] == []
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert rules == {result["ruleId"] for result in run["results"]}
    for result in run["results"]:
        # SARIF 2.1.0, 3.27.10: what is no failure has no level.
        assert (result["kind"] == "fail") == (result["level"] != "none")
        assert result["message"]["text"]
    found: list[dict[str, Any]] = run["results"]
    return found


def cases(*arguments: str) -> list[tuple[str, list[str]]]:
    """The cases that a command writes as JUnit XML, with what is wrong with each; the counts are right."""
    CliRunner().invoke(application(), [*arguments, "--junit", "out.xml"])
    root = ElementTree.parse("out.xml").getroot()
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite)
        assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("errors", "")) == len(suite.findall("testcase/error"))
        assert int(suite.get("skipped", "")) == len(suite.findall("testcase/skipped"))
    told = root.iter("testcase")
    return [(case.get("name", ""), [f"{w.tag} {w.get('type')}" for w in case]) for case in told]


def lines(result: dict[str, Any]) -> list[int]:
    """The lines of the run or the play that a result has."""
    (flow,) = result["codeFlows"]
    (thread,) = flow["threadFlows"]
    return [at["location"]["physicalLocation"]["region"]["startLine"] for at in thread["locations"]]


def test_a_refuted_claim_is_an_error_with_its_run() -> None:
    (result,) = results("verify", "bad.sa")
    assert (result["ruleId"], result["level"]) == ("refuted", "error")
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("bad.sa", 3)
    assert lines(result) == [2]


def test_a_run_has_one_flow_for_each_thread_and_says_in_which_order_their_steps_come() -> None:
    text = "global x : int = 0;\nthread T {\n  x := x + 1;\n}\nthread U {\n  x := x + 1;\n}\ninvariant one : x <= 1;\n"
    Path("two.sa").write_text(text)
    (result,) = results("verify", "two.sa")
    (flow,) = result["codeFlows"]
    order = {f["id"]: [at["executionOrder"] for at in f["locations"]] for f in flow["threadFlows"]}
    assert sorted(order) == ["T", "U"]
    assert sorted(n for numbers in order.values() for n in numbers) == [1, 2]


def test_what_the_file_expects_is_suppressed() -> None:
    (result,) = results("verify", "expected.sa")
    assert result["suppressions"] == [{"kind": "inSource", "justification": "expect refuted"}]


def test_a_refuted_refinement_has_its_play() -> None:
    (result,) = results("refine", "abs.sa", "conc.sa")
    assert (result["ruleId"], lines(result)) == ("refuted", [2])


def test_a_step_of_a_proof_without_an_answer_is_open_and_a_refuted_one_fails() -> None:
    (result,) = results("prove", "script.sa")
    assert result["ruleId"] in ("refuted", "unknown")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


def test_errors_of_the_input_are_results_with_their_codes() -> None:
    for command in ("check", "verify"):
        (result,) = results(command, "wrong.sa")
        assert (result["ruleId"], result["level"]) == ("SA101", "error")
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


def test_the_schema_of_the_standard_refuses_what_it_does_not_know() -> None:
    for wrong in ({"version": "2.0.0"}, {"runs": [{}]}, {"runs": [], "found": 1}):
        assert list(STANDARD.iter_errors({"version": "2.1.0", "runs": [], **wrong}))


def test_an_open_question_and_one_that_was_stopped_are_results_of_the_standard() -> None:
    Path("open.sa").write_text(OPEN)
    asked = results("verify", "open.sa", "--engine", "abstract-interpretation:domain=intervals")
    assert {r["kind"] for r in asked} == {"open"}
    assert {r["kind"] for r in results("verify", "open.sa", "--timeout", "0.001")} == {"open"}


def test_a_proof_is_no_result() -> None:
    assert results("refine", "abs.sa", "abs.sa") == []


def test_claims_are_cases() -> None:
    assert cases("verify", "bad.sa") == [("invariant small", ["failure REFUTED"]), ("invariant whole", [])]
    assert cases("verify", "expected.sa")[-1] == ("the file as a whole", [])


LOOP = "global x : int = 0;\nthread T { while (*) { x := x + 3; } }\n"
OPEN = LOOP + "invariant small : x < 9;\ninvariant open : x % 3 != 1;\n"


@pytest.mark.parametrize(
    ("expected", "first", "whole"),
    [
        ("", "error UNKNOWN", None),
        ("expect proved;\n", "error UNKNOWN", ["error UNKNOWN"]),
        ("expect refuted;\n", "skipped UNKNOWN", ["error UNKNOWN"]),
        ("expect unknown;\n", "skipped UNKNOWN", []),
    ],
)
def test_a_claim_without_an_answer_is_no_case_that_passes(expected: str, first: str, whole: list[str] | None) -> None:
    Path("open.sa").write_text(OPEN + expected)
    found = cases("verify", "open.sa", "--engine", "abstract-interpretation:domain=intervals")
    assert found[:2] == [("invariant small", [first]), ("invariant open", [first])]
    assert [wrong for _, wrong in found[2:]] == ([] if whole is None else [whole])


def test_refinements_and_steps_are_cases() -> None:
    assert cases("refine", "abs.sa", "conc.sa") == [("conc.sa refines abs.sa", ["failure REFUTED"])]
    ((name, wrong),) = cases("prove", "script.sa")
    assert (name, len(wrong)) == ("one", 1)


def test_wrong_input_is_an_error_and_a_good_file_passes() -> None:
    assert cases("check", "wrong.sa") == [("the files are well-formed", ["error SA101"])]
    assert cases("check", "bad.sa") == [("the files are well-formed", [])]


def test_all_questions_of_a_folder_are_in_one_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    found = cases("test", "expected.sa", "wrong.sa")
    assert [name for name, _ in found] == [
        "invariant small",
        "invariant whole",
        "the file as a whole",
        "the files are well-formed",
    ]
    assert [wrong for _, wrong in found if wrong] == [["error SA101"]]


def test_a_file_that_cannot_be_written_is_an_error_of_the_input() -> None:
    result = CliRunner().invoke(application(), ["verify", "bad.sa", "--sarif", "nowhere/out.sarif"])
    assert result.exit_code == 2
    assert "SA903" in result.stderr


def test_each_file_of_a_folder_is_a_case_and_what_is_wrong_with_an_import_is_one_result() -> None:
    Path("both").mkdir()
    Path("both/broken.sa").write_text("global x : int = 0; thread T { y := 1; }")
    Path("both/right.sa").write_text("global x : int = 0; thread T { x := 1; }")
    Path("both/user.sa").write_text('import "broken.sa" as b; global x : int = 0; thread T { x := 1; }')
    told = cases("check", "both")
    assert [bool(wrong) for _, wrong in told] == [True, False, True]
    assert len(results("check", "both")) == 1
