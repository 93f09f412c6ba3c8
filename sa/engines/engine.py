"""The protocol of engines, and how a portfolio shares out a budget.

An engine is a function from a question, a budget and a report to a stream of evidence. Evidence is no answer: the
checker looks at each piece. The three kinds differ in what their types let them say: a `Refuter` has no way to
claim a proof, so an engine that stops at a bound is one.

A new row of a portfolio is an engine and a `Turn` in `portfolio_of_claims.py` or `portfolio_of_goals.py`. The engine
calls `spend(bounds, units)` (`base/limits.py`) where it works, about one unit a microsecond, and raises what that
raises. It is asked again with more where its share was used up; what it keeps until then is `Shared` data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import Generic, TypeAlias, TypeVar

from msgspec import Struct

from sa.base.budget import Budget, Report
from sa.base.limits import Limits, allot
from sa.base.verdict import Verdict
from sa.engines.technique import Row
from sa.question.asked import Asked, Excluded, GoalAsked, Lost, Note, Open, Refuted, Related, Stuck

Q = TypeVar("Q", contravariant=True)
P = TypeVar("P", covariant=True)
R = TypeVar("R", covariant=True)


class Prover(Row, Generic[Q, P], frozen=True):
    """An engine that only proves."""

    decide: Callable[[Q, Budget, Report], Iterator[P | Note]]


class Refuter(Row, Generic[Q, R], frozen=True):
    """An engine that only refutes: it looks for runs or plays, or it stops at a bound."""

    decide: Callable[[Q, Budget, Report], Iterator[R | Note]]


class Decider(Row, Generic[Q, P, R], frozen=True):
    """An engine that proves and refutes."""

    decide: Callable[[Q, Budget, Report], Iterator[P | R | Note]]


#: Engines of `verify`. What a prover says of claims besides evidence is what stands in the way.
ClaimEngine: TypeAlias = Prover[Asked, Excluded | Open] | Refuter[Asked, Refuted] | Decider[Asked, Excluded, Refuted]

#: Engines of `refine`. What they say of a goal besides evidence is why they have none.
GoalEngine: TypeAlias = (
    Prover[GoalAsked, Related | Stuck] | Refuter[GoalAsked, Lost | Stuck] | Decider[GoalAsked, Related | Stuck, Lost]
)

#: Units of the rounds in which engines are asked. Each has its share of a round, and whoever was cut short has another
#: one, four times as large, in the next. In the last round each engine ends by itself.
ROUNDS = (6_000_000, 24_000_000, 96_000_000, inf)


def rounds(bounds: Limits) -> Iterator[Limits]:
    """The limits of each round; those that are given, where they are those of a round."""
    if bounds.end is not None:
        yield bounds
        return
    for units in ROUNDS:
        yield allot(bounds, units)


E = TypeVar("E")

#: What an engine does with a question.
Decide: TypeAlias = Callable[[Q, Budget, Report], Iterator[E]]


def when_asked(load: Callable[[], Decide[Q, E]]) -> Decide[Q, E]:
    """An engine's function, loaded when it is asked: few questions need all engines, and to load them takes a while."""

    def decide(asked: Q, budget: Budget, report: Report) -> Iterator[E]:
        return load()(asked, budget, report)

    return decide


class Turn(Struct, Generic[E], frozen=True):
    """A row of a portfolio: an engine, and its `share`, in (0, 1].

    For claims it is a share of the units of a round, whatever others have used, so a new row takes nothing from those
    that are there. For goals it is a share of the units that are left of the round.

    `since` is the first round in which it is asked. `follows`: it goes on from what the turn before has left, and has
    another turn when that one has.
    """

    engine: E
    share: float
    follows: bool = False
    since: int = 0


def answers(engine: Prover[Q, P] | Refuter[Q, R] | Decider[Q, P, R]) -> tuple[Verdict, ...]:
    """The verdicts that an engine's evidence can be for."""
    match engine:
        case Prover():
            return (Verdict.PROVED,)
        case Refuter():
            return (Verdict.REFUTED,)
        case Decider():
            return (Verdict.PROVED, Verdict.REFUTED)
