"""Ghosts of joint proofs and lemmas: they may record what happened, and change nothing of what happens."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from msgspec.structs import replace

from sa.base.limits import Limits
from sa.certificates.ghosts import Ghost
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Joint, Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.terms import build
from sa.terms.sort import BOOL, INT
from sa.terms.term import Term, Var
from tests.language.texts import program_of

#: `twice` is 2 * (steps of A), which no variable counts.
TEXT = """
global x : int = 0; global odd : bool = false;
thread A {{ while (true) {{ atomic {{ x := x + {by}; odd := !odd; }} }} }}
thread B {{ while (true) {{ assert x % 2 == 0; }} }}
"""


X, COUNT = build.variable("x", INT), build.variable("x@count", INT)


def counting(step: Term) -> Ghost:
    """How often A has moved, which its only edge with updates counts."""
    (thread,) = (t for t in program_of(TEXT.format(by=2)).threads if t.name == "A")
    number = next(n for n, e in enumerate(thread.edges) if e.updates)
    return Ghost(COUNT, build.ZERO, (((0, number), step),))


GHOST = counting(build.add(COUNT, build.ONE))
TWICE = build.eq(X, build.scale(2, COUNT))
NEVER = (Bad(Failing(), None),)


def lemmas_of(ghosts: tuple[Ghost, ...], by: int = 2, said: Term = TWICE) -> Lemmas:
    return Lemmas(program_of(TEXT.format(by=by)).threads, (said,), NEVER, (), ghosts)


def joint_of(ghosts: tuple[Ghost, ...], by: int = 2, said: Term = TWICE) -> Joint:
    threads = program_of(TEXT.format(by=by)).threads
    places = [(p.name, q.name) for p in threads[0].locations for q in threads[1].locations]
    kept = [p for p in places if p[1] != "fail"]
    return Joint(threads, tuple((p, said) for p in kept), NEVER, (), ghosts=ghosts)


def rulings(ghosts: tuple[Ghost, ...], by: int = 2, said: Term = TWICE) -> tuple[Ruling, Ruling]:
    """What the checker says of both sorts of proofs."""
    one, two = lemmas_of(ghosts, by, said), joint_of(ghosts, by, said)
    return check_lemmas(one, Limits()), check_joint(two, Limits())


def test_what_a_ghost_counts_may_be_used() -> None:
    assert all(isinstance(r, Accepted) for r in rulings((GHOST,)))


def test_without_the_ghost_the_formula_speaks_of_a_variable_that_does_not_exist() -> None:
    assert all(isinstance(r, Rejected) for r in rulings(()))


def test_a_ghost_does_not_make_a_program_do_less() -> None:
    """With steps of 3 the assertion fails, whatever is counted."""
    for step in (build.add(COUNT, build.ONE), build.add(COUNT, X), build.scale(2, X), build.ZERO, COUNT):
        assert all(isinstance(r, Rejected) for r in rulings((counting(step),), 3))


#: What is no ghost, by why.
FAULTS: dict[str, Callable[[], Ghost]] = {
    "the name of a variable of the program": lambda: replace(GHOST, var=X),
    "the name of another sort of variable": lambda: replace(GHOST, var=build.variable("odd", INT)),
    "no integer": lambda: Ghost(build.variable("g@g", BOOL), build.TRUE, ()),
    "where a thread is": lambda: Ghost(build.variable("at A.L3", INT), build.ZERO, ()),
    "a next value": lambda: replace(GHOST, var=build.variable("x'", INT)),
    "a start that is no value of the program": lambda: replace(GHOST, start=build.variable("nobody", INT)),
    "a start that is another ghost": lambda: replace(GHOST, start=COUNT),
    "a start of another sort": lambda: replace(GHOST, start=build.TRUE),
    "a step of no thread": lambda: replace(GHOST, steps=(((7, 0), build.ZERO),)),
    "a step of no edge": lambda: replace(GHOST, steps=(((0, 99), build.ZERO),)),
    "a step counted from the end": lambda: replace(GHOST, steps=(((0, -1), build.ZERO),)),
    "two values in one step": lambda: replace(GHOST, steps=GHOST.steps * 2),
    "a value of a variable that does not exist": lambda: counting(build.variable("nobody", INT)),
    "a value of another sort": lambda: counting(build.TRUE),
}


@pytest.mark.parametrize("why", FAULTS)
def test_what_is_no_ghost_is_rejected(why: str) -> None:
    for ruling in rulings((FAULTS[why](),), said=build.TRUE):
        assert isinstance(ruling, Rejected) and ruling.obligation.startswith("well-formed")


def test_two_ghosts_of_one_name_are_rejected() -> None:
    ruling = check_lemmas(lemmas_of((GHOST, replace(GHOST, steps=()))), Limits())
    assert isinstance(ruling, Rejected) and ruling.obligation.startswith("well-formed")


def test_no_ghosts_at_random_hide_a_failure() -> None:
    """Formulas and ghosts made at random about a program that fails: none is accepted."""
    rng, seen = Random(0), 0
    for _ in range(300):
        ghosts = tuple(_random_ghost(rng, name) for name in ("g@a", "g@b"))
        own = [X, *(g.var for g in ghosts)]
        said = build.lor(*(_comparison(rng, own) for _ in range(rng.randint(1, 3))))
        assert not isinstance(check_lemmas(lemmas_of(ghosts, 3, said), Limits()), Accepted)
        seen += isinstance(check_lemmas(lemmas_of(ghosts, 2, build.land(said, TWICE)), Limits()), Rejected)
    assert seen


def _random_ghost(rng: Random, name: str) -> Ghost:
    var = build.variable(name, INT)
    return replace(counting(_sum(rng, [X, var])), var=var, start=_sum(rng, [X]))


def _sum(rng: Random, variables: list[Var]) -> Term:
    terms = [build.scale(rng.randint(-2, 2), v) for v in variables]
    return build.add(build.integer(rng.randint(-1, 3)), *terms)


def _comparison(rng: Random, variables: list[Var]) -> Term:
    total = _sum(rng, variables)
    return rng.choice((build.is_zero(total), build.at_most_zero(total), build.is_zero(build.mod(total, 2))))
