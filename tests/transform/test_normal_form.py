"""The normal form: threads with fewer variables, and what is found out about them, of the threads as written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.rename import apart
from sa.base.budget import Budget, Report, unheard
from sa.base.limits import limits
from sa.certificates.proof_json import proof_json, read_proof
from sa.certificates.run import Bad, Failing, Run
from sa.certificates.shape import Entry
from sa.certificates.simplified import Simplified
from sa.checker.proofs import check_proof, making
from sa.checker.ruling import Accepted, Rejected
from sa.checker.run import check_run
from sa.checker.simplified import check_simplified
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.normal_form import about_normal_form
from sa.engines.portfolio_of_claims import EQUALITIES, STATES
from sa.question.asked import Asked, Excluded, Refuted
from sa.terms import build
from sa.terms.sort import BOOL, INT
from sa.terms.term import Var
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

#: A thread that steps to the end with a copy of what it has counted.
COUNTED = """
    global x : int = 0;
    thread A { local c, d : int = 0; while (x < 3) { c := x; d := c; x := d + 1; } assert x == 3; }
    thread B { local y : int = 0; y := x; assert y <= 3; }
"""


def locals_of(thread: Automaton) -> set[str]:
    return {str(v.name) for v in variables_of(thread, Kind.LOCAL)}


def found_of(threads: tuple[Automaton, ...], engine: Turn[ClaimEngine], *bads: Bad) -> list[Excluded | Refuted]:
    """What an engine says when it is asked about the normal form."""
    asked = Asked(threads, bads or (FAILS,), ())
    said = about_normal_form(engine).engine.decide(asked, Budget(limits(None, None)), unheard)
    return [s for s in said if isinstance(s, Excluded | Refuted)]


def proof_of(text: str, *bads: Bad) -> Simplified:
    (found,) = found_of(program_of(text).threads, Turn(STATES, 1.0), *bads)
    assert isinstance(found, Excluded)
    assert isinstance(found.evidence, Simplified)
    return found.evidence


def simpler(text: str) -> tuple[Automaton, ...]:
    """The threads that engines see; the written ones where these are in normal form."""
    seen = list[tuple[Automaton, ...]]()

    def look(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
        seen.append(asked.threads)
        return iter(())

    program = program_of(text)
    turn = about_normal_form(Turn(replace(STATES, decide=look), 1.0))
    asked = Asked(program.threads, tuple(Bad(None, i.formula) for i in program.invariants) or (FAILS,), ())
    list(turn.engine.decide(asked, Budget(limits(None, None)), unheard))
    return seen[0]


def test_temporaries_of_calls_are_gone() -> None:
    producer, _ = simpler(PUSHED.format(next="k + 1"))
    assert locals_of(producer) <= {"k"}


def test_a_copy_of_what_another_thread_writes_stays() -> None:
    text = "global x : int = 0; thread A { local c : int = 0; c := x; assert c <= x; } thread B { x := x + 1; }"
    assert locals_of(simpler(text)[0]) == {"c"}
    alone = "global x : int = 0; thread A { local c : int = 0; c := x; assert c <= x; x := c + 1; } thread B { skip; }"
    assert locals_of(simpler(alone)[0]) == set()


def test_a_copy_that_is_out_of_date_stays() -> None:
    text = """global x : int = 0; thread B { skip; }
    thread A { local c : int = 0; while (true) { c := x; x := x + 1; assert c < x; } }"""
    assert locals_of(simpler(text)[1]) == {"c"}


def test_a_value_that_is_known_needs_no_variable() -> None:
    text = "global x : int = 0; thread A { local c : int = 0; c := x; x := x + 1; assert c < x; } thread B { skip; }"
    assert locals_of(simpler(text)[0]) == set()


def test_what_a_test_tells_needs_no_variable() -> None:
    text = """global x, y : int = 0; thread B { x := x + 1; }
    thread A { local mine, seen : int = 0;
      while (true) { mine := x; seen := x; await seen == mine; y := seen; assert y == seen; } }"""
    (edge,) = [e for t in simpler(text) for e in t.edges if e.failure is not None]
    assert edge.guard is build.FALSE


def test_what_a_claim_speaks_of_stays() -> None:
    text = "global x : int = 0; thread A { local c : int = 0; c := x; D: skip; } invariant i : A.c == 0;"
    assert locals_of(simpler(text)[0]) == {"c"}


#: A thread that ends, one that waits for that, and one that is asked about.
JOINED = """
    global x : int = 0;
    global done, begun : bool = false;
    thread Main { begun := true; await done; }
    thread Worker { await begun; x := x + 1; done := true; }
    thread Asked { local c : int = 0; c := x; assert c <= LAST; }
