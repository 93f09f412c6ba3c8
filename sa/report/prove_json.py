"""The outcome of `sacheck prove` as JSON: the same tree as the terminal shows, and the whole plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sa.base.diagnostic import Diagnostic
from sa.proofs.result import Leaf, Proof, StepResult
from sa.report.json import diagnostic_json, origin_json, result_json, unknown_json
from sa.report.prove import claim_of, domain, rule_of, unproved_below

PROOF_FORMAT = "sacheck-proof/1"


def proof_json(
    proof: Proof, warnings: Iterable[Diagnostic], seconds: Mapping[str, float], status: int
) -> dict[str, Any]:
    """The verdict and every step with its side conditions and with the goals that were decided directly."""
    return {
        "format": PROOF_FORMAT,
        "verdict": proof.verdict.value,
        "status": status,
        "file": proof.script.source.name,
        "expected": proof.script.expect.value if proof.script.expect else None,
        "domain": domain(proof),
        "steps": [_step(s, proof) for s in proof.steps],
        "warnings": [diagnostic_json(d) for d in warnings],
        "seconds": dict(seconds),
    }


def _step(result: StepResult, proof: Proof) -> dict[str, Any]:
    step = result.step
    return {
        "name": step.name,
        "kind": step.kind,
        "claim": claim_of(result),
        "verdict": result.verdict.value,
        "expected": step.expect.value if step.expect else None,
        "rule": rule_of(result),
        "cited": list(step.cited),
        "unproved": [name for name, _ in unproved_below(result, proof)],
        "conditions": [_leaf(leaf) for leaf in result.leaves],
        "goals": [result_json(r) for r in result.results],
        "unknown": unknown_json(result.unknown),
        "seconds": result.seconds,
        "place": origin_json(step.origin),
    }


def _leaf(leaf: Leaf) -> dict[str, Any]:
    return {
        "name": leaf.name,
        "where": leaf.where,
        "verdict": leaf.verdict.value,
        "why": leaf.why,
        "count": leaf.count,
        "seconds": leaf.seconds,
    }
