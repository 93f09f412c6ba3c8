"""The outcome of `sacheck verify` as JSON: the same as the terminal shows, and the whole runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sa.base.diagnostic import Diagnostic
from sa.certificates.run import Run
from sa.engines.verification import Finding, Verification
from sa.report.json import diagnostic_json, origin_json, unknown_json
from sa.report.run_json import run_json
from sa.report.verify import domain, runs, violating

VERIFICATION_FORMAT = "sacheck-verification/1"


def verification_json(outcome: Verification, noticed: Iterable[Diagnostic], status: int) -> dict[str, Any]:
    """The verdict and every claim; refuted claims refer to `runs` by index. `noticed` is about the file."""
    shown = [s.run for s in runs(outcome)]
    return {
        "format": VERIFICATION_FORMAT,
        "verdict": outcome.verdict.value if outcome.verdict else None,
        "status": status,
        "file": outcome.program.source.name,
        "expected": outcome.expected.value if outcome.expected else None,
        "claim": outcome.claim,
        "domain": domain(outcome),
        "claims": [_finding(f, shown) for f in outcome.findings],
        "runs": [run_json(run) for run in shown],
        "notes": list(outcome.notes),
        "warnings": [diagnostic_json(d) for d in (*outcome.warnings, *noticed)],
        "seconds": dict(outcome.seconds),
    }


def _finding(finding: Finding, shown: list[Run]) -> dict[str, Any]:
    return {
        "name": finding.claim.name,
        "verdict": finding.verdict.value,
        "expected": finding.claim.expect.value if finding.claim.expect else None,
        "how": finding.how,
        "seconds": finding.seconds,
        "place": origin_json(finding.claim.origin),
        "unknown": unknown_json(finding.unknown),
        "run": shown.index(finding.run) if finding.run is not None else None,
        "values": list(violating(finding)) if finding.run is not None else [],
    }
