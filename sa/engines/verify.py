"""`verify`: what a closed program claims of itself, decided by engines, their evidence judged by the checker.

Nothing else than accepted evidence makes a verdict: invariants that exclude all that is bad about a claim prove it,
a run that ends in something bad refutes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.family import crowd
from sa.automata.program import Ends, Program, one_of
from sa.base.budget import Budget, Event, Report, unheard
from sa.base.cache import Cache
from sa.base.clock import clock
from sa.base.diagnostic import Diagnostic
from sa.base.limits import LimitReached, Limits, allot, apart, is_over
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.families import CrowdRun
from sa.certificates.run import Bad, Run
from sa.checker.ruling import Accepted, Ruling
from sa.conditions.joint_inductiveness import no_start, uncut
from sa.conditions.vacuity import vacuous
from sa.engines.cache_of_claims import RECALLED, Memory, remember, with_memory
from sa.engines.findings import Known, finding_of, finding_of_ends
from sa.engines.judging import unaccepted
from sa.engines.judging_claims import judged, judged_of_crowd, same_claims
from sa.engines.normal_form import about_normal_form
from sa.engines.portfolio_of_claims import CLAIMS, Portfolio
from sa.engines.runner import Judge, Progress, Reports, RoundOver, Ruled, run
from sa.engines.shorter_runs import shorter
from sa.engines.tried import Diary, Tried
from sa.engines.verification import Verification, claim_about, combined, notes_about
from sa.question.asked import Asked, Note, Open, Settled
from sa.question.claims import Claim, claims_of, programs_of

if TYPE_CHECKING:
    from sa.engines.endings import Ended

_NOT_FOUND = Unknown(Reason.BOUND, "neither a proof nor a counterexample was found")
_NOT_ASKED = Unknown(Reason.UNSUPPORTED, "`ranking` alone says nothing of single states")
_NO_WAY = Unknown(Reason.UNSUPPORTED, "of infinite runs only `ranking` and `explicit-state` say anything")

#: Units for a claim about infinite runs where others wait.
AN_ENDING = 60_000_000


class Options(Struct, frozen=True):
    """What a caller may ask of `verify` beyond the program. Evidence of earlier runs is in the `cache`.

    With several `jobs` so many processes ask the engines at once. `ways` are the engines for claims about infinite runs
    where a user named engines; what they need of states is asked of the `portfolio` then, or of all if it is empty.
    """

    bounds: Limits
    seed: int = 0
    cache: Cache | None = None
    portfolio: Portfolio = CLAIMS
    reports: Reports | None = None
    jobs: int = 1
    ways: tuple[str, ...] | None = None


class _At(Struct):
    """What is being done: a phase since a moment; and the engine that is asked, since when, at how much work done, and
    what it said last.
    """

    phase: str
    since: float
    bads: tuple[Bad, ...] = ()
    beside: int | None = None
    engine: str = ""
    asked: float = 0.0
    done: float = 0.0
    last: Event | None = None


class _Work(Struct):
    """What is known so far. Somebody may ask for the answer so far at any moment."""

    program: Program
    claims: tuple[Claim, ...]
    options: Options
    started: float
    known: dict[tuple[int | None, Bad], Known] = field(default_factory=dict)
    ended: dict[tuple[int | None, Ends], Ended] = field(default_factory=dict)
    left: dict[tuple[int | None, Bad], Open] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    at: _At | None = None
    #: Why it ended early, if it did.
    stop: Unknown | None = None


def verify(
    program: Program, options: Options, tell: Callable[[Callable[[Unknown], Verification]], None] | None = None
) -> Verification:
    """The answers to all claims of a program; a limit that is reached leaves what is open UNKNOWN. Raises InputError.

    `tell` is given a function that makes the answer so far, should the work be given up at any moment. Raises
    QuestionsDiffer on an internal error.
    """
    claims = claims_of(program)
    same_claims(program, claims)
    work = _Work(program, claims, options, clock())
    if tell is not None:
        tell(lambda why: _answer(work, why, ()))
    work.stop, warnings = _prepared(work)
    groups = dict[tuple[int | None, object, object], list[Claim]]()
    if work.stop is None:
        work.stop = _endings(work, [c for c in claims if c.ends is not None])
    for claim in (c for c in claims if c.ends is None):
        groups.setdefault((claim.beside, claim.threads, claim.families), []).append(claim)
    # They take turns, round by round; what is beside has its turn first.
    order = sorted(groups.values(), key=lambda group: group[0].beside is None)
    searches = [_searched(work, tuple(group), options.bounds) for group in order]
    while searches and work.stop is None:
        searches = [s for s in searches if work.stop is None and next(s, False)]
    return _answer(work, work.stop, warnings)


def _endings(work: _Work, claims: Sequence[Claim]) -> Unknown | None:
    """Decide claims about infinite runs, each within a part of the work; why that ended early, if it did."""
    if not claims:
        return None
    # What decides them is loaded for those.
    from sa.engines.endings import Ended, decided, ways_of

    options, program = work.options, work.program
    ways = ways_of(options.ways)
    helpers = CLAIMS if options.ways is None else options.portfolio or CLAIMS
    rest = any(c.ends is None for c in work.claims)
    for place, claim in enumerate(claims):
        assert claim.ends is not None
        if not ways:
            work.ended[claim.beside, claim.ends] = Ended(_NO_WAY, "", 0.0)
            continue
        # The last one of all has no end of its own.
        bounds = allot(options.bounds, AN_ENDING) if rest or place + 1 < len(claims) else options.bounds
        work.at = _At("search", clock())
        budget, diary = Budget(bounds, options.seed), Diary()
        try:
            heard = _heard(work, "ranking")
            found = decided(claim.threads, program.axioms, claim.ends, budget, helpers, heard, ways, diary)
            work.ended[claim.beside, claim.ends] = found
        except LimitReached as limit:
            if limit.reason is not Reason.WORK or is_over(options.bounds):
                return Unknown(limit.reason)
        finally:
            work.tried += [replace(t, goal=claim.name) for t in diary.turns]
            _over(work)
    return None


def _prepared(work: _Work) -> tuple[Unknown | None, tuple[Diagnostic, ...]]:
    """Warnings about what cannot happen, and why there can be no answer, if so. Raises InputError."""
    program, bounds, started = work.program, work.options.bounds, clock()
    work.at = _At("prepare", started)
    stop: Unknown | None = None
    warnings: tuple[Diagnostic, ...] = ()
    try:
        warnings = tuple(dict.fromkeys((*vacuous((program,), bounds), *no_start(program, bounds))))
        for _, one in programs_of(program):
            everyone = (*one.threads, *crowd(one.families, tuple(2 for _ in one.families)))
            if (doubt := uncut(everyone, one.axioms, bounds)) is not None:
                stop = Unknown(Reason.SOLVER, doubt)
    except LimitReached as limit:
        stop = Unknown(limit.reason, "before the search began")
    _over(work)
    return stop, warnings


def _over(work: _Work) -> None:
    """Note how long the phase took."""
    at, work.at = work.at, None
    if at is not None:
        work.seconds[at.phase] = work.seconds.get(at.phase, 0.0) + clock() - at.since


def _searched(work: _Work, claims: tuple[Claim, ...], bounds: Limits) -> Iterator[bool]:
    """Note what can be settled of claims about the same threads, as soon as it is; True after each round of engines."""
    options, axioms, started = work.options, work.program.axioms, clock()
    threads, families, beside = claims[0].threads, claims[0].families, claims[0].beside
    bads = tuple(dict.fromkeys(bad for claim in claims for bad in claim.bads))
    asked = Asked(threads, bads, axioms, families=families, init=one_of(work.program, claims[0].beside).init)
    # The checker's work is not that of the engine whose evidence it is.
    checking = apart(bounds)
    # Evidence about families is not kept.
    memory = (
        None
        if options.cache is None or families
        else Memory(options.cache, threads, bads, axioms, options.seed, bounds)
    )
    portfolio = with_memory(memory, _engines(options.portfolio, bool(families)))

    def judge(settled: Settled) -> Ruling:
        if families:
            return judged_of_crowd(asked, settled, checking, options.seed)
        return judged(threads, axioms, settled, checking, options.seed)

    accepted = list[Settled]()
    at = work.at = _At("search", started, bads, beside)
    try:
        for found in _said(work, claims, portfolio, asked, judge, bounds):
            match found:
                case Note():
                    work.notes.append(found)
                case Open():
                    work.left[beside, found.bad] = found
                case Tried():
                    work.tried.append(found)
                case RoundOver():
                    _over(work)
                    yield True
                    at.since, work.at = clock(), at
                case Ruled():
                    found = shorter(asked, found, judge, checking)
                    work.seconds["check"] = work.seconds.get("check", 0.0) + found.checking
                    at.since += found.checking
                    _note(work, beside, found, clock() - started)
                    if isinstance(found.ruling, Accepted):
                        accepted.append(found.settled)
                    if _refuted(work, claims):
                        work.tried.append(_interrupted(work, at, None))
                        break
    except LimitReached as limit:
        work.stop = Unknown(limit.reason)
    except MemoryError:
        work.stop = Unknown(Reason.MEMORY)
    finally:
        # Also where another search has reached a limit.
        if memory is not None and any(s.how != RECALLED for s in accepted):
            remember(memory, accepted)
    if work.stop is not None and at.engine:
        work.tried.append(_interrupted(work, at, work.stop.reason))
    work.seconds.setdefault("check", 0.0)
    _over(work)


def _refuted(work: _Work, claims: tuple[Claim, ...]) -> bool:
    """Whether all claims but limits of the translation are refuted: then these do not matter."""
    limits, beside = one_of(work.program, claims[0].beside).bounds, claims[0].beside
    known = [[work.known.get((beside, b)) for b in c.bads] for c in claims if c.origin not in limits]
    return bool(limits and known) and all(any(k is not None and k.run is not None for k in found) for found in known)


def _said(
    work: _Work, claims: tuple[Claim, ...], portfolio: Portfolio, asked: Asked, judge: Judge, bounds: Limits
) -> Iterator[Progress]:
    """What engines say, asked in one process or in several. Raises LimitReached."""
    options, heard, over = work.options, partial(_heard, work), _over_by_runs(work, claims)
    budget = Budget(bounds, options.seed)
    if options.jobs > 1:
        # Only who wants several processes pays for what makes them.
        from sa.engines.together import run_together

        return run_together(portfolio, asked, budget, judge, heard, over, options.jobs)
    # That a limit of the translation is reached refutes nothing.
    limits = one_of(work.program, claims[0].beside).bounds
    refuting = {bad for claim in claims if claim.origin not in limits for bad in claim.bads}
    return run(portfolio, asked, budget, judge, heard, over, refuting.__contains__)


def _over_by_runs(work: _Work, claims: tuple[Claim, ...]) -> Callable[[Bad], bool]:
    """Whether something bad matters no more: a run refutes each claim that it belongs to."""
    parts = dict[Bad, list[tuple[Bad, ...]]]()
    for claim in claims:
        for bad in claim.bads:
            parts.setdefault(bad, []).append(claim.bads)

    beside = claims[0].beside

    def has_run(bads: tuple[Bad, ...]) -> bool:
        return any((known := work.known.get((beside, b))) is not None and known.run is not None for b in bads)

    return lambda bad: all(map(has_run, parts[bad]))


def _heard(work: _Work, engine: str) -> Report:
    """The report of an engine whose turn has come: what it says is noted, and told on."""
    at, heard = work.at, unheard if work.options.reports is None else work.options.reports(engine)
    if at is not None:
        at.engine, at.asked, at.done, at.last = engine, clock(), work.options.bounds.work.done, None

    def report(event: Event) -> None:
        if at is not None:
            at.last = event
        heard(event)

    return report


def _interrupted(work: _Work, at: _At, ended: Reason | None) -> Tried:
    """The engine at which the work ended."""
    open_ = tuple(b for b in at.bads if (at.beside, b) not in work.known)
    units = round(work.options.bounds.work.done - at.done)
    return Tried(at.engine, clock() - at.asked, units, ended, open_, at.last)


def _engines(asked: Portfolio, families: bool) -> Portfolio:
    """Those of the engines that know what is asked about."""
    if asked is not CLAIMS or families:
        # What knows families is loaded for those.
        from sa.engines.portfolio_of_families import for_crowds, for_threads

        asked = for_crowds(asked) if families else for_threads(asked)
    return asked if families else tuple(map(about_normal_form, asked))


def _note(work: _Work, beside: int | None, found: Ruled, seconds: float) -> None:
    """Keep what became of something bad; evidence that was not accepted counts only where nothing better is found."""
    settled, ruling = found.settled, found.ruling
    if isinstance(ruling, Accepted):
        evidence = settled.evidence
        match evidence:
            case Run():
                known = Known(found.engine, settled.how, seconds, run=evidence)
            case CrowdRun(counts, reached):
                known = Known(found.engine, settled.how, seconds, run=reached, counts=counts)
            case _:
                known = Known(found.engine, settled.how, seconds, proof=evidence)
        work.known.update(((beside, bad), known) for bad in settled.bads)
    elif settled.how != RECALLED:
        unknown = unaccepted(ruling)
        for bad in settled.bads:
            work.known.setdefault((beside, bad), Known("", "", seconds, unknown=unknown))


def _answer(work: _Work, stop: Unknown | None, warnings: tuple[Diagnostic, ...]) -> Verification:
    """The answer from what is known. May be called while the work goes on, so it works on copies."""
    program, seconds, at = work.program, dict(work.seconds), work.at
    known, left = dict(work.known), dict(work.left)
    tried = tuple(work.tried)
    if at is not None:
        seconds[at.phase] = seconds.get(at.phase, 0.0) + clock() - at.since
        if stop is not None and at.engine:
            tried = (*tried, _interrupted(work, at, stop.reason))
    nothing = _NOT_FOUND if work.options.portfolio else _NOT_ASKED
    otherwise = Known("", "", clock() - work.started, unknown=stop or nothing)
    findings = tuple(
        finding_of(claim, known, left, otherwise)
        if claim.ends is None
        else finding_of_ends(claim, work.ended.get((claim.beside, claim.ends)), otherwise)
        for claim in work.claims
    )
    # What a file expects is about `refine` where it claims nothing of itself.
    expected, notes = (program.expect, tuple(notes_about(program))) if work.claims else (None, ())
    is_open = any(f.verdict is Verdict.UNKNOWN for f in findings)
    notes = (*notes, *dict.fromkeys(n.words for n in tuple(work.notes) if n.is_wanted or is_open))
    # Not as values: comparing whole proofs takes long.
    proofs = {id(k.proof): k.proof for k in known.values() if k.proof is not None}
    return Verification(
        program,
        combined(findings),
        claim_about(program),
        findings,
        warnings,
        notes,
        expected,
        seconds,
        tuple(proofs.values()),
        tried,
        units=round(work.options.bounds.work.done),
    )
