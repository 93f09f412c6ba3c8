"""`sacheck prove` on the scripts: those that must hold, and those that must not with what they fail for.

A rejected script begins with a comment `// fails: NAME`: the side condition that fails, as the report calls it, or
`relation` where a claim that is decided directly has none, or `rule` where the rule does not apply.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.subjects import SPECS
from sa.app.prove import ProveRequest, prove
from sa.base.limits import limits
from sa.base.verdict import Reason, Verdict
from sa.proofs.result import Proof
from sa.refinement.options import Options

FOLDER = SPECS / "proofs"
SCRIPTS = tuple(sorted(FOLDER.glob("*.sa")))
REJECTED = tuple(sorted((FOLDER / "rejected").glob("*.sa")))
FAILS = "// fails: "


def proof_of(path: Path) -> Proof:
    """What became of a script."""
    return prove(ProveRequest(str(path), False, Options(limits(120.0, None)))).proof


def failing(proof: Proof) -> Iterator[str]:
    """What fails in a script by its name."""
    for step in proof.steps:
        yield from (leaf.name for leaf in step.leaves if leaf.verdict is not Verdict.PROVED)
        yield from ("relation" for result in step.results if result.verdict is not Verdict.PROVED)
        if step.unknown is not None and step.unknown.reason is Reason.UNSUPPORTED:
            yield "rule"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_every_step_of_a_script_has_the_verdict_that_it_expects(path: Path) -> None:
    proof = proof_of(path)
    for step in proof.steps:
        assert step.verdict is (step.step.expect or Verdict.PROVED), step.step.name
    assert proof.script.expect in (None, proof.verdict)


@pytest.mark.parametrize("path", REJECTED, ids=lambda path: path.stem)
def test_every_rejected_script_fails_for_the_side_condition_that_it_names(path: Path) -> None:
    first = path.read_text().splitlines()[0]
    assert first.startswith(FAILS)
    proof = proof_of(path)
    assert proof.verdict is not Verdict.PROVED
    assert first.removeprefix(FAILS).strip() in set(failing(proof))


def test_there_are_scripts() -> None:
    assert "gcd" in [path.stem for path in SCRIPTS]
