"""Arrays as values and terms: normal forms mean what they are made of; all operations agree with evaluation."""

from __future__ import annotations

import pickle
from random import Random

import pytest

from sa.base.limits import Limits, Unsupported
from sa.smt.session import Sat, Session, Undecided, Unsat
from sa.terms import build
from sa.terms.compile import compiled
from sa.terms.evaluate import evaluate, holds
from sa.terms.implicant import implicant
from sa.terms.project import project
from sa.terms.read_smtlib import Names, Unreadable, read_smtlib, read_sort
from sa.terms.smtlib import smtlib, sort_symbol
from sa.terms.sort import BOOL, INT, ArraySort, EnumSort, array_value, default_value, is_value, show_value, stored
from sa.terms.substitute import substitute
from sa.terms.term import Store, Term, sort_of
from tests.generators.arrays import FLAGS, NUMBERS, PAIR, TABLE, VARIABLES, X, Y, agree, random_state, random_term
from tests.parts import for_each

A, B = build.variable("a", NUMBERS), build.variable("b", NUMBERS)
NAMES = Names({v.name: v for v in VARIABLES}, {}, {})
SORTS = (INT, BOOL, NUMBERS, FLAGS, PAIR, TABLE)


def number(n: int) -> Term:
    """A constant."""
    return build.integer(n)


def test_what_is_stored_is_read_and_other_elements_are_as_before() -> None:
    """The two axioms of arrays, as far as indices are known to be equal or to differ."""
    after = build.store(A, X, Y)
    assert build.select(after, X) is Y
    assert build.select(after, build.add(X, build.ONE)) is build.select(A, build.add(X, build.ONE))
    assert build.select(after, Y) is not build.select(A, Y)
    assert build.select(build.constant_array(NUMBERS, Y), X) is Y


def test_stores_at_known_indices_have_one_order_and_no_repetitions() -> None:
    """Equal arrays that differ in how they were written are one term."""
    one = build.store(build.store(A, number(1), X), number(2), Y)
    other = build.store(build.store(build.store(A, number(2), X), number(1), X), number(2), Y)
    assert one is other
    assert build.store(A, X, build.select(A, X)) is A
    assert not isinstance(build.store(build.constant_array(NUMBERS, X), Y, X), Store)


def test_equal_arrays_are_equal_values() -> None:
    """Whatever they were made of; where there are few indices, too."""
    assert stored(array_value(NUMBERS, 0, {1: 5}), 1, 0) == array_value(NUMBERS, 0, {})
    assert array_value(PAIR, 0, {False: 1, True: 1}) == array_value(PAIR, 1, {})
    assert array_value(PAIR, 0, {True: 1}) == array_value(PAIR, 1, {False: 0})
    assert hash(array_value(PAIR, 0, {True: 1})) == hash(array_value(PAIR, 1, {False: 0}))


def test_values_of_arrays_are_told_from_others_and_shown() -> None:
    """An array of truth values is none of integers."""
    value = array_value(NUMBERS, 0, {2: 7})
    assert is_value(value, NUMBERS) and not is_value(value, FLAGS) and not is_value(0, NUMBERS)
    assert is_value(default_value(TABLE), TABLE)
    assert show_value(value, NUMBERS) == "{2: 7, else 0}"


def test_what_is_no_array_is_not_taken_for_one() -> None:
    """Nor the other way round: it is unsupported, which can only end in UNKNOWN."""
    with pytest.raises(Unsupported):
        build.constant(0, NUMBERS)
    with pytest.raises(Unsupported):
        build.constant(array_value(NUMBERS, 0, {}), INT)
    with pytest.raises(Unsupported):
        ArraySort(NUMBERS, INT)
    hues = build.variable("h", ArraySort(INT, EnumSort("Hue", ("Red", "Green"))))
    with pytest.raises(Unsupported):
        Session(Limits()).check((build.eq(build.select(hues, X), build.select(hues, Y)),))


@for_each("seed", range(30))
def test_terms_of_arrays_mean_what_they_are_made_of(seed: int) -> None:
    """`build` keeps meanings; `evaluate` computes them, compiled terms and constants do, too."""
    rng = Random(seed)
    for _ in range(40):
        sort = rng.choice(SORTS)
        term, meaning = random_term(rng, 3, sort)
        state = random_state(rng)
        value = evaluate(term, state)
        assert sort_of(term) == sort and is_value(value, sort)
        assert agree(value, meaning(state), sort)
        assert compiled(term, VARIABLES)(tuple(state[v] for v in VARIABLES)) == value
        assert evaluate(build.constant(value, sort), {}) == value
        assert pickle.loads(pickle.dumps(term)) is term


@for_each("seed", range(30))
def test_substitution_is_evaluation_in_the_updated_state(seed: int) -> None:
    """Of arrays and of indices."""
    rng = Random(seed)
    for _ in range(30):
        term, _ = random_term(rng, 3, rng.choice(SORTS))
        changed = {v: random_term(rng, 2, v.sort)[0] for v in rng.sample(VARIABLES, 3)}
        state = random_state(rng)
        after = {**state, **{v: evaluate(t, state) for v, t in changed.items()}}
        assert evaluate(substitute(term, changed), state) == evaluate(term, after)


