"""Steps that claim refinements: decided directly, or by Theorem 4 from pairs of threads, without anything cited."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.proof import Refines
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.argument import PairByPair, Played, Simulated
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.engines.outcome import Result
from sa.engines.portfolio_of_goals import Depth
from sa.engines.results import answered
from sa.rules.annotated_programs import side_of
from sa.rules.facts import Fact, Refinement, sides_of
from sa.rules.refinements import about_pair, pair_by_pair
from sa.rules.statements import outer
from sa.scripts.statements import alone_goal, pair_goals, whole_goal
from sa.scripts.work import Work, begins, establish, sound

_START = "the initial states of a thread depend on locals of other threads of its program"
_ALONE = "no other thread has to move in this play, so no environment helps"


def directly(work: Work, claim: Refines) -> Fact:
    """One pair of threads in the environments of their programs, or two whole programs. Raises Unfit, LimitReached."""
    left, right = side_of(work.stage.worlds, claim.left), side_of(work.stage.worlds, claim.right)
    if not (left.whole and right.whole):
        about_pair(work.stage, claim)
        (goal,) = pair_goals(work.stage, work.step, claim)
        return _decided_by(work, claim, goal)
    if len(claim.left) > 1 and not (claim.rely or claim.choose_init):
        fact = _pair_by_pair(work, claim)
        if fact is not None:
            return fact
    return _decided_by(work, claim, whole_goal(work.stage, work.step, claim))


def _decided_by(work: Work, claim: Refines, goal: Goal) -> Refinement:
    work.rule = "simulation"
    left, right = side_of(work.stage.worlds, claim.left), side_of(work.stage.worlds, claim.right)
    result, alone = answered(goal, work.options, Depth.FORMULAS), False
    if result.play is not None and not (goal.closed or goal.matched):
        result, alone = _alone(work, claim, result)
    # A proof names abstract states that answer, a play names states that it starts from.
    named = {Verdict.PROVED: (right,), Verdict.REFUTED: (left, right), Verdict.UNKNOWN: ()}[result.verdict]
    if not begins(work, *named):
        unknown = Unknown(Reason.UNSUPPORTED, _START)
        result = replace(result, verdict=Verdict.UNKNOWN, relation=None, unknown=unknown)
    work.results.append(result)
    relation = result.relation if isinstance(result.relation, Relation) else None
    if relation is not None:
        work.argument = Simulated(relation)
    elif result.play is not None and result.verdict is Verdict.REFUTED:
        work.argument = Played(result.play, result.goal, alone)
    pairs = ((goal, relation),) if relation is not None and len(claim.left) == 1 else ()
    kappa, iota = outer((goal.kappa, goal.iota), left, right)
    sound(work, left, right)
    return Refinement(left, right, kappa, iota, pairs, bool(claim.rely), claim.silent_exit, claim.choose_init)


def _alone(work: Work, claim: Refines, result: Result) -> tuple[Result, bool]:
    """A play in an inferred environment refutes nothing, for that may be too coarse, unless nobody else has to move.

    An environment may always do nothing: what fails for the two threads by themselves fails in every environment.
    Inferred invariants hold wherever the threads get by themselves, so nothing is lost without them.
    """
    by_themselves = answered(alone_goal(work.stage, work.step, claim), work.options, Depth.BRIEF)
    if by_themselves.play is not None:
        return replace(by_themselves, notes=(*by_themselves.notes, _ALONE)), True
    unknown = Unknown(Reason.ENVIRONMENT, "it fails in the environment inferred for it")
    return replace(result, verdict=Verdict.UNKNOWN, unknown=unknown), False


def _pair_by_pair(work: Work, claim: Refines) -> Fact | None:
    """Whole programs by Theorem 4, where each pair of threads has a relation that is found soon; None otherwise."""
    results, shown = list[Result](), []
    for goal in pair_goals(work.stage, work.step, claim):
        result = answered(goal, work.options, Depth.BRIEF)
        if not isinstance(result.relation, Relation):
            return None
        results.append(result)
        shown.append((goal, result.relation))
    before = tuple(work.leaves)
    applied = pair_by_pair(work.stage, claim, shown)
    holds = establish(work, applied)
    if not (sound(work, *sides_of(applied.fact)) and holds):
        work.leaves[:] = before
        return None
    work.results.extend(results)
    work.argument = PairByPair(tuple(relation for _, relation in shown))
    return applied.fact
