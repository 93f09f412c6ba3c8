"""Compatibility, composition and invariants, each where it first makes a difference."""

from __future__ import annotations

import pytest

from sa.automata.automaton import Kind
from sa.terms.build import TRUE, eq, integer, le, lor, variable
from tests.generators.drafts import Arrow, Draft, built, ranged
from tests.oracle.compatibility import composition, incompatibility, own_locals, strong_violation, weak_violation
from tests.oracle.explicit import Explicit, State, component_steps, explicit, initial_states, reachable
from tests.oracle.test_game import A01, START, G, draft, g, moves, sets


def ready(drafted: Draft, name: str = "T") -> Explicit:
    return explicit(built(drafted, name, "t"))


t_g = variable("t.g")


def test_a_step_must_be_an_environment_step_of_the_other_thread() -> None:
    rises = ready(draft(Arrow(0, 0, None, guard=START, updates=sets(1))), "Rises")
    calm, ready_for_it = ready(draft(), "Calm"), ready(draft(env=moves(0, 1)), "Ready")
    clash = incompatibility(calm, rises)
    assert clash is not None
    assert (clash.mover, clash.before.row, clash.step.after.row, clash.other) == ("Rises", (0,), (1,), "Calm")
    assert incompatibility(rises, ready_for_it) is None


def test_compatibility_is_about_all_states_that_satisfy_the_invariants_reachable_or_not() -> None:
    late = draft(Arrow(1, 1, None, updates=sets(2)), A01)
    assert incompatibility(ready(late), ready(draft(env=moves(0, 2)))) is not None
    cut = Draft(late.variables, late.init, (TRUE, START), late.env, late.arrows)
    assert incompatibility(ready(cut), ready(draft(env=moves(0, 2)))) is None


def test_the_others_locals_stay_as_they_are() -> None:
    mine = ranged("l", Kind.LOCAL, 1)
    one, two = (
        own_locals(built(draft(Arrow(0, 1, None, updates=((mine.var, integer(1)),)), variables=(G, mine)), n, "t"))
        for n in ("A", "B")
    )
    both = composition([one, two])
    assert [v.var.name for v in both.variables] == ["t.g", "t.A.l", "t.B.l"]
    x = explicit(both)
    start = State("q0|q0", (0, 0, 0))
    assert start in initial_states(x)
    assert {s.after for s in component_steps(x, start)} == {State("q1|q0", (0, 1, 0)), State("q0|q1", (0, 0, 1))}


def test_the_composition_has_the_environment_steps_that_both_have() -> None:
    one, two = (
        built(draft(env=env), n, "t") for n, env in (("A", moves(0, 1, 2)), ("B", lor(moves(0, 1), moves(2, 0))))
    )
    reached = reachable(explicit(composition([one, two])))
    assert {s.row for s in reached} == {(0,), (1,)}


def test_threads_with_the_same_local_cannot_be_composed() -> None:
    mine = ranged("l", Kind.LOCAL, 1)
    one = built(draft(variables=(G, mine)), "A", "t")
    with pytest.raises(ValueError, match="local"):
        composition([one, one])


def test_a_weak_invariant_may_fail_on_runs_whose_environment_breaks_it() -> None:
    """THEORY section 6: the environment that keeps g == 2 never enables the edge."""
    falls = ready(
        draft(Arrow(0, 0, None, guard=eq(g, integer(1)), updates=sets(0)), env=moves(2, 1), init=eq(g, integer(2)))
    )
    only_two, positive = eq(t_g, integer(2)), le(integer(1), t_g)
    assert weak_violation(falls, only_two) is None
    assert strong_violation(falls, only_two) == State("q0", (0,))
    assert weak_violation(falls, positive) == State("q0", (0,))


def test_an_invariant_holds_initially() -> None:
    assert weak_violation(ready(draft()), eq(t_g, integer(1))) == State("q0", (0,))
    assert strong_violation(ready(draft()), eq(t_g, integer(0))) is None
