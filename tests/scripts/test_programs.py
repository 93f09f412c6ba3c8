"""What the programs of a script are: their threads start together, and its parameters are the same in all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.verdict import Verdict
from sa.language.load import load_script
from tests.scripts.test_prove import verdicts

AT_ZERO = "automaton P2 { init x == 0; location q0 initial; edge q0 -> q0 @b { z := x; } }"


def test_threads_start_as_all_of_their_program_do(tmp_path: Path) -> None:
    """What another thread says of the start is no start at which this one is refuted."""
    text = "global x : int; global z : int = 0; automaton P1 {{ location q0 initial; location q1; edge q0 -> q1 {}; }}"
    programs = {"conc": text.format("@p(z)") + AT_ZERO, "abs": text.format("@p(0) when x == 0") + AT_ZERO}
    found = verdicts(tmp_path, programs, "lemma t : conc.P1 refines abs.P1 relate x, z;")
    assert found["t"] is not Verdict.REFUTED
    assert verdicts(tmp_path, programs, "lemma i : conc.P1 preserves x == 0;") == {"i": Verdict.PROVED}


def test_parameters_of_a_script_are_one_on_both_sides(tmp_path: Path) -> None:
    """They have one value, whatever side is spoken of."""
    steps = """param P : int; lemma r : conc refines abs relate x; lemma i : abs preserves x >= 0 || P > 0;
        theorem j : conc preserves x >= 0 || P > 0 by preservation(r, i);"""
    program = "global x : int = 0; thread T { x := x + 1; } thread U { x := x + 1; }"
    assert set(verdicts(tmp_path, {"conc": program, "abs": program}, steps).values()) == {Verdict.PROVED}


def test_parameters_of_a_script_keep_to_their_range(tmp_path: Path) -> None:
    """Though no program knows them."""
    steps = "param P : 0..5; lemma i : p.T preserves P >= 0; lemma j : p preserves P <= 4 by auto;"
    found = verdicts(tmp_path, {"p": "global x : int = 0; thread T { x := x + 1; }"}, steps)
    assert found == {"i": Verdict.PROVED, "j": Verdict.REFUTED}
    steps = """param P : 0..5; lemma r : conc refines abs relate x; lemma i : abs preserves x == 0 || P > 5;
        theorem j : conc preserves x == 0 || P < 0 by preservation(r, i);"""
    program = "global x : int = 0; thread T { skip; } thread U { skip; }"
    assert set(verdicts(tmp_path, {"conc": program, "abs": program}, steps).values()) == {Verdict.PROVED}


@pytest.mark.parametrize(
    ("conc", "abs_", "parameter"),
    [
        ("global x : int = 0; thread T { local N : int; @out(N) skip; }", "", "param N : 0..3;"),
        ("global x : int = 0; thread T { local N : int; @out(N) skip; }", "param N : 0..3;", ""),
        ("global N : int = 5; global x : int = 5; thread T { x := N; }", "", "param N : 0..3;"),
        ("global N : int; global x : int = 0; thread T { x := N; }", "", "enum Color { Red, Green } param N : Color;"),
    ],
)
def test_what_a_parameter_is_called_nothing_else_is(conc: str, abs_: str, parameter: str, tmp_path: Path) -> None:
    """The parameter's range was put on the local, or the parameter was taken for the global."""
    (tmp_path / "c.sa").write_text(conc)
    (tmp_path / "a.sa").write_text(abs_ + "global x : int = 0; thread T { @out(x) skip; }")
    text = f'import "c.sa" as c; import "a.sa" as a; {parameter} theorem wrong : c preserves x <= 3;'
    (tmp_path / "s.sa").write_text(text)
    with pytest.raises(InputError) as caught:
        load_script(str(tmp_path / "s.sa"))
    assert [d.code for d in caught.value.diagnostics] == ["SA102"]


@pytest.mark.parametrize("said", ["x == l && (l == 0 || l == 2)", "x == 2 * l && (l == 0 || l == 1)"])
def test_an_initial_state_is_answered_by_one_that_the_program_can_start_in(said: str, tmp_path: Path) -> None:
    """The concrete program starts with 1, the abstract one with 0 or 2, which only its other thread says."""
    first = "automaton T1 { global x : int; location q0 initial; location q1; edge q0 -> q1 @a(x) { x := x; } }"
    other = f"automaton T2 {{ global x : int; local l : int; init {said}; location q0 initial; }}"
    programs = {"conc": first + other.replace(said, "x == 1 && l == 1"), "abs": first + other}
    assert verdicts(tmp_path, programs, "lemma r : conc.T1 refines abs.T1;")["r"] is not Verdict.PROVED


def test_a_play_starts_where_the_program_can(tmp_path: Path) -> None:
    """Only even values are starts, which the other thread says, and nobody changes x: @bad is never seen."""
    text = """automaton T1 {{ global x : int; rely unchanged x; location q0 initial;
            {} edge q0 -> q0 @good {{ x := x; }} }}
        automaton T2 {{ global x : int; local l : int; rely unchanged x; init x == 2 * l; location q0 initial; }}"""
    programs = {"conc": text.format("edge q0 -> q0 @bad when x == 1 { x := x; }"), "abs": text.format("")}
    assert verdicts(tmp_path, programs, "lemma r : conc.T1 refines abs.T1;") == {"r": Verdict.UNKNOWN}


def test_threads_that_do_not_fit_together_refute_nothing_but_a_rule_for_them(tmp_path: Path) -> None:
    """T2 steps where T1's environment forbids it, at locations where they are never together."""
    program = """
        automaton T1 { global x, y : int = 0; location a initial; location b { env unchanged x; }
            edge a -> b when y == 1 { x := x; } }
        automaton T2 { global x, y : int = 0; rely unchanged y; location q0 initial; location q1; location q2;
            edge q0 -> q1 { x := 1; } edge q1 -> q2 { y := 1; } }"""
    steps = "lemma plain : p preserves y >= 0; lemma rule : p preserves y >= 0 by parallel;"
    assert verdicts(tmp_path, {"p": program}, steps) == {"plain": Verdict.UNKNOWN, "rule": Verdict.REFUTED}
