"""Schedules: what is read, what is found within them, and parts of runs that together are all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import permutations
from random import Random

import pytest

from sa.base.budget import Budget, unheard
from sa.base.diagnostic import InputError
from sa.base.limits import Limits, limits
from sa.bounded.bounded_model_checking import by_rounds
from sa.bounded.order import likely_order
from sa.bounded.schedule import Schedule, Turn, read_schedule
from sa.bounded.search import Bounds, Coverage, Reached, task, within
from sa.bounded.swarm import by_all
from sa.bounded.wanted import Wanted
from sa.explicit.system import system
from sa.question.asked import Asked, Excluded, Note, Refuted
from sa.question.claims import claims_of
from tests.bounded.judging import Irreducible, TooMany, is_bad_in, rounds_needed, small_question
from tests.bounded.test_engine import IN_ORDER, asked
from tests.language.texts import program_of


def test_rounds_turns_and_lines_are_read() -> None:
    assert read_schedule("A,B : T[0]@12-14:*:A@7,A@end") == (
        (Turn("A"), Turn("B")),
        (Turn("T[0]", (12, 14)),),
        (),
        (Turn("A", (7, 7)), Turn("A", (0, 0))),
    )


@pytest.mark.parametrize("text", ["", "A:", "A@", "A@x", "A@9-3", "A@0", "A B", "A,,B"])
def test_what_is_no_schedule_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="`"):
        read_schedule(text)


def said(text: str, schedule: str) -> list[str]:
    """What the engine says: `refuted`, or its note."""
    wanted = Wanted(unwind=0, schedule=read_schedule(schedule))
    answers = by_rounds(wanted, asked(text), Budget(limits(60, None)), unheard)
    return ["refuted" if isinstance(a, Refuted) else a.words for a in answers if isinstance(a, Refuted | Note)]


def test_only_threads_of_a_round_take_turns() -> None:
    assert said(IN_ORDER, "A:B:C") == ["refuted"]
    (note,) = said(IN_ORDER, "A:C:B")
    assert note == "no violation of the UNKNOWN claims within this schedule of 3 rounds"
    with pytest.raises(InputError, match="no thread `D`"):
        said(IN_ORDER, "A:D")


LINES = """global x : int = 0;
thread A {
  x := 1;
  x := 2;
  x := 3;
}
thread B { local t : int; t := x; assert t != 1; }
"""


def test_turns_end_where_the_schedule_says() -> None:
    assert said(LINES, "A@4:B") == ["refuted"]
    assert said(LINES, "A@3-5:B") == ["refuted"]
    assert said(LINES, "A@5:B") != ["refuted"]
    assert said(LINES, "A@end:B") != ["refuted"]
    assert said(LINES, "A@end,A@4:B") == ["refuted"]


def test_a_turn_that_cannot_end_where_the_schedule_says_is_an_error() -> None:
    with pytest.raises(InputError, match="`A` has no step on line 99"):
        said(LINES, "A@99:B")
    with pytest.raises(InputError, match="`B` has no step on lines 1 to 6"):
        said(LINES, "A:B@1-6")
    with pytest.raises(InputError, match="`C` never ends"):
        said("global x : int = 0; thread C { while (true) { x := x + 1; } } invariant no : x != -1;", "C@end")


def test_a_turn_may_end_before_a_step_that_nobody_else_notices() -> None:
    text = """global x, y : int = 0;
