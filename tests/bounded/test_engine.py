"""What `bmc` finds, and what it says where it finds nothing."""

from __future__ import annotations

from contextlib import suppress

import pytest
from msgspec.structs import replace

from sa.base.budget import Budget, Event, unheard
from sa.base.limits import LimitReached, Limits, Unsupported, allot, limits, remaining
from sa.base.verdict import Reason
from sa.bounded.bounded_model_checking import by_ending_states, by_rounds
from sa.bounded.search import Bounds, Coverage, Reached, task, within
from sa.bounded.wanted import Wanted
from sa.certificates.run import Run
from sa.certificates.states import States
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.checker.states import check_states
from sa.explicit import deciders
from sa.explicit.system import system
from sa.question.asked import Asked, Excluded, Note, Refuted
from sa.question.claims import claims_of
from tests.language.texts import program_of

IN_ORDER = """
global turn : int = 0;
thread A { await turn == 0 { turn := 1; } }
thread B { await turn == 1 { turn := 2; } }
thread C { await turn == 2 { turn := 3; } }
invariant not_done : turn != 3;
"""


def asked(text: str) -> Asked:
    """All that a program claims."""
    program = program_of(text)
    bads = tuple(dict.fromkeys(bad for claim in claims_of(program) for bad in claim.bads))
    return Asked(program.threads, bads, program.axioms)


def said(text: str, rounds: int | None = None, unwind: int | None = None) -> list[Excluded | Refuted | Note]:
    """What the engine says within these bounds, its runs and states checked."""
    question = asked(text)
    found = list(by_rounds(Wanted(rounds, unwind), question, Budget(limits(60, None)), unheard))
    for answer in found:
        if isinstance(answer, Refuted):
            assert isinstance(check_run(question.threads, answer.bad, answer.evidence), Accepted)  # type: ignore[arg-type]
        if isinstance(answer, Excluded):
            assert isinstance(answer.evidence, States)
            assert answer.evidence.threads == question.threads and set(answer.bads) <= set(question.bads)
            assert isinstance(check_states(answer.evidence, limits(60, None)), Accepted)
    return found


def refuted(text: str, rounds: int | None = None, unwind: int | None = None) -> bool:
    """Whether a run is found."""
    return any(isinstance(answer, Refuted) for answer in said(text, rounds, unwind))


def notes(text: str, rounds: int | None = None, unwind: int | None = None) -> list[str]:
    """The notes about what was covered."""
    return [answer.words for answer in said(text, rounds, unwind) if isinstance(answer, Note)]


@pytest.mark.parametrize(("order", "needed"), [("ABC", 1), ("BAC", 2), ("CBA", 3)])
def test_a_schedule_against_the_order_needs_a_round_for_each_thread(order: str, needed: int) -> None:
    question = asked(IN_ORDER)
    s = system(question.threads, question.bads)
    turns = tuple("ABC".index(name) for name in order)
    bounds = Bounds(3, turns, 8)
    found = list(within(task(s, 0, exactly=True), bounds, Budget(Limits()), {0}, unheard))
    assert [type(x) for x in found] == [Coverage] * (needed - 1) + [Reached]


LOOP = "global x : int = 0; thread A { while (x < 5) { x := x + 1; } assert x != 5; }"


def test_a_loop_that_is_not_unrolled_far_enough_is_told_and_not_safe() -> None:
    assert notes(LOOP, 1, 4) == [
        "no violation of the UNKNOWN claims within 1 round, 4 unwindings of each loop; 0 of 1 loop fully unrolled"
    ]
    assert refuted(LOOP, 1, 5)


def test_a_second_turn_does_not_ask_again_what_the_first_one_asked_of_all_runs() -> None:
    loop = "local k : int = 0; while (k < 3) { x := x + y; k := k + 1; }"
    question = asked(f"global x, y : int = 1; thread A {{ {loop} assert x < 99; }} thread B {{ y := x; }}")
    first, second = list[Event](), list[Event]()
    narrow = Wanted(stages=1, by_the_way=True)
    told = list(by_rounds(replace(narrow, effort=1), question, Budget(limits(60, None)), first.append))
    again = list(by_rounds(replace(narrow, effort=2), question, Budget(limits(60, None)), second.append))
    assert first and not second and told == again


def test_a_loop_that_counts_to_a_constant_needs_no_bound() -> None:
    text = (
        "global x : int = 0; thread A { local k : int = 0; while (k < 40) { x := x + k; k := k + 1; } assert x < 780; }"
    )
    assert refuted(text, rounds=1)
    assert not refuted(text, 1, 39)


