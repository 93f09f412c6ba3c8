"""Values of flags and locks as part of locations: what is proved then without lemmas, and that nothing else changes."""

from __future__ import annotations

from itertools import count, islice

import pytest

from sa.base.budget import Budget
from sa.base.limits import LimitReached, Limits, limits
from sa.base.verdict import Reason
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.check import Accepted, check
from sa.engines.engine import GoalEngine, Turn
from sa.engines.goals import decisions
from sa.engines.portfolio_of_goals import LATE_POINTS, POINTS, QUICK_POINTS
from sa.game.partitioning import unfolded
from sa.question.goals import goals
from sa.refinement.points import points_of
from sa.simulation import algorithm_2_search
from sa.terms import build
from sa.terms.printer import show
from tests.endtoend.asking import read
from tests.generators.automata import random_goal
from tests.oracle.game import decided_at_start


def _by(engine: GoalEngine, goal: Goal, bounds: Limits) -> tuple[Relation | None, int]:
    """The relation that the engine alone comes to, which the checker has accepted, and the lemmas of the search."""
    for decision in decisions(goal, Budget(bounds), (Turn(engine, 1.0),)):
        if isinstance(decision.evidence, Relation):
            assert isinstance(check(goal, decision.evidence, bounds), Accepted)
            return decision.evidence, decision.effort.lemmas
    return None, 0


def _whole(abstract: str, concrete: str) -> Goal:
    (goal,) = goals(*read(abstract, concrete), whole=True)
    return goal


COUNTER = """
global x : int = 0;
thread A { while (*) { @a(x) x := x + 1; } }
thread B { while (*) { @b(x) x := x + 2; } }
"""
TAKEN_IN_TURN = """
global x : int = 0;
global mine : bool[2] = {true, false};
thread A {
  local t : int = 0;
  while (*) { await mine[0]; t := x; @a(t) x := t + 1; mine[0] := false; mine[1] := true; }
}
thread B {
  local t : int = 0;
  while (*) { await mine[1]; t := x; @b(t) x := t + 2; mine[1] := false; mine[0] := true; }
}
"""


def test_what_a_flag_protects_needs_no_lemma() -> None:
    relation, lemmas = _by(QUICK_POINTS, _whole(COUNTER, TAKEN_IN_TURN), limits(60.0, None))
    assert relation is not None and lemmas == 0


def test_a_flag_that_is_given_back_too_early_protects_nothing() -> None:
    early = TAKEN_IN_TURN.replace(
        "t := x; @a(t) x := t + 1; mine[0] := false; mine[1] := true;",
        "t := x; mine[1] := true; @a(t) x := t + 1; mine[0] := false;",
    )
    assert early != TAKEN_IN_TURN
    assert _by(POINTS, _whole(COUNTER, early), limits(60.0, None))[0] is None


def test_numbers_that_are_computed_are_no_part_of_locations() -> None:
    (concrete,) = (_whole(COUNTER, TAKEN_IN_TURN).concrete,)
    made = unfolded(concrete, frozenset(), 16, 1_000)
    assert made is not None
    told = {v.name.base for term in made.values.values() for v in term.free}
    assert "mine" in {name.split("[")[0] for name in told} and not told & {"x", "t"}


def test_an_unfolded_automaton_has_copies_of_locations_and_edges_only() -> None:
    concrete = _whole(COUNTER, TAKEN_IN_TURN).concrete
    made = unfolded(concrete, frozenset(), 16, 1_000)
    assert made is not None
    for number, edge in zip(made.edge, made.automaton.edges, strict=True):
        whole = concrete.edges[number]
        assert (made.place[edge.source], made.place[edge.target]) == (whole.source, whole.target)
        assert (edge.label, edge.updates, edge.choices) == (whole.label, whole.updates, whole.choices)
        assert set(build.conjuncts(whole.guard)) <= set(build.conjuncts(edge.guard)) or whole.guard is build.TRUE


def test_too_many_points_are_none() -> None:
    assert unfolded(_whole(COUNTER, TAKEN_IN_TURN).concrete, frozenset(), 16, 3) is None


TWO_LOOPS = """
global a : int[4]; global s : int = 0;
thread T {
  local i, t : int = 0;
  while (i < 4) { a[i] := a[i] + 1; i := i + 1; }
  i := 0;
  while (i < 4) { t := t + a[i]; i := i + 1; }
  @out(t) s := t;
}
"""
FUSED = """
global a : int[4]; global s : int = 0;
thread T {
  local i, t : int = 0;
  while (i < 4) { a[i] := a[i] + 1; t := t + a[i]; i := i + 1; }
  @out(t) s := t;
}
"""


def test_rounds_of_a_loop_up_to_a_constant_are_part_of_locations() -> None:
    assert _by(POINTS, _whole(TWO_LOOPS, FUSED), limits(60.0, None))[0] is not None
    early = FUSED.replace("a[i] := a[i] + 1; t := t + a[i];", "t := t + a[i]; a[i] := a[i] + 1;")
    assert early != FUSED and _by(POINTS, _whole(TWO_LOOPS, early), limits(60.0, None))[0] is None


def test_a_loop_without_an_end_is_not_unfolded() -> None:
    endless = _whole(COUNTER, TAKEN_IN_TURN.replace("t := x;", "t := t + 1;")).concrete
    assert unfolded(endless, frozenset(), 16, 200, counting=True) is None
    assert unfolded(endless, frozenset(), 16, 200) is not None


