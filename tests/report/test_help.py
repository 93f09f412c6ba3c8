"""What may help where `refine` has no answer: read off the question and the reason."""

from __future__ import annotations

from msgspec.structs import replace

from sa.base.budget import Event
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.relation import Relation
from sa.engines.tried import Tried
from sa.report.help import what_may_help
from sa.report.refine import refinement_document
from sa.report.screen import Screen
from sa.report.terminal import show_document
from sa.terms import build
from tests.report.samples import goal, outcome, result

SAME = "a refinement block whose `relate` has the locals `t`, `i` beside the globals"


def ways(reason: Reason) -> list[str]:
    """What is said of a goal that has no answer for a reason."""
    told = what_may_help(outcome(Verdict.UNKNOWN, result(goal(), Unknown(reason))))
    return [] if told is None else told.removeprefix("What may help: ").split("; ")


def test_a_limit_can_be_raised() -> None:
    assert ways(Reason.TIMEOUT)[0] == "more time (`--timeout`)"
    assert ways(Reason.MEMORY)[0] == "more memory (`--memory`)"
    assert not any("--timeout" in way or "--memory" in way for way in ways(Reason.BOUND))


def test_locals_of_both_sides_can_be_related_unless_they_are() -> None:
    assert SAME in ways(Reason.BOUND)
    g = goal()
    related = tuple(
        replace(g.iota[0], term=build.eq(build.variable(f"conc.{n}"), build.variable(f"abs.{n}"))) for n in "ti"
    )
    told = what_may_help(outcome(Verdict.UNKNOWN, result(replace(g, iota=related), Unknown(Reason.BOUND))))
    assert told is not None
    assert "relate" not in told


def test_threads_with_relies_can_be_one_question_but_no_family_is() -> None:
    """Without relies the programs are compared as wholes anyway."""
    stuck = Unknown(Reason.BOUND)
    assert any("--whole" in way for way in ways(Reason.BOUND))
    inferred = outcome(Verdict.UNKNOWN, result(replace(goal(), matched=False), stuck))
    assert "--whole" not in (what_may_help(inferred) or "")
    family = replace(outcome(Verdict.UNKNOWN, result(goal(), stuck)), families=True)
    told = what_may_help(family) or ""
    assert "--whole" not in told
    assert "ranges" not in told


def test_nothing_is_advised_where_nothing_is_open_or_the_reason_is_not_the_question() -> None:
    assert what_may_help(outcome(Verdict.PROVED, result(goal(), Relation((), (), (), ())))) is None
    assert ways(Reason.INTERRUPTED) == []
    assert ways(Reason.CRASHED) == []


def test_the_rest_is_shown_to_those_who_ask_why() -> None:
    """Otherwise the sentence says how to ask, where there is anything to tell."""
    tried = Tried(
        "points", 1.5, 1_500_000, Reason.TIMEOUT, last=Event("searching", {"pairs": 12, "lemmas": 3}), goal="Main"
    )
    stuck = replace(outcome(Verdict.UNKNOWN, result(goal(), Unknown(Reason.BOUND))), tried=(tried,))
    brief, long = (show_document(refinement_document(stuck, why), Screen(100)) for why in (False, True))
    assert "`--why` lists what was tried" in brief
    assert "points" not in brief
    assert "`--why`" not in long
    assert "What was tried of Main:\n    points  1.5 s  12 pairs, 3 lemmas; out of time\n" in long
    assert "`--why`" not in show_document(refinement_document(replace(stuck, tried=()), why=False), Screen(100))
