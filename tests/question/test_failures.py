"""How a step goes wrong is data on its edge, and what is claimed is named after it."""

from __future__ import annotations

import pytest

from sa.automata.automaton import Failure, Fault
from sa.base.source import Source
from sa.language.elaborate.program import elaborate
from sa.language.parser import parse
from sa.question.claims import claims_of

DECLARED = "global x, i : 0..9; global a : 0..9[3]; global l : 0..2;\n"


@pytest.mark.parametrize(
    ("statement", "failures", "claim"),
    [
        ("assert x <= 8;", {Failure(Fault.ASSERTION, "assert x <= 8;")}, "T: assert x <= 8"),
        ("x := x + 1;", {Failure(Fault.RANGE, "x := x + 1;")}, "T: value in range: x := x + 1"),
        ("x := a[i];", {Failure(Fault.INDEX, "x := a[i];")}, "T: index in bounds: x := a[i]"),
        ("unlock(l);", {Failure(Fault.LOCK, "unlock(l);")}, "T: lock held: unlock(l)"),
        (
            "assert a[i] == 0;",
            {Failure(f, "assert a[i] == 0;") for f in (Fault.INDEX, Fault.ASSERTION)},
            "T: assert a[i] == 0",
        ),
    ],
)
def test_an_edge_that_fails_says_how(statement: str, failures: set[Failure], claim: str) -> None:
    """Assertions, ranges, indices and locks; a formula that cannot be read is part of its assertion."""
    program = elaborate(parse(Source("t.sa", f"{DECLARED}thread T {{ {statement} }}")), {}).program
    assert {e.failure for e in program.threads[0].edges if e.failure is not None} == failures
    assert claim in [c.name for c in claims_of(program)]


def test_a_step_that_breaks_a_guarantee_says_so() -> None:
    """On the edge that is made for it."""
    text = f"{DECLARED}thread T {{ guarantee x' >= x; x := 0; }}"
    (claim,) = (c for c in claims_of(elaborate(parse(Source("t.sa", text)), {}).program) if "guarantee" in c.name)
    found = {
        b.failing.edge.failure.fault for b in claim.bads if b.failing and b.failing.edge and b.failing.edge.failure
    }
    assert found == {Fault.GUARANTEE}
