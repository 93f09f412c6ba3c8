"""The engines of `refine` for one goal, and in which order they are asked."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypeAlias

from sa.engines.engine import Decider, GoalEngine, Prover, Refuter, Turn
from sa.game.runs import Bounds
from sa.refinement import deciders
from sa.simulation.endings import Patience, Tactics

START: GoalEngine = Refuter("start", "initial states without a partner, or that break ι", deciders.at_start)
VALUES: GoalEngine = Refuter("values", "plays on small values, for closed programs", deciders.by_values)
HORN: GoalEngine = Prover("horn", "relations, the answers of the last search being fixed", deciders.by_horn)

#: Tactics of the search, in order of preference. Short answers make general lemmas; what needs long ones comes later.
TACTICS = (
    Tactics("first answers", 100, 4, Bounds(100, 1, 1), Patience.FULL),
    Tactics("likely answers", 200, 4, Bounds(100, 1, 1), Patience.SOME),
    Tactics("short answers", 400, 4, Bounds(100, 1, 1), Patience.NONE),
    Tactics("long answers", 2000, 4, Bounds(400, None, None), Patience.NONE),
)

GoalPortfolio: TypeAlias = tuple[Turn[GoalEngine], ...]


def _search(tactics: Tactics) -> GoalEngine:
    return Decider(tactics.name, "a relation by lemmas, or a play", partial(deciders.by_search, tactics))


#: Engines of `refine` for one goal in their order.
GOALS: GoalPortfolio = (
    Turn(START, 0.3),
    *(
        turn
        for tactics, part in zip(TACTICS, (0.3, 0.35, 0.4, 0.6), strict=True)
        for turn in (Turn(_search(tactics), part), Turn(VALUES, 0.3), Turn(HORN, 0.3))
    ),
)

#: The same with few lemmas, without long answers and Horn clauses: for goals that there is another way around.
BRIEFLY: GoalPortfolio = (
    Turn(START, 0.5),
    *(
        turn
        for tactics in TACTICS[:3]
        for turn in (Turn(_search(replace(tactics, lemmas=min(tactics.lemmas, 150), each=1)), 0.5), Turn(VALUES, 0.5))
    ),
)
