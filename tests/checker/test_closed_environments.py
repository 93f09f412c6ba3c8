"""Closed goals: of environments that change nothing nothing is to be shown, of others all there is."""

from __future__ import annotations

from msgspec.structs import replace

from sa.base.budget import Budget, unheard
from sa.base.limits import limits
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.checker.ruling import Rejected
from sa.game.runs import Bounds
from sa.question.asked import GoalAsked, Related
from sa.question.goals import goals
from sa.refinement.deciders import by_search
from sa.simulation.endings import Patience, Tactics
from sa.terms.build import TRUE
from tests.endtoend.asking import read

ABSTRACT = "global g : int = 0; thread A { g := 1; await g == 1; @a skip; }"
CONCRETE = "thread A { skip; skip; @a skip; }"


def test_a_closure_that_changes_what_lemmas_say_is_rejected() -> None:
    (goal,) = goals(*read(ABSTRACT, CONCRETE), whole=True)
    bounds = limits(60.0, None)
    tactics = Tactics("first-answers", 100, 4, Bounds(100, 1, 1), Patience.FULL)
    (found,) = by_search(tactics, GoalAsked(goal), Budget(bounds), unheard)
    assert isinstance(found, Related) and isinstance(found.evidence, Relation)
    assert isinstance(check(goal, found.evidence, bounds), Accepted)
    moving = replace(found.evidence, closure=tuple((name, TRUE) for name, _ in found.evidence.closure))
    ruling = check(goal, moving, bounds)
    assert isinstance(ruling, Rejected) and ruling.obligation == "environment"
