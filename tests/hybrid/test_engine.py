"""Explicit control and symbolic data: what is answered is what enumeration finds, and the checker accepts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from random import Random
from typing import TypeAlias

import pytest

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Report, unheard
from sa.base.limits import Limits, limits
from sa.certificates.run import Bad, Failing, Run
from sa.certificates.threads import Joint, Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.explicit.search import Effort as States
from sa.explicit.search import search
from sa.explicit.system import system
from sa.hybrid.engine import by_control
from sa.hybrid.exploring import EQUALITIES, Effort
from sa.hybrid.slicing import mattering
from sa.question.asked import Asked, Excluded, Refuted
from sa.terms.build import eq, integer, variable
from tests.generators.programs import random_program
from tests.invariants.judge import random_claim
from tests.language.texts import program_of

Deciding: TypeAlias = Callable[[Effort, Asked, Budget, Report], Iterator[Excluded | Refuted]]

EFFORT = Effort(2_000, 10_000, 20_000_000)


def answer(text: str) -> str:
    """What becomes of the first claim of a program, or of its failing steps where it has none."""
    program = program_of(text)
    bad = Bad(None, program.invariants[0].formula) if program.invariants else Bad(Failing(), None)
    return judged(program.threads, bad)


def judged(threads: tuple[Automaton, ...], bad: Bad, decide: Deciding = by_control) -> str:
    """The answer, after the checker has accepted it."""
    for found in decide(EFFORT, Asked(threads, (bad,), ()), Budget(limits(60.0, None)), unheard):
        match found.evidence:
            case Joint() as joint:
                assert check_joint(joint, Limits()) == Accepted()
                return "proved"
            case Lemmas() as lemmas:
                assert check_lemmas(lemmas, Limits()) == Accepted()
                return "proved"
            case Run() as run:
                assert check_run(threads, bad, run) == Accepted()
                return "refuted"
    return "open"


def test_what_a_scheduler_orders_needs_no_invariant_of_the_scheduler() -> None:
    text = """
        global turn : 0..2 = 0; global x : int;
        thread Scheduler {{ while (true) {{ await turn == 0 {{ turn := 1; }} }} }}
        thread A {{ local a : int; while (true) {{ await turn == 1; havoc x; a := x; turn := 2; await turn == 1;
          assert x == a + {}; turn := 0; }} }}
        thread B {{ while (true) {{ await turn == 2; x := x + 1; turn := 1; }} }}
    """
    assert answer(text.format(1)) == "proved"
    assert answer(text.format(2)) == "refuted"


def test_what_differences_exclude_is_part_of_what_the_solver_proves() -> None:
    """x ≤ y excludes z = 1; that u ≥ 0 needs the two cases of a, which are no differences."""
    text = """
        global x, y, u, a : int = 0; global z : 0..1 = 0;
        thread A { while (true) {
          choose { y := y + 1; } or { x := y; } or { havoc a; } or { u := if a > 0 then a else 0 - a; }
            or { if (x > y) { z := 1; } }
          if (z == 1) { havoc u; }
          assert u >= 0;
        } }
    """
    assert answer(text) == "proved"


def test_steps_of_a_thread_by_itself_commute_with_the_others() -> None:
    text = """
        global x : int = 0;
        thread T[i : 1..3] {{
          local a, b : int = 0;
          while (*) {{ a := i; b := a + 1; a := b * 2; atomic {{ x := x + b - i; }} }}
        }}
        invariant grows : x >= {};
    """
    assert answer(text.format(0)) == "proved"
    assert answer(text.format(1)) == "refuted"


def test_a_claim_about_a_place_is_seen_in_the_middle_of_local_steps() -> None:
    text = """
        global x : int = 0;
        thread T {{ local a : int = 0; a := 1; M: a := 2; a := 1; x := a; }} thread U {{ x := 3; }} invariant c : {};
    """
    assert answer(text.format("at T.M ==> x != 1")) == "proved"
    assert answer(text.format("!at T.M")) == "refuted"
    assert answer(text.format("at T.M ==> x == 0")) == "refuted"


def test_a_thread_that_waits_for_itself_for_ever_does_not_keep_others_from_going_on() -> None:
    text = "global x : int = 0; thread T { local a : int = 0; await a == 1; } thread U { x := 1; }"
    assert answer(text + "invariant zero : x == 0;") == "refuted"


def test_a_circle_of_local_steps_does_not_keep_others_from_going_on() -> None:
    text = "global x : int = 0; thread T { local a : int = 0; while (true) { a := a + 1; } } thread U { x := 1; }"
    assert answer(text + "invariant zero : x == 0;") == "refuted"


def test_values_at_the_start_are_all_looked_at() -> None:
    text = "global f, g : bool; init f ==> g; global x : int = 0; thread T {{ if (f && {}) {{ x := 1; }} }}"
    assert answer(text.format("!g") + "invariant zero : x == 0;") == "proved"
    assert answer(text.format("g") + "invariant zero : x == 0;") == "refuted"


RING = """
    param A, B : int; init A > 0 && B > 0 && A != B;
    global ab, ba, leader : int = 0;
    thread P {{ local m : int = 0; ab := A; while (true) {{ await ba != 0 {{ m := ba; ba := 0; }}
      if (m == A) {{ leader := A; }} else if (m {} A) {{ await ab == 0 {{ ab := m; }} }} }} }}
    thread Q {{ local m : int = 0; ba := B; while (true) {{ await ab != 0 {{ m := ab; ab := 0; }}
      if (m == B) {{ leader := B; }} else if (m > B) {{ await ba == 0 {{ ba := m; }} }} }} }}
    invariant largest : leader == 0 || leader >= A && leader >= B;
