"""What may help where `refine` has no answer: read off the question and the reason."""

from __future__ import annotations

from msgspec.structs import replace

from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.relation import Relation
from sa.report.help import what_may_help
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


def test_several_goals_can_be_one_question() -> None:
    proved = result(goal(), Relation((), (), (), ()))
    told = what_may_help(outcome(Verdict.UNKNOWN, result(goal(), Unknown(Reason.BOUND)), proved))
    assert told is not None
    assert "--whole" in told
    assert not any("--whole" in way for way in ways(Reason.BOUND))


def test_nothing_is_advised_where_nothing_is_open_or_the_reason_is_not_the_question() -> None:
    assert what_may_help(outcome(Verdict.PROVED, result(goal(), Relation((), (), (), ())))) is None
    assert ways(Reason.INTERRUPTED) == []
    assert ways(Reason.CRASHED) == []
