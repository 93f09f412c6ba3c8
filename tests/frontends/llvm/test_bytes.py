"""Memory by bytes: accesses of several widths, widths of no whole bytes, fills, alignment. Pairs, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer
from tests.frontends.llvm.test_meaning import of

pytest.importorskip("llvmlite")

P = "ptr noundef %p"
G = "@g = global i32 0\n"
K = "@k = constant i32 305419896\n"
LOW = "%v = load i8, ptr {}; %z = zext i8 %v to i32; ret i32 %z"
HALVES = "%q = getelementptr i8, ptr %p, i64 2; store i16 {}, ptr %p; store i16 {}, ptr %q; "
MEMSET = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
FILLED = "call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 {}, i1 false); "
NEXT = "%q = getelementptr i8, ptr %p, i64 4; "
EIGHT = "ptr noundef align 4 dereferenceable(8)"
EITHER = (
    NEXT + "br i1 %c, label %y, label %n\ny:; %v = load i32, ptr %p; ret i32 %v\nn:; %w = load i32, ptr %q; ret i32 %w"
)
BOTH = NEXT + "%v = load i32, ptr %p; %w = load i32, ptr %q; %r = select i1 %c, i32 %v, i32 %w; ret i32 %r"

CASES = {
    "the first byte has the lowest bits": (
        G + of(LOW.format("@g"), ""),
        G + of(LOW.replace("zext i8 %v to i32", "sext i8 %v to i32").format("@g"), ""),
        "REFUTED",
    ),
    "a byte of what was stored": (
        G + of(f"store i32 %x, ptr @g; {LOW.format('@g')}"),
        G + of("store i32 %x, ptr @g; %z = and i32 %x, 255; ret i32 %z"),
        "PROVED",
    ),
    "a store of a part leaves the rest": (
        of(HALVES.format(1, 2) + "store i8 7, ptr %p; ret void", P, "void"),
        of("store i32 131079, ptr %p, align 2; ret void", P, "void"),
        "PROVED",
    ),
    "and nothing else": (
        of(HALVES.format(1, 2) + "store i8 7, ptr %p; ret void", P, "void"),
        of("store i32 65543, ptr %p; ret void", P, "void"),
        "REFUTED",
    ),
    "one byte that is poison makes all of it poison": (
        of("store i32 0, ptr %p; store i8 poison, ptr %p; %v = load i32, ptr %p; ret i32 %v", P),
        of("store i32 0, ptr %p; store i8 poison, ptr %p; ret i32 poison", P),
        "PROVED",
    ),
    "but not the bytes beside it": (
        of("store i32 0, ptr %p; store i8 poison, ptr %p; ret void", P, "void"),
        of("store i32 poison, ptr %p; ret void", P, "void"),
        "REFUTED",
    ),
    "a byte of a constant": (
        K + of("%e = getelementptr i8, ptr @k, i64 1; %v = load i8, ptr %e; ret i8 %v", "", "i8"),
        K + of("ret i8 86", "", "i8"),
        "PROVED",
    ),
    "another byte of it": (
        K + of("%e = getelementptr i8, ptr @k, i64 2; %v = load i8, ptr %e; ret i8 %v", "", "i8"),
        K + of("ret i8 86", "", "i8"),
        "REFUTED",
    ),
    "what has no whole bytes is stored with zeros": (
        of("store i9 -1, ptr %p; ret void", P, "void"),
        of("store i16 511, ptr %p; ret void", P, "void"),
        "PROVED",
    ),
    "and not with its sign": (
        of("store i9 -1, ptr %p; ret void", P, "void"),
        of("store i16 -1, ptr %p; ret void", P, "void"),
        "REFUTED",
    ),
    "what is filled is stored": (
        MEMSET + of(FILLED.format(4) + "ret void", P, "void"),
        MEMSET + of("store i32 16843009, ptr %p, align 1; ret void", P, "void"),
        "PROVED",
    ),
    "and no byte more": (
        MEMSET + of(FILLED.format(3) + "ret void", P, "void"),
        MEMSET + of("store i32 16843009, ptr %p, align 1; ret void", P, "void"),
        "REFUTED",
    ),
    "less alignment is no promise": (
        of("store i32 1, ptr %p, align 4; ret void", P, "void"),
        of("store i32 1, ptr %p, align 1; ret void", P, "void"),
        "PROVED",
    ),
    "a store that is wider is not aligned for that": (
        of("%q = getelementptr i8, ptr %p, i64 2; store i16 7, ptr %p; store i16 9, ptr %q; ret void", P, "void"),
        of("store i32 589831, ptr %p, align 4; ret void", P, "void"),
        "REFUTED",
    ),
    "and may be as aligned as those before": (
        of("%q = getelementptr i8, ptr %p, i64 2; store i16 7, ptr %p; store i16 9, ptr %q; ret void", P, "void"),
        of("store i32 589831, ptr %p, align 2; ret void", P, "void"),
        "PROVED",
    ),
    "perhaps there is no byte behind the one that is read": (
        of("%v = load i8, ptr %p; ret i8 %v", P, "i8"),
        of("%q = getelementptr i8, ptr %p, i64 1; %u = load i8, ptr %q; %v = load i8, ptr %p; ret i8 %v", P, "i8"),
        "REFUTED",
    ),
    "but where both are read they may be read in any order": (
        of("%v = load i8, ptr %p; %q = getelementptr i8, ptr %p, i64 1; %u = load i8, ptr %q; ret i8 %v", P, "i8"),
        of("%q = getelementptr i8, ptr %p, i64 1; %u = load i8, ptr %q; %v = load i8, ptr %p; ret i8 %v", P, "i8"),
        "PROVED",
    ),
    "perhaps there is no byte before the one that is read": (
        of("%q = getelementptr i8, ptr %p, i64 1; %v = load i8, ptr %q; ret i8 %v", P, "i8"),
        of("%u = load i8, ptr %p; %q = getelementptr i8, ptr %p, i64 1; %v = load i8, ptr %q; ret i8 %v", P, "i8"),
        "REFUTED",
    ),
    "unless it is in bounds": (
        of("%q = getelementptr inbounds i8, ptr %p, i64 1; %v = load i8, ptr %q; ret i8 %v", P, "i8"),
        of("%u = load i8, ptr %p; %q = getelementptr i8, ptr %p, i64 1; %v = load i8, ptr %q; ret i8 %v", P, "i8"),
        "PROVED",
    ),
    "what is read on one way alone is not there on the other": (
        of(EITHER, "ptr noundef %p, i1 noundef %c"),
        of(BOTH, "ptr noundef %p, i1 noundef %c"),
        "REFUTED",
    ),
    "unless it can be dereferenced": (
        of(EITHER, f"{EIGHT} %p, i1 noundef %c"),
        of(BOTH, f"{EIGHT} %p, i1 noundef %c"),
        "PROVED",
    ),
    "all of it": (
        of(EITHER, f"{EIGHT.replace('8', '4')} %p, i1 noundef %c"),
        of(BOTH, f"{EIGHT.replace('8', '4')} %p, i1 noundef %c"),
        "REFUTED",
    ),
    "what is aligned before is so after": (
        of("store i32 1, ptr %p, align 8; store i32 2, ptr %p, align 4; ret void", P, "void"),
        of("store i32 1, ptr %p, align 8; store i32 2, ptr %p, align 8; ret void", P, "void"),
        "PROVED",
    ),
}  # fmt: skip


#: What takes longer than most others together.
LONG = (
    "the first byte has the lowest bits",
    "a store of a part leaves the rest",
    "and no byte more",
    "and nothing else",
    "unless it can be dereferenced",
    "unless it is in bounds",
)
NAMES = [pytest.param(name, marks=pytest.mark.fuzz if name in LONG else ()) for name in CASES]


@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_what_the_language_reference_says(name: str, tmp_path: Path) -> None:
    before, after, expected = CASES[name]
    assert answer(before, after, tmp_path) == expected
