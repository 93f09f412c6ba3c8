"""Equalities at control points settle what is equal for a reason of control. Random programs are in `test_engine`."""

from __future__ import annotations

from sa.base.budget import Budget, unheard
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
        assert len(list(by_equalities(EQUALITIES[1], asked, Budget(Limits()), unheard))) == answers


def test_what_grows_with_something_else_stays_in_proportion() -> None:
    text = """global full : bool = false; global cell : int = 0;
        thread A {{ local k : int = 0; while (true) {{ k := k + {}; await !full; cell := 3 * k; full := true; }} }}
      thread B {{ local n : int = 0; while (true) {{ await full; n := n + 1;
                   assert cell == 3 * n; full := false; }} }}"""
    assert how(text.format(1)) == "equalities at control points"
    assert how(text.format(2)) is None
