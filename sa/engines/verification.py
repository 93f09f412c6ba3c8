"""The answer to `verify`, as a value that reports are made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.automata.program import Program
from sa.base.caveat import Said
from sa.base.diagnostic import Diagnostic
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.ends import Ending
from sa.certificates.run import Run
from sa.conditions.environment import declared
from sa.engines.tried import Tried, each_once
from sa.question.asked import Open, Proof
from sa.question.claims import Claim, programs_of


class Finding(Struct, frozen=True):
    """The answer to one claim: `run` for REFUTED, `unknown` for UNKNOWN; `how` says in words what settled it.
    A run of a program with families has so many copies of each, `counts`. `engine` is the name of the engine whose
    evidence it was, of several ones where a claim has parts. What settled a claim about infinite
    runs is in `ended`; the run of a lasso is there for itself, too. `left` is what stands in the way of an UNKNOWN
    claim, if that is known.

    Claims are decided together: `seconds` is when the answer was known, from the beginning of the search.
    """

    claim: Claim
    verdict: Verdict
    how: str
    seconds: float
    run: Run | None = None
    unknown: Unknown | None = None
    counts: tuple[int, ...] = ()
    engine: str = ""
    ended: Ending | None = None
    left: Open | None = None


class Verification(Struct, frozen=True):
    """The answers to all claims of a program. `verdict` is None where nothing is claimed.

    `expected` is what the file expects of itself as a whole; claims have expectations of their own. `seconds` by phase.
    `proofs` are the accepted ones, each of something that does not happen; `tried` are the engines that were asked.
    `beside` is an answer to another question, which makes this one doubtful: that the program has data races.
    `said` is what it assumes and does not check. `units` are the units of work that were done.
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
    units: int = 0


def tried_about(outcome: Verification, claim: Claim) -> tuple[Tried, ...]:
    """The engines that were asked about a claim, each once: as it was asked last, and the time of all its turns."""
    about_ends = claim.ends is not None

    def is_about(tried: Tried) -> bool:
        return any(bad in tried.bads for bad in claim.bads) or (about_ends and tried.goal == claim.name)

    return each_once(filter(is_about, outcome.tried))


def combined(findings: Sequence[Finding]) -> Verdict | None:
    """The verdict about all claims; None where there are none."""
    verdicts = {f.verdict for f in findings}
    return next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.PROVED) if v in verdicts), None)


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
    return replace(outcome, findings=findings, verdict=combined(findings))


def _limited(finding: Finding, bounds: tuple[Origin, ...]) -> Finding:
    if finding.claim.origin in bounds:
        is_open = finding.verdict is Verdict.REFUTED
        return replace(finding, verdict=Verdict.UNKNOWN, run=None, unknown=_REACHED) if is_open else finding
    if finding.verdict is Verdict.PROVED:
        return replace(finding, verdict=Verdict.UNKNOWN, unknown=_BEYOND, ended=None)
    return finding


_CLOSED = "these hold in every run of the threads"
_OPEN = "these hold in every run of the threads and of an environment that does what all relies allow"
_OF_ANY_NUMBER = ", for any number of copies of"
_FAIR = "a fair scheduler: a thread that can take a step from some moment on takes one"
_UNFAIR = "any scheduler, also of one that never lets a thread step (`fair;` excludes it)"


def claim_about(program: Program) -> str:
    """What the answers say, whatever is claimed."""
    names = " and ".join(f.thread.name for f in program.families)
    claim = _OPEN if program.open else _CLOSED
    claim = f"{claim}{_OF_ANY_NUMBER} {names}" if names else claim
    if program.ends:
        claim += f"; infinite runs are those of {_FAIR if any(e.fair for e in program.ends) else _UNFAIR}"
    return claim


def notes_about(program: Program) -> Iterator[str]:
    """What of the program makes no difference to the answers."""
    if any(declared(t) for t in program.threads):
        yield "the declared relies are not used (use `--open`): the threads are each other's environment"
    if any(i.strong for i in program.invariants):
        yield "`strong` makes no difference here: only the program's threads take steps"
