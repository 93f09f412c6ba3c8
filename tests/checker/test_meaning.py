"""Plays in which functions without a body have a meaning: accepted if all axioms hold for it, and only then."""

from __future__ import annotations

import json

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import limits
from sa.certificates.goal import Goal
from sa.certificates.interpreted import functions_mentioned, interpreted_goal
from sa.certificates.play import Interpreted, Play
from sa.certificates.play_json import play_json, read_play
from sa.certificates.shape import Entry, Malformed
from sa.checker.check import Accepted, check
from sa.checker.refusals import check_refusals
from sa.engines.portfolio_of_goals import MEANINGS
from sa.question.asked import GoalAsked
from sa.terms import build
from sa.terms.meaning import Meaning, called, in_words
from sa.terms.sort import INT
from sa.terms.term import Term
from tests.refinement.escaping import goal_of

X = build.variable("x", INT)
INVOLUTION = "axiom forall v : int :: f(f(v)) == v;"


def goal(axioms: str, abstract: str, concrete: str) -> Goal:
    first, second = (f"thread T {{ {body} }}" for body in (abstract, concrete))
    return goal_of(first, second, f"function f(int) : int; {axioms} global x, y : int;")


def refuted(asked: Goal) -> Play | None:
    found = next(iter(MEANINGS.decide(GoalAsked(asked), Budget(limits(30.0, None)), unheard)), None)
    return None if found is None else found.evidence


def accepted(asked: Goal, play: Play) -> bool:
    return isinstance(check(asked, play, limits(30.0, None)), Accepted)


@pytest.mark.parametrize(
    ("axioms", "abstract", "concrete"),
    [
        ("", "y := x;", "y := f(x);"),
        (INVOLUTION, "y := x;", "y := f(x);"),
        ("axiom forall v : int :: f(v) >= 0;", "@a(f(x)) skip;", "@a(f(x + 1)) skip;"),
        ("axiom forall v : int :: 1 <= f(v) && f(v) <= 3;", "y := f(x);", "y := f(0);"),
        ("axiom f(0) == 5; axiom f(1) == 7;", "y := f(x);", "y := f(0);"),
        ("axiom forall v : int :: f(v) > 0;", "@a(f(1)) skip;", "@a(f(2)) skip;"),
        ("", "local k : int; k := f(x); @a(k) skip;", "@a(f(y)) skip;"),
        ("", "havoc y; assume y > 0; @a(f(y)) skip;", "@a(f(0)) skip;"),
    ],
)
def test_what_is_wrong_for_some_functions_is_refuted(axioms: str, abstract: str, concrete: str) -> None:
    asked = goal(axioms, abstract, concrete)
    play = refuted(asked)
    assert isinstance(play, Interpreted) and accepted(asked, play)
    assert isinstance(check_refusals(asked, play), Accepted)
    again = read_play(Entry(json.loads(json.dumps(play_json(play, asked))), "a certificate"), asked)
    assert accepted(asked, again) and isinstance(again, Interpreted)
    assert in_words(again.meaning) == in_words(play.meaning)


@pytest.mark.parametrize(
    ("axioms", "abstract", "concrete"),
    [
        ("axiom forall v : int :: f(v) == v;", "y := x;", "y := f(x);"),
        (INVOLUTION, "y := x;", "y := f(f(x));"),
        ("", "@a(f(x)) skip;", "local k : int; k := f(x); @a(k) skip;"),
        ("axiom forall v : int :: f(v) > f(v);", "y := x;", "y := f(x);"),
    ],
)
def test_what_holds_for_all_functions_is_not_refuted(axioms: str, abstract: str, concrete: str) -> None:
    assert refuted(goal(axioms, abstract, concrete)) is None


@pytest.mark.parametrize(
    "body",
    [
        build.add(X, build.ONE),
        build.ZERO,
        build.mul(X, X),
        build.variable("conc.x", INT),
        build.variable("z", INT),
        build.TRUE,
        build.ite(build.forall((X,), build.le(X, build.ZERO)), X, X),
    ],
)
def test_other_bodies_than_axioms_allow_are_rejected(body: Term) -> None:
    """With -x, which is the play's own, it would be accepted."""
    asked = goal(INVOLUTION, "y := x;", "y := f(x);")
    play = refuted(asked)
    assert isinstance(play, Interpreted)
    (function,) = functions_mentioned(asked)
    ((parameters, _),) = play.meaning.bodies.values()
    assert accepted(asked, Interpreted(Meaning({function: (parameters, build.scale(-1, parameters[0]))}), play.play))
    assert not accepted(asked, Interpreted(Meaning({function: (parameters, body)}), play.play))


def test_a_meaning_of_no_function_or_of_itself_is_rejected() -> None:
    asked = goal("", "y := x;", "y := f(x);")
    play = refuted(asked)
    assert isinstance(play, Interpreted)
    (function,) = functions_mentioned(asked)
    call = build.call(function, (X,))
    for bodies in ({}, {function: ((X,), call)}, {function: ((), build.ZERO)}):
        assert not accepted(asked, Interpreted(Meaning(bodies), play.play))  # type: ignore[arg-type]


def test_a_play_for_other_functions_is_rejected() -> None:
    """With f(x) = 0 it loses; with f(x) = x nothing is lost."""
    asked = goal("", "y := x;", "y := f(x);")
    play = refuted(asked)
    assert isinstance(play, Interpreted)
    (function,) = functions_mentioned(asked)
    assert not accepted(asked, Interpreted(Meaning({function: ((X,), X)}), play.play))
    assert not accepted(asked, play.play)


def test_a_meaning_within_a_meaning_is_not_read() -> None:
    asked = goal("", "y := x;", "y := f(x);")
    play = refuted(asked)
    assert isinstance(play, Interpreted)
    written = play_json(play, asked)
    twice = {"interpreted": {"functions": written["interpreted"]["functions"], "play": written}}
    with pytest.raises(Malformed):
        read_play(Entry(twice, "a certificate"), asked)


def test_a_goal_under_a_meaning_has_no_functions_and_no_axioms() -> None:
    asked = goal(INVOLUTION, "y := x;", "y := f(x);")
    (function,) = functions_mentioned(asked)
    made = interpreted_goal(asked, Meaning({function: ((X,), X)}))
    assert made.axioms == () and functions_mentioned(made) == ()
    assert not any(called(t) for e in made.concrete.edges for _, t in e.updates)
