"""One goal of `refine`: the engines of a portfolio in turn, their evidence, or why there is none.

Nothing here makes a verdict: `results.py` has the evidence judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sa.base.budget import Budget, Shared, unheard
from sa.base.limits import LimitReached, Limits, Unsupported, check_time, share
from sa.base.verdict import Reason, Unknown
from sa.certificates.goal import Goal
from sa.engines.portfolio_of_goals import Depth, GoalPortfolio, portfolio
from sa.engines.runner import Reports
from sa.engines.tried import Diary
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
    why = Unknown(Reason.BOUND, "no engine found an answer")
    kept = Diary() if diary is None else diary
    for turn in turns:
        name = turn.engine.name
        trying = kept.begin(name, goal.name)
        own = Budget(share(budget.bounds, turn.share), budget.seed)
        answers = turn.engine.decide(asked, own, trying.hears(unheard if reports is None else reports(name)))
        try:
            while True:
                match next(answers, None):
                    case None:
                        break
                    case Note():
                        pass
                    case Stuck(reason):
                        why = reason
                        trying.stuck = reason.detail
                    case Related(evidence, effort) | Lost(evidence, effort):
                        trying.found = True
                        yield Decision(evidence, effort, name)
                    case _ as never:
                        assert_never(never)
        except Unsupported as problem:
            trying.ended, trying.stuck = problem.reason, problem.what
            why = Unknown(problem.reason, problem.what)
        except RecursionError:
            # Too deep for the functions that go through them: a bound of this engine, as in `engines/runner.py`.
            trying.ended, trying.stuck = Reason.BOUND, "formulas that are nested too deeply"
            why = Unknown(Reason.BOUND, f"the engine `{name}` came to formulas that are nested too deeply")
        except LimitReached as limit:
            trying.ended = limit.reason
            if not _goes_on(limit, own.bounds, budget.bounds):
                yield Decision(Unknown(limit.reason, so_far(asked)), effort_of(asked))
                return
            why = Unknown(Reason.BOUND, f"the engine `{name}` used its whole share of the time; {so_far(asked)}")
        finally:
            kept.end(trying)
    yield Decision(why, effort_of(asked))


def _goes_on(limit: LimitReached, own: Limits, whole: Limits) -> bool:
    """Whether a limit is only that of the engine's share: time is left for others."""
    if limit.reason is not Reason.TIMEOUT or own.deadline == whole.deadline:
        return False
    try:
        check_time(whole)
    except LimitReached:
        return False
    return True
