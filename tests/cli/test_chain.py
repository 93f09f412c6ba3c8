"""`refine --chain`: each program refines the one before, and so the last one the first."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from sa.cli.main import application

FIRST = "global x : int = 0; thread T { x := 3; @out(x) skip; }"
SECOND = "global x : int = 0; thread T { local t : int = 1; t := t + 2; x := t; @out(t) skip; }"
THIRD = "global x : int = 0; thread T { local u : int = 1; u := 3 * u; x := u; @out(u) skip; }"


def run(folder: Path, texts: tuple[str, ...], *options: str) -> tuple[int, dict[str, str], str]:
    """Exit status, the verdicts of the steps, and standard error."""
    paths = [folder / f"{name}.sa" for name in "abcd"[: len(texts)]]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    result = CliRunner().invoke(application(), ["refine", "--json", "--no-cache", *options, *map(str, paths)])
    steps = json.loads(result.stdout).get("steps", []) if result.stdout.startswith("{") else []
    return result.exit_code, {s["name"]: s["verdict"] for s in steps}, result.stderr


def test_links_and_the_chain_are_proved(tmp_path: Path) -> None:
    status, verdicts, _ = run(tmp_path, (FIRST, SECOND, THIRD), "--chain")
    assert (status, verdicts) == (0, dict.fromkeys(("link1", "link2", "all"), "PROVED"))
    assert not (tmp_path / "chain.sa").exists()


def test_a_link_that_fails_fails_the_chain(tmp_path: Path) -> None:
    status, verdicts, _ = run(tmp_path, (FIRST, SECOND, THIRD.replace("3 * u", "4 * u")), "--chain")
    assert status == 1
    assert verdicts == {"link1": "PROVED", "link2": "REFUTED", "all": "UNKNOWN"}


def test_the_script_is_one_that_prove_reads_and_the_certificate_is_about_it(tmp_path: Path) -> None:
    script, certificate = str(tmp_path / "all.sa"), str(tmp_path / "all.json")
    status, _, _ = run(tmp_path, (FIRST, SECOND, THIRD), "--chain", "--script", script, "--certificate", certificate)
    assert status == 0
    assert CliRunner().invoke(application(), ["prove", "--no-cache", script]).exit_code == 0
    assert CliRunner().invoke(application(), ["certify", certificate]).exit_code == 0


def test_blocks_of_links_say_what_they_relate_and_who_refines_whom(tmp_path: Path) -> None:
    """Only what every link relates by equality is claimed of the ends."""
    first = "global x, n : int = 0; thread T { x := 3; n := 1; @out(x) skip; }"
    second = """
    global x, k : int = 0;
    thread U { x := 3; k := 5; @out(x) skip; }
    refinement r { abstract "a.sa"; relate x; relate conc.k == 5 * abs.n; thread U refines T; }
    """
    third = """
    global x, n : int = 0;
    thread V { x := 3; n := 2; @out(x) skip; }
    refinement r { abstract "b.sa"; relate x; thread V refines U; }
    """
    script = tmp_path / "all.sa"
    status, verdicts, _ = run(tmp_path, (first, second, third), "--chain", "--script", str(script))
    assert (status, set(verdicts.values())) == (0, {"PROVED"})
    assert "theorem all : p3.V refines p1.T by chain(link2, link1) {\n  relate x;\n}" in script.read_text()


def test_a_chain_has_to_be_asked_for_and_has_three_programs(tmp_path: Path) -> None:
    status, _, said = run(tmp_path, (FIRST, SECOND, THIRD))
    assert (status, "--chain" in said) == (2, True)
    assert run(tmp_path, (FIRST, SECOND), "--chain")[0] == 2


def test_links_that_do_not_compose_refute_nothing(tmp_path: Path) -> None:
    texts = (
        "global u : 0..1; thread T { @out(0) skip; }",
        "global v : 0..1; thread T { @out(0) skip; }"
        'refinement r { abstract "a.sa"; relate true; pre conc.v == abs.u; }',
        "global w : 0..1; thread T { @out(0) skip; }"
        'refinement r { abstract "b.sa"; relate true; pre conc.w == abs.v; }',
    )
    status, verdicts, _ = run(tmp_path, texts, "--chain")
    assert (status, verdicts) == (3, {"link1": "PROVED", "link2": "PROVED", "all": "UNKNOWN"})