@for_each("seed", range(30))
def test_terms_of_arrays_are_read_back_as_they_were_written(seed: int) -> None:
    """In certificates."""
    rng = Random(seed)
    for _ in range(30):
        term, _ = random_term(rng, 3, rng.choice(SORTS))
        assert read_smtlib(smtlib(term), NAMES) is term
    for sort in SORTS:
        assert read_sort(sort_symbol(sort), NAMES) == sort


def test_an_index_is_eliminated_once_nothing_is_read_there_any_more() -> None:
    """`∃ a, x. a[x] == x && y <= x && x != 3` holds for every y, and no value of x stays behind."""
    literals = (build.eq(build.select(A, X), X), build.le(Y, X), build.ne(X, number(3)))
    state = {A: array_value(NUMBERS, 0, {7: 7}), X: 7, Y: 2}
    assert project(literals, (A, X), state)[0] == ()


@pytest.mark.parametrize(
    "text",
    ["(select x 0)", "(select a true)", "(store a 0 true)", "((as const Int) 0)", "((as const (Array Int Int)) true)"],
)
def test_ill_sorted_arrays_are_not_read(text: str) -> None:
    """Certificates may say anything."""
    with pytest.raises(Unreadable):
        read_smtlib(text, NAMES)
    with pytest.raises(Unreadable):
        read_sort("(Array (Array Int Int) Int)", NAMES)


@for_each("seed", range(12))
def test_the_solver_agrees_with_evaluation(seed: int) -> None:
    """In a state, a term has the value that evaluation gives, and no other."""
    rng = Random(seed)
    session = Session(Limits())
    for _ in range(8):
        sort = rng.choice(SORTS)
        term, _ = random_term(rng, 3, sort)
        state = random_state(rng)
        known = [build.eq(v, build.constant(state[v], v.sort)) for v in VARIABLES]
        value = build.constant(evaluate(term, state), sort)
        assert isinstance(session.check((*known, build.ne(term, value))), Unsat)
        found = session.check((*known, build.eq(term, value)))
        assert isinstance(found, Sat) and found.trusted


@for_each("seed", range(12))
def test_models_of_formulas_over_arrays_satisfy_them(seed: int) -> None:
    """The session evaluates each of its models, and raises if one is wrong; what has none holds in no state."""
    rng = Random(seed)
    session = Session(Limits(), rlimit=2_000_000)
    answers = dict[type, int]()
    for _ in range(20):
        formulas = [random_term(rng, 3, BOOL)[0] for _ in range(3)]
        answer = session.check(formulas)
        answers[type(answer)] = answers.get(type(answer), 0) + 1
        if isinstance(answer, Unsat):
            states = (random_state(rng) for _ in range(50))
            assert not any(all(holds(f, s) for f in formulas) for s in states)
        elif isinstance(answer, Sat):
            assert answer.trusted
    assert answers.get(Undecided, 0) < 5


@for_each("seed", range(10))
def test_implicants_and_projections_of_formulas_over_arrays(seed: int) -> None:
    """They are true in their state and imply what they are said to."""
    rng = Random(seed)
    session = Session(Limits(), rlimit=2_000_000)
    for _ in range(6):
        formula, _ = random_term(rng, 3, BOOL)
        state = random_state(rng)
        if not holds(formula, state):
            continue
        literals = implicant((formula,), state)
        assert all(holds(t, state) for t in literals)
        assert not isinstance(session.check((*literals, build.lnot(formula))), Sat)
        gone = rng.sample(VARIABLES, 3)
        rest, _ = project(literals, gone, state)
        assert all(holds(t, state) and t.free.isdisjoint(gone) for t in rest)


def test_an_array_that_is_only_read_is_eliminated_by_its_elements() -> None:
    """What is left speaks of the indices, not of one array."""
    literals = (build.eq(build.select(A, X), number(1)), build.ne(build.select(A, Y), number(1)))
    state = {A: array_value(NUMBERS, 0, {2: 1}), X: 2, Y: 5}
    rest, _ = project(literals, (A,), state)
    assert rest == (build.lt(X, Y),)


@for_each("seed", range(20))
def test_projection_of_arrays_implies_that_there_are_some(seed: int) -> None:
    """The solver finds no state of the projection without arrays that satisfy the literals: asked around the state."""
    rng = Random(seed)
    session = Session(Limits(), rlimit=2_000_000)
    for _ in range(4):
        formula, _ = random_term(rng, 3, BOOL)
        state = random_state(rng)
        if not holds(formula, state):
            continue
        literals = implicant((formula,), state)
        gone = [v for v in VARIABLES if v not in (X, Y)]
        rest, exact = project(literals, gone, state)
        for x in range(-2, 4):
            for y in range(-2, 4):
                here = {X: x, Y: y}
                if all(holds(t, here) for t in rest):
                    point = (build.eq(X, number(x)), build.eq(Y, number(y)))
                    assert not isinstance(session.check((*point, *literals)), Unsat)
                elif exact:
                    point = (build.eq(X, number(x)), build.eq(Y, number(y)))
                    assert not isinstance(session.check((*point, *literals)), Sat)


def test_terms_that_share_their_parts_are_evaluated_once_for_each_part() -> None:
    # Written out, the term has 2^60 parts: rounds of a loop that computes with elements make such terms.
    term: Term = X
    for _ in range(60):
        term = build.add(term, build.select(A, term))
    state = {A: array_value(NUMBERS, 0, {}), X: 5}
    assert evaluate(term, state) == 5
    assert implicant((build.eq(term, number(5)),), state) == (build.eq(term, number(5)),)