"""


def test_variables_that_are_set_to_parameters_are_control() -> None:
    assert answer(RING.format(">")) == "proved"
    assert answer(RING.format("<")) == "refuted"


def _random_with_parameters(seed: int) -> str:
    """Threads that compare variables with parameters, and set them to these and to each other."""
    rng = Random(seed)

    def value() -> str:
        return rng.choice(("0", "1", "A", "B", "x", "y", "m"))

    def test() -> str:
        return f"{rng.choice(('x', 'y', 'm'))} {rng.choice(('==', '!=', '<', '>'))} {value()}"

    def step() -> str:
        change = f"{rng.choice(('x', 'y', 'm'))} := {value()};"
        kinds = (change, f"await {test()} {{ {change} }}", f"if ({test()}) {{ {change} }} else {{ {value_set()} }}")
        return rng.choice(kinds)

    def value_set() -> str:
        return f"{rng.choice(('x', 'y'))} := {value()};"

    bodies = (" ".join(step() for _ in range(rng.randint(2, 4))) for _ in range(2))
    threads = " ".join(
        f"thread T{n} {{ local m : int = {rng.choice('0AB')}; while (*) {{ {b} }} }}" for n, b in enumerate(bodies)
    )
    start = f"init {rng.choice(('A > 0', 'A < B', 'A != B && A >= 0'))}; global x : int = {rng.choice('0AB')};"
    claim = f"invariant c : {rng.choice(('x', 'y'))} {rng.choice(('<=', '>=', '!='))} {rng.choice('AB2')}"
    return f"$ {start} global y : int = 0; {threads} {claim} || {test().replace('m', 'x')};"


def _agree_for_each_value(seeds: Iterable[int]) -> Counter[str]:
    """Answers by kind. Runs of what is refuted were replayed; of what is proved enumeration finds none, whatever
    numbers are in the place of the parameters.
    """
    counts = Counter[str]()
    for seed in seeds:
        text = _random_with_parameters(seed)
        found = answer(text.replace("$", "param A, B : int;"))
        counts[found] += 1
        for a, b in product(range(-1, 4), repeat=2) if found == "proved" else ():
            program = program_of(text.replace("$", f"const A = {a}; const B = {b};"))
            bad = Bad(None, program.invariants[0].formula)
            seen = search(system(program.threads, (bad,)), States(5_000, 100, reduced=False), Limits())
            assert not seen.bad, seed
    return counts


def test_what_is_proved_of_parameters_holds_of_numbers() -> None:
    counts = _agree_for_each_value(range(12))
    assert min(counts["proved"], counts["refuted"]) > 2


@pytest.mark.fuzz
def test_what_is_proved_of_many_programs_with_parameters_holds_of_numbers() -> None:
    counts = _agree_for_each_value(range(1_000, 3_000))
    assert counts["open"] < 100


def _agree(seeds: range, threads: int) -> dict[str, int]:
    """Answers by kind. None contradicts a run that was found, or that all states were seen and none of them is bad."""
    counts = {"proved": 0, "refuted": 0, "open": 0}
    for seed in seeds:
        program = program_of(random_program(seed, threads))
        rng = Random(seed)
        bad = Bad(Failing(), None) if rng.random() < 0.3 else Bad(None, random_claim(rng, program.threads))
        found = judged(program.threads, bad)
        counts[found] += 1
        seen = search(system(program.threads, (bad,)), States(5_000, 16, reduced=False), Limits())
        if seen.bad:
            assert found != "proved", seed
        elif seen.complete:
            assert found != "refuted", seed
    return counts


def test_random_programs_have_the_answers_that_enumeration_does_not_contradict() -> None:
    counts = _agree(range(14), 2)
    assert counts["proved"] > 2
    assert counts["refuted"] > 2
    assert counts["open"] < 5


@pytest.mark.fuzz
@pytest.mark.parametrize("threads", [2, 3])
def test_many_random_programs_have_the_answers_that_enumeration_does_not_contradict(threads: int) -> None:
    counts = _agree(range(1_000, 2_500), threads)
    assert counts["open"] < 150


READERS = """
    global x, y : int = 0;
    thread W {{ while (true) {{ {} }} }}
    thread R[i : 1..4] {{ local a, b : int = 0; while (true) {{ a := y; b := x; assert a <= b; }} }}
