"""Functions of lock-free programs, compiled without optimisation and optimised."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer

pytest.importorskip("llvmlite")

CLAIM = """@used = global i64 0
define i32 @claim(i32 noundef %i) {
entry:
  %i.addr = alloca i32
  %m = alloca i64
  store i32 %i, ptr %i.addr
  %0 = load i32, ptr %i.addr
  %1 = and i32 %0, 63
  %2 = zext i32 %1 to i64
  %3 = shl i64 1, %2
  store i64 %3, ptr %m
  %4 = load i64, ptr %m
  %5 = atomicrmw or ptr @used, i64 %4 acquire
  %6 = load i64, ptr %m
  %7 = and i64 %5, %6
  %8 = icmp ne i64 %7, 0
  %9 = zext i1 %8 to i32
  ret i32 %9
}
"""
CLAIMED = """@used = global i64 0
define i32 @claim(i32 noundef %i) {
entry:
  %s = and i32 %i, 63
  %w = zext nneg i32 %s to i64
  %m = shl nuw i64 1, %w
  %o = atomicrmw or ptr @used, i64 %m acquire
  %a = and i64 %o, %m
  %c = icmp ne i64 %a, 0
  %r = zext i1 %c to i32
  ret i32 %r
}
"""
SEND = """%box = type { i32, i32, [2 x i32] }
@box = global %box zeroinitializer
@full = global i32 0
define i32 @send(i32 noundef %a, i32 noundef %b) {
entry:
  %r = alloca i32
  %0 = load atomic i32, ptr @full acquire, align 4
  %1 = icmp ne i32 %0, 0
  br i1 %1, label %no, label %yes
no:
  store i32 -1, ptr %r
  br label %out
yes:
  store i32 2, ptr @box
  store i32 %a, ptr getelementptr (i8, ptr @box, i64 8)
  store i32 %b, ptr getelementptr (i8, ptr @box, i64 12)
  %2 = xor i32 %a, %b
  store i32 %2, ptr getelementptr (i8, ptr @box, i64 4)
  store atomic i32 1, ptr @full release, align 4
  store i32 0, ptr %r
  br label %out
out:
  %3 = load i32, ptr %r
  ret i32 %3
}
"""
SENT = """%box = type { i32, i32, [2 x i32] }
@box = global %box zeroinitializer
@full = global i32 0
define i32 @send(i32 noundef %a, i32 noundef %b) {
entry:
  %f = load atomic i32, ptr @full acquire, align 4
  %n = icmp eq i32 %f, 0
  br i1 %n, label %yes, label %out
yes:
  store i32 2, ptr @box
  store i32 %a, ptr getelementptr (i8, ptr @box, i64 8)
  store i32 %b, ptr getelementptr (i8, ptr @box, i64 12)
  %x = xor i32 %b, %a
  store i32 %x, ptr getelementptr (i8, ptr @box, i64 4)
  store atomic i32 1, ptr @full release, align 4
  br label %out
out:
  %r = phi i32 [ 0, %yes ], [ -1, %entry ]
  ret i32 %r
}
"""
#: What is written is published before the last part of it.
EARLY = SENT.replace(
    "  store i32 %x, ptr getelementptr (i8, ptr @box, i64 4)\n  store atomic i32 1, ptr @full release, align 4\n",
    "  store atomic i32 1, ptr @full release, align 4\n  store i32 %x, ptr getelementptr (i8, ptr @box, i64 4)\n",
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (CLAIM, CLAIMED, "PROVED"),
        (SEND, SENT, "PROVED"),
        (SEND, EARLY, "REFUTED"),
    ],
)
def test_the_optimised_function_is_compared(before: str, after: str, expected: str, tmp_path: Path) -> None:
    assert answer(before, after, tmp_path) == expected
