"""Couplings are inferred, and what is PROVED with one is true of visible actions.

The judge is inclusion of behaviours by enumeration (`tests/oracle/inclusion.py`): it knows nothing of couplings.
"""

from __future__ import annotations

from collections import Counter

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.coupling import Coupled, Escaping, couple
from sa.engines.options import Options
from sa.question.goals import closes, goals
from sa.terms.printer import show
from tests.endtoend.asking import read
from tests.generators.refinements import random_question
from tests.oracle.inclusion import escape


def related(abstract: str, concrete: str) -> list[str]:
    """What the coupling that is found for two texts relates; they must refine each other with it."""
    found = couple(*read(abstract, concrete), Options(limits(60.0, None)))
    assert isinstance(found, Coupled)
    assert found.outcome.verdict is Verdict.PROVED
    return [" ==> ".join(show(t) for t in said if show(t) != "true") or "true" for said in found.said]


READER = "thread R { local a, b : int = 0; while (*) { a, b := x, y; @got(a, b) skip; } }"
LOCKED = "thread R { local a, b : int = 0; while (*) { lock(l); a := x; b := y; unlock(l); @got(a, b) skip; } }"


def test_two_stores_under_a_lock_are_one() -> None:
    """Whoever writes holds the lock meanwhile: it is number 1."""
    said = related(
        f"global x, y : int = 0; thread W {{ while (*) {{ x, y := x + 1, y + 1; }} }} {READER}",
        "global x, y : int = 0; global l : int = 0;"
        f"thread W {{ while (*) {{ lock(l); x := x + 1; y := y + 1; unlock(l); }} }} {LOCKED}",
    )
    assert "conc.l != 1 ==> conc.x == abs.x" in said


def test_a_block_under_a_lock_is_one_step() -> None:
    said = related(
        "global c : int = 0; thread T[i : 1..2] { while (true) { @count(c) c := c + 1; } }",
        "global c : int = 0; global m : 0..2 = 0; thread T[i : 1..2] { local t : int = 0;"
        "while (true) { lock(m); t := c; c := t + 1; @count(t) skip; unlock(m); } }",
    )
    assert said == ["conc.m == 0 ==> conc.c == abs.c"]


def test_counters_of_different_pace_are_related() -> None:
    said = related(
        "global i : int = 0; thread T { while (true) { @tick i := i + 1; } }"
        "thread R { local r : int = 0; while (true) { r := 5 * i; @show(r) skip; } }",
        "global k : int = 0; thread T { while (true) { @tick k := k + 5; } }"
        "thread R { local r : int = 0; while (true) { r := k; @show(r) skip; } }",
    )
    assert said == ["conc.k == 5 * abs.i"]


def test_what_only_one_step_writes_early_need_not_be_related() -> None:
    said = related(
        "global x : int = 0; thread T { @a skip; x := 1; }", "global x : int = 0; thread T { x := 2; @a skip; x := 1; }"
    )
    assert said == ["true"]


def test_a_behaviour_that_escapes_has_no_coupling() -> None:
    found = couple(
        *read(
            "global x : int = 0; thread T { x := 1; @a(x) skip; }",
            "global x : int = 0; thread T { x := 2; @a(x) skip; }",
        ),
        Options(limits(30.0, None)),
    )
    assert isinstance(found, Escaping)


def judged(first: int, count: int) -> Counter[str]:
    """What is found for random closed questions, and what enumeration says of their visible actions."""
    tally = Counter[str]()
    for seed in range(first, first + count):
        asked = random_question(seed)
        try:
            abstract, concrete, block = read(asked.abstract, asked.concrete)
            if not closes(abstract, concrete, block):
                continue
            found = couple(abstract, concrete, block, Options(limits(20.0, None)))
        except InputError:
            continue
        match found:
            case None:
                tally["nothing"] += 1
            case Coupled(block):
                (goal,) = goals(abstract, concrete, block, whole=True)
                tally[f"related {escape(goal) is None}"] += 1
            case Escaping(result):
                tally[f"escapes {escape(result.goal) is not None}"] += 1
    return tally


def test_a_proof_with_an_inferred_relation_is_true_of_visible_actions() -> None:
    tally = judged(0, 24)
    assert tally["related False"] == tally["escapes False"] == 0
    assert min(tally["related True"], tally["escapes True"]) > 0


@pytest.mark.fuzz
@pytest.mark.parametrize("first", range(1000, 5000, 500))
def test_many_proofs_with_inferred_relations_are_true_of_visible_actions(first: int) -> None:
    tally = judged(first, 500)
    assert tally["related False"] == tally["escapes False"] == 0


def test_an_action_that_another_abstract_start_shows_does_not_escape() -> None:
    abstract, concrete = ("thread T { local x : 0..1; @out(" + shown + ") skip; }" for shown in ("x", "1 - x"))
    assert not isinstance(couple(*read(abstract, concrete), Options(limits(20.0, None))), Escaping)


def test_locals_of_one_name_in_two_threads_do_not_end_the_search_for_a_coupling() -> None:
    text = "thread T {{ local r : 0..1; @a(r) skip; }} thread U {{ local r : 0..1 = {}; @b skip; }}"
    couple(*read(text.format(0), text.format(1)), Options(limits(20.0, None)))
