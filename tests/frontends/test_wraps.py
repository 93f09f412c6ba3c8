"""What ranges and guards decide of a step is decided rightly: the step stays the same within the ranges."""

from __future__ import annotations

import random
from itertools import product

from sa.automata.automaton import Edge, Kind, Label, Origin, Variable
from sa.frontends.flow.graph import Range
from sa.frontends.flow.spans import told_by
from sa.frontends.flow.wraps import without_wraps
from sa.terms import build
from sa.terms.bounds import interval_of
from sa.terms.evaluate import evaluate, holds
from sa.terms.term import Term, Var

X, Y, Z = (build.variable(n) for n in "xyz")
CHOSEN = build.variable("chosen")


def step(guard: Term, updates: tuple[tuple[Var, Term], ...], choices: tuple[Variable, ...] = ()) -> Edge:
    return Edge("a", "b", Label("shown", tuple(t for _, t in updates)), guard, updates, choices, Origin(None))


def within(low: int | None, value: object, high: int | None) -> bool:
    assert isinstance(value, int)
    return (low is None or low <= value) and (high is None or value <= high)


def number(maker: random.Random, depth: int) -> Term:
    kind = maker.randrange(7) if depth else maker.randrange(2)
    match kind:
        case 0:
            return build.integer(maker.randint(-5, 9))
        case 1:
            return maker.choice((X, Y, Z, CHOSEN))
        case 2 | 3:
            return build.add(
                number(maker, depth - 1), build.scale(maker.choice((-2, -1, 1, 3)), number(maker, depth - 1))
            )
        case 4:
            return build.mod(number(maker, depth - 1), maker.choice((2, 3, 8)))
        case 5:
            return build.div(number(maker, depth - 1), maker.choice((2, 5)))
        case _:
            return build.ite(condition(maker, depth - 1), number(maker, depth - 1), number(maker, depth - 1))


def condition(maker: random.Random, depth: int) -> Term:
    match maker.randrange(5) if depth else maker.randrange(2):
        case 0:
            return build.le(number(maker, depth), number(maker, depth))
        case 1:
            return build.eq(number(maker, depth), number(maker, depth))
        case 2:
            return build.lnot(condition(maker, depth - 1))
        case 3:
            return build.lor(condition(maker, depth - 1), condition(maker, depth - 1))
        case _:
            return build.land(condition(maker, depth - 1), condition(maker, depth - 1))


def test_a_step_without_wraps_is_the_same_step_within_the_ranges_over_600_random_ones() -> None:
    changed = [0]

    def same(seed: int) -> None:
        maker = random.Random(seed)
        ends = [sorted((maker.randint(-4, 5), maker.randint(-4, 5))) for _ in range(4)]
        variables = (X, Y, Z, CHOSEN)
        ranges = {v: Range(*e) for v, e in zip(variables[:3], ends, strict=False)}
        guard = build.land(*(condition(maker, 2) for _ in range(maker.randint(1, 4))))
        choice = Variable(CHOSEN, Kind.LOCAL, *ends[3])
        edge = step(guard, ((X, number(maker, 3)), (Y, number(maker, 2))), (choice,))
        made = without_wraps(edge, ranges, ())
        changed[0] += made != edge
        values, again = dict(edge.updates), dict(made.updates)
        assert made.label is not None and edge.label is not None
        for state in product(*(range(low, high + 1) for low, high in ends)):
            known = dict(zip(variables, state, strict=True))
            # The range of a choice is narrowed only by what the guard says.
            kept = all(
                (c.low is None or c.low <= known[c.var]) and (c.high is None or known[c.var] <= c.high)
                for c in made.choices
            )
            assert holds(edge.guard, known) == (kept and holds(made.guard, known)), (seed, known)
            if holds(edge.guard, known):
                for var in (X, Y):
                    assert evaluate(values[var], known) == evaluate(again.get(var, var), known), (seed, known)
                for shown, told in zip(edge.label.values, made.label.values, strict=True):
                    assert evaluate(shown, known) == evaluate(told, known), (seed, known)

    for seed in range(600):
        same(seed)
    assert changed[0] >= 230


def test_a_value_is_within_its_span_where_conditions_hold_over_400_random_ones() -> None:
    def spanned(seed: int) -> None:
        maker = random.Random(seed)
        ends = [sorted((maker.randint(-4, 5), maker.randint(-4, 5))) for _ in range(4)]
        variables = (X, Y, Z, CHOSEN)
        told = condition(maker, 2)
        known = told_by(build.conjuncts(told), {v: Range(*e) for v, e in zip(variables, ends, strict=True)})
        term = number(maker, 3)
        low, high = interval_of(term, known or {})
        for state in product(*(range(low, high + 1) for low, high in ends)):
            at = dict(zip(variables, state, strict=True))
            if holds(told, at):
                assert known is not None, seed
                value = evaluate(term, at)
                assert within(low, value, high), (seed, at)

    for seed in range(400):
        spanned(seed)


def test_a_counter_below_a_bound_of_its_type_does_not_wrap_around() -> None:
    word = Range(0, 2**32 - 1)
    wrapped = build.ite(build.lt(X, build.integer(2**32 - 1)), build.add(X, build.ONE), build.ZERO)
    made = without_wraps(step(build.lt(X, Y), ((X, wrapped),)), {X: word, Y: word}, ())
    assert made.updates == ((X, build.add(X, build.ONE)),)


def test_a_condition_does_not_show_itself() -> None:
    """`x <= x % 4` bounds x by 3, and would then be true: it must stay."""
    guard = build.le(X, build.mod(X, 4))
    made = without_wraps(step(guard, ((Y, build.mod(X, 4)),)), {X: Range(0, None)}, ())
    assert made.guard == guard
    assert made.updates == ((Y, X),)


def test_a_condition_that_excludes_the_step_leaves_it_as_it_is() -> None:
    edge = step(build.land(build.lt(X, Y), build.lt(Y, X)), ((X, build.mod(X, 4)),))
    assert without_wraps(edge, {X: Range(0, 3), Y: Range(0, 3)}, ()) == edge
