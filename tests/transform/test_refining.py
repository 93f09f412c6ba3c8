"""Random pairs with sections under locks: blocks refine exactly where the threads as they are written do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from sa.automata.automaton import Automaton
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.checker.question import Question, question, related, whole_goal
from sa.checker.reduced_threads import check_reduced_threads, question_of_blocks
from sa.checker.ruling import Accepted
from sa.question.goals import joint_locations
from sa.smt.session import Session
from sa.terms.build import TRUE, land, lnot, lor
from sa.terms.sort import BOOL
from sa.terms.term import Var
from sa.transform.flags import facts_under_flags
from sa.transform.refining import reduced_concrete, reduced_in_stages
from tests.generators.sections import random_pair, with_attempts, with_semaphore
from tests.language.texts import program_of
from tests.oracle.game import decide

BOUNDS = Limits()


def compare(seed: int, changed: Callable[[str], str] = str) -> Counter[str]:
    """Enumeration says the same of the written threads and of their blocks; what it says, if some are joined."""
    first, second = random_pair(Random(seed))
    abstract, concrete = program_of(first), program_of(changed(second))
    asked = question(abstract, concrete, None, False)
    threads = tuple(p.concrete for p in asked.pairs)
    written, blocks, found = decide(whole_goal(asked)).simulated, asked, Counter[str]()
    for made in reduced_in_stages(threads, land(*(f.term for f in related(asked)[1])), asked.axioms, BOUNDS):
        assert isinstance(check_reduced_threads(blocks, made.evidence, BOUNDS), Accepted), seed
        composed = question_of_blocks(blocks, made.evidence, BOUNDS)
        assert isinstance(composed, Question)
        assert tuple(p.concrete for p in composed.pairs) == made.threads, seed
        blocks = composed
        if sum(len(t.locations) for t in made.threads) < sum(len(t.locations) for t in threads):
            assert decide(whole_goal(blocks)).simulated == written, seed
            found = Counter(("refines" if written else "does not",))
        if any(made.evidence.idle):
            found["idle"] += 1
    return found


def test_blocks_refine_where_the_written_threads_do() -> None:
    """Of some pairs; both answers occur."""
    found = sum((compare(seed) for seed in range(12)), Counter[str]())
    assert found["refines"] > 2
    assert found["does not"] > 2


def test_a_binary_semaphore_is_a_lock_to_the_reduction() -> None:
    """It is known to be zero in a section, so sections exclude each other; both answers occur."""
    found = sum((compare(seed, with_semaphore) for seed in range(4)), Counter[str]())
    assert found["refines"] > 0
    assert found["does not"] > 0


def test_a_lock_by_attempts_is_held_where_its_flag_is_set() -> None:
    """The location alone does not say so: the head of the loop is left with the flag set, and entered without."""
    found = sum((compare(seed, with_attempts) for seed in range(4)), Counter[str]())
    assert found["refines"] > 0
    assert found["does not"] > 0
    assert found["idle"] > 0


def sections_of_tickets(again: str) -> tuple[int, int]:
    """Joint locations of two threads with a lock of tickets as they are written, and with blocks as steps."""
    served = f"t := fetch_add(next, 1); now := m; while (now != t) {{ {again} }}"
    body = f"local t, now : int = 0; while (true) {{ {served} x := x + 1; y := x; m := t + 1; }}"
    asked = question(
        program_of("thread T[i : 1..2] { skip; }"),
        program_of(f"global next, m, x, y : int = 0; thread T[i : 1..2] {{ {body} }}"),
        None,
        False,
    )
    threads = tuple(p.concrete for p in asked.pairs)
    made = reduced_concrete(threads, TRUE, (), BOUNDS)
    assert isinstance(check_reduced_threads(asked, made.evidence, BOUNDS), Accepted)
    return joint_locations(threads), joint_locations(made.threads)


def test_who_draws_tickets_from_a_counter_is_served_alone() -> None:
    """Tickets differ, so no two threads are at the section; if the number is taken for served, they may be."""
    written, blocks = sections_of_tickets("now := m;")
    _, wrong = sections_of_tickets("now := t;")
    assert blocks * 2 < written
    assert blocks < wrong


def test_what_flags_say_is_said_of_the_written_locations() -> None:
    section = "local got : bool = false; while (!got) { got := cas(m, 0, 1); } x := 1; m := 0;"
    program = program_of(f"global m, x : 0..1 = 0; thread T[i : 1..2] {{ {section} }}")
    threads = tuple(map(apart, program.threads))
    facts = facts_under_flags(threads, Session(BOUNDS))
    assert facts is not None
    head, inside = ((n, at) for n, at in zip((0, 1), _around_the_flag(threads[0]), strict=True))
    assert facts.met >= {frozenset({head, inside})}
    mine, theirs = (v.var for t in threads for v in t.variables if v.var.sort == BOOL)
    assert theirs in facts.at(inside)
    assert facts.together(head, inside) == (lor(lnot(mine), lnot(theirs)),)


def _around_the_flag(thread: Automaton) -> tuple[str, str]:
    """The head of the loop that tests the flag, and where it leads once the flag is set."""
    left = next(e for e in thread.edges if isinstance(e.guard, Var) and e.guard.sort == BOOL)
    return left.source, left.target


def test_without_flags_nothing_is_told_apart() -> None:
    threads = program_of("thread A { skip; } thread B { skip; }").threads
    assert facts_under_flags(tuple(map(apart, threads)), Session(BOUNDS)) is None


@pytest.mark.fuzz
@pytest.mark.parametrize("part", range(10))
def test_blocks_refine_where_the_written_threads_do_hundreds(part: int) -> None:
    """The same for many seeds."""
    for seed in range(1_000 + part * 60, 1_060 + part * 60):
        compare(seed)
        compare(seed, with_semaphore)
        compare(seed, with_attempts)


def test_places_where_no_step_leads_break_no_fact() -> None:
    """What would hold behind them is no matter: the flag is false where the branch that sets it is never taken."""
    abstract = program_of("thread T[i : 1..2] { skip; }")
    concrete = program_of("""global m : int = 0; global x : 0..2 = 0; thread T[i : 1..2] {
  local h : bool = false; lock(m); if (i == 3) { h := true; } if (!h) { x := 1; } x := 0; unlock(m); }""")
    asked = question(abstract, concrete, None, False)
    made = reduced_concrete(tuple(p.concrete for p in asked.pairs), TRUE, (), BOUNDS)
    assert isinstance(check_reduced_threads(asked, made.evidence, BOUNDS), Accepted)
