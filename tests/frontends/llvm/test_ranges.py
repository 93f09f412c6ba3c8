"""What is said of the values that parameters and results may have (LangRef, `range`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer
from tests.frontends.llvm.test_meaning import of

pytest.importorskip("llvmlite")

SMALL = "range(i32 0, 4) i32"
BACK = "range(i32 5, -5) i32"
CLAMPED = "%y = and i32 %x, 3; ret i32 %y"
GIVEN = "i32 noundef range(i32 0, 4) %x"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (of(CLAMPED), of(CLAMPED, result=SMALL), "PROVED"),
        (of("ret i32 %x"), of("ret i32 %x", result=SMALL), "REFUTED"),
        (of("ret i32 %x", result=SMALL), of("ret i32 %x"), "PROVED"),
        (of("ret i32 %x", result=SMALL), of("ret i32 %x", result="range(i32 0, 3) i32"), "REFUTED"),
        # Poison, or undefined behaviour.
        (of("ret i32 %x", result=SMALL), of("%y = freeze i32 %x; ret i32 %y", result=SMALL), "PROVED"),
        (of("%c = icmp ult i32 %x, 4; br i1 %c, label %y, label %n\ny:; ret i32 %x\nn:; unreachable"),
         of("ret i32 %x", result=f"noundef {SMALL}"), "PROVED"),
        (of("ret i32 %x", result=SMALL), of("ret i32 %x", result=f"noundef {SMALL}"), "REFUTED"),
        (of("ret i32 %x", result=f"noundef {SMALL}"), of(CLAMPED), "PROVED"),
        # It may go round.
        (of("ret i32 %x", result=BACK), of("%y = or i32 %x, 0; ret i32 %y", result=BACK), "PROVED"),
        (of("ret i32 -7", result=BACK), of("ret i32 -7"), "PROVED"),
        (of("ret i32 -7"), of("ret i32 -7", result=BACK), "PROVED"),
        (of("ret i32 -3"), of("ret i32 -3", result=BACK), "REFUTED"),
        # Parameters.
        (of("ret i32 %x", GIVEN), of(CLAMPED, GIVEN), "PROVED"),
        (of("ret i32 %x", GIVEN), of("%y = and i32 %x, 1; ret i32 %y", GIVEN), "REFUTED"),
        (of("ret i32 %x"), of("ret i32 %x", GIVEN), "REFUTED"),
        # A result that may be `undef` is refused.
        (of("ret i32 %x", "i32 %x", SMALL), of("ret i32 %x", "i32 %x", SMALL), "SA744"),
        # Both get the same value, or the same poison.
        (of("ret i32 %x", "i32 range(i32 0, 4) %x"), of("ret i32 %x", "i32 range(i32 0, 4) %x"), "PROVED"),
        (of("ret i32 %x", "i32 %x"), of("ret i32 %x", "i32 range(i32 0, 4) %x"), "SA746"),
    ],
)  # fmt: skip
def test_a_range_means_what_the_language_reference_says(before: str, after: str, expected: str, tmp_path: Path) -> None:
    assert answer(before, after, tmp_path) == expected
