"""A relation is accepted when every obligation of Definition 6 holds; each that fails is named."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Label
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.certificates.relation import AbstractPath, EdgeAnswer, PairRelation, Relation
from sa.checker.check import check
from sa.checker.ruling import Accepted, Rejected, Undecided
from sa.smt.session import Answer, Session
from sa.smt.session import Undecided as GaveUp
from sa.terms.build import FALSE, TRUE, add, eq, forall, land, le, lor, lt, variable
from sa.terms.sort import BOOL
from sa.terms.substitute import primed
from sa.terms.term import Term, Var
from tests.checker.example import (
    APICK,
    AX,
    AY,
    CPICK,
    CT,
    CX,
    CY,
    PICK,
    edge,
    formula,
    goal,
    grows,
    number,
    relation,
)


def failed(evidence: Relation, claim: Goal | None = None) -> str:
    """The obligation that fails, nothing where none does."""
    ruling = check(claim or goal(), evidence, Limits())
    return "" if isinstance(ruling, Accepted) else ruling.obligation


def with_lemmas(place: int, *lemmas: Term) -> Relation:
    good = relation()
    pair = replace(good.pairs[place], lemmas=lemmas)
    return replace(good, pairs=(*good.pairs[:place], pair, *good.pairs[place + 1 :]))


def with_answer(place: int, *paths: AbstractPath) -> Relation:
    good = relation()
    answer = replace(good.answers[place], answers=paths)
    return replace(good, answers=(*good.answers[:place], answer, *good.answers[place + 1 :]))


def with_closure(closure: Term) -> Relation:
    return replace(relation(), closure=(("q0", closure), ("q1", grows(AX, AY))))


def with_env(claim: Goal, concrete: Term, abstract: Term) -> Goal:
    c = tuple(replace(q, env=concrete) for q in claim.concrete.locations)
    a = tuple(replace(q, env=abstract) for q in claim.abstract.locations)
    return replace(
        claim,
        concrete=replace(claim.concrete, locations=c),
        abstract=replace(claim.abstract, locations=a),
    )


def still(*variables: Var) -> Term:
    return land(*(eq(primed(v), v) for v in variables))


def test_the_proof_by_hand_is_accepted() -> None:
    assert failed(relation()) == ""


def test_a_choice_without_a_witness_is_looked_for() -> None:
    assert failed(with_answer(2, AbstractPath((1,)))) == ""


def test_a_wrong_witness_is_rejected() -> None:
    wrong = AbstractPath((1,), ((PICK, add(CPICK, number(1))),))
    assert failed(with_answer(2, wrong)) == "step"


def test_one_good_answer_among_several_is_enough() -> None:
    wrong = AbstractPath((1,), ((PICK, number(0)),))
    right = AbstractPath((1,), ((PICK, CPICK),))
    assert failed(with_answer(2, wrong, right)) == ""
    assert failed(with_answer(2, wrong)) == "step"


def test_answers_may_share_the_work() -> None:
    values = (AbstractPath((1,), ((PICK, number(i)),)) for i in range(4))
    assert failed(with_answer(2, *values)) == ""
    values = (AbstractPath((1,), ((PICK, number(i)),)) for i in range(3))
    assert failed(with_answer(2, *values)) == "step"


def test_a_lemma_that_is_needed_and_missing_is_missed() -> None:
    assert failed(with_lemmas(1)) == "step"


def test_a_lemma_that_the_environment_breaks_is_rejected() -> None:
    assert failed(with_lemmas(2, eq(CY, number(0)))) in {"environment", "step"}
    assert failed(with_lemmas(1, eq(CT, CX), eq(CY, number(0)))) in {"environment", "step"}
    assert failed(with_lemmas(0, le(CY, number(10)))) == "start"


def test_a_lemma_that_only_the_environment_breaks_is_rejected() -> None:
    claim = goal()
    start = replace(claim.concrete, init=land(claim.concrete.init, eq(CY, number(0))))
    evidence = with_lemmas(0, eq(CY, number(0)))
    assert failed(evidence, replace(claim, concrete=start)) == "environment"


def test_false_as_a_lemma_does_not_remove_the_start() -> None:
    assert failed(with_lemmas(0, FALSE)) == "start"
    assert failed(with_lemmas(1, FALSE)) == "step"


def test_a_pair_left_out_is_missed() -> None:
    good = relation()
    assert failed(replace(good, pairs=good.pairs[:2], answers=good.answers[:2])) == "well-formed evidence"
    assert failed(replace(good, pairs=good.pairs[1:], answers=good.answers[1:])) == "well-formed evidence"
    assert failed(replace(good, pairs=(), answers=())) == "start"


def test_an_edge_without_answer_is_missed() -> None:
    good = relation()
    assert failed(replace(good, answers=good.answers[1:])) == "well-formed evidence"
    assert failed(with_answer(1)) == "step"


def test_an_edge_that_cannot_be_taken_needs_no_answer() -> None:
    claim = goal()
    edges = (*claim.concrete.edges, edge("p1 p0", Label("never"), lt(CT, CX)))
    more = replace(relation(), answers=(*relation().answers, EdgeAnswer("p1", "q0", 3, ())))
    assert failed(more, replace(claim, concrete=replace(claim.concrete, edges=edges))) == ""


@pytest.mark.parametrize("path", [(), (1,), (0, 1), (0, 0), (-2,), (7,)])
def test_an_answer_is_a_connected_path_with_the_label_that_ends_in_the_relation(path: tuple[int, ...]) -> None:
    assert failed(with_answer(1, AbstractPath(path))) == "well-formed evidence"


def test_an_answer_at_another_location_is_rejected() -> None:
    good = relation()
    pairs = (*good.pairs[:2], PairRelation("p2", "q0", ()))
    answers = (*good.answers[:2], EdgeAnswer("p2", "q0", 2, (AbstractPath(()),)))
    assert failed(replace(good, pairs=pairs, answers=answers)) == "well-formed evidence"


def test_an_abstract_guard_that_is_false_is_no_answer() -> None:
    claim = goal()
    guarded = replace(claim.abstract.edges[0], guard=lt(AX, number(1)))
    assert (
        failed(relation(), replace(claim, abstract=replace(claim.abstract, edges=(guarded, claim.abstract.edges[1]))))
        == "step"
    )


def test_another_value_is_no_answer() -> None:
    claim = goal()
    other = replace(claim.abstract.edges[0], label=Label("out", (AY,)))
    assert (
        failed(relation(), replace(claim, abstract=replace(claim.abstract, edges=(other, claim.abstract.edges[1]))))
        == "step"
    )


def test_an_invariant_on_the_way_must_hold() -> None:
    claim = goal()
    places = tuple(replace(q, inv=le(AX, number(0)) if q.name == "q1" else TRUE) for q in claim.abstract.locations)
    assert failed(relation(), replace(claim, abstract=replace(claim.abstract, locations=places))) == "step"


def test_a_closure_must_contain_the_environment() -> None:
    assert failed(with_closure(still(AX, AY))) == "closure contains the environment"


def test_a_closure_must_be_transitive() -> None:
    twice = land(still(AY), eq(primed(AX), add(AX, number(1))))
    assert failed(with_closure(lor(grows(AX, AY), twice))) == "closure is transitive"


def test_a_closure_that_is_larger_than_need_be_may_lose_the_proof() -> None:
    assert failed(with_closure(TRUE)) == ""  # ι keeps what the closure forgets
    loose = replace(goal(), iota=goal().iota[1:])
    assert failed(with_closure(TRUE), replace(loose, kappa=goal().kappa)) in {"step", "environment"}


def test_every_concrete_initial_state_needs_an_opening() -> None:
    assert failed(replace(relation(), openings=())) == "initial coverage"
    assert failed(replace(relation(), openings=(((AX, number(2)), (AY, CY)),))) == "initial coverage"


def test_an_opening_may_leave_values_to_be_looked_for() -> None:
    assert failed(replace(relation(), openings=((),))) == ""
    assert failed(replace(relation(), openings=(((AX, CX),),))) == ""


def test_an_initial_state_without_partner_is_not_covered() -> None:
    claim = replace(goal(), abstract=replace(goal().abstract, init=le(number(2), AX)))
    assert failed(relation(), claim) == "initial coverage"


def test_the_abstract_side_may_choose_only_where_the_goal_says_so() -> None:
    loose = replace(goal(), kappa=(goal().kappa[0],))
    assert failed(relation(), loose) == "start"
    assert failed(relation(), replace(loose, choose_init=True)) == ""
    wrong = replace(relation(), openings=(((AX, CX), (AY, number(0))),))
    assert failed(wrong, replace(loose, choose_init=True)) == "initial coverage"


def test_environments_must_be_matched() -> None:
    narrow = with_env(goal(), grows(CX, CY), still(AX, AY))
    evidence = replace(relation(), closure=(("q0", still(AX, AY)), ("q1", still(AX, AY))))
    assert failed(evidence, narrow) == "matching of environments"
    same = with_env(goal(), still(CX, CY), still(AX, AY))
    assert failed(evidence, same) == ""


def test_several_abstract_environment_steps_may_match_one() -> None:
    def up_to(n: int, x: Var, y: Var) -> Term:
        return land(eq(primed(x), x), le(y, primed(y)), le(primed(y), add(y, number(n))))

    assert failed(relation(), with_env(goal(), up_to(2, CX, CY), up_to(1, AX, AY))) == ""
    assert failed(relation(), with_env(goal(), grows(CX, CY), up_to(1, AX, AY))) == "matching of environments"


def test_a_closed_goal_has_no_environment() -> None:
    assert failed(relation(), replace(goal(), closed=True)) == "closed"
    alone = replace(with_env(goal(), still(CX, CY), still(AX, AY)), closed=True)
    assert failed(relation(), alone) == ""


def test_environments_are_reflexive() -> None:
    strict = land(eq(primed(CX), CX), lt(CY, primed(CY)))
    assert failed(relation(), with_env(goal(), strict, grows(AX, AY))) == "reflexive environment"


@pytest.mark.parametrize(
    "lemma",
    [
        le(primed(CX), CX),
        le(number(0), CPICK),
        variable("z", BOOL),
        variable("conc.x", BOOL),
        CX,
        forall((CX,), le(CX, number(0))),
    ],
)
def test_a_lemma_speaks_of_the_states_of_the_pair(lemma: Term) -> None:
    assert failed(with_lemmas(1, lemma)) == "well-formed evidence"


@pytest.mark.parametrize(
    "path",
    [
        AbstractPath((1,), ((PICK, APICK),)),
        AbstractPath((1,), ((PICK, primed(CY)),)),
        AbstractPath((1,), ((AY, CY),)),
        AbstractPath((1,), ((PICK, TRUE),)),
        AbstractPath((1,), ((PICK, CPICK), (PICK, CPICK))),
    ],
)
def test_a_witness_speaks_of_the_state_before_and_of_the_choices(path: AbstractPath) -> None:
    assert failed(with_answer(2, path)) == "well-formed evidence"


@pytest.mark.parametrize("closure", [le(CY, AY), le(primed(primed(AY)), AY), AY])
def test_a_closure_speaks_of_abstract_variables(closure: Term) -> None:
    assert failed(with_closure(closure)) == "well-formed evidence"


@pytest.mark.parametrize("opening", [((AX, AX),), ((CX, CX),), ((AX, CX), (AX, CX)), ((AX, primed(CX)),)])
def test_an_opening_speaks_of_the_concrete_state(opening: tuple[tuple[Var, Term], ...]) -> None:
    assert failed(replace(relation(), openings=(opening,))) == "well-formed evidence"


def test_a_pair_an_answer_or_a_closure_given_twice_is_rejected() -> None:
    good = relation()
    assert failed(replace(good, pairs=(*good.pairs, good.pairs[0]))) == "well-formed evidence"
    assert failed(replace(good, answers=(*good.answers, good.answers[0]))) == "well-formed evidence"
    assert failed(replace(good, closure=(*good.closure, good.closure[0]))) == "well-formed evidence"
    assert failed(replace(good, closure=good.closure[1:])) == "well-formed evidence"


def test_a_goal_whose_sides_share_a_variable_is_rejected() -> None:
    claim = goal()
    mixed = replace(
        claim, abstract=replace(claim.abstract, variables=(*claim.abstract.variables, claim.concrete.variables[0]))
    )
    assert failed(relation(), mixed) == "well-formed goal"


def test_what_the_solver_cannot_say_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(self: Session, formulas: Iterable[Term]) -> Answer:
        return GaveUp("no idea")

    monkeypatch.setattr(Session, "check", give_up)
    ruling = check(goal(), relation(), Limits())
    assert isinstance(ruling, Undecided)
    assert ruling.why == "no idea"


def test_a_rejection_says_where_and_for_which_values() -> None:
    ruling = check(goal(), with_lemmas(1), Limits())
    assert isinstance(ruling, Rejected)
    assert ruling.where.startswith("(p1, q0), edge 1")
    assert "conc.t = " in ruling.why


def test_formulas_about_nothing_prove_nothing() -> None:
    # κ false makes Definition 6 vacuous; coverage keeps it from being a proof.
    assert failed(relation(), replace(goal(), kappa=(formula(FALSE),))) == "initial coverage"
