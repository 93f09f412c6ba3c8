"""`sacheck prove` on the scripts: those that must hold, and those that must not with what they fail for.

A rejected script begins with a comment `// fails: NAME`: the side condition that fails, as the report calls it, or
`relation` where a claim that is decided directly has none, or `rule` where the rule does not apply, or the code of an
error. Nothing else fails: what its last step, `wrong`, cites is proved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from bench.subjects import SPECS
from sa.app.prove import ProveRequest, prove
from sa.app.refine import RefineRequest, refine
from sa.automata.proof import Preserves
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.source import position
from sa.base.verdict import Reason, Verdict
from sa.cli.main import application
from sa.engines.options import Options
from sa.language.load import load_script
from sa.report.prove import proof_document
from sa.report.screen import Screen
from sa.report.terminal import show_document
from sa.rules.annotated_programs import side_of
from sa.scripts.prove import prepare
from sa.scripts.prove import prove as run
from sa.scripts.result import Proof, StepResult

FOLDER = SPECS / "proofs"
SCRIPTS = tuple(sorted(FOLDER.glob("*.sa")))
REJECTED = tuple(sorted((FOLDER / "rejected").glob("*.sa")))
FAILS = "// fails: "
#: Wide enough for every name to stand in one line.
WIDTH = 200


def reason(path: Path) -> str:
    """What a rejected script says that it fails for."""
    first = path.read_text().splitlines()[0]
    assert first.startswith(FAILS), path
    return first.removeprefix(FAILS).strip()


MALFORMED = tuple(path for path in REJECTED if reason(path).startswith("SA"))
FALSE = tuple(path for path in REJECTED if path not in MALFORMED)
each = pytest.mark.parametrize


def proof_of(path: Path) -> Proof:
    """What became of a script."""
    return prove(ProveRequest(str(path), False, Options(limits(120.0, None)))).proof


def failing(step: StepResult) -> Iterator[str]:
    """What fails in a step by its name."""
    yield from (leaf.name for leaf in step.leaves if leaf.verdict is not Verdict.PROVED)
    yield from ("relation" for result in step.results if result.verdict is not Verdict.PROVED)
    if step.unknown is not None and step.unknown.reason is Reason.UNSUPPORTED:
        yield "rule"


@each("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_step_of_a_script_has_the_verdict_that_it_expects(path: Path) -> None:
    proof = proof_of(path)
    for step in proof.steps:
        assert step.verdict is (step.step.expect or Verdict.PROVED), step.step.name
    assert proof.verdict is (proof.script.expect or Verdict.PROVED)


@each("path", FALSE, ids=lambda path: path.stem)
def test_a_rejected_script_fails_for_one_side_condition_and_the_report_names_it_and_its_line(path: Path) -> None:
    proof = proof_of(path)
    *before, wrong = proof.steps
    assert wrong.step.name == "wrong"
    assert all(step.verdict is Verdict.PROVED for step in before), "what is cited must hold"
    assert set(failing(wrong)) == {reason(path)}
    assert wrong.verdict is wrong.step.expect, "a condition that a counterexample refutes is REFUTED, any other UNKNOWN"
    span = wrong.step.origin.span
    assert span is not None
    told = show_document(proof_document(proof, {}), Screen(WIDTH))
    assert f"line {position(span.source, span.start).line}" in told
    named = {"relation": "no relation", "rule": "the rule does not apply"}.get(reason(path), reason(path))
    assert named in told


@each("path", FALSE, ids=lambda path: path.stem)
def test_what_a_rejected_script_claims_is_not_to_be_had_in_another_way(path: Path) -> None:
    """Of whole programs it is refuted outright: without the condition the rule would prove what is false."""
    options = Options(limits(120.0, None))
    script = load_script(str(path), False).script
    step = replace(script.steps[-1], rule=None, cited=())
    prepared = prepare(replace(script, steps=(step,)), options)
    (result,) = run(prepared)
    sides = [step.claim.side] if isinstance(step.claim, Preserves) else [step.claim.left, step.claim.right]
    whole = all(side_of(prepared.stage.worlds, side).whole for side in sides) and not script.axioms
    assert result.verdict is Verdict.REFUTED if whole else result.verdict is not Verdict.PROVED


@each("path", MALFORMED, ids=lambda path: path.stem)
def test_a_script_of_which_anything_would_follow_is_an_error(path: Path) -> None:
    with pytest.raises(InputError) as refused:
        proof_of(path)
    assert {d.code for d in refused.value.diagnostics} == {reason(path)}


@each(
    ("name", "status"),
    [("theorem-4-non-interference", 1), ("strong-from-weak", 3), ("an-axiom-is-missing", 3), ("contradiction", 2)],
)
def test_the_exit_status_tells_a_refuted_condition_from_one_that_is_not_settled(name: str, status: int) -> None:
    path = FOLDER / "rejected" / f"{name}.sa"
    assert CliRunner().invoke(application(), ["prove", str(path)]).exit_code == status


def test_helping_is_shown_for_whole_programs() -> None:
    folder = FOLDER / "helping"
    paths = (str(folder / "abs.sa"), str(folder / "conc.sa"))
    (answer,) = refine(RefineRequest(paths, False, Options(limits(60.0, None), whole=True)))
    assert answer.outcome.verdict is Verdict.PROVED


def test_there_are_scripts() -> None:
    assert {"gcd", "counter", "peterson", "retry", "helping"} <= {path.stem for path in SCRIPTS}
    printed = {"theorem-2-as-printed", "theorem-3-as-printed", "theorem-5-as-printed"}
    assert printed <= {path.stem for path in REJECTED}


def test_the_theory_names_every_rejected_script_and_no_other() -> None:
    theory = (SPECS.parent / "docs" / "THEORY.md").read_text()
    rules = theory[theory.index("## 6.") : theory.index("## 7.")]
    named, scripts = set(re.findall(r"`([a-z0-9-]+)`", rules)), {path.stem for path in REJECTED}
    assert scripts <= named
    assert {name for name in named if "-" in name} <= scripts


def test_files_that_the_theory_names_are_there() -> None:
    text = (SPECS.parent / "docs" / "THEORY.md").read_text()
    named = set(re.findall(r"`((?:sa|specs|tests)/[a-z0-9_/.-]+)`", text))
    assert named
    assert [name for name in sorted(named) if not (SPECS.parent / name).exists()] == []
