"""Goals are decided in rounds that do not depend on the time limit."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from time import monotonic

import pytest

from sa.base.budget import Budget, Report
from sa.base.limits import LimitReached, Limits, Pace, limits, share
from sa.base.verdict import Reason, Unknown
from sa.engines import engine
from sa.engines.engine import GoalEngine, Refuter, Turn, rounds
from sa.engines.goals import decisions
from sa.question.asked import GoalAsked, Lost
from tests.generators.automata import random_goal


def test_a_shorter_time_limit_gives_engines_the_same_shares() -> None:
    """A deadline ends the work where a longer one goes on: who gets which part of a round does not depend on it."""
    shares, pace = list[float](), Pace(monotonic() - 9.0, Pace().worked - 9.0)
    for seconds in (1.0, 20.0, 600.0, None):
        now, bounds = monotonic(), pace.soon(limits(seconds, None), 6.0)
        own = share(share(bounds, 0.5), 0.25)
        assert own.horizon is not None and own.deadline is not None
        shares.append(own.horizon - now)
        assert own.deadline - now <= min(own.horizon - now, seconds or 600.0) + 0.1
    assert max(shares) < 1.2 * min(shares)


def test_engines_within_a_round_are_asked_in_that_round() -> None:
    """Rounds are not nested; the last one has no end of its own."""
    first, *_, last = rounds(limits(60.0, None))
    assert list(rounds(first)) == [first] and list(rounds(last)) == [last]
    assert share(last, 0.1).deadline == last.deadline


def test_who_was_cut_short_is_asked_again_and_so_is_who_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else is: an engine that has ended has said what it knows."""
    monkeypatch.setattr(engine, "ROUNDS", (0.05, 0.2, inf))
    asked = list[str]()

    def ends(name: str, cut: int = 0) -> GoalEngine:
        def decide(goal: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
            asked.append(name)
            if asked.count(name) <= cut:
                raise LimitReached(Reason.TIMEOUT)
            return iter(())

        return Refuter(name, "nothing", decide)

    turns = (Turn(ends("a"), 0.5), Turn(ends("b", 2), 0.5), Turn(ends("c"), 0.5, follows=True), Turn(ends("d"), 0.5))
    (end,) = decisions(random_goal(0).goal, Budget(Limits()), turns)
    assert isinstance(end.evidence, Unknown)
    assert asked == [*"abcd", *"bc", *"bc"]
