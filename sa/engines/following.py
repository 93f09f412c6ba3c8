"""Whether a goal preserves termination or progress, by its relation: ranks where the abstract side stays.

Where the relation at hand stays too often, answers that move take the place of staying; then another relation is looked
for, in which rounds of loops are answered by abstract steps. Against it speaks a concrete run that goes on for
ever silently while the abstract runs that follow it end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import TypeVar

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, Limits, Unsupported, allot, is_over
from sa.base.verdict import Reason
from sa.certificates.ends import Finite, Ranked
from sa.certificates.goal import Goal
from sa.certificates.pairs import Simulation
from sa.certificates.preservation import Following, Kept, Parting
from sa.certificates.relation import Relation
from sa.checker.followers import Seen, ends, followers
from sa.checker.following import check_following
from sa.checker.parting import check_parting, seen_of
from sa.checker.ruling import Accepted
from sa.engines.endings import decided
from sa.engines.goals import decide
from sa.engines.portfolio_of_claims import CLAIMS
from sa.ranking.relations import Unranked, following, moving
from sa.ranking.rounds import marked, unmarked
from sa.ranking.silent import silent_lassos
from sa.terms.sort import Value

#: How it is known by a relation.
HOW = {
    Kept.TERMINATION: "the abstract program takes a step in each round of a loop, or a rank gets smaller",
    Kept.PROGRESS: "where the concrete program is stuck, so is the abstract one",
}

#: Units for another relation, for concrete runs, and for the abstract ones that follow one of them.
RELATION, RUNS, FOLLOWERS = 10_000_000, 10_000_000, 3_000_000
#: How many concrete states are looked at, and how many of the runs found among them.
STATES, MOST_RUNS = 3_000, 12


def followed(goal: Goal, kept: Kept, relation: Simulation | None, bounds: Limits, seed: int) -> Following | None:
    """Accepted evidence that starts from the relation of the goal. Raises LimitReached."""
    if not isinstance(relation, Relation):
        return None
    return next((f for f in _candidates(goal, kept, relation, bounds) if _holds(goal, kept, f, bounds, seed)), None)


def _holds(goal: Goal, kept: Kept, made: Following, bounds: Limits, seed: int) -> bool:
    return isinstance(check_following(goal, kept, made, bounds, seed), Accepted)


def _candidates(goal: Goal, kept: Kept, relation: Relation, bounds: Limits) -> Iterator[Following]:
    """The relation with ranks, or with answers that move where ranks are missing."""
    if kept is Kept.PROGRESS:
        yield Following(relation, ())
        return
    found = following(goal, relation, bounds)
    if isinstance(found, Following):
        yield found
        return
    for only in (True, False):
        other = moving(goal, relation, found.edges, only)
        again = following(goal, other, bounds) if other != relation else found
        if isinstance(again, Following):
            yield again


def followed_in_rounds(goal: Goal, relation: Simulation | None, bounds: Limits, seed: int) -> Following | None:
    """Accepted evidence with another relation, in which rounds of loops are answered by abstract steps.

    Raises LimitReached.
    """
    silent = frozenset(n for n, e in enumerate(goal.concrete.edges) if e.label is None)
    found = following(goal, relation, bounds) if isinstance(relation, Relation) else None
    for edges in dict.fromkeys((found.edges if isinstance(found, Unranked) else silent, silent)):
        seen = marked(goal, edges)
        if seen is None:
            continue
        evidence = _within(partial(_decided, seen.goal, seed), bounds, RELATION)
        if isinstance(evidence, Relation):
            other = unmarked(goal, seen, evidence)
            made = followed(goal, Kept.TERMINATION, other, bounds, seed)
            if made is not None:
                return made
    return None


T = TypeVar("T")


def _within(ask: Callable[[Limits], T], bounds: Limits, units: float) -> T | None:
    """What is found with so many units; None where they are used up. Raises LimitReached where all are."""
    try:
        return ask(allot(bounds, units))
    except Unsupported:
        return None
    except LimitReached as limit:
        if limit.reason is not Reason.WORK or is_over(bounds):
            raise
        return None


def _decided(goal: Goal, seed: int, bounds: Limits) -> object:
    return decide(goal, bounds, seed).evidence


def _ended(goal: Goal, threads: tuple[Automaton, ...], seed: int, bounds: Limits) -> object:
    return decided(threads, goal.axioms, ends(goal, threads), Budget(bounds, seed), CLAIMS).evidence


def parted(goal: Goal, bounds: Limits, seed: int) -> Parting | None:
    """A concrete run that goes on for ever silently, accepted, where abstract ones end. Raises LimitReached."""
    lassos = silent_lassos(goal.concrete, goal.axioms, STATES, allot(bounds, RUNS), seed, unheard)
    # Which abstract runs follow depends on nothing but the first state and what is shown.
    asked = set[tuple[tuple[Value, ...], tuple[Seen, ...]]]()
    while len(asked) < MOST_RUNS:
        lasso = _within(lambda _: next(lassos, None), bounds, inf)
        if lasso is None:
            return None
        (begun,) = lasso.run.start.threads.values()
        shown = tuple(s for t in lasso.run.turns if (s := seen_of(t)) is not None)
        if (key := (tuple(begun.values.values()), shown)) in asked:
            continue
        asked.add(key)
        threads = followers(goal, begun.values, shown)
        end = _within(partial(_ended, goal, threads, seed), bounds, FOLLOWERS)
        if isinstance(end, Ranked | Finite):
            made = Parting(lasso, end)
            if isinstance(check_parting(goal, made, bounds, seed), Accepted):
                return made
    return None
