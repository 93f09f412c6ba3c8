"""What may help where `refine` has no answer: read off the question and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.base.budget import Event
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.relation import Relation
from sa.engines.tried import Tried
from sa.engines.verification import Finding, Verification
from sa.frontends.load import load_program
from sa.question.claims import claims_of
from sa.report.help import what_may_help, what_may_help_claims
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


PARTS = {
    "nothing to make smaller": ("x = x + 1;", ()),
    "a loop": ("while (x < 9) x = x + 1;", ("fewer loop iterations",)),
    "both": ("while (x < 3) a[x++] = 1; x = a[1];", ("fewer loop iterations", "smaller arrays")),
}


@pytest.mark.parametrize("name", PARTS)
def test_only_what_a_program_has_can_be_made_smaller(name: str, tmp_path: Path) -> None:
    statement, parts = PARTS[name]
    told = _of_unknown(f"int x, a[4];\nint main(void) {{ {statement} assert(x > 0); }}\n", tmp_path)
    said = f"What may help: {' and '.join(parts)}, to see whether something is wrong at all"
    assert told == (said if parts else None)


def test_threads_may_disturb_each_other_only_where_there_are_several(tmp_path: Path) -> None:
    alone = "int x;\nvoid *w(void *a) { x = 1; return 0; }\nint main(void) { %s assert(x >= 0); }\n"
    assert _of_unknown(alone % "w(0);", tmp_path) is None
    told = _of_unknown("#include <pthread.h>\n" + alone % "pthread_t t; pthread_create(&t, 0, w, 0);", tmp_path)
    assert told is not None
    assert "threads disturb each other" in told


def test_where_something_is_refuted_that_comes_first(tmp_path: Path) -> None:
    """The others were left aside; no more is said of them."""
    text = "int x;\nint main(void) { while (x < 3) x = x + 1; assert(x > 0); assert(x < 0); }\n"
    found = _unknown(text, tmp_path)
    refuted = replace(found.findings[0], verdict=Verdict.REFUTED, unknown=None)
    some = replace(found, verdict=Verdict.REFUTED, findings=(refuted, *found.findings[1:]))
    assert what_may_help_claims(found) is not None
    assert what_may_help_claims(some) is None


def _of_unknown(text: str, folder: Path) -> str | None:
    return what_may_help_claims(_unknown(text, folder))


def _unknown(text: str, folder: Path) -> Verification:
    """That nothing is known of the program's claims because their work was used up."""
    path = folder / "p.c"
    path.write_text(f"#include <assert.h>\n{text}")
    program = load_program(str(path)).program
    findings = tuple(Finding(c, Verdict.UNKNOWN, "", 0.0, unknown=Unknown(Reason.WORK)) for c in claims_of(program))
    assert findings
    return Verification(program, Verdict.UNKNOWN, "", findings, (), (), None, {})
