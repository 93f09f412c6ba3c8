"""The outcome of `sacheck prove` as JSON: the same tree as the terminal shows, and the whole plays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sa.base.diagnostic import Diagnostic
from sa.report.json import diagnostic_json, origin_json, result_json, unknown_json
from sa.report.prove import claim_of, domain, rule_of, unproved_below
from sa.report.run_json import run_json
from sa.scripts.result import Counterexample, Leaf, Proof, StepResult

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
        "run": None if result.run is None else run_json(result.run),
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
        "others": list(leaf.others),
        "example": None if leaf.example is None else _example(leaf.example),
        "seconds": leaf.seconds,
    }


def _example(example: Counterexample) -> dict[str, Any]:
    return {
        "values": [{"name": v.name, "before": v.before, "after": v.after} for v in example.values],
        "functions": list(example.functions),
        "broken": None if example.broken is None else origin_json(example.broken),
        "step": None if example.step is None else origin_json(example.step),
    }
