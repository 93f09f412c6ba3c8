"""Outcomes of `refine` as a user sees them, and the same as JSON."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from sa.automata.trace import Move
from sa.base.verdict import Reason, Unknown
from sa.certificates.play import Chosen, EnvironmentMove, Exhausted, Position, Reply, Step, Unmatched
from sa.engines.outcome import Outcome
from sa.report.json import builtins
from sa.report.outcome_json import outcomes_json
from sa.report.refine import refinement_document, stopped_document
from sa.report.screen import Screen
from sa.report.story import story
from sa.report.terminal import show_document
from sa.terms.build import TRUE
from tests.golden import assert_golden
from tests.report.samples import (
    at,
    broken_start,
    escaping_play,
    goal,
    outcome,
    outcomes,
    result,
    uncovered_play,
    unmatched_play,
)


def show_outcome(outcome: Outcome, screen: Screen, quiet: bool = False) -> str:
    """An outcome as a terminal shows it."""
    return show_document(refinement_document(outcome), screen, quiet)


@pytest.mark.parametrize("name", outcomes())
def test_every_kind_of_outcome(name: str) -> None:
    """The whole text at the width that pipes get."""
    assert_golden(f"outcome-{name}.txt", show_outcome(outcomes()[name], Screen(100)))


def test_a_play_in_a_narrow_terminal() -> None:
    """Columns shrink, nothing is wider than the terminal."""
    text = show_outcome(outcomes()["escapes"], Screen(64))
    assert_golden("outcome-narrow.txt", text)
    assert max(map(len, text.splitlines())) <= 64


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_the_columns_of_a_play_stay_within_the_width(width: int) -> None:
    """The two sides never run into each other."""
    rows = [line for line in show_outcome(outcomes()["escapes"], Screen(width)).splitlines() if "│" in line]
    assert rows
    assert len({line.index("│") for line in rows}) == 1
    assert max(map(len, rows)) <= width


@pytest.mark.parametrize("name", outcomes())
def test_colours_change_no_text(name: str) -> None:
    """With the escapes removed the coloured report is the plain one."""
    from rich.text import Text

    coloured = show_outcome(outcomes()[name], Screen(100, colour=True))
    assert "\x1b[" in coloured
    stripped = "\n".join(line.rstrip() for line in Text.from_ansi(coloured).plain.splitlines())
    assert stripped == show_outcome(outcomes()[name], Screen(100)).rstrip("\n")


def test_quiet_leaves_the_verdict() -> None:
    """One line."""
    text = show_outcome(outcomes()["escapes"], Screen(100), quiet=True)
    assert text == "REFUTED  hoist/conc.sa refines hoist/abs.sa\n"


def test_a_stopped_question_says_why() -> None:
    """Never shown as success or as failure; a limit can be raised."""
    text = show_document(stopped_document(Unknown(Reason.MEMORY), "a.sa and b.sa"), Screen(100))
    said = "No answer because the memory limit was reached\n\n  What may help: more memory (`--memory`)"
    assert text == f"UNKNOWN  a.sa and b.sa\n  {said}\n"


def test_the_story_follows_the_answer_that_holds_out_longest() -> None:
    """The answers that lose earlier are summarised."""
    g = goal()
    told = story(escaping_play(g), g)
    assert [round_.concrete.edge is not None for round_ in told.rounds] == [True, False, True, False, True]
    assert [len(round_.others) for round_ in told.rounds] == [0, 0, 2, 0, 0]
    assert told.identity


def test_a_play_deeper_than_the_recursion_limit_is_told() -> None:
    """Plays may be as long as a loop."""
    g = goal()
    c, a = at("conc", "q0", x=0, t=0, i=0), at("abs", "q0", x=0, t=0, i=0)
    play = Position(c, a, Unmatched(c, TRUE, Exhausted.ENUMERATED))
    for _ in range(3000):
        play = Position(c, a, EnvironmentMove(c, (a,), False, play))
    assert len(story(play, g).rounds) == 3001
    found = outcome(outcomes()["escapes"].verdict, result(g, play))
    assert json.dumps(builtins(outcomes_json([found], None, (), 1)))


def test_a_strategy_that_shares_its_ends_is_told_in_time_linear_in_its_positions() -> None:
    """Sixty levels with two answers each are sixty positions, not 2 to the 60 lines."""
    g = goal()
    c, a = at("conc", "q0", x=0, t=0, i=0), at("abs", "q0", x=0, t=0, i=0)
    move = Move(g.concrete.edges[0], {}, c)
    play = Position(c, a, Unmatched(c, TRUE, Exhausted.ENUMERATED))
    for _ in range(60):
        replies = (Reply((), play), Reply((Move(g.abstract.edges[0], {}, a),), play))
        play = Position(c, a, Step(move, replies, (), Exhausted.ENUMERATED))
    assert len(story(play, g).rounds) == 61
    found = outcome(outcomes()["escapes"].verdict, result(g, play))
    document = builtins(outcomes_json([found], None, (), 1))
    assert len(document["outcomes"][0]["goals"][0]["play"]["strategy"]["positions"]) == 61


def test_an_abstract_side_that_chooses_its_start_loses_from_every_start() -> None:
    """`choose init`: one opening is told, the number of the others is said."""
    g = goal()
    opening = unmatched_play()
    assert isinstance(opening, Position)
    told = story(Chosen(opening.concrete, (opening, opening), Exhausted.ENUMERATED), g)
    assert told.ending.reasons[-1].text == "1 other abstract initial state also fails"


def test_json_has_every_answer_of_the_strategy() -> None:
    """The main line for readers, all positions for machines."""
    document = builtins(outcomes_json([outcomes()["escapes"]], None, (), 1))
    assert document["format"] == "sacheck-outcome/1"
    assert (document["verdict"], document["status"]) == ("REFUTED", 1)
    play = document["outcomes"][0]["goals"][0]["play"]
    assert [s["concrete"]["kind"] for s in play["steps"]] == ["step", "environment", "step", "environment", "step"]
    assert play["steps"][4]["concrete"]["action"] == "print(1)"
    assert play["steps"][4]["concrete"]["changed"] == {"i": 1}
    assert [r["text"] for r in play["ending"]["reasons"]] == [
        "its guard is false: n <= i",
        "its action is exit, not print(1)",
        "it shows print(3), not print(1)",
    ]
    positions = play["strategy"]["positions"]
    replies = [r["then"] for p in positions for r in p["move"].get("replies", ())]
    assert {t["position"] for t in replies if "position" in t} < set(range(len(positions)))
    assert sum("broken" in t for t in replies) == 1
    json.dumps(document)


@pytest.mark.parametrize("play", [unmatched_play(), uncovered_play(), broken_start(goal())])
def test_json_of_the_other_plays(play: object) -> None:
    """Each has its kind and can be written."""
    found = replace(outcomes()["escapes"].results[0], play=play)
    document = builtins(outcomes_json([replace(outcomes()["escapes"], results=(found,))], None, (), 1))
    kinds = {"position", "uncovered", "broken_at_start"}
    assert document["outcomes"][0]["goals"][0]["play"]["strategy"]["kind"] in kinds
    json.dumps(document)


def test_json_of_a_run_that_was_stopped_is_unknown() -> None:
    """What was proved before does not make the whole proved."""
    document = builtins(outcomes_json([outcomes()["proved"]], Unknown(Reason.INTERRUPTED), (), 3))
    assert document["verdict"] == "UNKNOWN"
    assert document["unknown"] == {"reason": "interrupted", "detail": ""}