"""


def test_threads_that_cannot_matter_to_a_claim_are_left_out() -> None:
    program = program_of(READERS.format("x := x + 1; y := y + 1;"))
    bad = Bad(Failing("R[2]"), None)
    assert [t.name for t in mattering(program.threads, bad)] == ["W", "R[2]"]
    assert judged(program.threads, bad) == "proved"


def test_a_run_of_the_threads_that_matter_is_one_of_all() -> None:
    program = program_of(READERS.format("y := y + 1; x := x + 1;"))
    assert judged(program.threads, Bad(Failing("R[2]"), None)) == "refuted"


def test_a_thread_that_writes_what_somebody_reads_matters() -> None:
    program = program_of("""
        global x, y, z : int = 0;
        thread A { x := y; } thread B { y := z; } thread C { z := 1; } thread D { local d : int = 0; d := x; }
    """)
    names = [t.name for t in mattering(program.threads, Bad(None, eq(variable("x"), integer(0))))]
    assert names == ["A", "B", "C"]


#: A readers-writer lock in one signed word, whose atomic steps wrap around.
COUNTED = """
    global n : -2147483648 .. 2147483647 = 0;
    global a, b : int = 0;
    thread R {{ local x, y, s : int = 0; while (true) {{
      s := n; await n == s && s >= 0 && s < 9 {{ n := s + 1; }} x := a; y := b;
      n := (n + 2147483647) % 4294967296 - 2147483648; assert x == y; }} }}
    thread W {{ while (true) {{ await n == 0 {{ n := {}; }} a := a + 1; b := b + 1; n := 0; }} }}
"""


@pytest.mark.parametrize(("writer", "expected"), [("-1", "proved"), ("1", "refuted")])
def test_a_signed_number_that_may_wrap_around_and_never_does_is_counted(writer: str, expected: str) -> None:
    threads = program_of(COUNTED.format(writer)).threads
    found = judged(threads, Bad(Failing(), None), lambda effort, *asked: by_control(EQUALITIES, *asked))
    assert found == ("proved" if expected == "proved" else "open")


@pytest.mark.parametrize(("total", "expected"), [("2 * N", "proved"), ("N", "refuted")])
def test_two_threads_that_count_under_a_lock_have_counted_all(total: str, expected: str) -> None:
    text = "param N : int; init N >= 0; global x : int = 0; global l : 0..2 = 0;" + "".join(
        f"thread {name} {{ local i : int = 0; local t : int; while (i < N) {{ lock(l); t := x; x := t + 1; unlock(l);"
        " i := i + 1; } }"
        for name in "AB"
    )
    assert answer(f"{text} invariant counted : at A.exit && at B.exit ==> x == {total};") == expected