def test_a_failure_counts_when_its_thread_or_another_one_is_stuck_afterwards() -> None:
    assert refuted("global x : int = 0; thread A { assert x == 1; assume x == 2; }", 1, 0)
    assert refuted("global x : int = 0; thread A { x := 1; assume false; } thread B { assert x == 0; }", 1, 0)
    text = "global x : int = 0; thread A { local t : int = 3; x := 1; assume t == 4; } thread B { assert x == 0; }"
    assert refuted(text, 1, 0)


def test_a_step_that_waits_is_taken_later() -> None:
    text = "global x : int = 0; thread A { await x == 1; x := 2; await x == 3; x := 4; } "
    text += "thread B { x := 1; await x == 2; x := 3; } invariant below : x < 4;"
    assert refuted(text, 2, 0)
    assert not refuted(text, 1, 0)


def test_nothing_is_left_out_where_no_round_more_is_needed() -> None:
    text = "global x : int = 0; thread A { x := x + 1; } thread B { x := x + 2; } invariant small : x <= 3;"
    assert [type(answer) for answer in said(text)] == [Excluded]
    assert [type(answer) for answer in said(text, 3, 0)] == [Excluded]
    assert [type(answer) for answer in said(text, 1, 0)] == [Note]
    everywhere = "global x : int; thread A { x := 2 * x; } thread B { x := 2 * x; } invariant even : x * x != 2;"
    assert [type(answer) for answer in said(everywhere)] == [Note]


def test_that_all_runs_were_covered_is_said_where_there_is_no_evidence() -> None:
    text = "global x : int[9] = 0; global i : 0..8; " + "".join(
        f"thread T{n} {{ local t : 0..8; havoc t; x[t] := x[t] + i; }} " for n in range(4)
    )
    question = asked(text + "invariant small : x[0] <= 32;")
    found = list[Excluded | Refuted | Note]()
    # All states are asked behind that, for as long as there is time.
    with suppress(LimitReached):
        for answer in by_rounds(Wanted(), question, Budget(limits(4, None)), unheard):
            found.append(answer)
    notes = [answer.words[:21] for answer in found if isinstance(answer, Note)]
    assert notes == ["all runs were covered"] or any(isinstance(answer, Excluded) for answer in found)


def test_values_beyond_what_constants_suggest_are_found_with_wider_numbers() -> None:
    text = "global x, y : int; thread A { assert !(x > y * y * y && y == 12); }"
    assert refuted(text)
    assert refuted(text, 1, 0)


def test_large_numbers_that_were_left_out_are_told() -> None:
    text = "global x : int = 0; thread A { havoc x; assert x != 10 || true; assert x * 0 == 0 || x != 7; }"
    assert all("numbers of unknown size" in note or "all runs" in note for note in notes(text))
    growing = "global x : int; thread A { assert x < 1 || x * x * x != 2; } thread B { x := 2 * x; }"
    assert any("numbers of unknown size up to" in note for note in notes(growing, 2))


def test_arrays_are_integers_and_functions_are_left_out() -> None:
    assert refuted("global a : int[3] = 0; global i : 0..2; thread A { a[i] := 1; assert a[2] == 0; }")
    assert refuted("global a : int[3] = 0; thread A { local i : int; a[i] := 5; } invariant no_five : a[2] != 5;")
    with_function = "function f(int) : int; global x : int = 0; thread A { x := f(x); assert x == 0; }"
    assert not refuted(with_function)
    assert all(note.endswith("without steps that depend on functions without a body") for note in notes(with_function))
    question = asked("function f(int) : int; global x : int = 0; thread A { assert f(x) == 0; }")
    with pytest.raises(Unsupported):
        list(by_rounds(Wanted(), question, Budget(limits(60, None)), unheard))
    with suppress(Unsupported):
        for answer in by_rounds(Wanted(stages=None), question, Budget(limits(60, None)), unheard):
            assert answer == Note("`bmc` does not handle claims that depend on functions without a body")


def test_integers_have_no_bounds() -> None:
    text = "global x, y : int = 1; thread A { x := x + 7 * y; y := y + 7 * x; x := x + 7 * y; assert x != 407; }"
    question = asked(text)
    s = system(question.threads, question.bads)
    found = list(within(task(s, 0, exactly=True), Bounds(1, (0,), None), Budget(Limits()), {0}, unheard))
    assert [type(x) for x in found] == [Reached]


LARGE = "global x : int = 0; thread A { local v : 0..900000; havoc v; x := v; assert x != 700000 + %d * v; }"


