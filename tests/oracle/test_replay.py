"""A play is accepted when each of its moves is legal, its leaves are losses and no answer is left out."""

from __future__ import annotations

from functools import cache

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.automata.program import Formula
from sa.automata.trace import Configuration
from sa.certificates.goal import Goal
from sa.certificates.play import Broken, Chosen, EnvironmentMove, Exhausted, Position, Step, Unmatched
from sa.terms.build import TRUE, eq, integer, le, variable
from sa.terms.substitute import primed
from tests.generators.automata import Sample, random_goal
from tests.generators.drafts import NOWHERE, Draft, built
from tests.oracle.plays import play_of
from tests.oracle.replay import judge


@cache
def lost() -> list[Sample]:
    """Goals that fail, made where they are looked at."""
    return [s for s in (random_goal(seed) for seed in range(150)) if not s.decision.simulated]


def test_the_plays_of_lost_games_are_accepted() -> None:
    assert len(lost()) > 40
    verdicts = {s.seed: judge(s.goal, play_of(s.goal, s.decision)) for s in lost()}
    assert {seed: v for seed, v in verdicts.items() if v.fault or v.unchecked} == {}


def moved(there: Configuration) -> Configuration:
    return Configuration("q9", there.values)


def first(kind: type[object]) -> tuple[Goal, Position]:
    """A goal and its play that starts with a move of this kind."""
    for sample in lost():
        play = play_of(sample.goal, sample.decision)
        if isinstance(play, Position) and isinstance(play.move, kind):
            replies = play.move.replies if isinstance(play.move, Step) else ()
            if kind is not Step or replies:
                return sample.goal, play
    raise AssertionError(f"no play starts with {kind.__name__}")


def test_a_play_that_leaves_out_an_answer_is_rejected() -> None:
    goal, play = first(Step)
    assert isinstance(play.move, Step)
    cut = replace(play, move=replace(play.move, replies=play.move.replies[1:]))
    assert judge(goal, cut).fault == "the play does not list all answers"


def test_a_play_that_goes_on_from_another_state_is_rejected() -> None:
    goal, play = first(EnvironmentMove)
    assert isinstance(play.move, EnvironmentMove)
    then = replace(play.move.then, concrete=moved(play.move.then.concrete))
    fault = judge(goal, replace(play, move=replace(play.move, then=then))).fault
    assert fault == "the play goes on from another pair than the one reached"


def test_a_play_that_does_not_start_at_the_start_is_rejected() -> None:
    for sample in lost():
        play = play_of(sample.goal, sample.decision)
        if isinstance(play, Position) and isinstance(play.move, Step | EnvironmentMove):
            inner = [r.then for r in play.move.replies] if isinstance(play.move, Step) else [play.move.then]
            for then in inner:
                if isinstance(then, Position) and then.concrete.location != "q0":
                    assert judge(sample.goal, then).fault
                    return
    raise AssertionError("no play has a second position elsewhere")


def test_environments_that_can_be_matched_are_no_loss() -> None:
    for sample in lost():
        play = play_of(sample.goal, sample.decision)
        if isinstance(play, Position) and isinstance(play.move, EnvironmentMove) and not sample.goal.closed:
            claim = replace(play, move=Unmatched(play.move.concrete, TRUE, Exhausted.ENUMERATED))
            assert judge(sample.goal, claim).fault
            return
    raise AssertionError("no play starts with a environment_move of an open goal")


def test_a_conjunct_that_holds_is_not_broken() -> None:
    for sample in lost():
        play = play_of(sample.goal, sample.decision)
        if isinstance(play, Position) and isinstance(play.move, Step):
            for i, reply in enumerate(play.move.replies):
                if isinstance(reply.then, Position):
                    claim = Broken(sample.goal.iota[0], reply.then.concrete, reply.then.abstract)
                    replies = (*play.move.replies[:i], replace(reply, then=claim), *play.move.replies[i + 1 :])
                    wrong = replace(play, move=replace(play.move, replies=replies))
                    assert judge(sample.goal, wrong).fault == "the formula said to be broken holds"
                    return
    raise AssertionError("no play has an answer that lasts")


@pytest.mark.parametrize("choose", [True, False])
def test_who_chooses_the_start_must_be_respected(choose: bool) -> None:
    sample = next(
        s for s in lost() if s.goal.choose_init is choose and isinstance(play_of(s.goal, s.decision), Position | Chosen)
    )
    play = play_of(sample.goal, sample.decision)
    assert not judge(sample.goal, play).fault
    assert judge(replace(sample.goal, choose_init=not choose), play).fault


def test_answers_that_cannot_be_enumerated_are_left_to_the_solver_only_where_the_play_says_so() -> None:
    """Over all integers: the environment raises n here and lowers it there, so no step is matched but zero."""
    n = Variable(variable("n"), Kind.GLOBAL)
    now, then = n.var, primed(n.var)
    sides = [Draft((n,), eq(now, integer(0)), (TRUE,), (env,), ()) for env in (le(now, then), le(then, now))]
    equal = (Formula(eq(variable("conc.n"), variable("abs.n")), NOWHERE),)
    automata = built(sides[0], "C", "conc"), built(sides[1], "A", "abs")
    goal = Goal("t", *automata, equal, equal, (), False, False, False)
    start, raised = (Configuration("q0", {variable("conc.n"): value}) for value in (0, 7))
    below = Configuration("q0", {variable("abs.n"): 0})
    for how, fault, unchecked in (
        (Exhausted.SOLVER, None, 1),
        (Exhausted.ENUMERATED, "the matching environments are said to be enumerated: abs.n is unbounded", 0),
    ):
        judgement = judge(goal, Position(start, below, Unmatched(raised, TRUE, how)))
        assert (judgement.fault, judgement.unchecked) == (fault, unchecked)
