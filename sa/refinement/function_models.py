"""The engine `meanings` of `refine`: plays of goals in which functions without a body mean something simple.

"For all functions" is refuted by some functions that satisfy the axioms. Once they are given, nothing is left but a
goal without functions, and the quick searches for plays are asked about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TypeAlias

from msgspec.structs import replace

from sa.base.budget import Budget, Event, Report
from sa.base.limits import LimitReached, share, spend
from sa.certificates.interpreted import functions_mentioned, interpreted_goal
from sa.certificates.play import Interpreted
from sa.question.asked import GoalAsked, Lost, Related, Stuck
from sa.smt.session import Session

#: How many meanings are tried: simple ones come first, and what is wrong is wrong for most functions.
MOST = 7

Search: TypeAlias = Callable[[GoalAsked, Budget, Report], Iterator[Related | Lost | Stuck]]


def by_meanings(searches: Sequence[Search], asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play for one of a few meanings of the functions, by one of the searches. Raises LimitReached."""
    goal = asked.goal
    functions = functions_mentioned(goal)
    if not functions:
        return
    # Few programs have functions without a body.
    from sa.generation.meanings import meanings

    session = Session(budget.bounds, (), budget.seed)
    for number, meaning in enumerate(islice(meanings(session, functions, goal.axioms), MOST)):
        spend(budget.bounds, 300)
        report(Event("a meaning of functions", {"tried before": number}))
        other = GoalAsked(interpreted_goal(goal, meaning))
        own = replace(budget, bounds=share(budget.bounds, 1 / (MOST - number)))
        for place, search in enumerate(searches):
            part = replace(own, bounds=share(own.bounds, 1 / (len(searches) - place)))
            with suppress(LimitReached):
                for answer in search(other, part, report):
                    if isinstance(answer, Lost) and not isinstance(answer.evidence, Interpreted):
                        yield Lost(Interpreted(meaning, answer.evidence), answer.effort)
                        return
