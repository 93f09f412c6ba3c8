"""`refine` proposes another relation where the default fails, and `--infer-relate` uses it."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from sa.cli.main import application

ABSTRACT = "global x : int = 0; thread T { while (*) { x := x + 2; @shown(x) skip; } }"
CONCRETE = "global x : int = 0; thread T { while (*) { x := x + 1; x := x + 1; @shown(x) skip; } }"
LEAKS = "global x : int = 0; thread T { while (*) { x := x + 1; @shown(x) skip; } }"


def asked(folder: Path, concrete: str, *options: str) -> tuple[int, dict[str, object], str]:
    """Exit status, the outcome, and standard error of `refine --json`."""
    (folder / "abs.sa").write_text(ABSTRACT)
    (folder / "conc.sa").write_text(concrete)
    command = ["refine", "--json", "--no-cache", *options, str(folder / "abs.sa"), str(folder / "conc.sa")]
    result = CliRunner().invoke(application(), command)
    outcome = json.loads(result.stdout)["outcomes"][0] if result.stdout.startswith("{") else {}
    return result.exit_code, outcome, result.stderr


def test_a_relation_is_proposed_and_what_it_gives_up_is_said(tmp_path: Path) -> None:
    status, outcome, _ = asked(tmp_path, CONCRETE)
    assert (status, outcome["verdict"]) == (1, "REFUTED")
    proposal = outcome["proposal"]
    assert isinstance(proposal, dict)
    assert proposal["given_up"] == ["conc.x == abs.x"]


def test_what_is_proposed_can_be_pasted_and_is_proved(tmp_path: Path) -> None:
    _, outcome, _ = asked(tmp_path, CONCRETE)
    proposal = outcome["proposal"]
    assert isinstance(proposal, dict)
    status, again, _ = asked(tmp_path, f"{CONCRETE}\n{proposal['block']}\n")
    assert (status, again["verdict"], again["claim"]) == (0, "PROVED", proposal["claim"])


def test_with_the_option_the_inferred_relation_is_used(tmp_path: Path) -> None:
    status, outcome, _ = asked(tmp_path, CONCRETE, "--infer-relate")
    assert (status, outcome["verdict"]) == (0, "PROVED")
    assert outcome["proposal"] is not None


def test_where_a_behaviour_escapes_nothing_is_inferred(tmp_path: Path) -> None:
    status, outcome, _ = asked(tmp_path, LEAKS, "--infer-relate")
    assert (status, outcome["verdict"], outcome["proposal"]) == (1, "REFUTED", None)


def test_a_certificate_is_about_what_files_say(tmp_path: Path) -> None:
    status, _, said = asked(tmp_path, CONCRETE, "--infer-relate", "--certificate", str(tmp_path / "proof.json"))
    assert status == 2
    assert "write the proposed block into a file" in said
    assert not (tmp_path / "proof.json").exists()


RELY = "global x : int = 0; thread T { rely unchanged x; x := x + 2; @shown(x) skip; }"
IN_TWO_STEPS = "global x : int = 0; thread T { rely unchanged x; x := x + 1; x := x + 1; @shown(x) skip; }"


def test_where_no_relation_is_looked_for_it_is_said_why(tmp_path: Path) -> None:
    (tmp_path / "abs.sa").write_text(RELY)
    (tmp_path / "conc.sa").write_text(IN_TWO_STEPS)
    files = [str(tmp_path / name) for name in ("abs.sa", "conc.sa")]
    result = CliRunner().invoke(application(), ["refine", "--json", "--no-cache", "--infer-relate", *files])
    (outcome,) = json.loads(result.stdout)["outcomes"]
    assert outcome["verdict"] == "REFUTED"
    assert outcome["notes"] == [
        "no relation was inferred: relies are declared, and a relation is inferred for programs without them only"
    ]


def test_a_relation_of_nothing_between_programs_that_show_nothing_is_not_proposed(tmp_path: Path) -> None:
    """The lost update would be proved: nothing would be compared."""
    step = "local old : int; old := x; x := old + 1;"
    (tmp_path / "abs.sa").write_text("global x : int = 0; thread T { x := x + 1; } thread U { x := x + 1; }")
    (tmp_path / "conc.sa").write_text(f"global x : int = 0; thread T {{ {step} }} thread U {{ {step} }}")
    for option in ("--no-cache", "--infer-relate"):
        result = CliRunner().invoke(
            application(), ["refine", option, *(str(tmp_path / f"{n}.sa") for n in ("abs", "conc"))]
        )
        assert (result.exit_code, "PROVED" in result.stdout) == (1, False)


def test_a_play_says_how_a_step_fails(tmp_path: Path) -> None:
    (tmp_path / "abs.sa").write_text("global l : int = 0; thread T { skip; }")
    (tmp_path / "conc.sa").write_text("global l : int = 0; thread T { unlock(l); }")
    result = CliRunner().invoke(application(), ["refine", *(str(tmp_path / f"{n}.sa") for n in ("abs", "conc"))])
    told = " ".join(result.stdout.split())
    assert "cannot answer the action fail (the thread that releases a lock does not hold it)" in told
