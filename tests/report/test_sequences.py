"""Sequences are one value to a reader, in plays, runs and automata; ranges are told once."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.cli.main import application

ABSTRACT = """\
global q : seq<0..3, 2> = {};
thread P { push(q, 1); push(q, 2); }
"""
CONCRETE = """\
global q : seq<0..3, 2> = {};
thread P { push(q, 1); push(q, 3); }
"""
CLAIM = """\
global q : seq<0..3, 2> = {};
thread P { local y : 0..3; push(q, 1); push(q, 2); y := pop(q); assert y == 2; }
"""


def output(*arguments: str) -> str:
    """What a command writes, without repeated blanks."""
    result = CliRunner().invoke(application(), list(arguments))
    assert not result.stderr
    return " ".join(result.stdout.split())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("abs.sa", ABSTRACT), ("conc.sa", CONCRETE), ("claim.sa", CLAIM)):
        Path(name).write_text(text)


def test_a_play_shows_what_is_in_a_sequence() -> None:
    shown = output("refine", "abs.sa", "conc.sa", "--no-cache")
    assert "after each step q is equal on both sides" in shown
    assert "q = {} │ q = {}" in shown
    assert "q: {} → {1} │ q: {} → {1}" in shown
    assert "q: {1} → {1, 3}" in shown
    assert "q_len:" not in shown


def test_reasons_speak_of_a_sequence_and_not_of_its_parts() -> None:
    shown = output("refine", "abs.sa", "conc.sa", "--no-cache")
    assert "staying where it is breaks conc.q == abs.q (conc.q = {1, 3}, abs.q = {1})" in shown
    assert "breaks conc.q == abs.q (conc.q = {1, 3}, abs.q = {1, 2})" in shown
    assert "none keeps conc.q == abs.q to the end" in shown


def test_guards_speak_of_the_length() -> None:
    """Only what is a sequence: a variable of the user's may have any name."""
    text = "global q : seq<0..3, 2> = {}; thread P { await len(q) > 0; @got skip; }"
    Path("abs.sa").write_text(text)
    Path("conc.sa").write_text(text.replace("await len(q) > 0; ", ""))
    assert "its guard is false: len(q) >= 1 (q = {})" in output("refine", "abs.sa", "conc.sa", "--no-cache")
    plain = "global q : 0..3[2] = 0; global q_len : 0..3 = 0; thread P { await q_len > 0; @got skip; }"
    Path("abs.sa").write_text(plain)
    Path("conc.sa").write_text(plain.replace("await q_len > 0; ", ""))
    assert "its guard is false: q_len >= 1 (q_len = 0)" in output("refine", "abs.sa", "conc.sa", "--no-cache")


def test_what_a_failing_step_needs_is_the_whole_sequence() -> None:
    Path("claim.sa").write_text("global q : seq<0..3, 1> = {}; thread P { local y : 0..3; push(q, 2); push(q, 1); }")
    assert "the sequence is full (2 steps)" in (shown := output("verify", "claim.sa", "--no-cache"))
    assert "with q = {2}" in shown
    Path("claim.sa").write_text("global q : seq<0..3, 1> = {}; thread P { local y : 0..3; y := first(q); }")
    assert "a thread has failed: the sequence is empty" in output("verify", "claim.sa", "--no-cache")


def test_a_run_shows_what_is_in_a_sequence() -> None:
    shown = output("verify", "claim.sa", "--no-cache")
    assert "start q = {}" in shown
    assert "q: {1} → {1, 2}" in shown
    assert "q: {1, 2} → {2} y: 0 → 1" in shown
    assert "q_len:" not in shown


def test_a_page_shows_what_is_in_a_sequence() -> None:
    output("verify", "claim.sa", "--no-cache", "--report", "page.html")
    assert "{1, 2}" in Path("page.html").read_text()


def test_an_automaton_declares_a_sequence_and_tells_ranges_once() -> None:
    shown = output("show", "claim.sa")
    assert "global q : seq<0..3, 2>" in shown
    assert "local y : 0..3" in shown
    assert "y <= 3" not in shown
    assert "q[0] <= 3" not in shown


def test_a_reason_names_the_statement_where_several_stand_on_a_line() -> None:
    shown = output("refine", "abs.sa", "conc.sa", "--no-cache")
    assert "2: push(q, 2); this step breaks" in shown
