"""`verify`: what a closed program claims of itself, decided, and its evidence judged by the independent checker.

Nothing else than accepted evidence makes a verdict: invariants that exclude all that is bad about a claim prove it,
a run that ends in something bad refutes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Program
from sa.base.cache import Cache
from sa.base.diagnostic import Diagnostic, InputError, Severity
from sa.base.limits import LimitReached, Limits
from sa.base.source import Source
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.run import Bad, Run
from sa.certificates.threads import Joint, Keeps
from sa.checker.never import check_joint, check_keeps
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.run import check_run
from sa.conditions.environment import declared
from sa.conditions.together import no_start, uncut
from sa.conditions.vacuity import vacuity
from sa.invariants.decide import Imprecise, Settled, decide
from sa.invariants.outcome import Finding, Verification
from sa.invariants.recall import RECALLED, Memory, recalled, remember
from sa.invariants.wanted import Claim, claims_of
from sa.language.load import load_program

_CLAIM = "these hold in every run, where nobody but the threads moves"
_NOT_FOUND = Unknown(Reason.BOUND, "neither invariants that exclude a violation nor a run into one were found")


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """`split` splits steps that touch several shared locations. Evidence of earlier runs is in the `cache`."""

    path: str
    split: bool
    bounds: Limits
    seed: int
    cache: Cache | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An outcome, what was noticed about the file itself (`check` shows that at length), and all texts read."""

    outcome: Verification
    noticed: tuple[Diagnostic, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class _Known:
    """What became of something bad, how, and when that was known: there is a `run` into it, or a `proof` against it."""

    how: str
    seconds: float
    run: Run | None = None
    unknown: Unknown | None = None
    proof: Keeps | Joint | None = None


def verify(request: VerifyRequest, tell: Callable[[Callable[[Unknown], Answer]], None] | None = None) -> Answer:
    """The answers to all claims of a file.

    A limit that is reached leaves what is open UNKNOWN. Raises InputError, and LimitReached while the file is read.
    `tell` is given a function that makes the answer so far, should the work be given up at any moment.
    """
    started = perf_counter()
    loaded = load_program(request.path, request.split)
    seconds = {"load": perf_counter() - started}
    known, imprecise = dict[Bad, _Known](), list[str]()

    def answer(stop: Unknown | None, warnings: tuple[Diagnostic, ...] = ()) -> Answer:
        made = _put_together(loaded.program, dict(known), stop, warnings, list(imprecise), _until_now(seconds, started))
        return Answer(made, loaded.warnings, loaded.sources)

    if tell is not None:
        tell(answer)
    return answer(*_settle(loaded.program, request, known, imprecise, seconds))


def _until_now(seconds: Mapping[str, float], started: float) -> dict[str, float]:
    """Seconds by phase, where a phase that was given up is not among them yet."""
    phase = "search" if "prepare" in seconds else "prepare"
    missing = perf_counter() - started - sum(seconds.values())
    return {**seconds, phase: seconds.get(phase, 0.0) + missing}


def _settle(
    program: Program, request: VerifyRequest, known: dict[Bad, _Known], imprecise: list[str], seconds: dict[str, float]
) -> tuple[Unknown | None, tuple[Diagnostic, ...]]:
    """Put into `known` what becomes known, and return why that ended early, with warnings about what cannot happen."""
    started = perf_counter()
    stop: Unknown | None = None
    warnings: tuple[Diagnostic, ...] = ()
    try:
        warnings = _empty(program, request.bounds)
        if (doubt := uncut(program.threads, program.axioms, request.bounds)) is not None:
            stop = Unknown(Reason.SOLVER, doubt)
    except LimitReached as limit:
        stop = Unknown(limit.reason, "before the search was begun")
    seconds["prepare"] = perf_counter() - started
    claims = claims_of(program)
    for threads in dict.fromkeys(claim.threads for claim in claims):
        if stop is None:
            bads = [bad for claim in claims if claim.threads == threads for bad in claim.bads]
            stop = _search(program, threads, bads, request, known, seconds, imprecise)
    return stop, warnings


def _put_together(
    program: Program,
    known: dict[Bad, _Known],
    stop: Unknown | None,
    warnings: tuple[Diagnostic, ...],
    imprecise: list[str],
    seconds: dict[str, float],
) -> Verification:
    claims = claims_of(program)
    spent = seconds.get("search", 0.0) + seconds.get("check", 0.0)
    otherwise = _Known("", spent, unknown=stop or _NOT_FOUND)
    findings = tuple(_finding(claim, [known.get(bad, otherwise) for bad in claim.bads]) for claim in claims)
    # What a file expects is about `refine` where it claims nothing of itself.
    expected, notes = (program.expect, tuple(_notes(program))) if claims else (None, ())
    if any(f.verdict is Verdict.UNKNOWN for f in findings):
        notes = (*notes, *dict.fromkeys(imprecise))
    # Not as values: comparing whole proofs takes long.
    proofs = {id(k.proof): k.proof for k in known.values() if k.proof is not None}
    made = tuple(proofs.values())
    return Verification(program, _combined(findings), _CLAIM, findings, warnings, notes, expected, seconds, made)


def _empty(program: Program, bounds: Limits) -> tuple[Diagnostic, ...]:
    """Warnings about what cannot happen. Raises InputError for axioms from which anything follows."""
    found = vacuity(program, bounds)
    errors = tuple(d for d in found if d.severity is Severity.ERROR)
    if errors:
        raise InputError(errors)
    return tuple(dict.fromkeys((*found, *no_start(program, bounds))))


def _search(
    program: Program,
    threads: tuple[Automaton, ...],
    bads: Sequence[Bad],
    request: VerifyRequest,
    known: dict[Bad, _Known],
    seconds: dict[str, float],
    imprecise: list[str],
) -> Unknown | None:
    """Put into `known` what can be settled, judged as soon as it is, and where precision was given up into `imprecise`.

    Why that ended early, if it did.
    """
    started = perf_counter()
    checking = 0.0
    stop: Unknown | None = None
    cache = request.cache
    memory = None if cache is None else Memory(cache, threads, bads, program.axioms, request.seed)
    accepted = list[Settled]()
    try:
        for settled in _found(memory, threads, bads, program.axioms, request, accepted):
            if isinstance(settled, Imprecise):
                imprecise += settled.notes
                continue
            begun = perf_counter()
            ruling = _ruling(threads, program.axioms, settled, request)
            now = perf_counter()
            checking += now - begun
            if isinstance(ruling, Accepted):
                accepted.append(settled)
            elif settled.how == RECALLED:
                continue
            known.update(dict.fromkeys(settled.bads, _known(settled, ruling, now - started)))
    except LimitReached as limit:
        stop = Unknown(limit.reason)
    except MemoryError:
        stop = Unknown(Reason.MEMORY)
    if memory is not None and any(s.how != RECALLED for s in accepted):
        remember(memory, accepted)
    seconds["search"] = seconds.get("search", 0.0) + perf_counter() - started - checking
    seconds["check"] = seconds.get("check", 0.0) + checking
    return stop


def _found(
    memory: Memory | None,
    threads: tuple[Automaton, ...],
    bads: Sequence[Bad],
    axioms: tuple[Axiom, ...],
    request: VerifyRequest,
    accepted: Sequence[Settled],
) -> Iterator[Settled | Imprecise]:
    """What was found before, then what is found of the rest; `accepted` is what the checker accepted of it by then."""
    if memory is not None:
        yield from recalled(memory)
    done = {bad for settled in accepted for bad in settled.bads}
    rest = [bad for bad in bads if bad not in done]
    if rest:
        yield from decide(threads, rest, axioms, request.bounds, request.seed)


def _ruling(
    threads: tuple[Automaton, ...], axioms: tuple[Axiom, ...], settled: Settled, request: VerifyRequest
) -> Ruling:
    """What the checker says of the evidence. That it is about what was asked is looked at here."""
    match settled.evidence:
        case Run() as run:
            rulings = (check_run(threads, bad, run) for bad in settled.bads)
            return next((r for r in rulings if not isinstance(r, Accepted)), Accepted())
        case Keeps(annotated, never, assumed) as keeps:
            about = (tuple(a.thread for a in annotated), tuple(n.bad for n in never), assumed)
            if about == (threads, settled.bads, axioms):
                return check_keeps(keeps, request.bounds, request.seed)
        case Joint(own, _, never, assumed) as joint:
            if (own, never, assumed) == (threads, settled.bads, axioms):
                return check_joint(joint, request.bounds, request.seed)
    return Rejected("evidence", "it is about another question")


def _known(settled: Settled, ruling: Ruling, seconds: float) -> _Known:
    if isinstance(ruling, Accepted):
        if isinstance(settled.evidence, Run):
            return _Known(settled.how, seconds, run=settled.evidence)
        return _Known(settled.how, seconds, proof=settled.evidence)
    where = f", at {ruling.where}" if ruling.where else ""
    return _Known("", seconds, unknown=Unknown(Reason.CHECKER, f"{ruling.obligation}: {ruling.why}{where}"))


def _finding(claim: Claim, parts: Sequence[_Known]) -> Finding:
    """A claim is refuted by one run into something bad, and proved if everything bad about it is excluded."""
    for part in parts:
        if part.run is not None:
            return Finding(claim, Verdict.REFUTED, part.how, part.seconds, run=part.run)
    for part in parts:
        if part.unknown is not None:
            return Finding(claim, Verdict.UNKNOWN, "", part.seconds, unknown=part.unknown)
    how = "; ".join(dict.fromkeys(p.how for p in parts)) or "no step can break it"
    return Finding(claim, Verdict.PROVED, how, max((p.seconds for p in parts), default=0.0))


def _combined(findings: Sequence[Finding]) -> Verdict | None:
    verdicts = {f.verdict for f in findings}
    return next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN, Verdict.PROVED) if v in verdicts), None)


def _notes(program: Program) -> Iterator[str]:
    if any(declared(t) for t in program.threads):
        yield "the declared relies are not used: here the threads are each other's environment"
    if any(i.strong for i in program.invariants):
        yield "`strong` makes no difference here: nobody but the program's threads moves"
