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
