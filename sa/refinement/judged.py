"""A decision with its evidence judged by the independent checker: nothing else makes a verdict."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from sa.base.limits import LimitReached
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.plays.escape import escapes
from sa.refinement.decide import Decision
from sa.refinement.options import Options
from sa.refinement.outcome import Result, Statistics
from sa.smt.session import Session


def stopped(goal: Goal, why: Unknown) -> Result:
    """A goal that was not begun."""
    return Result(goal, Verdict.UNKNOWN, None, None, why, Statistics({}))


def result_of(goal: Goal, decision: Decision, seconds: float, options: Options) -> Result:
    """The answer to a goal that was decided in this time."""
    started = perf_counter()
    result = _checked(goal, decision, options)
    statistics = statistics_of(decision, result.relation, seconds, perf_counter() - started)
    return replace(result, statistics=statistics)


def statistics_of(decision: Decision, evidence: Relation | None, deciding: float, checking: float) -> Statistics:
    """The work that a decision and its checking took, in seconds."""
    return Statistics(
        {"simulate": deciding, "check": checking},
        decision.pairs if evidence is None else len(evidence.pairs),
        decision.lemmas if evidence is None else sum(len(p.lemmas) for p in evidence.pairs),
        decision.solver_calls,
        decision.strategy,
    )


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
