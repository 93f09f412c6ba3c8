"""What `verify --explain` shows of a reduction."""

from __future__ import annotations

from sa.base.limits import Limits
from sa.question.claims import claims_of
from sa.report.document import Document, Words
from sa.report.reduction import reduction_sections
from sa.report.screen import Screen
from sa.report.terminal import show_document
from sa.transform.reduce import reduction
from tests.golden import assert_golden
from tests.language.texts import program_of

TEXT = """global m, n : 0..2 = 0; global x, y : int = 0;
thread A {
  local a : int = 0;
  lock(m); a := x; lock(n); x := a + 1; unlock(n); unlock(m);
  lock(m); while (a > 0) { a := a - 1; } unlock(m);
  y := 1;
}
thread B { lock(m); x := x + y; unlock(m); y := 2; }
invariant ends : at A.exit && at B.exit ==> x >= 1;
"""


def test_a_table_for_each_thread_says_what_is_held_how_steps_move_and_why_blocks_are_cut() -> None:
    program = program_of(TEXT)
    bads = tuple(b for c in claims_of(program) for b in c.bads)
    made = reduction(program.threads, bads, program.axioms, Limits())
    document = Document(Words("PROVED"), "test.sa", None, tuple(reduction_sections(made)))
    assert_golden("verify-explain.txt", show_document(document, Screen(100), False))
