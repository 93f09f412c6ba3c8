"""Promises that a function makes for itself: the first one may break them, the second one evidently keeps them.

What is left out of account makes the first function more defined than it is, so that nothing is refuted then.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer

pytest.importorskip("llvmlite")

STORE = "store i32 0, ptr %p; ret i32 %x"
LOAD = "%v = load i32, ptr %p; ret i32 %v"
ADD = "%v = load i32, ptr %p; %r = add i32 %v, %v; ret i32 %r"
SHIFT = "%v = load i32, ptr %p; %r = shl i32 %v, 1; ret i32 %r"
NUMBER = "%n = ptrtoint ptr %p to i64; %z = trunc i64 %n to i32; ret i32 %z"
OTHERS = "call void @h(ptr %q); ret i32 %x"


def of(body: str, pointer: str = "", own: str = "", number: str = "noundef", types: str = "") -> str:
    """A function of which, and of whose parameters, something is said."""
    text = f"""{types}
@v = global ptr null
declare void @h(ptr)
define i32 @f(i32 {number} %x, ptr {pointer} %p, ptr %q) {own} {{
  {body}
}}
"""
    return text.replace("; ", "\n  ")


def check(before: str, after: str, expected: str, folder: Path) -> None:
    assert answer(before, after, folder, 10.0) == expected


@pytest.mark.parametrize(
    ("word", "body"),
    [
        ("readonly", STORE),
        ("readnone", LOAD),
        ("writeonly", LOAD),
        ("captures(none)", NUMBER),
        ("returned", STORE),
        ("noalias", ADD),
    ],
)
def test_the_first_function_may_break_what_it_says_of_a_parameter(word: str, body: str, tmp_path: Path) -> None:
    if word == "returned":
        first, plain = (
            of("ret ptr %q", word).replace("define i32", "define ptr"),
            of("ret ptr %q").replace("define i32", "define ptr"),
        )
    else:
        first, plain = of(body, word), of(body)
    check(first, plain, "PROVED", tmp_path)
    # It is undefined where it breaks the promise: the second one may do anything.
    changed = plain.replace("ret i32", "store i32 7, ptr %q\n  ret i32").replace("ret ptr %q", "ret ptr %p")
    check(first, changed, "UNKNOWN", tmp_path)
    check(plain, changed, "REFUTED", tmp_path)
    # The second one would be undefined alone.
    check(plain, first, "SA746", tmp_path)


@pytest.mark.parametrize(
    ("word", "body"),
    [
        ("memory(read)", STORE),
        ("memory(none)", LOAD),
        ("memory(write)", LOAD),
        ("memory(read, argmem: none)", LOAD),
        ("noreturn", STORE),
        ("nosync", "fence seq_cst; ret i32 %x"),
    ],
)
def test_the_first_function_may_break_what_it_says_of_itself(word: str, body: str, tmp_path: Path) -> None:
    first, plain = of(body, own=word), of(body)
    check(first, plain, "PROVED", tmp_path)
    changed = plain.replace("ret i32", "store i32 7, ptr %q\n  ret i32")
    check(first, changed, "UNKNOWN", tmp_path)
    check(plain, changed, "REFUTED", tmp_path)
    check(plain, first, "SA746", tmp_path)
    # Both break it, perhaps on other ways.
    check(first, first, "SA746", tmp_path)


@pytest.mark.parametrize("word", ["readonly", "readnone", "writeonly", "captures(none)"])
def test_what_is_never_named_keeps_all_that_is_said_of_it(word: str, tmp_path: Path) -> None:
    """Another pointer is handed on."""
    check(of(OTHERS), of(OTHERS, word), "PROVED", tmp_path)
    check(of(OTHERS), of(OTHERS.replace("%q", "%p"), word), "SA746", tmp_path)


@pytest.mark.parametrize("word", ["writable dereferenceable(4)", "dead_on_return"])
def test_both_rely_on_what_the_caller_does(word: str, tmp_path: Path) -> None:
    check(of(ADD, word), of(SHIFT, word), "PROVED", tmp_path)
    check(of(ADD, word), of(ADD.replace("add", "sub"), word), "UNKNOWN", tmp_path)
    check(of(ADD, word), of(SHIFT), "PROVED", tmp_path)
    check(of(ADD), of(SHIFT, word), "SA746", tmp_path)


def test_a_value_out_of_its_range_is_poison(tmp_path: Path) -> None:
    word, one, two = "range(i32 0, 9)", "%r = add i32 %x, 1; ret i32 %r", "%r = sub i32 %x, -1; ret i32 %r"
    check(of(one, number=word), of(two, number=word), "PROVED", tmp_path)
    check(of(one, number=word), of(two, number=""), "PROVED", tmp_path)
    check(of(one, number=word), of("ret i32 %x", number=word), "UNKNOWN", tmp_path)
    check(of(one, number=""), of(two, number=word), "SA746", tmp_path)
    check(of(one, number="range(i32 0, 8)"), of(two, number=word), "SA746", tmp_path)


def test_a_copy_that_is_given_by_value(tmp_path: Path) -> None:
    """It is what any pointer is, and more is so of it: it is there, apart from all else, and nobody sees it later."""
    word, named, one, two = "byval(i32)", "byval(%t)", "%t = type { i32 }", "%t = type { i64 }"
    check(of(ADD, word), of(SHIFT, word), "PROVED", tmp_path)
    check(of(ADD, named, types=one), of(SHIFT, named, types=one), "PROVED", tmp_path)
    # The store is to what nobody sees, which is not seen here.
    check(of(STORE, word), of("ret i32 %x", word), "UNKNOWN", tmp_path)
    check(of(STORE), of("ret i32 %x"), "REFUTED", tmp_path)
    check(of(ADD, word), of(ADD.replace("add", "sub"), word), "UNKNOWN", tmp_path)
    check(of(ADD, word), of(SHIFT, "byval(i64)"), "SA405", tmp_path)
    check(of(ADD, word), of(SHIFT), "SA405", tmp_path)
    check(of(ADD), of(SHIFT, word), "SA405", tmp_path)
    check(of(ADD, named, types=one), of(SHIFT, named, types=two), "SA746", tmp_path)
