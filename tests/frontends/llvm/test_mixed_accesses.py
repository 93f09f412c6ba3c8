"""Memory that functions of LLVM IR access both atomically and plainly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer

pytest.importorskip("llvmlite")

LOAD = "%r = load atomic i32, ptr @g monotonic, align 4\n"
ACQUIRE = "%r = load atomic i32, ptr @g acquire, align 4\n"
OUT = "store i32 %a, ptr %out, align 4\n"
POISON = "store i32 poison, ptr @g, align 4\n"
EXCHANGE = "%p = cmpxchg ptr @g, i32 0, i32 1 monotonic monotonic, align 4\n"


def module(body: str) -> str:
    """A module with a function of this body, which gets a number and a pointer."""
    return f"@g = global i32 0\ndefine i32 @f(i32 noundef %a, ptr noundef %out) {{\n{body}}}\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # A pointer may lead to what is accessed atomically.
        (f"{LOAD}{OUT}ret i32 %r\n", f"{LOAD}{OUT}%s = add i32 %r, 0\nret i32 %s\n", "PROVED"),
        (f"{ACQUIRE}{OUT}ret i32 %r\n", f"{OUT}{ACQUIRE}ret i32 %r\n", "REFUTED"),
        (f"{OUT}{LOAD}ret i32 %r\n", f"{LOAD}{OUT}ret i32 %r\n", "REFUTED"),
        # What is atomic may not become plain. What is plain is poison where it races, and no action.
        (f"{LOAD}ret i32 %r\n", "%r = load i32, ptr @g, align 4\nret i32 %r\n", "REFUTED"),
        ("%r = load i32, ptr @g, align 4\nret i32 %r\n", f"{LOAD}ret i32 %r\n", "UNKNOWN"),
        # In C a read that races is undefined behaviour, so that the atomic one may go.
        (f"{LOAD}%s = load i32, ptr @g, align 4\n%t = add i32 %r, %s\nret i32 %t\n",
         "%s = load i32, ptr @g, align 4\n%t = add i32 %s, %s\nret i32 %t\n", "REFUTED"),
        # Who may write plainly is alone.
        (f"store i32 5, ptr @g, align 4\n{LOAD}ret i32 %r\n", f"{LOAD}store i32 5, ptr @g, align 4\nret i32 5\n",
         "PROVED"),
        (f"store i32 5, ptr @g, align 4\n{LOAD}ret i32 %r\n", f"{LOAD}store i32 5, ptr @g, align 4\nret i32 %r\n",
         "REFUTED"),
        # An atomic access finds poison that was stored plainly.
        (f"{POISON}{LOAD}ret i32 %r\n", f"{POISON}{LOAD}ret i32 7\n", "PROVED"),
        (f"{POISON}{LOAD}ret i32 7\n", f"{POISON}{LOAD}ret i32 %r\n", "REFUTED"),
        (f"{POISON}{EXCHANGE}%r = extractvalue {{ i32, i1 }} %p, 0\nret i32 %r\n", f"{POISON}{EXCHANGE}ret i32 7\n",
         "PROVED"),
        (f"{POISON}{EXCHANGE}ret i32 7\n", f"{POISON}{EXCHANGE}%r = extractvalue {{ i32, i1 }} %p, 0\nret i32 %r\n",
         "REFUTED"),
    ],
)  # fmt: skip
def test_atomic_and_plain_accesses_of_one_location(before: str, after: str, expected: str, tmp_path: Path) -> None:
    assert answer(module(before), module(after), tmp_path) == expected
