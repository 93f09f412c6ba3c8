"""The solver's answers: models that evaluate, limits that hold, never an answer from a give-up."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from random import Random
from time import process_time

import pytest

from sa.base.limits import LimitReached, Limits, limits
from sa.base.verdict import Reason
from sa.smt.session import Sat, Session, Undecided, Unsat
from sa.terms import build
from sa.terms.evaluate import holds
from sa.terms.sort import INT
from sa.terms.term import Function
from tests.generators.terms import COLOUR, INTS, random_formula, random_state
from tests.language.texts import program_of
from tests.parts import for_each

X, Y, Z = INTS


@for_each("seed", range(150))
def test_answers_agree_with_enumeration(seed: int) -> None:
    rng = Random(seed)
    formula = random_formula(rng, 2)
    answer = Session(Limits()).check((formula,))
    if isinstance(answer, Sat):
        assert holds(formula, {**random_state(rng), **answer.values})
    elif isinstance(answer, Unsat):
        assert not any(holds(formula, random_state(rng)) for _ in range(200))


def test_enumerations_have_no_values_beyond_their_constructors() -> None:
    c = build.variable("c", COLOUR)
    others = (build.lnot(build.eq(c, build.constant(i, COLOUR))) for i in range(3))
    assert isinstance(Session(Limits()).check(tuple(others)), Unsat)


def test_hypotheses_end_with_their_scope() -> None:
    session = Session(Limits())
    with session.assuming((build.lt(X, Y),)):
        assert isinstance(session.check((build.lt(Y, X),)), Unsat)
    assert isinstance(session.check((build.lt(Y, X),)), Sat)


def test_a_model_with_functions_is_not_trusted() -> None:
    f = Function("f", (INT,), INT)
    answer = Session(Limits()).check((build.lt(build.call(f, (X,)), X),))
    assert isinstance(answer, Sat)
    assert not answer.trusted


def test_a_function_without_arguments_is_not_the_variable_of_its_name() -> None:
    value = build.call(Function("x", (), INT), ())
    answer = Session(Limits()).check((build.eq(build.variable("x"), build.ZERO), build.eq(value, build.ONE)))
    assert isinstance(answer, Sat)


def test_a_deadline_ends_a_hard_question_in_time_and_without_an_answer() -> None:
    cubes = build.add(*(build.mul(v, build.mul(v, v)) for v in (X, Y)))
    hard = build.eq(cubes, build.add(build.mul(Z, build.mul(Z, Z)), build.ZERO))
    question = (hard, *(build.lt(build.ZERO, v) for v in INTS))
    started = time.monotonic()
    try:
        answer = Session(limits(1.0, None), rlimit=0).check(question)
    except LimitReached:
        pass
    else:
        assert isinstance(answer, Undecided)
    assert time.monotonic() - started < 10.0


def test_a_deadline_that_has_passed_is_noticed_before_asking() -> None:
    with pytest.raises(LimitReached):
        Session(limits(-1.0, None)).check((build.lt(X, Y),))


def test_resources_that_run_out_leave_the_question_open_and_nothing_else() -> None:
    cubes = build.add(*(build.mul(v, build.mul(v, v)) for v in INTS))
    session = Session(limits(60.0, None), rlimit=500_000)
    assert isinstance(session.check((build.eq(cubes, build.integer(33)),)), Undecided)
    assert isinstance(session.check((build.eq(X, build.integer(33)),)), Sat)


def test_what_was_found_possible_without_a_model_has_one_when_it_is_asked_for() -> None:
    session, formula = Session(Limits()), build.lt(X, Y)
    assert not session.implied(build.lnot(formula), ())
    answer = session.check((formula,))
    assert isinstance(answer, Sat) and answer.trusted and holds(formula, answer.values)
    assert not session.implied(build.lnot(formula), ())
    assert session.implied(build.le(X, Y), (formula,))


def test_what_the_solver_does_not_decide_is_not_implied() -> None:
    cubes = build.add(*(build.mul(v, build.mul(v, v)) for v in INTS))
    session, open_ = Session(limits(60.0, None), rlimit=500_000), build.eq(cubes, build.integer(33))
    assert not session.implied(build.lnot(open_), ())
    assert isinstance(session.check((open_,)), Undecided)


def test_a_shorter_limit_holds_for_a_solver_that_was_asked_before() -> None:
    cubes = build.add(*(build.mul(v, build.mul(v, v)) for v in (X, Y)))
    hard = build.eq(cubes, build.add(build.mul(Z, build.mul(Z, Z)), build.ZERO))
    session = Session(limits(120.0, None), rlimit=0)
    assert isinstance(session.check((build.lt(X, Y),)), Sat)
    session.bounds = limits(0.5, None)
    started = time.monotonic()
    with suppress(LimitReached):
        assert isinstance(session.check((hard, *(build.lt(build.ZERO, v) for v in INTS))), Undecided)
    assert time.monotonic() - started < 10.0


def test_ctrl_c_while_the_solver_works_is_an_interruption() -> None:
    """The solver catches the signal itself and only says that it was cancelled."""
    cubes = build.add(*(build.mul(v, build.mul(v, v)) for v in INTS))
    question = (build.eq(cubes, build.integer(42)), build.lt(build.integer(1000), X))
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    ctrl_c = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    ctrl_c.start()
    try:
        with pytest.raises(LimitReached) as stopped:
            Session(limits(60.0, None), rlimit=0).check(question)
    finally:
        ctrl_c.join()
        signal.signal(signal.SIGINT, before)
    assert stopped.value.reason is Reason.INTERRUPTED


@pytest.mark.parametrize(
    ("laws", "contradict"),
    [
        (("f(f(v)) == v",), False),
        (("f(f(v)) == v", "f(v) == 0"), True),
        (("f(v) > v", "f(v) < v"), True),
        (("f(v + 1) == f(v) + 1", "v != 0 || f(v) == 0", "v != 4 || f(v) == 5"), True),
    ],
)
def test_laws_that_contradict_each_other_do_so_soon_and_others_cost_little(
    laws: tuple[str, ...], contradict: bool
) -> None:
    text = (
        "function f(int) : int;\n" + "".join(f"axiom forall v : int :: {law};\n" for law in laws) + "thread T { skip; }"
    )
    axioms = tuple(a.formula for a in program_of(text).axioms)
    session = Session(limits(20.0, None), axioms)
    started = process_time()
    assert isinstance(session.check(()), Unsat) is contradict
    # Looking for a model of the first of them never ends by itself.
    assert process_time() - started < 1.0
