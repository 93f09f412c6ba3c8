"""Pairs of programs of one thread, decided and judged by the checker."""

from __future__ import annotations

from sa.base.limits import Limits, limits
from sa.base.source import Source
from sa.base.verdict import Unknown
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.goals import decide
from sa.language.elaborate import program
from sa.question.goals import goals


def goal_of(abstract: str, concrete: str, shared: str = "") -> Goal:
    """The goal that one thread refines another; `shared` stands before both."""
    first, second = (
        program(Source(name, f"{shared} thread T {{ {text} }}"))
        for name, text in (("abs.sa", abstract), ("conc.sa", concrete))
    )
    (goal,) = goals(first, second, None, whole=False)
    return goal


def answer(abstract: str, concrete: str, shared: str = "") -> str:
    """`proved`, `refuted` or `unknown`; evidence that the checker does not accept is an error."""
    goal = goal_of(abstract, concrete, shared)
    evidence = decide(goal, limits(30.0, None)).evidence
    if isinstance(evidence, Unknown):
        return "unknown"
    assert isinstance(check(goal, evidence, Limits()), Accepted)
    return "proved" if isinstance(evidence, Relation) else "refuted"
