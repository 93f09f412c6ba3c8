"""Reduction of programs of Popeea, Rybalchenko and Wilhelm (FMCAD 2014): locks held, movers, cuts, blocks."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.base.verdict import Verdict
from sa.certificates.reduced import Phase, Reduced
from sa.certificates.simplified import Simplified
from sa.checker.proofs import check_proof
from sa.checker.ruling import Accepted
from sa.engines.engine import Turn
from sa.engines.portfolio_of_claims import CLAIMS, REDUCTION, without_reduction
from sa.engines.verification import Verification
from sa.engines.verify import Options, verify
from sa.question.claims import claims_of
from sa.terms.build import FALSE
from sa.transform.locks import held, locks_of
from sa.transform.reduce import Reduction, reduction
from sa.transform.reduce import reduced as twice_reduced
from tests.language.texts import program_of

P1 = """
global mx, my : 0..3 = 0; global x, y : int = 2;
thread T1 {
  local a : int = 0;
  lock(mx); a := x; lock(my); y := y + a; unlock(my); a := a + 1; lock(my); y := y + a; unlock(my);
  x := 2 * x + a; unlock(mx);
}
thread T2 { lock(mx); x := x + 2; unlock(mx); }
thread T3 { lock(my); y := y + 2; unlock(my); }
invariant never : !(at T1.exit && at T2.exit && at T3.exit && x == %d);
"""
LOOP = """
param k : int; global m : 0..2 = 0; global x : int = 0;
thread T1 { local i : int = 0; lock(m); while (i < k) { x := x + 1; i := i + 1; } x := x - i; unlock(m); }
thread T2 { lock(m); assert x == 0; unlock(m); }
"""
#: What reductions take for proofs where one of their conditions is forgotten, and programs that are wrong.
TRAPS = {
    "blocks": "global x : int = 0; thread T1 { local n : int = 0; x := 1; await n > 0; } thread T2 { assert x == 0; }",
    "diverges": "global x : int = 0; thread T1 { x := 1; while (true) { skip; } } thread T2 { assert x == 0; }",
    "two locks": """global m, n : 0..2 = 0; thread T1 { lock(m); CS: skip; unlock(m); }
      thread T2 { lock(n); CS: skip; unlock(n); } invariant mutex : !(at T1.CS && at T2.CS);""",
    "both phases": """global m : 0..2 = 0; global x : int = 0;
      thread T1 { local i : 0..2 = 0; while (i < 2) { lock(m); x := x + 1; unlock(m); i := i + 1; } }
      thread T2 { lock(m); assert x != 1; unlock(m); }""",
}


def reduced(text: str) -> Reduction:
    """The reduction of a program for all that it claims."""
    program = program_of(text)
    bads = tuple(b for c in claims_of(program) for b in c.bads)
    return reduction(program.threads, bads, program.axioms, Limits())


def answer(text: str, only: bool = False) -> Verification:
    """What `verify` says, with reduction alone if wanted."""
    portfolio = (Turn(REDUCTION, 1.0),) if only else CLAIMS
    return verify(program_of(text), Options(Limits(), portfolio=portfolio))


def letters(made: Reduction, number: int) -> dict[str, str]:
    """How the steps of a thread move, as `0-1`; steps that fail are left out."""
    thread = made.threads[number]
    steps = enumerate(thread.edges)
    return {
        f"{e.source}-{e.target}".replace("q", ""): made.movers.kinds[number, k].value
        for k, e in steps
        if e.target not in ("fail", "exit")
    }


def cut(made: Reduction, number: int) -> set[str]:
    """Where blocks of a thread begin and end, but for failures."""
    phases = made.cuts[number].phases
    return {q for q, phase in phases.items() if phase is Phase.CUT and q != "fail"}


def test_locks_that_are_held_in_p1() -> None:
    """Section 3.1 of the digest: none at 0 and 11, both at 3, 4, 7 and 8."""
    made = reduced(P1 % 11)
    locks = locks_of(made.facts.threads)
    assert {v.name for v in locks} == {"mx", "my"}
    both, one = {3, 4, 7, 8}, {1, 2, 5, 6, 9, 10}
    for place in range(12):
        names = {v.name for v in held(made.facts, locks, (0, f"q{place}"))}
        assert names == ({"mx", "my"} if place in both else {"mx"} if place in one else set())


def test_movers_of_p1() -> None:
    """Who takes a lock moves right, who gives it back left, and all else both ways: no step of the first is fixed."""
    made = letters(reduced(P1 % 11), 0)
    right, left = {"0-1", "2-3", "6-7"}, {"4-5", "8-9", "10-11"}
    assert made == {step: "R" if step in right else "L" if step in left else "B" for step in made}
    assert right | left <= made.keys()


def test_blocks_of_p1() -> None:
    """The first thread has two blocks, the others one: 12 orders."""
    made = reduced(P1 % 11)
    assert [cut(made, n) for n in range(3)] == [{"q0", "q6", "exit"}, {"q0", "exit"}, {"q0", "exit"}]
    blocks = [{(e.source, e.target) for e in t.edges if e.label is None} for t in made.composed]
    assert [len(b) for b in blocks] == [2, 1, 1]
    assert orders(made.composed, tuple(t.initial for t in made.composed)) == 12


def orders(threads: tuple[Automaton, ...], here: tuple[str, ...]) -> int:
    """The ways to go to the ends of threads without branches, failures aside."""
    steps = [
        (*here[:n], e.target, *here[n + 1 :])
        for n, t in enumerate(threads)
        for e in t.edges
        if e.source == here[n] and e.label is None
    ]
    return sum(orders(threads, there) for there in steps) if steps else 1


def test_p1_is_proved_by_reduction_alone() -> None:
    outcome = answer(P1 % 11, only=True)
    assert outcome.verdict is Verdict.PROVED
    # What the claim does not depend on is gone before.
    inner = [proof.inner if isinstance(proof, Simplified) else proof for proof in outcome.proofs]
    assert any(isinstance(proof, Reduced) for proof in inner)


def test_a_run_of_blocks_is_shown_step_by_step() -> None:
    """Its twin is refuted by a run of single steps: eleven of the first thread, and the ends of all three."""
    outcome = answer(P1 % 13, only=True)
    run = outcome.findings[-1].run
    assert outcome.verdict is Verdict.REFUTED
    assert run is not None
    assert len(run.turns) == 12 + 4 + 4


def test_a_loop_under_a_lock_is_proved_for_any_number_of_rounds() -> None:
    assert answer(LOOP, only=True).verdict is Verdict.PROVED
    assert answer(LOOP.replace("x := x - i", "x := x - i - 1"), only=True).verdict is not Verdict.PROVED


@pytest.mark.parametrize("text", TRAPS.values(), ids=TRAPS)
def test_traps_are_refuted_with_reduction_and_without(text: str) -> None:
    program = program_of(text)
    assert answer(text).verdict is Verdict.REFUTED
    assert answer(text, only=True).verdict is not Verdict.PROVED
    fine = verify(program, Options(Limits(), portfolio=without_reduction(CLAIMS)))
    assert fine.verdict is Verdict.REFUTED


def test_places_of_claims_of_failures_and_of_beginnings_are_always_cut() -> None:
    for text in (P1 % 11, LOOP, *TRAPS.values()):
        made = reduced(text)
        for number, thread in enumerate(made.threads):
            ends = {q.name for q in thread.locations} - {e.source for e in thread.edges}
            phases = made.cuts[number].phases
            assert all(phases.get(q, Phase.CUT) is Phase.CUT for q in (*ends, thread.initial))


def test_a_lock_that_somebody_else_gives_back_keeps_nobody_away() -> None:
    """Then the section is no block."""
    text = """global m : 0..2 = 0; global x : int = 0;
      thread T1 { lock(m); x := 1; x := 0; unlock(m); } thread T2 { lock(m); assert x == 0; unlock(m); }"""
    foreign = text + " thread T3 { m := 0; }"
    assert [len(t.locations) for t in reduced(text).composed] == [3, 3]
    assert len(reduced(foreign).composed[0].locations) > 3
    assert answer(foreign).verdict is Verdict.REFUTED


def test_blocks_are_reduced_again_by_what_excludes_pairs_of_their_locations(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is under the lock `m` is found by each thread alone, what is between the flags only then: unless intervals
    know it at once.
    """
    monkeypatch.setattr("sa.engines.reduction._known", lambda asked, budget: None)
    text = """global m : 0..4 = 0; global s : 0..1 = 0; global x : int = 0;
      thread T[i : 1..2] {
        local a : int;
        await s == 0 { s := 1; }
        lock(m); a := x; x := a + 1; unlock(m); lock(m); a := x; x := a - %d; unlock(m);
        assert x == 0; s := 0;
      }"""
    program = program_of(text % 1)
    bads = tuple(b for c in claims_of(program) for b in c.bads)
    made = twice_reduced(program.threads, bads, program.axioms, Limits())
    assert made.again is not None
    assert len(made.threads[0].edges) > len(made.blocks[0].edges) > len(made.composed[0].edges)
    right, wrong = answer(text % 1, only=True), answer(text % 2, only=True)
    assert right.verdict is Verdict.PROVED
    assert wrong.verdict is Verdict.REFUTED
    twice = [proof for proof in right.proofs if isinstance(proof, Reduced) and isinstance(proof.inner[0], Reduced)]
    for proof in twice:
        (below,) = proof.inner
        assert isinstance(below, Reduced)
        bad = replace(proof, inner=(replace(below, facts=(*below.facts, FALSE)),))
        assert not isinstance(check_proof(bad, Limits()), Accepted)
    assert twice


def test_the_work_grows_no_faster_than_the_square_of_threads_that_use_a_lock() -> None:
    def work(threads: int) -> float:
        program = program_of(f"""global m : 0..99 = 0; global x : int = 0;
          thread T[i : 1..{threads}] {{ lock(m); x := x + 1; assert x == 1; x := x - 1; unlock(m); }}""")
        bads, bounds = tuple(b for c in claims_of(program) for b in c.bads), Limits()
        twice_reduced(program.threads, bads, program.axioms, bounds)
        return bounds.work.done

    assert work(12) < 5 * work(6)


def test_a_lock_whose_value_does_not_say_who_holds_it() -> None:
    """A flag that is set and reset: where one thread is in its section the other is not, which is shown first."""
    text = """global s : 0..1 = 0; global x : 0..9 = 0;
      thread T[i : 1..2] { await s == 0 { s := 1; } x := 1; x := 0; s := 0; }
      invariant zero : at T[1].exit && at T[2].exit ==> x == 0;"""
    made = reduced(text)
    assert made.facts.joint
    assert [len(t.edges) for t in made.composed] == [1, 1]
    assert answer(text, only=True).verdict is Verdict.PROVED
