"""Initial coverage under a relation that holds only while a condition does."""

from __future__ import annotations

from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.engines.refine import refine
from tests.endtoend.asking import read


def test_a_condition_that_initial_values_decide_needs_no_pre() -> None:
    abstract = "global x : int; thread T { @a(x) skip; x := x + 1; }"
    concrete = """
    global x : int;
    global l : int = 0;
    thread T { @a(x) skip; lock(l); x := x + 1; unlock(l); }
    refinement r { relate conc.l == 0 ==> conc.x == abs.x; }
    """
    assert refine(*read(abstract, concrete), Options(limits(30.0, None))).verdict is Verdict.PROVED