def test_choices_are_small_numbers_first_and_then_all() -> None:
    question = asked(LARGE % 0)
    s = system(question.threads, question.bads)
    few = list(within(task(s, 0, exactly=True), Bounds(2, (0,), 6, narrow=True), Budget(Limits()), {0}, unheard))
    assert few == [Coverage(n, 0, 0, 0, 6, complete=False, narrow=True) for n in (1, 2)]
    assert refuted(LARGE % 0) and refuted(LARGE % 0, 2, 0)
    # This needs no choice that is large; all of them are looked at before all runs are said to be covered.
    assert refuted("global x : int = 0; thread A { local v : 0..900000; havoc v; x := v; assert x != 7; }")
    assert notes(LARGE % 1, 1, 0) == ["no violation of the UNKNOWN claims within 1 round"]
    assert "covered" in " ".join(notes(LARGE % 1)) or any(isinstance(x, Excluded) for x in said(LARGE % 1))


@pytest.mark.parametrize(("low", "high"), [(0, 900), (-900, 900), (500, 900), (-900, -500), (-3, 900), (-900, 3)])
def test_a_narrow_choice_stays_in_its_range(low: int, high: int) -> None:
    thread = f"local v : {low}..{high}; havoc v; x := v; assert x != {{}}; x := v;"
    for value in (low, high, 0):
        question = asked(f"global x : {low}..{high} = {low}; thread A {{ {thread.format(value)} }}")
        s = system(question.threads, question.bads)
        for width in (2, 5, 12):
            bounds = Bounds(1, (0,), width, narrow=True)
            for found in within(task(s, 0, exactly=True), bounds, Budget(Limits()), {0}, unheard):
                if isinstance(found, Reached):
                    assert isinstance(check_run(question.threads, question.bads[0], found.run), Accepted)
                    break
            else:
                assert width < 12 or not low <= value <= high


def how(text: str) -> str:
    """What is said of the run that is found."""
    return next(answer.how for answer in said(text) if isinstance(answer, Refuted))


def test_a_run_ends_where_something_is_bad_first_and_has_no_steps_that_it_does_not_need() -> None:
    more = "thread B { y := 1; y := 2; } thread C { y := 3; }"
    assert how(f"global x, y : int = 0; thread A {{ x := 1; x := 2; }} {more} invariant no : x != 1;") == (
        "a run of 1 step in 1 round"
    )
    assert how(f"global x, y : int = 0; thread A {{ x := 1; assert x != 1; x := 2; }} {more}") == (
        "a run of 2 steps in 1 round"
    )


def test_a_run_tells_its_own_rounds() -> None:
    """Questions are asked after 1, 2, 3 and 6 rounds."""
    wait = "while (x < {0}) {{ await x % 2 == {1}; x := x + 1; }}"
    text = f"global x : int = 0; thread A {{ {wait.format(7, 0)} }} thread B {{ {wait.format(7, 1)} }}"
    assert how(f"{text} invariant small : x < 7;").endswith("in 4 rounds")


def test_what_is_found_within_given_bounds_is_found_without_them_where_there_is_time() -> None:
    text = "global x : int; thread A { assert x * x != 1000000007 * 1000000007; }"
    assert refuted(text, 1, 0)
    question = asked(text)
    found = list(by_rounds(Wanted(stages=None), question, Budget(limits(60, None)), unheard))
    assert isinstance(found[0], Refuted)


def test_first_values_that_nobody_reads_leave_nothing_out() -> None:
    text = "global x : int = 0; thread A { local t : int; t := x; x := t + 1; } invariant small : x <= 1;"
    assert [type(answer) for answer in said(text)] == [Excluded]
    question = asked("global x : 0..9 = 7; thread A { local t : 3..5; x := 1; t := 4; x := t; } invariant no : x != 4;")
    (found,) = [a for a in by_rounds(Wanted(), question, Budget(limits(60, None)), unheard) if isinstance(a, Refuted)]
    assert isinstance(found.evidence, Run)
    assert list(found.evidence.start.threads["A"].values.values()).count(3) == 1
    kept = "global x : int = 0; thread A { local t : 3..5; x := t; } invariant no : x != 5;"
    assert how(kept) == "a run of 1 step in 1 round"


def test_what_cannot_go_wrong_at_all_is_proved() -> None:
    text = "global x : int = 0; thread A { while (true) { x := x + 1; } } invariant plain : x == x;"
    assert [type(answer) for answer in said(text)] == [Excluded]
    (run, proof) = said(text + "invariant small : x < 3;")
    assert isinstance(run, Refuted) and isinstance(proof, Excluded)


