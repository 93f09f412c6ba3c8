"""A concrete run escapes exactly when no abstract run shows the same actions."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.terms.build import FALSE, TRUE, eq, integer
from tests.generators.automata import random_goal
from tests.generators.drafts import Arrow
from tests.oracle.compatibility import composition
from tests.oracle.explicit import State
from tests.oracle.game import decide
from tests.oracle.inclusion import escape, visible_actions
from tests.oracle.test_game import A01, B12, START, draft, g, goal, moves, sets


def test_guessing_the_future_loses_the_game_and_no_run_escapes() -> None:
    late = draft(A01, Arrow(1, 2, "b"), Arrow(1, 3, "c"))
    early = draft(A01, Arrow(0, 2, "a"), Arrow(1, 3, "b"), Arrow(2, 4, "c"))
    assert not decide(goal(late, early)).simulated
    assert escape(goal(late, early)) is None


def test_the_shortest_run_that_escapes_ends_with_what_cannot_be_followed() -> None:
    run = escape(goal(draft(A01, B12), draft(A01, Arrow(1, 2, "c"))))
    assert run is not None
    assert run.start == State("q0", (0,))
    assert visible_actions(run) == (("a", (), ()), ("b", (), ()))


def test_a_start_without_partner_escapes_at_once() -> None:
    run = escape(goal(draft(init=TRUE), draft()))
    assert run is not None
    assert run.steps == ()
    assert escape(goal(draft(init=FALSE), draft())) is None


def test_iota_counts_only_where_it_is_asked_for() -> None:
    elsewhere = goal(draft(A01), draft(Arrow(0, 1, "a", updates=sets(1))))
    assert escape(elsewhere) is None
    assert escape(elsewhere, related=True) is not None


def test_open_goals_have_no_behaviours_to_compare() -> None:
    with pytest.raises(ValueError, match="closed"):
        escape(goal(draft(env=moves(0, 1)), draft(), closed=False))


def test_nothing_escapes_a_simulation() -> None:
    """Without `choose_init`, where all related starts are good, the answers of θ are among the followed ones."""
    closed = [s for s in map(random_goal, range(100)) if s.goal.closed]
    simulated = [s for s in closed if s.decision.simulated]
    assert len(simulated) > 8
    assert [s.seed for s in simulated if escape(s.goal, related=True)] == []
    assert any(escape(s.goal) for s in closed if not s.decision.simulated)


def test_the_program_whose_run_b_a_escapes_is_caught_by_its_product_and_by_one_of_its_threads() -> None:
    """THEORY section 3: with one abstract environment step for each concrete one, both threads would pass."""
    jumps = draft(Arrow(0, 1, "b", guard=START, updates=sets(2)))
    walks = draft(Arrow(0, 1, None, guard=START, updates=sets(1)), Arrow(1, 2, "b", updates=sets(2)))
    acts = Arrow(0, 1, "a", guard=eq(g, integer(2)))
    first = goal(jumps, walks, closed=False)
    second = goal(draft(acts, env=moves(0, 2)), draft(env=moves(0, 1, 2)), closed=False)
    assert [decide(first).simulated, decide(second).simulated] == [True, False]
    concrete, abstract = (
        composition([replace(one, name="A"), replace(other, name="B")])
        for one, other in ((first.concrete, second.concrete), (first.abstract, second.abstract))
    )
    whole = replace(first, concrete=concrete, abstract=abstract, closed=True)
    run = escape(whole)
    assert run is not None
    assert [action and action[0] for action in visible_actions(run)] == ["b", "a"]
