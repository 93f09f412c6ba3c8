"""The checker's reading of a question against the engine's, and what neither of them may take for one."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.app.refine import questions
from sa.automata.automaton import Automaton, Origin
from sa.automata.program import Program, Refinement
from sa.base.diagnostic import InputError
from sa.certificates.goal import Goal
from sa.checker.claims import claimed
from sa.checker.question import NoQuestion, question, thread_goals, whole_goal
from sa.language.load import load_program
from sa.question.claims import claims_of
from sa.question.goals import closes, goals
from tests.endtoend.asking import read
from tests.generators.refinements import random_question

SPECS = Path(__file__).parent.parent.parent / "specs"
PAIRS = sorted(SPECS.rglob("conc.sa"))

FUZZ = [pytest.param(n, marks=pytest.mark.fuzz) for n in range(60, 460, 200)]


def rebuilt(abstract: Program, concrete: Program, block: Refinement | None, whole: bool) -> list[Goal]:
    asked = question(abstract, concrete, block, whole)
    return [_nowhere(g) for g in ((whole_goal(asked),) if asked.closed else thread_goals(asked))]


def engines(abstract: Program, concrete: Program, block: Refinement | None, whole: bool) -> list[Goal]:
    return [_nowhere(g) for g in goals(abstract, concrete, block, whole)]


def _nowhere(goal: Goal) -> Goal:
    """The goal with locations that come from no place in the text: only messages need to know."""

    def plain(automaton: Automaton) -> Automaton:
        places = (replace(q, origin=Origin(None)) for q in automaton.locations)
        return replace(automaton, locations=tuple(places), origin=Origin(None))

    return replace(goal, concrete=plain(goal.concrete), abstract=plain(goal.abstract))


@pytest.mark.parametrize("whole", [False, True])
def test_goals_of_specs_are_the_engines(whole: bool) -> None:
    seen = 0
    for concrete in PAIRS:
        if not (concrete.parent / "abs.sa").is_file():
            continue
        for part in questions((str(concrete.parent / "abs.sa"), str(concrete)), False):
            asked = (part.abstract, part.concrete, part.block, whole)
            assert rebuilt(*asked) == engines(*asked), concrete
            seen += 1
    assert seen > 50


@pytest.mark.parametrize("first", [0, *FUZZ])
def test_goals_of_random_questions_are_the_engines(first: int) -> None:
    seen = set[str]()
    for seed in range(first, first + (40 if first == 0 else 200)):
        asked = random_question(seed)
        abstract, concrete, block = read(asked.abstract, asked.concrete)
        for whole in (False, True):
            assert rebuilt(abstract, concrete, block, whole) == engines(abstract, concrete, block, whole), seed
            assert question(abstract, concrete, block, whole).closed is (whole or closes(abstract, concrete, block)), (
                seed
            )
        seen |= asked.tags
    assert {"open", "closed", "threads 2", "relate", "pairing"} <= seen


def test_claims_of_specs_are_the_engines() -> None:
    seen = 0
    for file in sorted((SPECS / "mutex").glob("*.sa")):
        program = load_program(str(file)).program
        mine, theirs = claimed(program), claims_of(program)
        assert [(c.bads, c.threads) for c in mine] == [(c.bads, c.threads) for c in theirs], file
        seen += len(mine)
    assert seen >= 20


@pytest.mark.parametrize(
    ("abstract", "concrete"),
    [
        ("global x : int; thread A { skip; }", "global x : int; thread B { skip; }"),
        ("global x : int; thread A { skip; }", "global x : bool; thread A { skip; }"),
        ("param x : int; thread A { skip; }", "global x : int; thread A { skip; }"),
        ("global x : int; thread A { skip; } thread B { skip; }", "global x : int; thread A { skip; }"),
        ("global x : int; thread A { rely x' == x; skip; }", "global x : int; thread A { skip; } thread B { skip; }"),
        (
            "global x : int; thread A { rely x' == x; skip; } thread B { skip; }",
            "global x : int; thread A { rely x' == x; skip; } thread B { skip; }",
        ),
    ],
)
def test_what_the_engine_refuses_is_no_question(abstract: str, concrete: str) -> None:
    first, second, block = read(abstract, concrete)
    with pytest.raises(InputError):
        goals(first, second, block, whole=False)
    with pytest.raises(NoQuestion):
        thread_goals(question(first, second, block, whole=False))


def test_another_program_gives_another_goal() -> None:
    """The comparison above can fail."""
    first, second, block = read("global x : int; thread A { x := 1; }", "global x : int; thread A { x := 2; }")
    assert rebuilt(first, second, block, whole=False) != engines(second, second, block, whole=False)
