"""Equalities at control points settle what is equal for a reason of control. Random programs are in `test_engine`."""

from __future__ import annotations

from sa.base.budget import Budget, Event, unheard
from sa.base.limits import Limits
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Joint, Lemmas
from sa.checker.lemmas import check_lemmas
from sa.checker.never import check_joint
from sa.checker.ruling import Accepted
from sa.hybrid.engine import by_control, by_equalities
from sa.hybrid.exploring import EQUALITIES, Effort
from sa.question.asked import Asked, Excluded
from tests.language.texts import program_of

PETERSON = """
    global f0, f1 : bool = false; global turn : 0..1 = 0; global x : int = 0; ghost global n : int = 0;
    thread A {{ local t : int = 0; while (true) {{ f0 := true; turn := 1; await !f1 || turn == 0;
      t := x; atomic {{ x := t + 1; n := n + 1; }} f0 := false; }} }}
    thread B {{ local t : int = 0; while (true) {{ f1 := true; turn := 0; await !f0 || turn == {};
      t := x; atomic {{ x := t + 1; n := n + 1; }} f1 := false; }} }}
    invariant counted : x == n;"""


def how(text: str) -> str | None:
    """How the engine excludes all claims of a program, None where it does not."""
    program = program_of(text)
    bads = tuple(Bad(None, i.formula) for i in program.invariants) or (Bad(Failing(), None),)
    asked = Asked(program.threads, bads, ())
    effort = Effort(2_000, 10_000, 20_000_000)
    found = list(by_control(effort, asked, Budget(Limits()), unheard))
    if not found or not isinstance(found[0], Excluded):
        return None
    match found[0].evidence:
        case Joint() as joint:
            assert check_joint(joint, Limits()) == Accepted()
        case Lemmas() as lemmas:
            assert check_lemmas(lemmas, Limits()) == Accepted()
        case other:
            raise AssertionError(other)
    return found[0].how


def test_what_a_lock_made_of_flags_protects_is_counted() -> None:
    assert how(PETERSON.format(1)) == "equalities at control points"
    assert how(PETERSON.format(0)) is None


def test_equations_alone_answer_where_points_are_many() -> None:
    for second, answers in ((1, 1), (0, 0)):
        program = program_of(PETERSON.format(second))
        asked = Asked(program.threads, (Bad(None, program.invariants[0].formula),), ())
        assert len(list(by_equalities(EQUALITIES, asked, Budget(Limits()), unheard))) == answers


def test_what_equations_exclude_is_excluded_at_once_although_something_else_happens() -> None:
    claims = "invariant twice : b == 2 * a; invariant never : a < 3; invariant even : c == b;"
    text = f"global a, b, c : int = 0; thread T {{ while (true) {{ a, b, c := a + 1, b + 2, c + 2; }} }} {claims}"
    program = program_of(text)
    bads = tuple(Bad(None, i.formula) for i in program.invariants)
    found = list(by_equalities(EQUALITIES, Asked(program.threads, bads, ()), Budget(Limits()), unheard))
    assert [f.bads for f in found] == [(bads[0], bads[2])]
    assert all(isinstance(f.evidence, Joint) and check_joint(f.evidence, Limits()) == Accepted() for f in found)


def test_what_equations_do_not_exclude_is_not_asked_of_them_again() -> None:
    text = "global a : int = 0; thread T { while (true) { a := a + 1; } } invariant never : a < 3;"
    program, heard = program_of(text), list[Event]()
    asked = Asked(program.threads, (Bad(None, program.invariants[0].formula),), ())
    for _ in range(2):
        assert not list(by_equalities(EQUALITIES, asked, Budget(Limits()), heard.append))
    assert len(heard) == 1


def test_what_grows_with_something_else_stays_in_proportion() -> None:
    text = """global full : bool = false; global cell : int = 0;
        thread A {{ local k : int = 0; while (true) {{ k := k + {}; await !full; cell := 3 * k; full := true; }} }}
      thread B {{ local n : int = 0; while (true) {{ await full; n := n + 1;
                   assert cell == 3 * n; full := false; }} }}"""
    assert how(text.format(1)) == "equalities at control points"
    assert how(text.format(2)) is None
