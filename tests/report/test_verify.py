"""Outcomes of `verify` as a user sees them, and the same as JSON."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace
from rich.text import Text

from sa.automata.program import Program
from sa.base.verdict import Reason, Unknown, Verdict
from sa.engines.verification import Finding, Verification
from sa.question.claims import claims_of
from sa.report.json import builtins
from sa.report.screen import Screen
from sa.report.terminal import show_document
from sa.report.verify import verification_document
from sa.report.verify_json import verification_json
from tests.bounded.finding import run_into
from tests.golden import assert_golden
from tests.language.texts import program_of

PROGRAM = """\
global x : 0..9 = 0;
global flag : bool[2] = false;

thread P[i : 0..1] {
  guarantee x' <= x + 1;
  flag[i] := true;
  CS: x := x + 1;
  assert x == 1 || flag[1 - i];
  flag[i] := false;
}

invariant mutex : !(at P[0].CS && at P[1].CS) expect proved;
invariant known : flag[0] && flag[1] ==> x > 0;
invariant small : x <= 2 expect proved;
"""


def show_verification(outcome: Verification, screen: Screen, quiet: bool = False) -> str:
    """An outcome as a terminal shows it."""
    return show_document(verification_document(outcome), screen, quiet)


def _found(program: Program, only: Verdict | None = None) -> Verification:
    """The claims that a run violates with their runs, the others proved; or all of them as `only` says."""
    claims = claims_of(program)
    threads = program.threads
    findings = list[Finding]()
    for number, claim in enumerate(claims):
        seconds = 0.25 * number
        if only is Verdict.UNKNOWN:
            why = Unknown(Reason.TIMEOUT) if number else Unknown(Reason.CHECKER, "step: it is not one")
            findings.append(Finding(claim, Verdict.UNKNOWN, "", seconds, unknown=why))
        elif only is None and (violated := [r for b in claim.bads if (r := run_into(threads, b)) is not None]):
            run = violated[0]
            findings.append(Finding(claim, Verdict.REFUTED, f"a run of {len(run.turns)} steps", seconds, run=run))
        else:
            how = "boxes over shared variables" if number % 2 else "relations with locations and locals"
            findings.append(Finding(claim, Verdict.PROVED, how, seconds))
    verdict = only or (Verdict.REFUTED if findings else None)
    phases = {"load": 0.1, "prepare": 0.02, "search": 1.25, "check": 0.03}
    notes = (
        ("the declared relies are not used (use `--open`): the threads are each other's environment",) if only else ()
    )
    claim = "these hold in every run of the threads"
    return Verification(program, verdict, claim, tuple(findings), (), notes, program.expect, phases)


def outcomes() -> dict[str, Verification]:
    """One of each kind."""
    return {
        "proved": _found(program_of(PROGRAM), Verdict.PROVED),
        "refuted": _found(program_of(PROGRAM + "expect proved;\n")),
        "unknown": _found(program_of(PROGRAM), Verdict.UNKNOWN),
        "nothing": _found(program_of("global x : int;\nthread T { x := 1; }\n")),
    }


@pytest.mark.parametrize("name", outcomes())
def test_every_kind_of_outcome(name: str) -> None:
    """The whole text at the width that pipes get."""
    assert_golden(f"verify-{name}.txt", show_verification(outcomes()[name], Screen(100)))


def test_a_refutation_in_a_narrow_terminal() -> None:
    """How a claim was settled stands below it; nothing is wider than the terminal."""
    text = show_verification(outcomes()["refuted"], Screen(64))
    assert_golden("verify-narrow.txt", text)
    assert max(map(len, text.splitlines())) <= 64


def test_what_is_claimed_of_several_threads_alike_is_one_row_with_one_run() -> None:
    """The claims differ in their threads only."""
    text = show_verification(outcomes()["refuted"], Screen(100))
    assert text.count("assert x == 1 || flag[1 - i]  test.sa:8") == 1
    assert "test.sa:8   P[0], P[1]  REFUTED" in text
    assert text.count("violated at the end of this run") == 2


def test_of_runs_of_several_threads_the_one_that_is_shown_is_told() -> None:
    found = outcomes()["refuted"]
    longer = tuple(
        replace(f, how=f"a run of {90 + n} steps") if f.verdict is Verdict.REFUTED else f
        for n, f in enumerate(found.findings)
    )
    text = show_verification(replace(found, findings=longer), Screen(200))
    told = [f"a run of {90 + n} steps" in text for n, f in enumerate(longer) if f.verdict is Verdict.REFUTED]
    assert told[:2] == [True, False]


def test_claims_of_many_threads_name_a_few() -> None:
    text = "global x : 0..9 = 0; thread P[i : 1..6] { assert x == 0; }"
    shown = show_verification(_found(program_of(text), Verdict.PROVED), Screen(100))
    assert "P[1], P[2], P[3] and 3" in shown
    assert "P[6]" not in shown


@pytest.mark.parametrize("width", [64, 80, 100])
def test_no_claim_is_cut_off(width: int) -> None:
    """Claims that differ at their ends are told apart."""
    long = " && ".join(f"x != {n}" for n in range(20, 24))
    text = f"global x : 0..9 = 0; thread T {{ assert {long} && x < 1; assert {long} && x < 2; }}"
    shown = show_verification(_found(program_of(text), Verdict.PROVED), Screen(width))
    assert max(map(len, shown.splitlines())) <= width
    assert "x < 1" in shown
    assert "x < 2" in shown
    assert "…" not in shown


def test_a_reason_that_all_claims_share_is_said_once() -> None:
    """And no claim is listed again."""
    outcome = outcomes()["unknown"]
    same = [replace(f, unknown=Unknown(Reason.TIMEOUT)) for f in outcome.findings]
    shown = show_verification(replace(outcome, findings=tuple(same)), Screen(100))
    assert shown.count("the time limit was reached") == shown.count("invariant known") == 1


@pytest.mark.parametrize("name", outcomes())
def test_colours_change_no_text(name: str) -> None:
    """With the escapes removed the coloured report is the plain one."""
    coloured = show_verification(outcomes()[name], Screen(100, colour=True))
    assert "\x1b[" in coloured
    stripped = "\n".join(line.rstrip() for line in Text.from_ansi(coloured).plain.splitlines())
    assert stripped == show_verification(outcomes()[name], Screen(100)).rstrip("\n")


def test_quiet_leaves_the_verdict_and_what_was_expected() -> None:
    """As `refine` does."""
    text = show_verification(outcomes()["refuted"], Screen(100), quiet=True)
    assert text == "REFUTED  test.sa\nthe file expects PROVED\n"


def test_a_run_is_shown_once_whatever_it_violates() -> None:
    """Two invariants are false at its end; each is quoted."""
    text = show_verification(outcomes()["refuted"], Screen(100))
    assert text.count("the claim is false here") == 1
    assert "invariant mutex, invariant known: violated at the end of this run:" in text
    assert "= with P[0] at CS, P[1] at CS" in text
    assert "= with flag[0] = true, flag[1] = true, x = 0" in text


def test_json_has_everything() -> None:
    """Claims point to runs by their numbers."""
    found = builtins(verification_json(outcomes()["refuted"], (), 1))
    claims = {c["name"]: c for c in found["claims"]}
    assert (found["format"], found["verdict"], found["expected"]) == ("sacheck-verification/1", "REFUTED", "PROVED")
    assert claims["invariant mutex"]["run"] == claims["invariant known"]["run"] == 2
    assert claims["invariant small"]["run"] is None
    assert [r["ending"] for r in found["runs"]] == ["failed", "failed", "violated"]
    assert claims["P[0]: assert x == 1 || flag[1 - i]"]["values"] == ["flag[1] = false", "x = 2"]
    small, mutex = claims["P[0]: value in range: x := x + 1"], claims["invariant mutex"]
    assert (small["what"], small["kinds"], small["thread"]) == ("value in range: x := x + 1", ["range"], "P[0]")
    assert (mutex["what"], mutex["kinds"], mutex["thread"]) == ("invariant mutex", ["invariant"], None)
    json.dumps(found)


def test_json_of_what_is_unknown_has_the_reason() -> None:
    """And no run."""
    found = builtins(verification_json(replace(outcomes()["unknown"], notes=()), (), 3))
    assert found["claims"][0]["unknown"] == {"reason": "checker", "detail": "step: it is not one"}
    assert {c["unknown"]["reason"] for c in found["claims"][1:]} == {"timeout"}
    assert found["runs"] == []
