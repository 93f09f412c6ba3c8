"""The game decides Definition 6: each condition in its smallest case, and a literal second opinion."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.automata.program import Axiom, Formula
from sa.certificates.goal import Goal
from sa.terms.build import FALSE, TRUE, add, call, eq, integer, land, lor, mod, variable
from sa.terms.evaluate import Unevaluable
from sa.terms.substitute import primed, sided
from sa.terms.term import Function, Term, Var
from tests.generators.automata import random_goal
from tests.generators.drafts import NOWHERE, Arrow, Draft, built, ranged
from tests.oracle.explicit import State, restrict_goal
from tests.oracle.formula import Unbounded
from tests.oracle.game import Ending, decide
from tests.oracle.literal import simulated, states

G = ranged("g", Kind.GLOBAL, 2)
g = G.var
START = eq(g, integer(0))
SAME = eq(sided(g, "conc"), sided(g, "abs"))


def draft(*arrows: Arrow, env: Term = FALSE, init: Term = START, variables: tuple[Variable, ...] = (G,)) -> Draft:
    """An automaton over g in 0..2, its environment the identity and `env`."""
    size = 1 + max((max(a.source, a.target) for a in arrows), default=0)
    identity = land(*(eq(primed(v.var), v.var) for v in variables if v.kind is Kind.GLOBAL))
    relation = lor(identity, env)
    return Draft(variables, init, (TRUE,) * size, (relation,) * size, arrows)


def goal(concrete: Draft, abstract: Draft, closed: bool = True, kappa: Term = SAME, iota: Term = SAME) -> Goal:
    sides = built(concrete, "C", "conc"), built(abstract, "A", "abs")
    return Goal("t", *sides, (Formula(kappa, NOWHERE),), (Formula(iota, NOWHERE),), (), closed, False, False)


def moves(*path: int) -> Term:
    """The environment steps from each value of g to the next."""
    return lor(*(land(eq(g, integer(x)), eq(primed(g), integer(y))) for x, y in pairwise(path)))


def sets(value: int) -> tuple[tuple[Var, Term], ...]:
    return ((g, integer(value)),)


A01, B12 = Arrow(0, 1, "a"), Arrow(1, 2, "b")


def test_a_thread_refines_itself() -> None:
    assert decide(goal(draft(A01, B12), draft(A01, B12))).simulated


def test_a_missing_action_loses_as_many_rounds_later_as_it_is_steps_away() -> None:
    decision = decide(goal(draft(A01, B12), draft(A01)))
    q0, q1 = State("q0", (0,)), State("q1", (0,))
    assert decision.ending is Ending.LOST
    assert decision.rank == {(q1, q1): 1, (q0, q0): 2}


def test_an_answer_may_make_silent_steps_before_and_after_the_action() -> None:
    detour = draft(Arrow(0, 1, None), Arrow(1, 2, "a"), Arrow(2, 3, None), Arrow(3, 4, "b"))
    assert decide(goal(draft(A01, B12), detour)).simulated


def test_a_silent_step_may_be_answered_by_none_but_a_visible_one_may_not() -> None:
    assert decide(goal(draft(Arrow(0, 1, None)), draft())).simulated
    assert not decide(goal(draft(Arrow(0, 1, "a")), draft())).simulated


def test_iota_may_fail_inside_an_answer_but_not_at_its_end() -> None:
    there_and_back = draft(Arrow(0, 1, None, updates=sets(1)), Arrow(1, 2, "a", updates=sets(0)))
    assert decide(goal(draft(A01), there_and_back)).simulated
    assert not decide(goal(draft(A01), draft(Arrow(0, 1, "a", updates=sets(1))))).simulated


def test_silent_cycles_of_the_abstract_thread_are_followed_as_long_as_they_lead_anywhere() -> None:
    turning = Arrow(0, 0, None, updates=((g, mod(add(g, integer(1)), 3)),))
    rings = Arrow(0, 1, "a", guard=eq(g, integer(2)), updates=sets(0))
    assert decide(goal(draft(A01), draft(turning, rings))).simulated
    assert not decide(goal(draft(A01), draft(turning, replace(rings, guard=eq(g, integer(3)))))).simulated


def test_labels_match_only_with_equal_values() -> None:
    shows = [draft(Arrow(0, 1, "print", (integer(n),))) for n in (1, 2)]
    assert decide(goal(shows[0], shows[0])).simulated
    assert not decide(goal(shows[0], shows[1])).simulated
    assert not decide(goal(shows[0], draft(Arrow(0, 1, "print")))).simulated


def test_a_duplicator_who_must_guess_the_future_loses() -> None:
    late = draft(A01, Arrow(1, 2, "b"), Arrow(1, 3, "c"))
    early = draft(A01, Arrow(0, 2, "a"), Arrow(1, 3, "b"), Arrow(2, 4, "c"))
    assert not decide(goal(late, early)).simulated
    assert decide(goal(early, late)).simulated


def test_abstract_choices_are_duplicators_and_concrete_ones_spoilers() -> None:
    pick = ranged("pick", Kind.LOCAL, 2)
    havoc = draft(Arrow(0, 1, "a", updates=((g, pick.var),), choices=(pick,)))
    one = draft(Arrow(0, 1, "a", updates=sets(1)))
    assert decide(goal(one, havoc)).simulated
    assert not decide(goal(havoc, one)).simulated


def test_the_abstract_environment_makes_any_number_of_steps_before_spoiler_goes_on() -> None:
    """Thread 2 of the program whose run `b a` no abstract run matches: one step for each side is not enough."""
    acts = Arrow(0, 1, "a", guard=eq(g, integer(2)))
    concrete = draft(acts, env=moves(0, 2))
    assert not decide(goal(concrete, draft(env=moves(0, 1, 2)), closed=False)).simulated
    assert decide(goal(concrete, draft(env=moves(0, 1)), closed=True)).simulated


def test_the_other_thread_of_that_program_is_simulated() -> None:
    jumps = draft(Arrow(0, 1, "b", guard=START, updates=sets(2)))
    walks = draft(Arrow(0, 1, None, updates=sets(1)), Arrow(1, 2, "b", updates=sets(2)))
    assert decide(goal(jumps, walks)).simulated


def test_an_environment_step_that_the_abstract_side_cannot_match_is_lost_only_by_open_goals() -> None:
    restless, calm = draft(env=moves(0, 1)), draft()
    assert not decide(goal(restless, calm, closed=False)).simulated
    assert decide(goal(restless, calm, closed=True)).simulated
    assert decide(goal(calm, restless, closed=False)).simulated


def test_environments_leave_locals_and_parameters_alone() -> None:
    local = ranged("l", Kind.LOCAL, 1)
    param = Variable(variable("P"), Kind.PARAM, 0, 1)
    acts = Arrow(0, 1, "a", guard=eq(local.var, integer(1)))
    still = draft(acts, env=TRUE, init=land(START, eq(local.var, integer(0))), variables=(param, G, local))
    assert decide(goal(still, draft(env=TRUE), closed=False)).simulated


def test_both_sides_have_the_same_parameters() -> None:
    param = Variable(variable("P"), Kind.PARAM, 0, 1)
    acts = draft(Arrow(0, 1, "a", (param.var,)), variables=(param, G))
    assert decide(goal(acts, acts)).simulated


def test_every_concrete_initial_state_needs_an_abstract_one() -> None:
    free, fixed = draft(A01, init=TRUE), draft(A01)
    decision = decide(goal(free, fixed))
    assert decision.ending is Ending.UNCOVERED
    assert decision.culprit == State("q0", (1,))
    assert decide(goal(fixed, free)).simulated


def test_iota_must_hold_at_the_start() -> None:
    assert decide(goal(draft(), draft(init=eq(g, integer(1))), kappa=TRUE)).ending is Ending.BROKEN_AT_START


def test_the_abstract_start_is_spoilers_unless_choose_init_gives_it_to_the_abstract_side() -> None:
    local = ranged("l", Kind.LOCAL, 1)
    acts = Arrow(0, 1, "a", guard=eq(local.var, integer(1)))
    question = goal(draft(A01), draft(acts, variables=(G, local)))
    assert not decide(question).simulated
    assert decide(replace(question, choose_init=True)).simulated


def test_what_breaks_an_invariant_does_not_happen() -> None:
    steps = draft(Arrow(0, 1, None, updates=sets(1)), B12)
    cut = replace(steps, inv=(TRUE, START, TRUE))
    assert decide(goal(cut, draft())).simulated
    assert not decide(goal(steps, draft())).simulated


def test_unbounded_integers_must_be_restricted_and_then_keep_to_the_range() -> None:
    n = Variable(variable("g"), Kind.GLOBAL)
    counts = draft(Arrow(0, 0, "a", updates=((g, add(g, integer(1))),)), variables=(n,))
    thrice = draft(
        Arrow(0, 0, "a", guard=lor(*(eq(g, integer(i)) for i in range(3))), updates=((g, add(g, integer(1))),)),
        variables=(n,),
    )
    with pytest.raises(Unbounded):
        decide(goal(counts, thrice))
    assert decide(restrict_goal(goal(counts, thrice), 0, 3)).simulated
    assert not decide(restrict_goal(goal(counts, thrice), 0, 4)).simulated


def test_axioms_and_functions_are_refused() -> None:
    question = goal(draft(), draft())
    with pytest.raises(Unevaluable):
        decide(replace(question, axioms=(Axiom(TRUE, NOWHERE),)))
    twice = Function("twice", (g.sort,), g.sort)
    with pytest.raises(Unevaluable):
        decide(goal(draft(Arrow(0, 1, None, updates=((g, call(twice, (g,))),))), draft()))


@pytest.mark.parametrize("chunk", [0, *(pytest.param(n, marks=pytest.mark.fuzz) for n in range(1, 4))])
def test_the_literal_definition_agrees_on_random_goals(chunk: int) -> None:
    samples = [random_goal(seed) for seed in range(100 * chunk, 100 * (chunk + 1))]
    small = [s for s in samples if len(states(s.goal.concrete)) * len(states(s.goal.abstract)) <= 600]
    assert len(small) > 40
    assert [s.seed for s in small if s.decision.simulated != simulated(s.goal)] == []