def test_arrays_of_truth_values_without_bounds_are_taken() -> None:
    text = "global done : bool[*] = false; global n : int = 0; "
    threads = "thread A { done[n] := true; } thread B { n := 3; assert !done[3]; }"
    assert refuted(text + threads)
    assert refuted(text.replace(" = false", "") + "thread A { assert done[7] || !done[8] || done == done && done[9]; }")
    assert not refuted(text + "thread A { done[n] := true; assert done[n]; }", 2, 0)


def test_an_array_that_nobody_writes_is_what_it_is_at_first() -> None:
    text = "global m : int[*] = 0; global r : int = 0; thread A { r := 1; assert "
    assert refuted(text + "r == 0; }") and refuted(text + "m[r] == 1; }") and not refuted(text + "m[r] == 0; }")


def test_time_that_runs_out_leaves_a_note() -> None:
    text = "global x, y, z : int; thread A { while (true) { x := x * y + z; y := y * z + x; z := x * y; } }"
    text += "thread B { assert x * x * x + y * y * y != 114 + z * z * z; }"
    question = asked(text)
    found = list[Refuted | Note]()
    with pytest.raises(LimitReached):
        found.extend(by_rounds(Wanted(), question, Budget(limits(3, None)), unheard))
    assert not any(isinstance(answer, Refuted) for answer in found)


def test_reductions_change_nothing_but_the_time() -> None:
    question = asked(IN_ORDER)
    s = system(question.threads, question.bads)
    for canonical in (True, False):
        for width in (4, None):
            bounds = Bounds(3, (2, 1, 0), width, canonical=canonical)
            found = list(within(task(s, 0, exactly=True), bounds, Budget(Limits()), {0}, unheard))
            assert [type(x) for x in found] == [Coverage, Coverage, Reached]


@pytest.mark.fuzz
def test_copies_of_a_family_refute_and_nothing_else() -> None:
    text = "global x : int = 0; thread T[*] { local t : int = 0; t := x; x := t + 1; assert x == t + 1; }"
    program = program_of(text)
    question = Asked((), tuple(b for c in claims_of(program) for b in c.bads), (), families=program.families)
    found = list(by_rounds(Wanted(), question, Budget(limits(120, None)), unheard))
    hows = [a.how for a in found if isinstance(a, Refuted)]
    assert hows == ["a run of 5 steps in 1 round with 2 copies of each family"]
    safe = program_of(text.replace("x == t + 1", "x >= 1"))
    question = Asked((), tuple(b for c in claims_of(safe) for b in c.bads), (), families=safe.families)
    (note,) = by_rounds(Wanted(), question, Budget(limits(120, None)), unheard)
    assert isinstance(note, Note)
    assert note.words.startswith("with 4 copies of each family: all runs were covered")


def test_numbers_that_few_steps_make_large_have_bounds() -> None:
    loop = "local k : int = 0; while (k < 4) {{ {0} := {0} + {1}; k := k + 1; }}"
    text = (
        "global x, y : int = 1; thread A { " + loop.format("x", "y") + " } thread B { " + loop.format("y", "x") + " }"
    )
    assert [type(answer) for answer in said(f"{text} invariant small : x <= 55;", 6, 4)] == [Excluded]
    assert refuted(f"{text} invariant small : x < 55;", 6, 4)


FIBONACCI = """
global i, j : int = 1;
thread A { local k : 0..3 = 0; while (k < 3) { i := i + j; k := k + 1; } }
thread B { local k : 0..3 = 0; while (true) { if (k == 3) { break; } j := j + i; k := k + 1; } }
invariant bounded : i <= 21;
"""


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (FIBONACCI, [Excluded]),
        # That no value is outside of its range is one more claim.
        (FIBONACCI.replace("21", "20"), [Excluded, Refuted]),
        # Finitely many states as well, but nothing says so beforehand.
        (FIBONACCI.replace("break;", "k := 0; j := 1;"), []),
    ],
)
def test_where_all_loops_end_all_states_are_looked_at(text: str, answers: list[type]) -> None:
    assert [type(a) for a in by_ending_states(asked(text), Budget(limits(60, None)), unheard)] == answers


def test_a_search_for_all_states_that_a_limit_ended_is_made_again_only_with_more_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches = list[float | None]()

    def ended(s: object, effort: object, bounds: Limits, report: object) -> object:
        searches.append(remaining(bounds))
        raise LimitReached(Reason.WORK)

    monkeypatch.setattr(deciders, "search", ended)
    question = asked(FIBONACCI)
    for units in (10, 5, 20):
        with suppress(LimitReached):
            list(deciders.by_all_states(question, Budget(allot(Limits(), units)), unheard))
    assert len(searches) == 2
