"""Updates by a load and a store of who owns the variable: proved as updates in place, and only where they are."""

from __future__ import annotations

import pytest

from sa.automata.program import Program
from sa.base.limits import Limits
from sa.base.verdict import Verdict
from sa.certificates.run import Bad
from sa.certificates.threads import Joint, Lemmas
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import CLAIMS, OWNERSHIP
from sa.engines.verification import Verification
from sa.engines.verify import Options, verify
from sa.question.claims import claims_of
from sa.transform.ownership import owned
from tests.language.texts import program_of

#: Tickets are numbers that wrap around; who is served says who is next by a load and a store.
TICKETS = """global next, serving : 0..255 = 0;
thread P[i : 1..2] {
  local mine, s : 0..255 = 0;
  while (true) {
    await true { mine := next; next := (next + %d) %% 256; }
    await serving == mine;
    CS: s := serving;
    serving := (s + 1) %% 256;
  }
}
invariant mutex : !(at P[1].CS && at P[2].CS);"""

#: The same without a lock: the update of one thread may be lost.
LOST = """global x : 0..9 = 0; thread A { local s : 0..9 = 0; s := x; x := s + 1; }
thread B { local s : 0..9 = 0; s := x; x := s + 1; } invariant both : at A.exit && at B.exit ==> x == 2;"""


def answer(text: str) -> Verification:
    """What ownership alone says."""
    return verify(program_of(text), Options(Limits(), portfolio=(Turn(OWNERSHIP, 1.0),)))


def guessed(program: Program, wrong: tuple[Bad, ...] = ()) -> tuple[Bad, ...]:
    """What is guessed of a program."""
    made = owned(program.threads, tuple(b for c in claims_of(program) for b in c.bads), wrong)
    return () if made is None else made.guesses


def test_a_ticket_lock_whose_owner_unlocks_by_a_load_and_a_store() -> None:
    """The proof is about the threads as they are written."""
    outcome = answer(TICKETS % 1)
    assert outcome.verdict is Verdict.PROVED
    (proof,) = outcome.proofs
    assert isinstance(proof, Joint | Lemmas)
    assert proof.threads == outcome.program.threads


def test_its_twin_that_gives_one_ticket_twice_is_not_proved() -> None:
    assert answer(TICKETS % 0).verdict is Verdict.UNKNOWN
    assert verify(program_of(TICKETS % 0), Options(Limits(), portfolio=CLAIMS)).verdict is Verdict.REFUTED


def test_a_copy_that_others_make_stale_proves_nothing() -> None:
    """A run shows that the guess is wrong; without it there is nothing to try."""
    assert answer(LOST).verdict is Verdict.UNKNOWN
    program = program_of(LOST)
    guesses = guessed(program)
    assert len(guesses) == 2
    assert guessed(program, guesses) == ()


@pytest.mark.parametrize("store", ["x := 3;", "x := s;", "skip;"])
def test_stores_that_do_not_use_a_copy_of_the_same_variable_are_left_as_they_are(store: str) -> None:
    text = f"global x, y : 0..9 = 0; thread A {{ local s : 0..9 = 0; s := y; {store} }} invariant it : x <= 9;"
    assert guessed(program_of(text)) == ()
