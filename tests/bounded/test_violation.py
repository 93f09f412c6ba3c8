"""Runs that refute: found where there is one within reach, as short as possible, and nothing else is called a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

import pytest

from sa.automata.automaton import FAIL, Automaton
from sa.automata.program import Program
from sa.base.budget import Budget, unheard
from sa.base.limits import LimitReached, Limits, limits
from sa.base.verdict import Reason
from sa.bounded.bounded_model_checking import find_run
from sa.bounded.wanted import Wanted
from sa.certificates.run import Bad, Ending, Failing, Run
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.terms.build import FALSE
from tests.invariants.judge import distance, random_question
from tests.language.texts import program_of

ANY = Bad(Failing(), None)
#: How many states are looked at, and then which bounds.
Effort: TypeAlias = tuple[int, Wanted | None]
BY_STEPS: Effort = (600_000, None)
BY_SOLVER: Effort = (0, Wanted())
BOTH = (BY_STEPS, BY_SOLVER)


def claimed(program: Program) -> Bad:
    """That the program's only invariant is false."""
    (invariant,) = program.invariants
    return Bad(None, invariant.formula)


def _run(threads: tuple[Automaton, ...], bad: Bad, effort: Effort, bounds: Limits | None = None) -> Run | None:
    return find_run(threads, bad, Budget(bounds or Limits()), unheard, *effort)


def found(text: str | Program, effort: Effort, bad: Bad | None = None) -> Run | None:
    """The run found for a program, accepted by the checker; for its claim if it has one, else for a failure."""
    program = program_of(text) if isinstance(text, str) else text
    wanted = bad or (claimed(program) if program.invariants else ANY)
    run = _run(program.threads, wanted, effort)
    assert run is None or check_run(program.threads, wanted, run) == Accepted()
    return run


def movers(run: Run | None) -> str:
    """Who moves, one letter each step."""
    assert run is not None
    return "".join(turn.thread for turn in run.turns)


@pytest.mark.parametrize("effort", BOTH)
def test_a_false_assertion_is_reached_by_a_shortest_run(effort: Effort) -> None:
    run = found("global x : int = 0; thread A { x := 1; x := 2; } thread B { skip; assert x != 1; }", effort)
    assert run is not None
    assert sorted(movers(run)) == ["A", "B", "B"]
    assert run.ending is Ending.FAILED


@pytest.mark.parametrize("effort", BOTH)
def test_a_claim_may_be_false_at_once(effort: Effort) -> None:
    run = found("global x : 0..3; thread A { skip; } invariant small : x < 3;", effort)
    assert run is not None
    assert (run.turns, run.ending) == ((), Ending.VIOLATED)


@pytest.mark.parametrize("effort", BOTH)
def test_a_claim_may_speak_of_where_threads_are(effort: Effort) -> None:
    text = "thread A {{ CS: skip; }} thread B {{ skip; CS: {} }} invariant apart : !(at A.CS && at B.CS);"
    assert movers(found(text.format("skip;"), effort)) == "B"
    waiting = "global f : bool = true; thread A { await !f; CS: skip; } invariant never : !(at A.CS);"
    assert found(waiting, effort) is None


@pytest.mark.parametrize("effort", BOTH)
def test_both_a_failure_and_a_claim_can_be_asked_for(effort: Effort) -> None:
    text = "global x : int = 0; thread A { x := 1; assert false; } invariant zero : x == 0;"
    program = program_of(text)
    claim = claimed(program).claim
    endings = [found(text, effort, b) for b in (Bad(Failing(), claim), Bad(Failing(), None))]
    told = [run and (run.ending, len(run.turns)) for run in endings]
    # Runs within bounds are in few rounds, whatever their length.
    shortest_ = (Ending.VIOLATED, 1) if effort == BY_STEPS else (Ending.FAILED, 2)
    assert told == [shortest_, (Ending.FAILED, 2)]


@pytest.mark.parametrize("effort", BOTH)
def test_only_the_failure_that_is_asked_for_counts(effort: Effort) -> None:
    program = program_of("thread A { assert false; } thread B { skip; assert false; skip; }")
    (late,) = (e for e in program.threads[1].edges if e.label is not None and e.label.action == FAIL)
    assert movers(found(program, effort, Bad(Failing(), None))) == "A"
    assert movers(found(program, effort, Bad(Failing("B"), None))) == "BB"
    assert movers(found(program, effort, Bad(Failing("B", late), None))) == "BB"
    assert found(program, effort, Bad(Failing("A", late), None)) is None


@pytest.mark.parametrize("effort", BOTH)
def test_declared_environments_play_no_part(effort: Effort) -> None:
    relied = "global x : int = 0; thread A {{ rely {} ; assert x == 0; }} thread B {{ {} }}"
    assert movers(found(relied.format("unchanged x", "x := 1;"), effort)) == "BA"
    assert found(relied.format("true", "skip;"), effort) is None


@pytest.mark.parametrize("effort", BOTH)
def test_written_invariants_of_all_threads_cut_steps(effort: Effort) -> None:
    text = """global x : int = 0;
        automaton A {{ location a initial {{ {} }} edge a -> a {{ skip; }} }}
        thread B {{ x := 1; assert false; }}"""
    assert movers(found(text.format(""), effort)) == "BB"
    assert found(text.format("inv x == 0;"), effort) is None


@pytest.mark.parametrize("effort", BOTH)
def test_locals_with_one_name_are_different_variables(effort: Effort) -> None:
    text = "thread {0} {{ local m : int = {1}; m := m + 1; assert m != 6; }}"
    assert movers(found(text.format("A", 0) + text.format("B", 5), effort)) == "BB"