"""


def test_what_is_written_for_those_who_wait_for_the_end_is_gone() -> None:
    main, worker, _ = simpler(JOINED.replace("LAST", "1"))
    assert {str(v.name) for e in (*main.edges, *worker.edges) for v, _ in e.updates} == {"begun", "x"}
    assert all(e.guard is build.TRUE for e in main.edges)


def test_what_decides_whether_something_is_written_stays() -> None:
    text = JOINED.replace("LAST", "1").replace("await done;", "await done; x := 2;")
    main, worker, _ = simpler(text)
    assert {str(v.name) for e in (*main.edges, *worker.edges) for v, _ in e.updates} == {"begun", "done", "x"}
    assert any(e.guard is not build.TRUE for e in main.edges)


def test_a_thread_that_waits_for_nothing_that_matters_rests_in_runs() -> None:
    text = JOINED.replace("LAST", "0").replace("begun := true; await done;", "begun := true; await done; await x > 5;")
    threads = program_of(text).threads
    (found,) = found_of(threads, Turn(STATES, 1.0))
    assert isinstance(found, Refuted)
    assert isinstance(found.evidence, Run)
    assert check_run(threads, FAILS, found.evidence) == Accepted()


def test_a_shared_variable_that_is_tested_on_the_way_to_a_failure_matters() -> None:
    proof = proof_of(JOINED.replace("LAST", "1"))
    worker = tuple(m - {build.variable("begun", BOOL)} for m in proof.matter[1])
    assert worker != proof.matter[1]
    wrong = replace(proof, matter=(proof.matter[0], worker, proof.matter[2]))
    # More is possible without the test, so this proof is about other threads.
    assert rejected(wrong) == "normal form"
    reading = tuple(m - {build.variable("x", INT)} for m in proof.matter[2])
    assert rejected(replace(proof, matter=(*proof.matter[:2], reading))) == "normal form"


def test_what_first_values_depend_on_stays() -> None:
    text = (
        """param N : int; global x, y : int; init x == N + 1 && N == y; thread T { assert x > 3; } thread S { skip; }"""
    )
    assert {str(v.var.name) for v in simpler(text)[0].variables} == {"N", "x", "y"}
    impossible = "global x : int = 0; init x > 0; thread T { assert x == 3; } thread S { skip; }"
    assert [str(v.var.name) for v in simpler(impossible)[0].variables] == ["x"]


def test_what_is_proved_of_the_normal_form_is_accepted_of_the_written_threads() -> None:
    (right,) = found_of(program_of(PUSHED.format(next="k + 1")).threads, Turn(EQUALITIES, 1.0))
    assert isinstance(right.evidence, Simplified)
    assert check_proof(right.evidence, limits(None, None)) == Accepted()
    assert found_of(program_of(PUSHED.format(next="k + 2")).threads, Turn(EQUALITIES, 1.0)) == []


def test_runs_of_the_normal_form_are_runs_of_the_written_threads() -> None:
    threads = program_of(COUNTED.replace("y <= 3", "y <= 2")).threads
    (found,) = found_of(threads, Turn(STATES, 1.0))
    assert isinstance(found, Refuted)
    assert isinstance(found.evidence, Run)
    assert check_run(threads, FAILS, found.evidence) == Accepted()


def test_a_proof_about_the_normal_form_is_the_same_when_it_is_read_again() -> None:
    proof = proof_of(COUNTED)
    bads = {(0, 0): FAILS}
    again = read_proof(Entry(proof_json(proof, bads), "proof"), proof.threads, bads, (), making(limits(None, None)))
    assert isinstance(again, Simplified)
    assert (again.equal, again.matter) == (proof.equal, proof.matter)
    assert check_proof(again, limits(None, None)) == Accepted()


# ---------------------------------------------------------------- each condition is needed


def rejected(proof: Simplified) -> str:
    ruling = check_simplified(proof, limits(None, None))
    assert isinstance(ruling, Rejected), ruling
    return ruling.obligation


def with_equal(proof: Simplified, place: str, copy: str, term: str) -> Simplified:
    """The proof with one more equation at a location of its first thread; variables stay those that mattered."""
    thread = proof.threads[0]
    variables = {str(v.var.name): v.var for v in thread.variables}
    said = tuple(
        (*its, (variables[copy], variables[term])) if q.name == place else its
        for q, its in zip(thread.locations, proof.equal[0], strict=True)
    )
    return replace(proof, equal=(said, *proof.equal[1:]))


def test_an_equation_that_does_not_hold_is_rejected() -> None:
    proof = proof_of("global x : int = 0; thread A { local c : int = 1; c := c + 1; assert c > x; } thread B { skip; }")
    thread = proof.threads[0]
    wrong = tuple(tuple((v, build.integer(7)) for v, _ in its) for its in proof.equal[0])
    assert any(wrong), thread
    assert rejected(replace(proof, equal=(wrong, *proof.equal[1:])))


def test_an_equation_with_what_another_thread_writes_is_rejected() -> None:
    text = "global x : int = 0; thread A { local c, d : int = 0; c := x; d := c; assert d <= 1; } thread B { x := 1; }"
    proof = proof_of(text)
    for place in proof.threads[0].locations:
        assert rejected(with_equal(proof, place.name, "c", "x")) == "normal form"


def test_a_value_that_is_read_matters() -> None:
    text = "global x : int = 0; thread A { local c, d : int = 0; c := x; d := c; assert d <= 1; } thread B { x := 1; }"
    proof = proof_of(text)
    assert any(proof.matter[0])
    none = tuple(frozenset[Var]() for _ in proof.matter[0])
    assert rejected(replace(proof, matter=(none, *proof.matter[1:]))) == "normal form"


def test_what_a_claim_mentions_matters_everywhere() -> None:
    text = "global x : int = 0; thread A { local c, d : int = 0; d := x; c := d; c := 0; } thread B { skip; }"
    local = next(v.var for v in apart(program_of(text).threads[0]).variables if v.kind is Kind.LOCAL)
    proof = proof_of(text, Bad(None, build.le(local, build.integer(1))))
    none = tuple(frozenset[Var]() for _ in proof.matter[0])
    assert rejected(replace(proof, matter=(none, *proof.matter[1:]))) == "normal form"


@pytest.mark.parametrize("part", ["equal", "matter"])
def test_what_is_not_said_of_each_location_is_rejected(part: str) -> None:
    proof = proof_of(COUNTED)
    assert rejected(replace(proof, **{part: ((), *getattr(proof, part)[1:])})) == "normal form"


def test_an_inner_proof_about_other_threads_is_rejected() -> None:
    proof = proof_of(COUNTED)
    assert rejected(replace(proof, inner=replace(proof.inner, threads=proof.threads))) == "normal form"


def test_an_inner_proof_of_less_is_rejected() -> None:
    proof = proof_of(COUNTED)
    assert rejected(replace(proof, inner=replace(proof.inner, never=()))) == "normal form"
