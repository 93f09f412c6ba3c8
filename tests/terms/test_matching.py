"""Instances of laws: each is what the law says of some values, and those that a question is about are there."""

from __future__ import annotations

from random import Random

from sa.terms import build
from sa.terms.matching import instances, matched, triggers_of
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Forall, Function, Term
from tests.parts import for_each

F, G = Function("f", (INT,), INT), Function("g", (INT, INT), INT)
X, Y, V, W = (build.variable(n, INT) for n in ("x", "y", "v", "w"))
BINDERS = frozenset((V, W))


def f(term: Term) -> Term:
    """A value of f."""
    return build.call(F, (term,))


def g(left: Term, right: Term) -> Term:
    """A value of g."""
    return build.call(G, (left, right))


def law(equation: Term) -> Forall:
    """The equation for all values of v and w that are in it."""
    made = build.forall(tuple(v for v in (V, W) if v in equation.free), equation)
    assert isinstance(made, Forall)
    return made


def random_term(random: Random, leaves: tuple[Term, ...], depth: int) -> Term:
    """A term over f and g."""
    if not depth:
        return build.add(random.choice(leaves), build.integer(random.choice((0, 0, 1))))
    parts = [random_term(random, leaves, depth - 1) for _ in range(2)]
    return random.choice((f(parts[0]), g(*parts), parts[1]))


@for_each("seed", range(200))
def test_what_is_matched_is_the_term(seed: int) -> None:
    random = Random(seed)
    pattern = random_term(random, (V, W, X), 2)
    values = {v: random_term(random, (X, Y), 1) for v in (V, W) if v in pattern.free}
    term = random.choice((substitute(pattern, values), random_term(random, (X, Y), 3)))
    found = matched(pattern, term, BINDERS)
    assert found is None or substitute(pattern, found) is term
    if term is substitute(pattern, values):
        assert found is not None


def test_triggers_are_smallest_values_that_name_all_variables_or_several_that_name_one_each() -> None:
    assert triggers_of(law(build.eq(f(f(V)), V))) == ((f(V),),)
    assert set(triggers_of(law(build.eq(g(V, f(W)), g(f(W), V))))) == {(g(V, f(W)),), (g(f(W), V),)}
    assert triggers_of(law(build.eq(f(V), f(W)))) == ((f(V), f(W)),)
    assert triggers_of(law(build.eq(f(V), W))) == ()


def test_instances_are_about_the_values_of_a_question_and_of_its_instances() -> None:
    of = instances((law(build.eq(g(V, W), g(W, V))),))
    assert set(of((build.le(g(X, Y), Y),))) == {build.eq(g(X, Y), g(Y, X))}
    twice = instances((law(build.eq(f(V), g(V, V))), law(build.eq(g(V, W), W))))
    assert build.eq(g(X, X), X) in twice((build.le(f(X), Y),))
    assert of((build.le(X, Y),)) == ()
    growing = instances((law(build.lor(build.lt(W, V), build.le(f(V), f(W)))),))
    assert build.lor(build.lt(Y, X), build.le(f(X), f(Y))) in growing((build.lt(f(Y), f(X)),))
