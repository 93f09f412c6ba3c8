"""One goal of `refine`: the engines of a portfolio in turn, their evidence, or why there is none.

Nothing here makes a verdict: `results.py` has the evidence judged.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import assert_never

from sa.base.budget import Budget, Report, Shared, unheard
from sa.base.limits import LimitReached, Limits, Unsupported, is_over, share
from sa.base.verdict import Reason, Unknown
from sa.certificates.goal import Goal
from sa.engines.engine import GoalEngine, Turn, rounds
from sa.engines.portfolio_of_goals import Depth, GoalPortfolio, portfolio
from sa.engines.runner import Reports
from sa.engines.tried import Diary, Trying
from sa.question.asked import Decision, GoalAsked, Lost, Note, Related, Stuck
from sa.refinement.deciders import effort_of, so_far


def decide(goal: Goal, bounds: Limits, seed: int = 0, briefly: bool = False) -> Decision:
    """The first evidence about a goal; a limit that is reached makes it Unknown. It is for a checker to confirm.

    Proofs are relations as formulas. `briefly` tries only what is cheap, for goals that there is another way around.
    """
    return next(decisions(goal, Budget(bounds, seed), portfolio(Depth.BRIEF if briefly else Depth.FORMULAS)))


def decisions(
    goal: Goal,
    budget: Budget,
    turns: GoalPortfolio,
    reports: Reports | None = None,
    shared: Shared | None = None,
    diary: Diary | None = None,
) -> Iterator[Decision]:
    """Each piece of evidence that the engines find, one after the other, and at the end why there is no more.

    Whoever has accepted a piece asks for no further one. Engines go on from what is `shared`, if there is any; what
    became of them is written to the `diary`.
    """
    asked = GoalAsked(goal) if shared is None else GoalAsked(goal, shared)
    why, waiting = Unknown(Reason.BOUND, "no engine found an answer"), turns
    kept = Diary() if diary is None else diary
    for bounds in rounds(budget.bounds):
        again = list[Turn[GoalEngine]]()
        cut = False
        for turn in waiting:
            name = turn.engine.name
            trying, cuts = kept.begin(name, goal.name, bounds.work), bounds.work.cuts
            own = Budget(share(bounds, turn.share), budget.seed)
            report = trying.hears(unheard if reports is None else reports(name))
            try:
                why = (yield from _asked(turn.engine, asked, own, report, trying)) or why
            finally:
                kept.end(trying, bounds.work)
            if trying.ended is not None and not _goes_on(trying.ended, budget.bounds):
                yield Decision(Unknown(trying.ended, so_far(asked)), effort_of(asked))
                return
            cut = trying.ended is Reason.WORK or bounds.work.cuts > cuts or (turn.follows and cut)
            if cut:
                again.append(turn)
        if not again:
            break
        waiting = tuple(again)
    yield Decision(why, effort_of(asked))


def _asked(
    engine: GoalEngine, asked: GoalAsked, own: Budget, report: Report, trying: Trying
) -> Generator[Decision, None, Unknown | None]:
    """What one engine finds; in the end why it found no more, if it says so, which is also written down."""
    why: Unknown | None = None
    try:
        for said in engine.decide(asked, own, report):
            match said:
                case Note():
                    pass
                case Stuck(reason):
                    why, trying.stuck = reason, reason.detail
                case Related(evidence, effort) | Lost(evidence, effort):
                    trying.found = True
                    yield Decision(evidence, effort, engine.name)
                case _ as never:
                    assert_never(never)
    except Unsupported as problem:
        trying.ended, trying.stuck = problem.reason, problem.what
        why = Unknown(problem.reason, problem.what)
    except RecursionError:
        # Too deep for the functions that go through them: a bound of this engine, as in `engines/runner.py`.
        trying.ended, trying.stuck = Reason.BOUND, "formulas that are nested too deeply"
        why = Unknown(Reason.BOUND, f"the engine `{engine.name}` came to formulas that are nested too deeply")
    except LimitReached as limit:
        trying.ended = limit.reason
        why = Unknown(Reason.BOUND, f"the engine `{engine.name}` used its whole share of the work; {so_far(asked)}")
    return why


def _goes_on(ended: Reason, whole: Limits) -> bool:
    """Whether others are asked once an engine has ended, by itself or at its own share of the work."""
    return ended in (Reason.BOUND, Reason.UNSUPPORTED) or (ended is Reason.WORK and not is_over(whole))
