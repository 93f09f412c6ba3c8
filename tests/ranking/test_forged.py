"""Evidence about what is preserved that claims the opposite of the truth is never accepted."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Kind
from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, Limits, allot, limits
from sa.base.source import Source
from sa.certificates.ends import Finite, Lasso, Ranked
from sa.certificates.goal import Goal
from sa.certificates.preservation import Following, Kept, PairRank, Parting
from sa.certificates.relation import Relation
from sa.checker.followers import Seen, ends, followers
from sa.checker.following import check_following
from sa.checker.parting import check_parting, seen_of
from sa.checker.ruling import Accepted
from sa.engines.endings import decided
from sa.engines.goals import decide
from sa.engines.portfolio_of_claims import CLAIMS
from sa.language.elaborate.program import program
from sa.question.goals import goals
from sa.ranking.relations import moving
from sa.ranking.silent import silent_lassos
from sa.terms.build import ZERO, add, integer, scale
from sa.terms.sort import INT
from tests.oracle.endings import graph
from tests.oracle.preservation import preserves
from tests.ranking.pairs import pair


def ranks(goal: Goal, relation: Relation, dice: Random) -> Iterator[Following]:
    """The relation with numbers that somebody made up, and with answers that move."""
    numbers = [v.var for s in (goal.concrete, goal.abstract) for v in s.variables if v.var.sort == INT]
    places = {q.name: n for n, q in enumerate(goal.concrete.locations)}
    everything = frozenset(range(len(goal.concrete.edges)))
    for made in (relation, moving(goal, relation, everything, only=True)):
        for _ in range(6):
            length = dice.randint(1, 3)
            factors = [[dice.randint(-2, 2) for _ in numbers] for _ in range(length)]
            sign, shift = dice.choice((-1, 1)), dice.randint(0, 9)
            first = {p: integer(shift + sign * places[p.concrete]) for p in made.pairs}
            sums = [[scale(c, v) for c, v in zip(f, numbers, strict=True)] for f in factors]
            terms = {p: tuple(add(at, *parts) for parts in sums) for p, at in first.items()}
            yield Following(made, tuple(PairRank(p.concrete, p.abstract, t) for p, t in terms.items()))
        yield Following(made, tuple(PairRank(p.concrete, p.abstract, (ZERO,)) for p in made.pairs))


def endings(goal: Goal, lasso: Lasso) -> Iterator[Ranked | Finite]:
    """Why other followers end than those of the lasso, and reasons that are none."""
    (begun,) = lasso.run.start.threads.values()
    shown = [s for t in lasso.run.turns if (s := seen_of(t)) is not None]
    for said in ([*shown, Seen("never", ())], shown[:-1]):
        other = followers(goal, begun.values, said)
        try:
            found = decided(
                other, goal.axioms, ends(goal, other), Budget(allot(limits(20.0, None), 100_000), 0), CLAIMS
            )
        except LimitReached:
            continue
        if isinstance(found.evidence, Ranked | Finite):
            yield found.evidence
            if isinstance(found.evidence, Ranked) and isinstance(found.evidence.reason, tuple):
                yield replace(found.evidence, reason=found.evidence.reason[:-1])
    yield Ranked((), ends(goal, followers(goal, begun.values, shown)), (), (), ())


def forged(seed: int) -> int:
    """How many pieces of evidence for the opposite of the truth are rejected."""
    first, second = (program(Source(f"seed {seed}", text)) for text in pair(seed))
    above, below = graph(first.threads, 300), graph(second.threads, 300)
    if above is None or below is None or all(v.kind is not Kind.GLOBAL for v in second.variables):
        return 0
    (goal,), count = goals(first, second, None, whole=True), 0
    if preserves(above, below, True):
        share = allot(limits(20.0, None), 200_000)
        lasso = next(silent_lassos(goal.concrete, goal.axioms, 500, share, 0, unheard), None)
        for made in () if lasso is None else endings(goal, lasso):
            assert lasso is not None
            assert not isinstance(check_parting(goal, Parting(lasso, made), Limits()), Accepted), seed
            count += 1
        return count
    relation = decide(goal, allot(limits(20.0, None), 300_000)).evidence
    if isinstance(relation, Relation):
        for made in ranks(goal, relation, Random(seed)):
            assert not isinstance(check_following(goal, Kept.TERMINATION, made, Limits()), Accepted), seed
            count += 1
    return count


@pytest.mark.parametrize("seeds", [range(126, 131)])
def test_what_claims_the_opposite_of_the_truth_is_rejected(seeds: range) -> None:
    assert sum(map(forged, seeds)) > 0


@pytest.mark.fuzz
def test_much_that_claims_the_opposite_of_the_truth_is_rejected() -> None:
    assert sum(map(forged, range(200, 1_200))) >= 500
