"""What is asked about cases of environments once is not asked of other cases."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.conditions.inductive import Settled, not_inductive
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import primed
from sa.terms.term import Term
from tests.language.texts import program_of

A, B = build.variable("a"), build.variable("b")
STILL_A, STILL_B = (build.eq(primed(v), v) for v in (A, B))
SMALL = build.le(primed(B), build.ZERO)


def thread(env: Term) -> Automaton:
    """A thread whose invariant is about both variables."""
    (made,) = program_of("global a, b : int; init a + b <= 0 && b <= 0; thread T { skip; }").threads
    inv = build.land(build.le(build.add(A, B), build.ZERO), build.le(B, build.ZERO))
    return replace(made, locations=tuple(replace(q, inv=inv, env=env) for q in made.locations))


def faults(env: Term, settled: Settled) -> int:
    return len(list(not_inductive(Session(Limits()), thread(env), settled)))


def test_cases_that_say_the_same_of_change_and_let_other_variables_change_are_told_apart() -> None:
    settled = Settled()
    less = build.le(primed(B), B)
    assert not faults(build.lor(build.land(STILL_A, STILL_B), build.land(STILL_A, less)), settled)
    assert faults(build.lor(build.land(STILL_A, STILL_B), less), settled)
    assert not faults(build.land(STILL_A, STILL_B), settled)
    assert faults(build.lor(build.land(STILL_A, STILL_B), SMALL), settled)