thread A {
  local t : int = 0;
  x := 1;
  t := t + 1;
  x := t + 1;
}
thread B { assert x != 1; }"""
    assert said(text, "A@5:B") == ["refuted"]


def test_a_run_within_a_schedule_keeps_its_turns() -> None:
    wanted = Wanted(unwind=0, schedule=read_schedule("A@3:B:A@4:*"))
    (answer,) = by_rounds(wanted, asked(LINES.replace("t != 1", "x != 1")), Budget(limits(60, None)), unheard)
    assert isinstance(answer, Refuted)
    assert answer.how == "a run of 3 steps in 3 rounds"


def test_a_schedule_may_name_copies_of_families() -> None:
    program = program_of("global x : int = 0; thread T[*] { local t : int; t := x; x := t + 1; assert x == t + 1; }")
    question = Asked((), tuple(b for c in claims_of(program) for b in c.bads), (), families=program.families)

    def hows(schedule: str) -> list[str]:
        wanted = Wanted(schedule=read_schedule(schedule))
        return [a.how for a in by_rounds(wanted, question, Budget(limits(60, None)), unheard) if isinstance(a, Refuted)]

    assert hows("T[2]:T[1]") == ["a run of 5 steps in 2 rounds with 2 copies of each family"]
    with pytest.raises(InputError, match=r"no thread `T\[7\]`"):
        hows("T[7]:T[1]")


def test_a_thread_that_waits_for_others_comes_after_them() -> None:
    threads = {
        "A": "thread A { x := 1; } ",
        "B": "thread B { await x == 1; y := 1; } ",
        "C": "thread C { await y == 1; assert x != 1; } ",
    }
    for order in permutations("ABC"):
        question = asked("global x, y : int = 0; " + "".join(threads[name] for name in order))
        found = likely_order(system(question.threads, question.bads))
        assert [question.threads[i].name for i in found] == ["A", "B", "C"]


def test_several_processes_find_and_cover_what_one_does() -> None:
    for claim, kind in (("x == 2", Refuted), ("x >= 1", Excluded)):
        text = f"""global x, n : 0..9 = 0;
          thread A {{ local t : 0..9; t := x; x := t + 1; n := n + 1; }}
          thread B {{ local t : 0..9; t := x; x := t + 1; n := n + 1; }} thread C {{ await n == 2; assert {claim}; }}"""
        budget = Budget(limits(60, None))
        for jobs in (2, 5):
            answers = list(by_rounds(Wanted(jobs=jobs), asked(text), budget, unheard))
            assert isinstance(answers[0], kind)


def test_what_all_parts_covered_is_what_each_of_them_did() -> None:
    few, deep, all_ = (
        Coverage(4, 4, 2, 0, 5, False),
        Coverage(3, 6, 2, 1, None, False),
        Coverage(7, 1, 2, 2, None, True),
    )
    assert by_all((few, deep)) == by_all((deep, all_, few)) == Coverage(3, 4, 2, 0, 5, False)
    assert by_all((all_, Coverage(3, 1, 2, 2, None, True))) == all_


def compared(seeds: Iterable[int]) -> Counter[str]:
    """Random questions in parts, and within random schedules, against the enumeration."""
    counts = Counter[str]()
    for seed in seeds:
        threads, bad = small_question(seed)
        unwind, rng = seed % 3, Random(seed)
        s = system(threads, (bad,))
        order = tuple(range(len(threads)))
        pools = [rng.sample(order, rng.randint(1, len(order))) for _ in range(3)]
        try:
            expected = rounds_needed(threads, bad, 3, unwind)
            scheduled = is_bad_in(threads, bad, pools, unwind)
        except (TooMany, Irreducible):
            continue
        t = task(s, unwind, exactly=True)
        count, found = rng.randint(2, 5), list[Reached | Coverage]()
        for number in range(count):
            bounds = Bounds(3, order, 8, part=(number, count))
            found.append(list(within(t, bounds, Budget(Limits()), {0}, unheard))[-1])
        least = min((f.rounds for f in found if isinstance(f, Reached)), default=None)
        assert least == expected, seed
        schedule: Schedule = tuple(tuple(Turn(threads[i].name) for i in pool) for pool in pools)
        *_, last = within(t, Bounds(3, order, 8, schedule=schedule), Budget(Limits()), {0}, unheard)
        assert isinstance(last, Reached) == scheduled, seed
        counts[f"{expected}, {'bad' if scheduled else 'good'}"] += 1
    return counts


def test_parts_and_schedules_of_random_programs_are_as_enumeration_says() -> None:
    counts = compared(range(25))
    assert counts["None, good"] > 1 and counts["1, bad"] > 1


@pytest.mark.fuzz
def test_parts_and_schedules_of_many_programs_are_as_enumeration_says() -> None:
    counts = compared(range(20_000, 22_000))
    assert counts["2, bad"] > 5 and counts["2, good"] > 5
