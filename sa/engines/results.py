"""A decision with its evidence judged by the independent checker: nothing else makes a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from sa.base.budget import Shared
from sa.base.clock import clock
from sa.base.limits import LimitReached, apart
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.interpreted import goal_of, plain_play
from sa.certificates.pairs import Simulation, StatePairs
from sa.certificates.play import Loss, Play
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.evidence_cache import RECALLED, found, remember
from sa.engines.judging import unaccepted
from sa.engines.options import Options
from sa.engines.outcome import Found, Result, Statistics
from sa.engines.portfolio_of_goals import Depth
from sa.question.asked import Decision
from sa.refinement.missing import step_in_words
from sa.smt.session import Session


def stopped(goal: Goal, why: Unknown) -> Result:
    """A goal that was not begun."""
    return Result(goal, Verdict.UNKNOWN, None, None, why, Statistics({}))


def answered(
    goal: Goal,
    options: Options,
    depth: Depth = Depth.FULL,
    shared: Shared | None = None,
) -> Result:
    """The answer to a goal: by the first evidence that the checker accepts.

    Where there is none, the answer says why the checker did not accept what there was, or why there was none. Engines
    go on from what is `shared`.
    """
    started, refused = clock(), None
    for decision in found(goal, options, depth, shared):
        result = result_of(goal, decision, clock() - started, options)
        if not isinstance(decision.evidence, Unknown):
            if result.unknown is None and decision.strategy != RECALLED:
                remember(goal, decision.evidence, options)
            if result.unknown is not None and result.unknown.reason in (Reason.CHECKER, Reason.SOLVER):
                refused = refused or result
                continue
        return result if result.unknown is None or refused is None else refused
    raise AssertionError("evidence about a goal ends with the reason why there is no more")


def result_of(goal: Goal, decision: Decision, seconds: float, options: Options) -> Result:
    """The answer to a goal that was decided in this time."""
    started = clock()
    result = _checked(goal, decision, options)
    statistics = statistics_of(decision, result.relation, seconds, clock() - started)
    return replace(result, statistics=statistics)


def statistics_of(decision: Decision, evidence: Simulation | None, deciding: float, checking: float) -> Statistics:
    """The work that a decision and its checking took, in seconds."""
    return Statistics(
        {"simulate": deciding, "check": checking},
        decision.effort.pairs if evidence is None else len(evidence.pairs),
        sum(len(p.lemmas) for p in evidence.pairs) if isinstance(evidence, Relation) else decision.effort.lemmas,
        decision.effort.solver_calls,
        decision.strategy,
    )


def shortcoming(goals: Sequence[Goal], decisions: Sequence[Decision], seconds: float) -> Found:
    """Pairs that could not all be shown: what is missing is said of the first one, and none counts as proved."""
    results, notes, lost = list[Result](), list[str](), False
    for goal, decision in zip(goals, decisions, strict=False):
        if isinstance(decision.evidence, Relation | StatePairs):
            why = Unknown(Reason.ENVIRONMENT, "this pair is proved in its inferred environment, but the program is not")
        elif isinstance(decision.evidence, Unknown):
            why = decision.evidence
        else:
            why, lost = Unknown(Reason.ENVIRONMENT, step_in_words(decision.evidence)), True
        if not isinstance(decision.evidence, Relation | StatePairs) and not notes:
            notes.append(
                f"the pair `{goal.name}` was not proved: {why.reason.value}{': ' if why.detail else ''}{why.detail}"
            )
        statistics = statistics_of(decision, None, seconds / len(decisions), 0.0)
        results.append(Result(goal, Verdict.UNKNOWN, None, None, why, statistics))
    return Found(tuple(results), notes=tuple(notes), lost=lost)


def _checked(goal: Goal, decision: Decision, options: Options) -> Result:
    """The answer that the independent checker lets stand."""
    nothing = Statistics({})
    match decision.evidence:
        case Unknown() as unknown:
            return Result(goal, Verdict.UNKNOWN, None, None, unknown, nothing)
        case evidence:
            pass
    try:
        # What a small share has found is not lost for want of work to check it.
        judged = check(goal, evidence, apart(options.limits))
    except LimitReached as limit:
        unknown = Unknown(limit.reason, "while the evidence was being checked")
        return Result(goal, Verdict.UNKNOWN, None, None, unknown, nothing)
    if not isinstance(judged, Accepted):
        return Result(goal, Verdict.UNKNOWN, None, None, unaccepted(judged), nothing)
    if isinstance(evidence, Relation | StatePairs):
        return Result(goal, Verdict.PROVED, evidence, None, None, nothing)
    return Result(goal, Verdict.REFUTED, None, evidence, None, nothing, _loss(goal, evidence, options))


def _loss(goal: Goal, play: Play, options: Options) -> Loss | None:
    try:
        from sa.plays.escape import loss

        asked = goal_of(play, goal)
        return loss(asked, plain_play(play), Session(options.limits, tuple(a.formula for a in asked.axioms)))
    except LimitReached:
        return None
