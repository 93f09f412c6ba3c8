"""What joint invariants are made of reaches from a claim about first values to what variables are meanwhile."""

from __future__ import annotations

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Joint
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted
from sa.invariants.joint_conjunctions import by_conjunctions
from sa.question.asked import Asked
from sa.question.claims import claims_of
from tests.language.texts import program_of

STEPS = {
    "a function of the first value stays the same": (
        "function f(int) : int; axiom forall v : int :: f(v + 1) == f(v); param A : int; global a : int = A;"
        "thread P { while (*) { a += 1; } assert f(a) == f(A); } thread Q { skip; }",
        True,
    ),
    "and the result is that of the first value": (
        "function f(int) : int; axiom forall v : int :: v > 1 ==> f(v - 1) == f(v); axiom f(1) == 1; param A : int;"
        "init A > 0; global a : int = A; thread P { while (a > 1) { a -= 1; } assert a == f(A); } thread Q { skip; }",
        True,
    ),
    "which it is not where a step changes the function": (
        "function f(int) : int; axiom forall v : int :: f(v + 2) == f(v); param A : int; global a : int = A;"
        "thread P { while (*) { a += 1; } assert f(a) == f(A); } thread Q { skip; }",
        False,
    ),
}


@pytest.mark.parametrize(("text", "holds"), STEPS.values(), ids=STEPS)
def test_functions_of_first_values(text: str, holds: bool) -> None:
    program = program_of(text)
    asked = Asked(program.threads, (Bad(Failing(), None),), program.axioms)
    found = list(by_conjunctions(asked, Budget(Limits()), unheard))
    assert bool(found) == holds
    for answer in found:
        assert isinstance(answer.evidence, Joint)
        assert check_joint(answer.evidence, Limits()) == Accepted()


SUMS = {
    "a sum of the first numbers": "param n : int; init n >= 0; thread A { local i, s : int = 0;"
    "while (i < n) { s += i; i += 1; } assert 2 * s == n * (n - 1); }",
    "a square as a sum of odd numbers": "param n : int; init n >= 0; thread A { local i, k, s : int = 0;"
    "k := 1; while (i < n) { s += k; k += 2; i += 1; } assert s == n * n; }",
    "cubes by differences": "param n : int; thread A { local k, x, z : int = 0; local y : int = 1;"
    "z := 6; while (k < n) { k += 1; x += y; y += z; z += 6; } assert x == k * k * k; }",
    "an integer square root": "param n : int; init n >= 0; thread A { local a : int = 0; local s, t : int = 1;"
    "while (s <= n) { a += 1; t += 2; s += t; } assert a * a <= n && n < (a + 1) * (a + 1); }",
    "division by subtraction": "param x, y : int; init x >= 0 && y > 0; thread A { local q : int = 0;"
    "local r : int = x; while (r >= y) { r -= y; q += 1; } assert x == q * y + r; }",
    "a product by halving and doubling": "param A, B : int; init B >= 0; thread M { local a : int = A;"
    "local b : int = B; local r : int = 0; while (b > 0) { if (b % 2 == 1) { r += a; } a := 2 * a; b := b / 2; }"
    "assert r == A * B; }",
    "two threads that sum up the same": "param n : int; init n >= 0; global a, b, done : int = 0;"
    "thread A { for i in 1..n { a += i; } done += 1; } thread B { for i in 1..n { b += i; } done += 1; }"
    "thread C { await done == 2; assert a == b; }",
    "turns under a lock": "param n : int; init n >= 0; global s : int = 0; global l : 0..2 = 0; global done : 0..2 = 0;"
    "thread T[k : 1..2] { for i in 1..n { lock(l); s += k; unlock(l); } done += 1; }"
    "thread C { await done == 2; assert s == 3 * n; }",
}


@pytest.mark.parametrize("text", SUMS.values(), ids=SUMS)
def test_equations_that_random_runs_suggest(text: str) -> None:
    program = program_of(text)
    bad = next(b for c in claims_of(program) if c.name.rpartition(": ")[2].startswith("assert") for b in c.bads)
    (answer,) = by_conjunctions(Asked(program.threads, (bad,), ()), Budget(Limits()), unheard)
    assert answer.bads == (bad,)
    assert isinstance(answer.evidence, Joint)
    assert check_joint(answer.evidence, Limits()) == Accepted()


def test_a_sum_that_is_off_by_one_is_not_excluded() -> None:
    program = program_of(SUMS["a sum of the first numbers"].replace("n - 1", "n + 1"))
    asked = Asked(program.threads, (Bad(Failing(), None),), ())
    assert list(by_conjunctions(asked, Budget(Limits()), unheard)) == []
