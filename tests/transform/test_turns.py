"""Turns: where one variable says who may step, blocks are what a thread does in its turn, and nobody else has one."""

from __future__ import annotations

import pytest

from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.base.verdict import Verdict
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import TURNS
from sa.engines.verification import Verification
from sa.engines.verify import Options, verify
from sa.terms.term import Int
from sa.transform.turns import turns
from sa.transform.values import constants
from tests.language.texts import program_of
from tests.transform.test_reduce import reduced

#: Two threads that hand a turn to each other: what is added is taken away before the other one looks.
HANDED = """
global turn : 0..1 = 0; global x : int = 0;
thread A { while (true) { await turn == 0; x := x + 1; x := x - %d; turn := 1; } }
thread B { while (true) { await turn == 1; assert x == 0; turn := 0; } }
"""
#: A scheduler that is written out: nobody has the turn where it is 2.
GIVEN_BACK = """
global turn : 0..2 = 2; global x : int = 0;
thread A { while (true) { await turn == 2 { turn := 0; } x := x + 1; x := x - %d; turn := 2; } }
thread B { while (true) { await turn == 2 { turn := 1; } assert x == 0; turn := 2; } }
"""
#: As before, but the second thread writes without having the turn.
INTRUDING = """
global turn : 0..2 = 2; global x : int = 0;
thread A { while (true) { await turn == 2 { turn := 0; } x := x + 1; x := x - 1; turn := 2; } }
thread B { while (true) { await turn == 2 { turn := 1; } assert x == 0; turn := 2; x := x + 2; } }
"""
#: As before, but the second thread takes the turn without asking whether the first one has it.
STEALING = """
global turn : 0..2 = 2; global x : int = 0;
thread A { while (true) { await turn == 2 { turn := 0; } x := x + 1; x := x - 1; turn := 2; } }
thread B { while (true) { turn := 1; assert x == 0; turn := 2; } }
"""
#: Requests of which some go on at once, a loop in a turn, and a step of its own at the end.
COOPERATIVE = """
scheduler fairthreads;
event e;
global x : int = 0;
thread A { for i in 1..3 { x := x + 1; } x := x - %d; notify e; }
thread B { wait e; assert x == 0; yield; assert x == 0; }
"""


def answer(text: str) -> Verification:
    """What `verify` says by turns alone."""
    return verify(program_of(text), Options(Limits(), portfolio=(Turn(TURNS, 1.0),)))


def owned(text: str) -> list[dict[str, int]]:
    """By thread the locations where it has the turn, with the turn's value."""
    found = turns(tuple(map(apart, program_of(text).threads)))
    assert found is not None
    said = [{q: tuple(constants(formulas).values()) for q, formulas in here.items()} for here in found]
    return [
        {q: x.value for q, (x, *_) in ((q, v) for q, v in here.items() if v) if isinstance(x, Int)} for here in said
    ]


def test_who_gave_the_turn_back_does_not_have_it() -> None:
    """`A` has it behind its first step, until it gives it back."""
    mine, theirs = owned(GIVEN_BACK % 1)
    assert set(mine.values()) == {0}
    assert set(theirs.values()) == {1}
    assert "q0" not in mine


@pytest.mark.parametrize("text", [INTRUDING, STEALING])
def test_there_are_no_turns_where_somebody_does_not_ask(text: str) -> None:
    assert turns(tuple(map(apart, program_of(text).threads))) is None


@pytest.mark.parametrize("text", [HANDED, GIVEN_BACK])
def test_a_turn_is_one_step(text: str) -> None:
    """Nothing but taking the turn begins a step, so `A` has one, from its only cut to itself."""
    made = reduced(text % 1)
    inside = {q for q in owned(text % 1)[0] if q != made.threads[0].initial}
    cut = {q for q, why in made.cuts[0].why.items()}
    assert inside
    assert inside.isdisjoint(cut)


@pytest.mark.parametrize("text", [HANDED, GIVEN_BACK, COOPERATIVE])
@pytest.mark.parametrize("right", [True, False])
def test_what_holds_between_turns_is_proved_and_what_does_not_is_refuted(text: str, right: bool) -> None:
    amount = 3 if text is COOPERATIVE else 1
    outcome = answer(text % (amount if right else amount + 1))
    assert outcome.verdict is (Verdict.PROVED if right else Verdict.REFUTED)


def test_a_part_that_nobody_comes_to_has_the_turn_like_others() -> None:
    """Found at random: what is known there contradicts itself."""
    mine, _ = owned((HANDED % 1).replace("thread A {", "thread A { local k : int = 0; if (k != 0) { x := 5; x := 6; }"))
    assert set(mine.values()) == {0}


def test_nothing_is_said_where_there_are_no_turns() -> None:
    """The writing without a turn is seen by the assertion, which needs other engines."""
    assert answer(INTRUDING).verdict is Verdict.UNKNOWN
    assert verify(program_of(INTRUDING), Options(Limits())).verdict is Verdict.REFUTED
