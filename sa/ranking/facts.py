"""What seems to hold at control points: differences between variables, by propagation of zones.

Nothing is shown here. What a rank needs of it is a condition that the checker, or a proof of the ordinary kind, shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from sa.base.limits import Limits
from sa.domains import zones
from sa.invariants.differences import VARIABLES, Leading, spread, thresholds
from sa.ranking.points import Graph
from sa.terms.build import FALSE, TRUE, land
from sa.terms.term import Term

#: How often a point may be looked at, on average.
_LOOKS = 40


def facts_at(graph: Graph, bounds: Limits) -> tuple[tuple[Term, ...], ...]:
    """Formulas by point; FALSE where nothing seems to come. None but that where there is too much to look at.

    Raises LimitReached.
    """
    none = tuple(() for _ in graph.points)
    if len({v.var for t in graph.separate for v in t.variables}) > VARIABLES:
        return none
    leaving: dict[int, list[Leading[int]]] = {n: [] for n in range(len(graph.points))}
    tests = list[Term]()
    for step in graph.steps:
        source, _, _, target = step.passage
        tests += step.premise
        leaving[source].append((target, tuple(step.updates), zones.step(land(*step.premise), step.updates)))
    # Wherever others are, they may take any of their steps that their guards allow.
    for premise, updates in graph.disturbances:
        tests += premise
        for n, known in enumerate(graph.known):
            if updates:
                leaving[n].append((n, tuple(updates), zones.step(land(*premise, *known), updates)))
    starts = {n: z for n in graph.starts if (z := _meet(graph.init, graph.known[n])) is not None}
    most = _LOOKS * max(len(graph.points), 20)
    found = spread(starts, leaving, thresholds(tests), most, bounds) if starts else {}
    if not found:
        return none
    return tuple(zones.formulas(found[n]) if n in found else (FALSE,) for n in range(len(graph.points)))


def _meet(*formulas: Sequence[Term]) -> zones.Zone | None:
    return zones.meet(zones.EVERYTHING, land(TRUE, *chain(*formulas)))