@pytest.mark.parametrize("effort", BOTH)
def test_what_depends_on_a_function_without_a_body_is_no_run(effort: Effort) -> None:
    function = "function f(int) : int; axiom forall k : int :: f(k) == 7; global x : int = 0;"
    assert found(function + "thread A { assert f(x) == 0; }", effort) is None
    assert found(function + "thread A { if (f(x) == 7) { assert false; } }", effort) is None
    assert found(function + "thread A { @out(f(x)) skip; assert false; }", effort) is None
    assert found(function + "thread A { x := 1; } invariant known : f(x) == 0;", effort) is None
    assert movers(found(function + "thread A { x := f(x); } thread B { assert false; }", effort)) == "B"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("global x : int; thread A { assume x * x == 22193521 && x > 0; assert x != 4711; }", 2),
        ("global x : int; global y : int; thread A { assert 3 * x != y + 4711 || y % 977 != 5; }", 1),
        (
            "global x : int = 0; thread A { local k : int; x := 5 * k + 1; } thread B { assert x != 24691; }",
            2,
        ),
        ("param P : int; global x : int = P; thread A { x := x + P; } invariant odd : x != 2 * 4711 || P > 4711;", 1),
        ("global x : 0..1000000; thread A { x := x / 3; assert x != 24691; }", 2),
    ],
)
def test_odd_data_are_found_by_the_solver(text: str, length: int) -> None:
    run = found(text, (20_000, Wanted(stages=None)))
    assert run is not None
    assert len(run.turns) == length


def test_the_constants_of_the_program_are_tried_as_they_stand() -> None:
    run = found("global x : int; thread A { assume x > 4710; if (x <= 4711) { assert false; } }", BY_STEPS)
    assert run is not None
    assert [*run.start.shared.values()] == [4711]


def test_an_equation_gives_a_value_however_large_it_is() -> None:
    text = "global x : int = 0; thread A { x := 100; atomic { local k : int; assume k == x * x + x; x := k; } }"
    run = found(text + "invariant odd : x == 0 || x % 101 != 0;", BY_STEPS)
    assert run is not None
    assert len(run.turns) == 2


def test_the_same_question_has_the_same_answer() -> None:
    for seed in range(15):
        threads, bad = random_question(seed)
        for effort in BOTH:
            assert _run(threads, bad, effort) == _run(threads, bad, effort)


def test_budgets_end_the_search_without_a_run() -> None:
    text = "global x : int = 0; thread A { while (x < 60) { x := x + 1; } assert false; }"
    assert found(text, (50, None)) is None
    assert found(text, (0, Wanted(stages=1))) is None
    assert len(movers(found(text, BY_STEPS))) == 2 * 60 + 2


def test_a_time_limit_is_no_answer() -> None:
    program = program_of("global x : int = 0; thread A { while (x >= 0) { x := x + 1; } assert false; }")
    for effort in ((10**12, None), (0, Wanted(stages=None))):
        with pytest.raises(LimitReached) as caught:
            _run(program.threads, ANY, effort, limits(0.3, None))
        assert caught.value.reason is Reason.TIMEOUT


def test_threads_without_an_initial_state_have_no_run() -> None:
    assert found("global x : int = 0; init x == 1; thread A { assert false; }", (20_000, Wanted())) is None
    program = program_of("thread A { skip; }")
    assert _run(program.threads, Bad(None, FALSE), BY_SOLVER) is not None


def shortest(threads: tuple[Automaton, ...], bad: Bad, effort: Effort) -> int | None:
    """The length of the run found, which the checker accepts."""
    run = _run(threads, bad, effort)
    if run is None:
        return None
    assert check_run(threads, bad, run) == Accepted()
    return len(run.turns)


def _agree_by_steps(seeds: Iterable[int], threads: int) -> Counter[bool]:
    tally = Counter[bool]()
    for seed in seeds:
        question, bad = random_question(seed, threads)
        expected = distance(question, bad)
        assert shortest(question, bad, BY_STEPS) == expected, seed
        tally[expected is not None] += 1
    return tally


def _agree_by_solver(seeds: Iterable[int], depth: int) -> Counter[bool]:
    """Whatever is found can be reached, and what can be reached by so many steps is found."""
    tally = Counter[bool]()
    for seed in seeds:
        question, bad = random_question(seed)
        nearest, length = distance(question, bad), shortest(question, bad, BY_SOLVER)
        assert length is None or (nearest is not None and nearest <= length), seed
        assert length is not None or nearest is None or nearest > depth, seed
        tally[length is not None] += 1
    return tally


def test_the_steps_find_what_the_oracle_reaches_and_nothing_else() -> None:
    tally = _agree_by_steps(range(40), 2)
    assert min(tally.values()) > 9


def test_the_solver_finds_what_the_oracle_reaches_and_nothing_else() -> None:
    tally = _agree_by_solver(range(15), 4)
    assert min(tally.values()) > 1


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(4))
def test_the_steps_and_the_oracle_agree(block: int) -> None:
    tally = _agree_by_steps(range(1_000 + 150 * block, 1_150 + 150 * block), 2)
    assert min(tally.values()) > 30


@pytest.mark.fuzz
def test_the_steps_and_the_oracle_agree_on_three_threads() -> None:
    tally = _agree_by_steps(range(60), 3)
    assert min(tally.values()) > 10


@pytest.mark.fuzz
@pytest.mark.parametrize("block", range(2))
def test_the_solver_and_the_oracle_agree(block: int) -> None:
    tally = _agree_by_solver(range(2_000 + 150 * block, 2_150 + 150 * block), 8)
    assert min(tally.values()) > 30
