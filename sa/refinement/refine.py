"""`refine`: the goals of a question, each decided, its evidence checked, and one answer put together."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import basename, dirname
from time import perf_counter

from sa.automata.program import Program, Refinement
from sa.base.diagnostic import Diagnostic
from sa.base.limits import LimitReached
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.composition.environment import declared
from sa.obligations.blocked import blocked
from sa.refinement.goals import goals
from sa.refinement.options import Options
from sa.refinement.outcome import Outcome, Result, Statistics
from sa.refinement.uncut import uncut
from sa.refinement.vacuous import vacuous
from sa.simulation.decide import Decision, decide
from sa.simulation.escape import escapes
from sa.smt.session import Session

#: Once one of these is reached the goals that are left are not begun.
_LIMITS = {Reason.TIMEOUT, Reason.MEMORY, Reason.INTERRUPTED}


def refine(abstract: Program, concrete: Program, block: Refinement | None, options: Options) -> Outcome:
    """Decide whether the concrete program refines the abstract one, as the block says. Raises InputError.

    A limit that is reached makes the goals that are left UNKNOWN.
    """
    started = perf_counter()
    asked = goals(abstract, concrete, block, options.whole)
    stopped: Unknown | None = None
    warnings: tuple[Diagnostic, ...] = ()
    try:
        warnings = vacuous(abstract, concrete, asked, block.pre if block is not None else (), options.limits)
        if (doubt := uncut(asked, options.limits)) is not None:
            stopped = Unknown(Reason.SOLVER, doubt)
    except LimitReached as limit:
        stopped = Unknown(limit.reason, "before the search was begun")
    prepared = perf_counter()
    results = list[Result]()
    for goal in asked:
        result = _stopped(goal, stopped) if stopped is not None else _result(goal, options)
        results.append(result)
        if result.unknown is not None and result.unknown.reason in _LIMITS:
            stopped = Unknown(result.unknown.reason, "before this goal was begun")
    warnings = (*warnings, *_blocked(results, options))
    seconds = {
        "prepare": prepared - started,
        "simulate": sum(r.statistics.seconds.get("simulate", 0.0) for r in results),
        "check": sum(r.statistics.seconds.get("check", 0.0) for r in results),
    }
    expected = block.expect if block is not None and block.expect is not None else concrete.expect
    # Without the relies that are declared it is another question than the files have in mind.
    relies = any(declared(t) for t in (*abstract.threads, *concrete.threads)) or bool(block and block.rely)
    if alone := options.whole and relies:
        expected = None
    name = block.name if block is not None else _name(abstract, concrete)
    return Outcome(name, _combined(results), _claim(asked, alone), tuple(results), warnings, expected, seconds)


def _name(abstract: Program, concrete: Program) -> str:
    """Who refines whom, by their files; a folder that both are in is named once."""
    first, second = concrete.source.name, abstract.source.name
    return f"{first} refines {basename(second) if dirname(first) == dirname(second) else second}"


def _stopped(goal: Goal, why: Unknown) -> Result:
    """A goal that was not begun."""
    return Result(goal, Verdict.UNKNOWN, None, None, why, Statistics({}))


def _blocked(results: Sequence[Result], options: Options) -> tuple[Diagnostic, ...]:
    """Warnings about proofs that hold because a thread waits for ever."""
    found = list[Diagnostic]()
    for result in results:
        if result.relation is not None:
            session = Session(options.limits, tuple(a.formula for a in result.goal.axioms))
            try:
                found.extend(blocked(session, result.goal, result.relation))
            except LimitReached:
                break
    return tuple(dict.fromkeys(found))


def _result(goal: Goal, options: Options) -> Result:
    started = perf_counter()
    decision = decide(goal, options.limits, options.seed)
    decided = perf_counter()
    result = _checked(goal, decision, options)
    done = perf_counter()
    evidence = result.relation
    statistics = Statistics(
        {"simulate": decided - started, "check": done - decided},
        decision.pairs if evidence is None else len(evidence.pairs),
        decision.lemmas if evidence is None else sum(len(p.lemmas) for p in evidence.pairs),
        decision.solver_calls,
        decision.strategy,
    )
    return Result(goal, result.verdict, evidence, result.play, result.unknown, statistics, result.escapes, result.notes)


def _checked(goal: Goal, decision: Decision, options: Options) -> Result:
    """The answer that the independent checker lets stand."""
    nothing = Statistics({})
    match decision.evidence:
        case Unknown() as unknown:
            return Result(goal, Verdict.UNKNOWN, None, None, unknown, nothing)
        case evidence:
            pass
    try:
        judged = check(goal, evidence, options.limits)
    except LimitReached as limit:
        unknown = Unknown(limit.reason, "while the evidence was being checked")
        return Result(goal, Verdict.UNKNOWN, None, None, unknown, nothing)
    if not isinstance(judged, Accepted):
        where = f", at {judged.where}" if judged.where else ""
        unknown = Unknown(Reason.CHECKER, f"{judged.obligation}: {judged.why}{where}")
        return Result(goal, Verdict.UNKNOWN, None, None, unknown, nothing)
    if isinstance(evidence, Relation):
        return Result(goal, Verdict.PROVED, evidence, None, None, nothing)
    return Result(goal, Verdict.REFUTED, None, evidence, None, nothing, _escapes(goal, evidence, options))


def _escapes(goal: Goal, play: Play, options: Options) -> bool | None:
    try:
        return escapes(goal, play, Session(options.limits, tuple(a.formula for a in goal.axioms)))
    except LimitReached:
        return None


def _combined(results: Sequence[Result]) -> Verdict:
    verdicts = {r.verdict for r in results}
    for verdict in (Verdict.REFUTED, Verdict.UNKNOWN):
        if verdict in verdicts:
            return verdict
    return Verdict.PROVED if results else Verdict.UNKNOWN


def _claim(asked: Sequence[Goal], alone: bool) -> str:
    if not all(goal.closed for goal in asked):
        return "each thread refines its abstract one in every environment that keeps to its rely"
    claim = "every run of the concrete program has an abstract run with the same visible actions"
    return f"{claim}, where nobody else interferes: the declared relies are left out" if alone else claim
