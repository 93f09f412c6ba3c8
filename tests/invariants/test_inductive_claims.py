"""Claims that are inductive as they stand are proved at once, whatever else is claimed beside them."""

from __future__ import annotations

import pytest

from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.ruling import Accepted
from sa.invariants.inductive_claims import by_claims
from sa.question.asked import Asked
from sa.terms.build import FALSE, variable
from sa.terms.sort import BOOL
from tests.language.texts import program_of

PROVED = {
    "parity": "global x : int = 0; thread A { while (*) { x := x + 2; } } thread B { while (*) { x := x + 4; } }"
    "invariant even : x % 2 == 0;",
    "squares": "global x, y : int = 0; thread A { while (*) { x, y := x + 1, y + 2 * x + 1; } } thread B { skip; }"
    "invariant square : y == x * x;",
    "products": "global x, y, z : int = 0; thread A { while (*) { x, z := x + 1, z + y; } }"
    "thread B { while (*) { y, z := y + 1, z + x; } } invariant area : z == x * y;",
    "a function under an axiom": "function f(int) : int; axiom forall n : int :: f(n + 1) == f(n);"
    "global x : int = 0; thread A { while (*) { x := x + 1; } } thread B { skip; } invariant same : f(x) == f(0);",
    "sums": "global x, a, b : int = 0; thread A { while (*) { atomic { a := a + 1; x := x + 1; } } }"
    "thread B { while (*) { atomic { b := b + 1; x := x - 1; } } } invariant sum : x == a - b;",
    "locations": "global x : int = 0; thread A { L: x := 1; M: x := 0; } thread B { skip; }"
    "invariant between : x == (if at A.M then 1 else 0);",
    "mutual exclusion": "global l : bool = false; thread T[i : 1..2] {"
    "while (true) { await !l { l := true; } CS: l := false; } }"
    "invariant alone : !(at T[1].CS && at T[2].CS) && (at T[1].CS || at T[2].CS ==> l);",
    "a check that its own condition keeps": "global x : int = 5; thread A { while (*) { assert x > 0; x := x + 1; } }",
}
TOGETHER = """
    global x, y : int = 1;
    thread A { while (*) { x := x + y; } } thread B { while (*) { y := y + x; } }
    invariant first : x > 0; invariant second : y > 0;
"""


def bads(program: Program) -> tuple[Bad, ...]:
    """What is claimed, as something bad."""
    claims = tuple(Bad(None, i.formula) for i in program.invariants)
    return claims or (Bad(Failing(), None),)


def excluded(program: Program) -> tuple[Bad, ...]:
    """What is excluded, after the checker has accepted it."""
    done = list[Bad]()
    for found in by_claims(Asked(program.threads, bads(program), program.axioms), Budget(Limits()), unheard):
        assert isinstance(found.evidence, Lemmas)
        assert check_lemmas(found.evidence, Limits()) == Accepted()
        done += found.bads
    return tuple(done)


@pytest.mark.parametrize("name", PROVED)
def test_what_is_inductive_as_it_stands_is_proved(name: str) -> None:
    program = program_of(PROVED[name])
    assert excluded(program) == bads(program)


def test_claims_may_rest_on_each_other() -> None:
    program = program_of(TOGETHER)
    assert excluded(program) == bads(program)
    first, _ = bads(program)
    alone = Asked(program.threads, (first,), ())
    assert not list(by_claims(alone, Budget(Limits()), unheard))


def test_what_is_not_inductive_keeps_nothing_else_from_being_proved() -> None:
    program = program_of(PROVED["sums"].replace("invariant", "invariant odd : a != 7; invariant"))
    assert excluded(program) == bads(program)[1:]


@pytest.mark.parametrize("claim", ["x != 0", "x <= 3", "y == x", "at A.q0 ==> x == 0", "!at A.q1"])
def test_what_is_no_invariant_is_not_accepted(claim: str) -> None:
    text = "global x, y : int = 0; thread A {{ while (*) {{ x := x + 1; }} }} thread B {{ skip; }} invariant c : {};"
    program = program_of(text.format(claim))
    (bad,) = bads(program)
    assert bad.claim is not None
    ruling = check_lemmas(Lemmas(program.threads, (bad.claim,), (bad,), ()), Limits())
    assert not isinstance(ruling, Accepted)


def test_lemmas_that_do_not_imply_the_claim_are_not_accepted() -> None:
    program = program_of("global x : int = 0; thread A { x := 1; } thread B { skip; } invariant c : x == 0;")
    (bad,) = bads(program)
    assert not isinstance(check_lemmas(Lemmas(program.threads, (), (bad,), ()), Limits()), Accepted)
    assert not isinstance(check_lemmas(Lemmas(program.threads, (FALSE,), (bad,), ()), Limits()), Accepted)


def test_failing_steps_that_lemmas_allow_are_not_excluded() -> None:
    program = program_of("global x : int = 0; thread A { assert x == 0; } thread B { x := 1; }")
    bad = Bad(Failing(), None)
    assert not isinstance(check_lemmas(Lemmas(program.threads, (), (bad,), ()), Limits()), Accepted)


def test_lemmas_about_what_is_not_there_are_not_accepted() -> None:
    program = program_of("global x : int = 0; thread A { skip; } thread B { skip; }")
    for lemma in (variable("z", BOOL), variable("at A.nowhere", BOOL), variable("x")):
        assert not isinstance(check_lemmas(Lemmas(program.threads, (lemma,), (), ()), Limits()), Accepted)
