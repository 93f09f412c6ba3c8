"""Structures and arrays as values: pairs of functions, and their answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer
from tests.frontends.llvm.test_meaning import of

pytest.importorskip("llvmlite")

T = "{ i32, i32 }"
X = "i32 noundef %x"
SECOND = "%q = getelementptr i8, ptr %p, i64 4; %v = load i32, ptr %q; ret i32 %v"
SUM = "%r = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %x, i32 0); ret { i32, i1 } %r"
SADD = "declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)\n"


def made(second: str) -> str:
    """A function that returns its parameter and something else."""
    return of(f"%a = insertvalue {T} poison, i32 %x, 0; %b = insertvalue {T} %a, i32 {second}, 1; ret {T} %b", X, T)


PADDED = "@s = global { i8, i32 } zeroinitializer\n"
READ = (
    "store { i8, i32 } zeroinitializer, ptr @s; %v = load i8, ptr getelementptr inbounds (i8, ptr @s, i64 1); ret i8 %v"
)

CASES = {
    "a structure is its parts": (
        made("7"),
        of(f"%a = insertvalue {T} {{ i32 0, i32 7 }}, i32 %x, 0; ret {T} %a", X, T),
        "PROVED",
    ),
    "each of them": (
        made("7"),
        of(f"%a = insertvalue {T} {{ i32 0, i32 8 }}, i32 %x, 0; ret {T} %a", X, T),
        "REFUTED",
    ),
    "a part that has no value may get any": (made("undef"), made("8"), "PROVED"),
    "and not lose one": (made("8"), made("undef"), "REFUTED"),
    "a part of a parameter": (
        of(f"%v = extractvalue {T} %s, 1; ret i32 %v", f"{T} noundef %s"),
        of(f"%v = extractvalue {T} %s, 0; ret i32 %v", f"{T} noundef %s"),
        "REFUTED",
    ),
    "what is stored as a whole is loaded in parts": (
        of(f"store {T} {{ i32 1, i32 2 }}, ptr %p; {SECOND}", "ptr noundef %p"),
        of(f"store {T} {{ i32 1, i32 2 }}, ptr %p; ret i32 2", "ptr noundef %p"),
        "PROVED",
    ),
    "what overflows is returned with that": (
        SADD + of(SUM, X, "{ i32, i1 }"),
        SADD + of("%r = insertvalue { i32, i1 } zeroinitializer, i32 %x, 0; ret { i32, i1 } %r", X, "{ i32, i1 }"),
        "PROVED",
    ),
    "padding is stored, too": (
        PADDED + of("store { i8, i32 } { i8 1, i32 2 }, ptr @s; ret void", "", "void"),
        PADDED + of("store { i8, i32 } { i8 1, i32 2 }, ptr @s; ret void", "", "void"),
        "PROVED",
    ),
    "as poison": (
        PADDED + of(READ, "", "i8"),
        PADDED + of("store { i8, i32 } zeroinitializer, ptr @s; ret i8 poison", "", "i8"),
        "PROVED",
    ),
    "which is no value": (
        PADDED + of("store { i8, i32 } zeroinitializer, ptr @s; ret i8 0", "", "i8"),
        PADDED + of(READ, "", "i8"),
        "REFUTED",
    ),
    "what is loaded with its padding must be there with it": (
        of("%v = load i32, ptr %p; ret i32 %v", "ptr noundef %p"),
        of("%s = load { i32, i8 }, ptr %p; %v = extractvalue { i32, i8 } %s, 0; ret i32 %v", "ptr noundef %p"),
        "REFUTED",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_structure_is_what_the_language_reference_says(name: str, tmp_path: Path) -> None:
    before, after, expected = CASES[name]
    assert answer(before, after, tmp_path) == expected
