"""Copy propagation: threads with fewer variables, and proofs about them as proofs about the threads as written."""

from __future__ import annotations

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.certificates.run import Bad, Failing
from sa.engines.copies import by_copies
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import EQUALITIES
from sa.transform.copies import propagated
from tests.hybrid.test_engine import judged
from tests.language.texts import program_of

FAILS = Bad(Failing(), None)

#: A producer with the temporaries that an inlined `push(k)` leaves, and a consumer that waits for what it says.
PUSHED = """
    global full : bool = false;
    global slot, tail : int = 0;
    thread P {{
      local k, v, t : int = 0;
      while (true) {{ v := k; t := tail; await !full {{ slot := v; }} tail := t + 1; full := true; k := {next}; }}
    }}
    thread C {{
      local x : int = 0;
      while (true) {{ await full {{ x := slot; }} assert x + 1 == tail; full := false; }}
    }}
"""


def locals_of(thread: Automaton) -> set[str]:
    return {str(v.name) for v in variables_of(thread, Kind.LOCAL)}


def without_copies(text: str) -> tuple[Automaton, ...]:
    program = program_of(text)
    made = propagated(program.threads, (FAILS,))
    return program.threads if made is None else made.threads


def verdict(text: str) -> str:
    turns = (Turn(EQUALITIES, 1.0),)
    return judged(program_of(text).threads, FAILS, lambda _, *asked: by_copies(turns, *asked))


def test_temporaries_of_calls_are_gone() -> None:
    producer, _ = without_copies(PUSHED.format(next="k + 1"))
    assert locals_of(producer) <= {"k"}


def test_a_copy_of_what_another_thread_writes_stays() -> None:
    text = "global x : int = 0; thread A { local c : int = 0; c := x; assert c <= x; } thread B { x := x + 1; }"
    assert locals_of(without_copies(text)[0]) == {"c"}
    alone = "global x : int = 0; thread A { local c : int = 0; c := x; assert c <= x; x := c + 1; } thread B { skip; }"
    assert locals_of(without_copies(alone)[0]) == set()


def test_a_copy_that_is_out_of_date_stays() -> None:
    text = """global x : int = 0; thread B { skip; }
    thread A { local c : int = 0; while (true) { c := x; x := x + 1; assert c < x; } }"""
    assert locals_of(without_copies(text)[1]) == {"c"}


def test_a_value_that_is_known_needs_no_variable() -> None:
    text = "global x : int = 0; thread A { local c : int = 0; c := x; x := x + 1; assert c < x; } thread B { skip; }"
    assert locals_of(without_copies(text)[0]) == set()


def test_what_a_claim_speaks_of_stays() -> None:
    text = "global x : int = 0; thread A { local c : int = 0; c := x; D: skip; } invariant i : A.c == 0;"
    program = program_of(text)
    made = propagated(program.threads, tuple(Bad(None, i.formula) for i in program.invariants))
    assert made is None or locals_of(made.threads[0]) == {"c"}


def test_what_is_proved_without_copies_is_accepted_with_them() -> None:
    assert verdict(PUSHED.format(next="k + 1")) == "proved"
    assert verdict(PUSHED.format(next="k + 2")) == "open"
