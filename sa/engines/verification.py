"""The answer to `verify`, as a value that reports are made from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.automata.program import Program
from sa.base.caveat import Said
from sa.base.diagnostic import Diagnostic
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.run import Run
from sa.engines.tried import Tried, each_once
from sa.question.asked import Proof
from sa.question.claims import Claim, programs_of


class Finding(Struct, frozen=True):
    """The answer to one claim: `run` for REFUTED, `unknown` for UNKNOWN; `how` says in words what settled it.
    A run of a program with families has so many copies of each, `counts`.

    Claims are decided together: `seconds` is when the answer was known, from the beginning of the search.
    """

    claim: Claim
    verdict: Verdict
    how: str
    seconds: float
    run: Run | None = None
    unknown: Unknown | None = None
    counts: tuple[int, ...] = ()


class Verification(Struct, frozen=True):
    """The answers to all claims of a program. `verdict` is None where nothing is claimed.

    `expected` is what the file expects of itself as a whole; claims have expectations of their own. `seconds` by phase.
    `proofs` are the accepted ones, each of something that does not happen; `tried` are the engines that were asked.
    `beside` is an answer to another question, which makes this one doubtful: that the program has data races.
    `said` is what it assumes and does not check.
    """

    program: Program
    verdict: Verdict | None
    claim: str
    findings: tuple[Finding, ...]
    warnings: tuple[Diagnostic, ...]
    notes: tuple[str, ...]
    expected: Verdict | None
    seconds: Mapping[str, float]
    proofs: tuple[Proof, ...] = ()
    tried: tuple[Tried, ...] = ()
    beside: Verification | None = None
    said: Said = Said()


def tried_about(outcome: Verification, claim: Claim) -> tuple[Tried, ...]:
    """The engines that were asked about a claim, each once: as it was asked last, and the time of all its turns."""
    return each_once(t for t in outcome.tried if any(bad in t.bads for bad in claim.bads))


_BEYOND = Unknown(Reason.BOUND, "proved only for runs within the limits of the translation")
_REACHED = Unknown(Reason.BOUND, "some runs go beyond a limit of the translation")


def within_bounds(outcome: Verification) -> Verification:
    """What is left of an outcome where a limit of the translation may be reached (`Program.bounds`).

    That a limit is reached refutes nothing, and while it is not shown to be out of reach nothing else is proved.
    """
    findings = outcome.findings
    for number, program in programs_of(outcome.program):
        bounds = program.bounds
        own = [f for f in findings if f.claim.beside == number]
        if any(f.claim.origin in bounds and f.verdict is not Verdict.PROVED for f in own):
            limited = partial(_limited, bounds=bounds)
            findings = tuple(limited(f) if f.claim.beside == number else f for f in findings)
    if findings == outcome.findings:
        return outcome
    verdicts = {f.verdict for f in findings}
    verdict = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.PROVED) if v in verdicts), None)
    return replace(outcome, findings=findings, verdict=verdict)


def _limited(finding: Finding, bounds: tuple[Origin, ...]) -> Finding:
    if finding.claim.origin in bounds:
        is_open = finding.verdict is Verdict.REFUTED
        return replace(finding, verdict=Verdict.UNKNOWN, run=None, unknown=_REACHED) if is_open else finding
    if finding.verdict is Verdict.PROVED:
        return replace(finding, verdict=Verdict.UNKNOWN, unknown=_BEYOND)
    return finding