ADDED = "global x : int = 0; thread T[i : 1..2] { while (*) { @add(i) x := x + 1; } }"
BY_TURNS = """
global x, tail : int = 0; global go : bool[2] = {true, false};
thread T[i : 1..2] {
  local s, v : int = 0;
  while (*) {
    s := fetch_add(tail, 1); await go[s % 2]; v := x; @add(i) x := v + 1; go[s % 2] := false; go[(s + 1) % 2] := true;
  }
}
"""


def test_remainders_of_numbers_that_grow_are_part_of_locations() -> None:
    """A lock with a flag for each place in a ring: a ticket tells the place."""
    goal = _whole(ADDED, BY_TURNS)
    assert _by(POINTS, goal, limits(60.0, None))[0] is not None
    made = unfolded(goal.concrete, frozenset(), 16, 1_000)
    assert made is not None and any("% 2" in show(term) for term in made.values.values())
    both = BY_TURNS.replace("{true, false}", "{true, true}")
    assert both != BY_TURNS and _by(POINTS, _whole(ADDED, both), limits(60.0, None))[0] is None


def test_a_choice_that_only_a_conditional_defines_is_found() -> None:
    """The value that is made once is the one that was seen, not each of its values one by one."""
    once = """global made : bool = false; global v : int = 0;
    thread A { local r : int; while (*) { atomic { if (!made) { havoc v; made := true; } r := v; } @use(r) skip; } }"""
    early = """global done : bool = false; global w : int;
    thread A { local r : int = 0; while (*) { r := w; done := true; @use(r) skip; } }"""
    assert _by(POINTS, _whole(once, early), limits(60.0, None))[0] is not None


UNDER_A_RELY = """
global p, q : int;
thread T {
  rely unchanged p;
  local i, s, t : int = 0;
  while (i < 3) { s := s + p; i := i + 1; }
  i := 0;
  while (i < 3) { t := t + q; i := i + 1; }
  @out(s, t) skip;
}
"""
FUSED_UNDER_A_RELY = """
global p, q : int;
thread T {
  rely unchanged p;
  local i, s, t : int = 0;
  while (i < 3) { s := s + p; t := t + q; i := i + 1; }
  @out(s, t) skip;
}
"""


def test_rounds_are_part_of_locations_in_an_environment() -> None:
    """What stands still may be read early. What others may write may not."""
    (goal,) = goals(*read(UNDER_A_RELY, FUSED_UNDER_A_RELY), whole=False)
    assert not goal.closed and _by(POINTS, goal, limits(60.0, None))[0] is not None
    moving = [text.replace("rely unchanged p;", "rely true;") for text in (UNDER_A_RELY, FUSED_UNDER_A_RELY)]
    (other,) = goals(*read(*moving), whole=False)
    assert not other.closed and _by(POINTS, other, limits(6.0, None))[0] is None


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "in an environment"])
@pytest.mark.parametrize("block", [range(25), pytest.param(range(25, 400), marks=pytest.mark.fuzz)])
def test_no_random_goal_is_proved_that_the_oracle_refutes(block: range, closed: bool) -> None:
    """And what is proved is most of what is true where there are points."""
    asked = (s for seed in count() if (s := random_goal(seed)).goal.closed is closed and not s.goal.choose_init)
    true = proved = 0
    for sample in islice(asked, block.start, block.stop):
        # Another engine is asked about initial states before this one.
        if decided_at_start(sample.decision) or points_of(sample.goal) is None:
            continue
        found, _ = _by(POINTS, sample.goal, limits(30.0, None))
        assert found is None or sample.decision.simulated, sample.seed
        true, proved = true + sample.decision.simulated, proved + (sample.decision.simulated and found is not None)
    assert proved >= true / 2


ONE_CHANNEL = """
global q : seq<int, 3> = {};
thread P { local v : int; while (true) { havoc v; @in(v) send(q, v); } }
thread M { while (true) { skip; } }
thread C { while (true) { local r : int; r := receive(q); @out(r + 1) skip; } }
"""
TWO_CHANNELS = """
global a, b : seq<int, 1> = {};
thread P { local v : int; while (true) { havoc v; @in(v) send(a, v); } }
thread M { local t : int; while (true) { t := receive(a); t := t + 1; send(b, t); } }
thread C { while (true) { local r : int; r := receive(b); @out(r) skip; } }
"""


def test_a_stage_between_two_channels_needs_no_lemma() -> None:
    """By answers that move late; those that move early meet three times as many pairs of points."""
    relation, lemmas = _by(LATE_POINTS, _whole(ONE_CHANNEL, TWO_CHANNELS), limits(60.0, None))
    assert relation is not None and lemmas == 0


def test_a_search_without_questions_keeps_to_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts settle all of its steps, so the solver does not count for it."""
    looks = list[Limits]()

    def out_of_time(bounds: Limits, units: float) -> None:
        looks.append(bounds)
        if len(looks) == 3:
            raise LimitReached(Reason.TIMEOUT)

    monkeypatch.setattr(algorithm_2_search, "spend", out_of_time)
    relation, _ = _by(LATE_POINTS, _whole(ONE_CHANNEL, TWO_CHANNELS), limits(60.0, None))
    assert relation is None and len(looks) == 3
