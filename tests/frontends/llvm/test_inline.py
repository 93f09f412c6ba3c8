"""Functions that the module defines itself take the places of their calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer_of_files

pytest.importorskip("llvmlite")

MAX = """define internal i32 @max(i32 noundef %a, i32 noundef %b) {
  %r = alloca i32
  %c = icmp sgt i32 %a, %b
  br i1 %c, label %left, label %right
left:
  store i32 %a, ptr %r
  br label %end
right:
  store i32 %b, ptr %r
  br label %end
end:
  %v = load i32, ptr %r
  ret i32 %v
}
"""
TWICE = """define i32 @f(i32 noundef %x, i32 noundef %y) {
  %a = call i32 @max(i32 noundef %x, i32 noundef %y)
  %b = call i32 @max(i32 noundef %a, i32 noundef 5)
  ret i32 %b
}
"""
DIRECT = """declare i32 @llvm.smax.i32(i32, i32)
define i32 @f(i32 noundef %x, i32 noundef %y) {
  %a = call i32 @llvm.smax.i32(i32 %x, i32 %y)
  %b = call i32 @llvm.smax.i32(i32 %a, i32 5)
  ret i32 %b
}
"""
UNUSED = """define internal i32 @g(i32 noundef %a) {
  ret i32 0
}
"""
POISON = """define i32 @f(i32 noundef %x) {
  %y = add nsw i32 %x, 1
  %z = call i32 @g(i32 PASSED%y)
  ret i32 %z
}
"""
ZERO = "define i32 @f(i32 noundef %x) {\n  ret i32 0\n}\n"
ROUNDS = """define internal i32 @g() {
  %r = alloca i32
  %v = load i32, ptr %r
  store i32 7, ptr %r
  ret i32 %v
}
define i32 @f(i32 noundef %x) {
  %a = call i32 @g()
  %b = call i32 @g()
  ret i32 %b
}
"""


def answer(before: str, after: str, folder: Path) -> str:
    """The answer about `f` of two texts."""
    paths = folder / "before.ll", folder / "after.ll"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    return answer_of_files(*paths, name="f")


def test_calls_inside_each_other_and_one_behind_the_other(tmp_path: Path) -> None:
    assert answer(MAX + TWICE, DIRECT, tmp_path) == "PROVED"
    assert answer(MAX + TWICE, DIRECT.replace("i32 5", "i32 6"), tmp_path) == "REFUTED"


def test_an_argument_that_must_not_be_poison_is_looked_at_although_nobody_uses_it(tmp_path: Path) -> None:
    strict = UNUSED + POISON.replace("PASSED", "")
    assert answer(UNUSED.replace("noundef ", "") + POISON.replace("PASSED", ""), ZERO, tmp_path) == "PROVED"
    assert answer(ZERO, strict, tmp_path) == "REFUTED"
    assert answer(strict, ZERO.replace("ret i32 0", "%c = icmp ne i32 %x, 2147483647\n  %r = zext i1 %c to i32\n"
                                               "  %s = sub i32 1, %r\n  ret i32 %s"), tmp_path) == "PROVED"  # fmt: skip


def test_what_a_call_kept_is_not_there_in_the_next_one(tmp_path: Path) -> None:
    assert answer(ROUNDS, ZERO.replace("ret i32 0", "ret i32 3"), tmp_path) == "PROVED"


@pytest.mark.parametrize(
    "called",
    [
        "define internal i32 @g(i32 %a) {\n  %r = call i32 @g(i32 %a)\n  ret i32 %r\n}\n",
        "define weak i32 @g(i32 %a) {\n  ret i32 0\n}\n",
        "define internal i32 @g(i32 %a) memory(none) {\n  ret i32 0\n}\n",
    ],
    ids=["recursion", "another definition", "promises"],
)
def test_what_is_called_may_be_refused(called: str, tmp_path: Path) -> None:
    assert answer(called + POISON.replace("PASSED", ""), ZERO, tmp_path) == "SA744"


def test_a_function_is_not_called_in_one_file_and_defined_in_the_other(tmp_path: Path) -> None:
    declared = "declare i32 @g(i32)\n" + POISON.replace("PASSED", "")
    assert answer(UNUSED.replace("noundef ", "") + POISON.replace("PASSED", ""), declared, tmp_path) == "SA744"
