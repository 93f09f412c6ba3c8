"""States of both sides that occur together: concrete runs at random, each followed by an abstract run.

Of the answers to a step the nearest one is taken, so that the abstract side does not move before it has to. Where a run
has no answer left, it may have been a wrong one: what was seen along it is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from sa.automata.automaton import Kind, variables_of
from sa.base.budget import Budget
from sa.base.limits import check_memory, spend
from sa.certificates.goal import Goal
from sa.explicit.instantiate import Row
from sa.explicit.live_variables import everything
from sa.refinement.sides import Sides, numbered, opened, sides
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable
from sa.terms.term import Var

#: Runs, their steps, and how many values and abstract states are looked at.
RUNS, LENGTH, VALUES, LOOKED_AT = 400, 48, 8, 1_000

#: States that are kept, and concrete and abstract ones that a run may be made of in all.
SAMPLES, STATES = 3_000, 60_000


def paired_states(goal: Goal, budget: Budget) -> tuple[tuple[Var, ...], tuple[Row, ...]]:
    """The globals of both sides, and rows of values that they have together after some step, without repetition.

    Raises LimitReached.
    """
    session = Session(budget.bounds, tuple(a.formula for a in goal.axioms), budget.seed)
    known = everything(goal.concrete), everything(goal.abstract)
    runs, dice = sides(goal, session, known, VALUES, LOOKED_AT), Random(budget.seed)
    first, second = variables_of(goal.concrete, Kind.GLOBAL), variables_of(goal.abstract, Kind.GLOBAL)
    mine, theirs = ([m.order.index(v) for v in own] for m, own in ((runs.concrete, first), (runs.abstract, second)))
    found = dict[Row, None]()
    for _ in range(RUNS):
        spend(budget.bounds, 300)
        check_memory(budget.bounds)
        try:
            seen = list(_run(runs, dice))
        except Unevaluable:
            break
        for here, there in seen:
            left, right = runs.concrete.rows[here], runs.abstract.rows[there]
            found[tuple([left[i] for i in mine] + [right[i] for i in theirs])] = None
        if len(found) >= SAMPLES or len(runs.concrete.rows) + len(runs.abstract.rows) > STATES:
            break
    return (*first, *second), tuple(found)


def _run(runs: Sides, dice: Random) -> Iterator[tuple[int, int]]:
    """The states after each step of a run; none where the abstract one came to an end before. Raises Unevaluable."""
    begun = opened(runs, dice)
    if begun is None:
        return
    here, there = numbered(runs.concrete, begun[0]), numbered(runs.abstract, begun[1])
    seen = [(here, there)]
    for _ in range(LENGTH):
        stride = runs.concrete.any(here, dice)
        if stride is None:
            break
        end = runs.following.first(there, stride.action, stride.after).at(0)
        if end is None:
            return
        here, there = stride.after, end
        seen.append((here, there))
    yield from seen
