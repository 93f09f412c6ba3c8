"""The outcome of `sacheck verify` as JSON: the same as the terminal shows, and the whole runs."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from sa.automata.program import one_of
from sa.base.diagnostic import Diagnostic
from sa.base.verdict import Verdict
from sa.certificates.run import Run
from sa.engines.verification import Finding, Verification, tried_about
from sa.report.ends import reasons_told
from sa.report.json import (
    CaveatJson,
    DiagnosticJson,
    OriginJson,
    UnknownJson,
    caveats_json,
    diagnostic_json,
    origin_json,
    unknown_json,
)
from sa.report.obstacles import obstacle
from sa.report.render_values import told
from sa.report.run_json import RunJson, run_json
from sa.report.tried import TriedJson, tried_json
from sa.report.verify import domain, notes_of, runs
from sa.report.violated import reason_of_run, violating


class BoundsJson(Struct, frozen=True):
    """The least and the greatest value of a variable; null where there is none."""

    variable: str
    low: int | None
    high: int | None


class DisturbingJson(Struct, frozen=True):
    """A statement, and the threads that may take it."""

    place: OriginJson
    threads: list[str]


class ObstacleJson(Struct, frozen=True):
    """What stands in the way of a claim: what is known where it may fail, and the steps that may change that."""

    known: list[BoundsJson]
    disturbed: list[DisturbingJson]


class FindingJson(Struct, frozen=True, omit_defaults=True):
    """What became of a claim: `name` is `what` is claimed with the `thread` of which it is.

    `kinds` are `invariant`, or the ways of going wrong that the claim excludes. `run` is an index into the
    document's runs; `values` are those that violate it, and `reason` says in a sentence how.

    `engine` is the row of the portfolio that settled it, `tried` the rows that were asked about it.
    `reasons` say why something comes to an end, or why a cycle can be repeated. `obstacle` is about UNKNOWN claims.
    """

    name: str
    what: str
    kinds: list[str]
    thread: str | None
    verdict: Verdict
    expected: Verdict | None
    engine: str
    how: str
    seconds: float
    place: OriginJson
    unknown: UnknownJson | None
    run: int | None
    values: list[str]
    reason: str | None
    tried: list[TriedJson]
    reasons: list[str] = []
    obstacle: ObstacleJson | None = None


class VerificationJson(Struct, frozen=True, tag_field="format", tag="sacheck-verification/1"):
    """`sacheck verify`: the verdict, null where nothing is claimed, and every claim; `seconds` by phase.

    `units` is the work that was done. `assumptions` are what it takes for granted, `not_checked` what it says
    nothing about.
    """

    verdict: Verdict | None
    status: int
    file: str
    expected: Verdict | None
    claim: str
    domain: str
    claims: list[FindingJson]
    runs: list[RunJson]
    notes: list[str]
    warnings: list[DiagnosticJson]
    seconds: dict[str, float]
    units: int
    assumptions: list[CaveatJson]
    not_checked: list[CaveatJson]


def verification_json(outcome: Verification, noticed: Iterable[Diagnostic], status: int) -> VerificationJson:
    """The verdict and every claim. `noticed` is about the file."""
    shown = [s.run for s in runs(outcome)]
    return VerificationJson(
        outcome.verdict,
        status,
        outcome.program.source.name,
        outcome.expected,
        outcome.claim,
        domain(outcome),
        [_finding(f, shown, outcome) for f in outcome.findings],
        [run_json(run, outcome.program) for run in shown],
        list(notes_of(outcome)),
        [diagnostic_json(d) for d in (*outcome.warnings, *noticed)],
        dict(outcome.seconds),
        outcome.units,
        caveats_json(outcome.said.assumptions),
        caveats_json(outcome.said.not_checked),
    )


def _finding(finding: Finding, shown: list[Run], outcome: Verification) -> FindingJson:
    return FindingJson(
        finding.claim.name,
        finding.claim.what,
        list(finding.claim.kinds),
        finding.claim.thread,
        finding.verdict,
        finding.claim.expect,
        finding.engine,
        finding.how,
        finding.seconds,
        origin_json(finding.claim.origin),
        unknown_json(finding.unknown),
        shown.index(finding.run) if finding.run is not None else None,
        list(violating(finding, one_of(outcome.program, finding.claim.beside))) if finding.run is not None else [],
        None if finding.run is None else reason_of_run(finding, one_of(outcome.program, finding.claim.beside)),
        [tried_json(t) for t in tried_about(outcome, finding.claim)],
        list(reasons_told(finding)),
        _obstacle(finding, outcome),
    )


def _obstacle(finding: Finding, outcome: Verification) -> ObstacleJson | None:
    found = obstacle(finding, told(outcome.program, details=False))
    if found is None:
        return None
    return ObstacleJson(
        [BoundsJson(name, low, high) for name, (low, high) in found.known],
        [DisturbingJson(origin_json(step.origin), list(step.threads)) for step in found.steps],
    )
