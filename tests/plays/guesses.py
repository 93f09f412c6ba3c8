"""Pairs of closed programs of one thread, and the plays by steps that are guessed on few values."""

from __future__ import annotations

from sa.base.budget import Budget
from sa.base.limits import limits
from sa.base.source import Source
from sa.certificates.goal import Goal
from sa.certificates.play import Play
from sa.language.elaborate import program
from sa.question.asked import GoalAsked, Lost, Shared
from sa.question.goals import goals
from sa.refinement.deciders import by_guess


def goal_of(abstract: str, concrete: str, shared: str = "global x : int = 0;") -> Goal:
    """The goal that one thread refines another; `shared` stands before both."""
    first, second = (
        program(Source(name, f"{shared} thread T {{ {text} }}"))
        for name, text in (("abs.sa", abstract), ("conc.sa", concrete))
    )
    (goal,) = goals(first, second, None, whole=True)
    return goal


def refuted_by_guess(goal: Goal, steps: int = 20_000) -> Play | None:
    """The first play that the engine finds."""
    asked, budget = GoalAsked(goal, Shared()), Budget(limits(30.0, None))
    found = next(iter(by_guess(steps, (2, 3, 8), asked, budget, lambda event: None)), None)
    return found.evidence if isinstance(found, Lost) else None
