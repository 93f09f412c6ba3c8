"""Runs of programs: seeds repeat, scripts are obeyed, endings are told apart, integers may be any."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Kind, Variable
from sa.automata.program import Program
from sa.base.source import Source
from sa.certificates.run import Ending, Run
from sa.explicit.simulate import NoStart, NoSuchTurn, possible_turns, scripted_run, seeded_run, starts
from sa.language.elaborate import elaborate
from sa.language.parser import parse
from sa.terms.build import FALSE, TRUE, add, eq, integer, land, lt, variable
from sa.terms.term import Term
from tests.generators.drafts import Arrow, Draft, built

N = Variable(variable("n"), Kind.GLOBAL)
MINE = Variable(variable("m"), Kind.LOCAL)
n, m, t_n = N.var, MINE.var, variable("t.n")
ADDS = Arrow(0, 0, "add", (n,), updates=((n, add(n, integer(1))),))


def thread(name: str, *arrows: Arrow, init: Term = TRUE, inv: Term = TRUE) -> Automaton:
    size = 1 + max((max(a.source, a.target) for a in arrows), default=0)
    return built(Draft((N, MINE), init, (inv,) * size, (TRUE,) * size, arrows), name, "t")


def program(*threads: Automaton, init: Term = TRUE) -> Program:
    shared = tuple(v for v in threads[0].variables if v.kind is Kind.GLOBAL)
    return Program(Source("p.sa", ""), shared, (), (), init, threads, (), (), None)


def trail(run: Run) -> list[tuple[str, object]]:
    return [(turn.thread, turn.after.shared[t_n]) for turn in run.turns]


def test_the_same_seed_gives_the_same_run_and_some_other_seed_another() -> None:
    two = program(thread("A", ADDS), thread("B", ADDS))
    assert trail(seeded_run(two, 7, 20)) == trail(seeded_run(two, 7, 20))
    assert len({tuple(trail(seeded_run(two, seed, 20))) for seed in range(5)}) > 1


def test_each_thread_moves_and_all_see_what_is_shared() -> None:
    run = seeded_run(program(thread("A", ADDS), thread("B", ADDS)), 1, 30)
    assert {turn.thread for turn in run.turns} == {"A", "B"}
    for turn in run.turns:
        assert all(there.values[t_n] == turn.after.shared[t_n] for there in turn.after.threads.values())
    assert run.ending is Ending.STOPPED


def test_a_label_shows_the_values_from_before_the_step() -> None:
    run = scripted_run(program(thread("A", ADDS), init=eq(t_n, integer(41))), [("A", 0)])
    assert (run.turns[0].shown, run.turns[0].after.shared[t_n]) == ((41,), 42)


def test_locals_with_one_name_are_different_variables() -> None:
    sets = Arrow(0, 1, None, updates=((m, n),))
    run = scripted_run(
        program(thread("A", sets, init=eq(m, integer(9))), thread("B", init=eq(m, integer(5)))), [("A", 0)]
    )
    after = run.turns[0].after
    assert after.threads["B"].values[variable("t.m")] == 5
    assert after.threads["A"].values[variable("t.m")] == after.shared[t_n]


def test_a_script_that_cannot_go_on_says_where_and_what_is_possible() -> None:
    with pytest.raises(NoSuchTurn) as caught:
        scripted_run(program(thread("A", ADDS), thread("B")), [("A", 0), ("B", 0)])
    assert (caught.value.place, caught.value.thread) == (1, "B")
    assert [turn.thread for turn in caught.value.possible] == ["A"]


def test_endings_are_told_apart() -> None:
    ends, waits, fails = Arrow(0, 1, "exit"), Arrow(0, 1, None, guard=FALSE), Arrow(0, 1, FAIL)
    pick = replace(MINE, var=variable("pick"))
    asks = Arrow(0, 1, None, guard=eq(add(pick.var, pick.var), integer(1)), choices=(pick,))
    found = [seeded_run(program(thread("A", a)), 0, 9).ending for a in (ends, waits, fails, asks)]
    assert found == [Ending.FINISHED, Ending.BLOCKED, Ending.FAILED, Ending.UNDECIDED]


def test_initial_equations_are_solved_however_large_their_solution_is() -> None:
    start = next(starts(program(thread("A", init=eq(m, add(n, integer(5)))), init=eq(t_n, integer(10**9)))))
    assert start.shared[t_n] == 10**9
    assert start.threads["A"].values[variable("t.m")] == 10**9 + 5


def test_other_initial_values_are_small_and_satisfy_init() -> None:
    positive = program(thread("A"), init=lt(integer(0), t_n))
    values = {next(starts(positive, seed)).shared[t_n] for seed in range(30)}
    assert values <= set(range(1, 13))
    assert len(values) > 3
    assert next(starts(positive)).shared[t_n] == 1


def test_a_program_without_initial_state_has_no_run() -> None:
    with pytest.raises(NoStart):
        seeded_run(program(thread("A"), init=land(lt(t_n, integer(0)), lt(integer(0), t_n))), 0, 5)


def test_a_choice_that_an_equation_fixes_is_found_however_large() -> None:
    pick = replace(MINE, var=variable("pick"))
    jump = Arrow(0, 1, None, guard=eq(pick.var, integer(1000)), updates=((n, pick.var),), choices=(pick,))
    jumps = program(thread("A", jump))
    (turn,) = possible_turns(jumps, next(starts(jumps)))
    assert turn.after.shared[t_n] == 1000


def test_no_step_breaks_the_invariant_of_any_thread() -> None:
    bounded = thread("B", inv=lt(n, integer(2)))
    run = seeded_run(program(thread("A", ADDS), bounded, init=eq(t_n, integer(0))), 0, 9)
    assert (trail(run), run.ending) == ([("A", 1)], Ending.BLOCKED)


def test_a_huge_range_is_not_enumerated() -> None:
    """Neither in memory nor in time."""
    text = f"global x : 1..{2**63}; global y : 0..{2**64}; init y > x; thread T {{ x := x; }}"
    program = elaborate(parse(Source("huge.sa", text)), {}).program
    assert seeded_run(program, 0, 5).turns
