"""What a label asks of choices, against all values: no other value answers it, whatever the state is."""

from __future__ import annotations

from itertools import product

import pytest

from sa.automata.automaton import Edge, Kind, Label, Origin, Variable
from sa.base.source import Source, Span
from sa.game.choices import asked_for
from sa.terms import build
from sa.terms.evaluate import evaluate
from sa.terms.sort import INT
from sa.terms.term import Term, Var

WHY = Origin(Span(Source("t", ""), 0, 0), "t")
x, y, c = (build.variable(name, INT) for name in ("x", "y", "c"))
asked = build.add(y, build.ONE)


def edge(shown: tuple[Term, ...], guard: Term = build.TRUE, low: int | None = None, update: Term = x) -> Edge:
    choice = Variable(c, Kind.LOCAL, low, None, WHY)
    return Edge("p", "q", Label("a", shown), guard, ((x, update),), (choice,), WHY)


def first(condition: Term, positive: Term, negative: Term) -> Term:
    return build.ite(condition, positive, negative)


ZERO = build.eq(x, build.ZERO)
NESTED = first(ZERO, first(build.le(y, x), c, y), x)


@pytest.mark.parametrize("shown", [c, first(ZERO, c, x), first(ZERO, x, c), NESTED])
def test_a_choice_that_is_shown_in_one_case_has_the_value_that_is_asked_for(shown: Term) -> None:
    found = asked_for(edge((shown,)), Label("a", (asked,)))
    assert found == {c: asked}
    for a, b, value in product(range(-2, 3), repeat=3):
        state: dict[Var, int | bool] = {x: a, y: b}
        wanted = evaluate(asked, state)
        if evaluate(shown, {**state, c: value}) == wanted:
            # Whoever answers with some value answers with this one.
            assert evaluate(shown, {**state, c: wanted}) == wanted


@pytest.mark.parametrize(
    "made",
    [
        edge((build.add(first(ZERO, c, x), build.ONE),)),
        edge((first(ZERO, c, x), first(ZERO, x, c))),
        edge((first(ZERO, c, build.add(c, build.ONE)),)),
        edge((first(build.eq(c, x), c, y),)),
        edge((first(ZERO, c, x),), guard=build.le(c, x)),
        edge((first(ZERO, c, x),), update=c),
        edge((first(ZERO, c, x),), low=0),
    ],
)
def test_a_choice_on_which_more_depends_is_left_open(made: Edge) -> None:
    assert made.label is not None
    assert asked_for(made, Label("a", tuple(asked for _ in made.label.values))) == {}
