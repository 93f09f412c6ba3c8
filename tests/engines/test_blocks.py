"""Sections of the concrete program are one step where that is right: what refines in one step refines in several."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.certificates.play import Position
from sa.certificates.reduced import Phase
from sa.checker.check import Accepted, check
from sa.checker.question import question
from sa.engines.blocks import OfBlocks, of_blocks
from sa.engines.expanding import play_of_steps
from sa.engines.judging import QuestionsDiffer, same_question
from sa.engines.options import Options
from sa.engines.outcome import Found
from sa.engines.programs import decide_programs
from sa.engines.refine import refine
from sa.question.goals import goals
from tests.language.texts import program_of

AT_ONCE = program_of("""param n : int; global a, b : int = n;
thread Move { while (true) { atomic { if (a > 0) { a := a - 1; b := b + 1; } } } }
thread Audit { while (true) { @sum(a + b) skip; } }""")
SECTION = """param n : int; global m : int = 0; global x, y : int = n;
thread Move { local t : int = 0;
  while (true) { lock(m); t := x; if (t > 0) { x := t - 1; t := y; y := t + 1; } unlock(m); } }
thread Audit { local s : int = 0; while (true) { lock(m); s := x; s := s + y; @sum(s) skip; unlock(m); } }"""
ONE, TWO = program_of(SECTION), program_of(SECTION.replace("s := s + y;", "unlock(m); lock(m); s := s + y;"))
OPTIONS = Options(limits(None, None))


def blocks(section: bool) -> OfBlocks:
    """The blocks of one section, or of two."""
    made = of_blocks(AT_ONCE, ONE if section else TWO, None, OPTIONS)
    assert made is not None
    return made


def test_a_section_under_a_lock_is_one_step_and_refines_one() -> None:
    """Each round is one block; what is shown of blocks is an answer about these, and about no other ones."""
    made = blocks(section=True)
    assert [len(t.locations) for t in made.program.threads] == [2, 2]
    found = refine(AT_ONCE, made.program, None, OPTIONS)
    assert found.verdict is Verdict.PROVED
    asked, said = question(AT_ONCE, ONE, None, False), Found(found.results, found.composition, reduced=made.evidence)
    same_question(asked, said)
    first, *others = made.evidence
    steps = tuple(tuple(Phase.CUT for _ in its) for its in first.phases)
    with pytest.raises(QuestionsDiffer):
        same_question(asked, replace(said, reduced=(replace(first, phases=steps), *others)))


def test_two_sections_are_two_steps_and_do_not_refine_one() -> None:
    """Between the sections something moves."""
    assert refine(AT_ONCE, blocks(section=False).program, None, OPTIONS).verdict is Verdict.REFUTED


def test_a_play_against_blocks_is_one_against_their_steps() -> None:
    """Made step by step it is a play that the checker accepts."""
    made = blocks(section=False)
    lost = refine(AT_ONCE, made.program, None, OPTIONS).results[0]
    (goal,) = goals(AT_ONCE, TWO, None, whole=True)
    assert isinstance(lost.play, Position)
    play = play_of_steps(goal, lost.goal, TWO.threads, made.made, lost.play, OPTIONS.limits)
    assert play is not None
    assert isinstance(check(goal, play, OPTIONS.limits), Accepted)
    assert not isinstance(check(goal, lost.play, OPTIONS.limits), Accepted)


@pytest.mark.parametrize("reduced", [True, False])
def test_products_that_are_too_large_to_compare_are_made_for_a_play(
    reduced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sections are refuted with blocks as steps, and along runs where there are no blocks."""
    if not reduced:
        monkeypatch.setattr("sa.engines.programs.of_blocks", lambda *_: None)
    found = decide_programs(AT_ONCE, TWO, None, None, OPTIONS)
    assert [r.verdict for r in found.results] == [Verdict.REFUTED]
    same_question(question(AT_ONCE, TWO, None, False), found)


def test_one_section_is_proved_without_products() -> None:
    """The blocks make small products."""
    found = decide_programs(AT_ONCE, ONE, None, None, OPTIONS)
    assert {r.verdict for r in found.results} == {Verdict.PROVED}
