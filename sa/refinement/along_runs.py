"""The engines of goals that look for a concrete run that no abstract run matches.

Each is loaded when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.base.budget import Budget, Report
from sa.question.asked import GoalAsked, Lost


def by_rounds(
    strategies: int, states: int, stages: int, asked: GoalAsked, budget: Budget, report: Report
) -> Iterator[Lost]:
    """A play along a concrete run in rounds that no abstract run matches. Raises LimitReached."""
    from sa.refinement.by_rounds import Reach
    from sa.refinement.by_rounds import by_rounds as engine

    return engine(Reach(strategies, states, stages), asked, budget, report)


def by_trials(runs: int, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play along a random run that no abstract run matches. Raises LimitReached."""
    from sa.refinement.random_runs import by_trials as engine

    return engine(runs, asked, budget, report)


def by_inclusion(steps: int, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play along a short run on few values that no abstract run matches, best first. Raises LimitReached."""
    from sa.refinement.inclusion import by_inclusion as engine

    return engine(steps, asked, budget, report)
