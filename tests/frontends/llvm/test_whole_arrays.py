"""Arrays of modules of LLVM IR whose elements are chosen by variables: one element stands for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer

pytest.importorskip("llvmlite")

ARRAY = """@h = global [64 x i32] zeroinitializer
define i32 @f(i32 noundef %c) {{
  %i = and i32 %c, {mask}
  %j = zext i32 %i to i64
  %p = getelementptr inbounds [64 x i32], ptr @h, i64 0, i64 %j
  %v = load i32, ptr %p, align 4
  {body}
}}
"""


#: Before, after, and the answer.
CASES = [
    ("%w = add i32 %v, %v\nstore i32 %w, ptr %p, align 4\nret i32 0",
     "%w = shl i32 %v, 1\nstore i32 %w, ptr %p, align 4\nret i32 0", "PROVED"),
    ("%w = add i32 %v, %v\nstore i32 %w, ptr %p, align 4\nret i32 0",
     "%w = shl nsw i32 %v, 1\nstore i32 %w, ptr %p, align 4\nret i32 0", "REFUTED"),
    ("ret i32 %v", "%w = add i32 %v, 0\nret i32 %w", "PROVED"),
    ("ret i32 %v", "%w = freeze i32 %v\nret i32 %w", "PROVED"),
    # The first function has one run only: it must not choose.
    ("%w = freeze i32 %v\nret i32 %w", "ret i32 %v", "SA718"),
    ("ret i32 %v", "store i32 %v, ptr %p, align 4\nret i32 %v", "REFUTED"),
]  # fmt: skip


#: All elements may be chosen, or some of them.
@pytest.mark.parametrize(
    ("before", "after", "expected", "mask"), [*((*c, 63) for c in CASES), (*CASES[0], 15), (*CASES[-1], 15)]
)
def test_one_element_stands_for_all(before: str, after: str, expected: str, mask: int, tmp_path: Path) -> None:
    made = [ARRAY.format(body=body, mask=mask) for body in (before, after)]
    assert answer(made[0], made[1], tmp_path) == expected
