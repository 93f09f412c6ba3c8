"""Goals are decided in rounds that do not depend on the time limit."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest

from sa.base.budget import Budget, Report
from sa.base.limits import LimitReached, Limits, allot, limits, remaining, share, spend
from sa.base.verdict import Reason, Unknown
from sa.engines import engine
from sa.engines.engine import GoalEngine, Refuter, Turn, rounds
from sa.engines.goals import decisions
from sa.engines.technique import Technique
from sa.question.asked import GoalAsked, Lost
from tests.generators.automata import random_goal


def test_a_time_limit_changes_no_share() -> None:
    """A deadline ends the run: who gets which part of a round does not depend on it."""
    ends = {share(share(allot(limits(seconds, None), 6_000), 0.5), 0.25).end for seconds in (1.0, 600.0, None)}
    assert ends == {750}


def test_an_engine_has_what_is_left_of_its_share_and_no_more() -> None:
    bounds = allot(Limits(), 100)
    own = share(bounds, 0.5)
    spend(own, 49)
    with pytest.raises(LimitReached) as stopped:
        spend(own, 1)
    assert stopped.value.reason is Reason.WORK
    assert remaining(bounds) == 50


def test_engines_within_a_round_are_asked_in_that_round() -> None:
    """Rounds are not nested; the last one has no end of its own."""
    first, *_, last = rounds(limits(60.0, None))
    assert list(rounds(first)) == [first] and list(rounds(last)) == [last]
    assert share(last, 0.1) == last


def test_who_was_cut_short_is_asked_again_and_so_is_who_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else is: an engine that has ended has said what it knows."""
    monkeypatch.setattr(engine, "ROUNDS", (50_000, 200_000, inf))
    asked = list[str]()

    def ends(name: str, cut: int = 0) -> GoalEngine:
        def decide(goal: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
            asked.append(name)
            if asked.count(name) <= cut:
                raise LimitReached(Reason.WORK)
            return iter(())

        return Refuter(Technique(name, ""), {}, decide)

    turns = (Turn(ends("a"), 0.5), Turn(ends("b", 2), 0.5), Turn(ends("c"), 0.5, follows=True), Turn(ends("d"), 0.5))
    (end,) = decisions(random_goal(0).goal, Budget(Limits()), turns)
    assert isinstance(end.evidence, Unknown)
    assert asked == [*"abcd", *"bc", *"bc"]
