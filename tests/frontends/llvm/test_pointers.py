"""Pointers that are compared and chosen, memory of the function's own, intrinsics: pairs of functions, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer
from tests.frontends.llvm.test_meaning import of

pytest.importorskip("llvmlite")

LAYOUT = 'target datalayout = "i64:64"\n'
P = "ptr noundef %p"
TWO = "ptr noundef %p, ptr noundef %q, i32 noundef %x"
NULL = "%c = icmp eq ptr %p, null; br i1 %c, label %n, label %y\nn:; ret i32 0\ny:; "
PAIR = (
    "%s = alloca { i32, i64 }, align 8; %a = getelementptr { i32, i64 }, ptr %s, i64 0, i32 0"
    "; %b = getelementptr inbounds i8, ptr %s, i64 8; "
)
BOTH = "%v = load i32, ptr %a; %w = load i64, ptr %b"
PARTS = "; %n = trunc i64 %w to i32; %z = add i32 %v, %n; ret i32 %z"
MEMSET = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
FILL = "call void @llvm.memset.p0.i64(ptr %s, i8 2, i64 {}, i1 false); "
KEPT = "%c = icmp sgt i32 %x, 0; %r = select i1 %c, ptr {}, ptr %p; call void @keep(ptr %r); ret i32 0"
KEEP = "declare void @keep(ptr)\n"
TEST = "%c = icmp sgt i32 %x, 0; br i1 %c, label %y, label %n\nn:; ret i32 0\ny:; "
LATE = TEST + "%v = load i32, ptr %p, align 8; ret i32 %v"
SOON = "%v = load i32, ptr %p, align 8; " + TEST + "ret i32 %v"
DEREF = "ptr noundef dereferenceable(4) align 4 %p, i32 noundef %x"
RANGE = "@b = global i8 0\n!0 = !{i8 0, i8 2}\n!1 = !{i8 5, i8 -5}\n!2 = !{}\n"
SADD = "declare {i32, i1} @llvm.sadd.with.overflow.i32(i32, i32)\n"
SUM = "%r = call {i32, i1} @llvm.sadd.with.overflow.i32(i32 %x, i32 1); "
SAT = "declare i32 @llvm.uadd.sat.i32(i32, i32)\n"
TRAP = "declare void @llvm.trap() #0\nattributes #0 = { noreturn nounwind }\n"
CHOSEN = "ptr noundef %p, i1 noundef %d"
MOVED = "%q = getelementptr {} i8, ptr %p, i64 4; "
ONE_OF = MOVED + "%r = select i1 %d, ptr %q, ptr %p; "
BY = "%n = select i1 %d, i64 {}, i64 0; %r = getelementptr i8, ptr %p, i64 %n; ret ptr %r"


CASES = {
    # Chosen at several distances.
    "one of two distances is a distance that is chosen": (
        of(ONE_OF.format("") + "ret ptr %r", CHOSEN, "ptr"),
        of(BY.format(4), CHOSEN, "ptr"),
        "PROVED",
    ),
    "and no other distance": (
        of(ONE_OF.format("") + "ret ptr %r", CHOSEN, "ptr"),
        of(BY.format(8), CHOSEN, "ptr"),
        "REFUTED",
    ),
    "a promise is not made where a moved pointer is chosen": (
        of(ONE_OF.format("") + "ret ptr %r", CHOSEN, "ptr"),
        of(ONE_OF.format("inbounds") + "ret ptr %r", CHOSEN, "ptr"),
        "REFUTED",
    ),
    "an access at several distances may be any": (
        of(ONE_OF.format("") + "%v = load i32, ptr %r, align 4; ret i32 %v", CHOSEN),
        of("ret i32 0", CHOSEN),
        "UNKNOWN",
    ),
    # Pointers that are compared and chosen.
    "a pointer that is no null may be followed or not": (
        of(NULL + "%v = load i32, ptr %p; %z = sub i32 %v, %v; ret i32 1", P),
        of("%c = icmp ne ptr %p, null; %z = zext i1 %c to i32; ret i32 %z", P),
        "PROVED",
    ),
    "what is not null need not be followed before": (
        of(NULL + "ret i32 1", P),
        of("ret i32 1", P),
        "REFUTED",
    ),
    "what is followed is not null": (
        of("%v = load i32, ptr %p; %c = icmp eq ptr %p, null; %z = zext i1 %c to i32; ret i32 %z", P),
        of("%v = load i32, ptr %p; ret i32 0", P),
        "PROVED",
    ),
    "pointers that are equal lead to one place": (
        of("store i32 1, ptr %p; store i32 2, ptr %q; %v = load i32, ptr %p; ret i32 %v", TWO),
        of(
            "store i32 1, ptr %p; store i32 2, ptr %q; %c = icmp eq ptr %p, %q; %v = select i1 %c, i32 2, i32 1"
            "; ret i32 %v",
            TWO,
        ),
        "PROVED",
    ),
    "a pointer may be poison": (of(NULL + "ret i32 1", "ptr %p"), of("ret i32 0", "ptr %p"), "REFUTED"),
    "a pointer that is chosen leads to one of two places": (
        of("%c = icmp sgt i32 %x, 0; %r = select i1 %c, ptr %p, ptr %q; store i32 7, ptr %r; ret i32 0", TWO),
        of(
            "%c = icmp sgt i32 %x, 0; br i1 %c, label %y, label %n\ny:; store i32 7, ptr %p; ret i32 0\nn:"
            "; store i32 7, ptr %q; ret i32 0",
            TWO,
        ),
        "PROVED",
    ),
    "and not to the other one": (
        of("%c = icmp sgt i32 %x, 0; %r = select i1 %c, ptr %p, ptr %q; store i32 7, ptr %r; ret i32 0", TWO),
        of("%c = icmp sgt i32 %x, 0; %r = select i1 %c, ptr %q, ptr %p; store i32 7, ptr %r; ret i32 0", TWO),
        "REFUTED",
    ),
    "a pointer that is poison is no null": (
        KEEP + of(KEPT.format("null"), TWO),
        KEEP + of(KEPT.format("poison"), TWO),
        "REFUTED",
    ),
    # Ranges.
    "what is loaded is in its range": (
        RANGE + of("%v = load i8, ptr @b, !range !0; %z = zext i8 %v to i32; ret i32 %z"),
        RANGE + of("%v = load i8, ptr @b, !range !0; %c = icmp eq i8 %v, 1; %z = zext i1 %c to i32; ret i32 %z"),
        "PROVED",
    ),
    "or it is poison": (
        RANGE + of("%v = load i8, ptr @b, !range !0; %y = freeze i8 %v; %z = zext i8 %y to i32; ret i32 %z"),
        RANGE + of("%v = load i8, ptr @b; %y = freeze i8 %v; %z = zext i8 %y to i32; %u = and i32 %z, 1; ret i32 %u"),
        "PROVED",
    ),
    "a range is a promise": (
        RANGE + of("%v = load i8, ptr @b; %z = zext i8 %v to i32; ret i32 %z"),
        RANGE + of("%v = load i8, ptr @b, !range !0; %z = zext i8 %v to i32; ret i32 %z"),
        "REFUTED",
    ),
    "a range may go round": (
        RANGE + of("%v = load i8, ptr @b, !range !1, !noundef !2; %z = sext i8 %v to i32; ret i32 %z"),
        RANGE
        + of(
            "%v = load i8, ptr @b, !range !1, !noundef !2; %z = sext i8 %v to i32; %c = icmp eq i8 %v, 0"
            "; %w = select i1 %c, i32 7, i32 %z; ret i32 %w"
        ),
        "PROVED",
    ),
    # Alignment.
    "accesses that are aligned alike": (
        of("store i32 1, ptr %p, align 8; %v = load i32, ptr %p, align 8; ret i32 %v", P),
        of("store i32 1, ptr %p, align 8; ret i32 1", P),
        "PROVED",
    ),
    "and what they find": (
        of("store i32 1, ptr %p, align 1; %v = load i32, ptr %p, align 1; ret i32 %v", P),
        of("store i32 1, ptr %p, align 1; ret i32 2", P),
        "REFUTED",
    ),
    "a greater alignment is a promise": (
        of("store i32 1, ptr %p, align 4; ret i32 1", P),
        of("store i32 1, ptr %p, align 8; ret i32 1", P),
        "REFUTED",
    ),
    "what is not aligned may overlap others in part": (
        "@g = global i32 0\n" + of("store i32 1, ptr %p, align 1; %v = load i32, ptr @g; ret i32 %v", P),
        "@g = global i32 0\n" + of("%v = load i32, ptr @g; store i32 1, ptr %p, align 1; ret i32 %v", P),
        "UNKNOWN",
    ),
    "what is said to be aligned less cannot be followed before": (
        of(LATE, DEREF),
        of(SOON, DEREF),
        "REFUTED",
    ),
    "what is said to be aligned so can be": (
        of(
            LATE,
            DEREF.replace("align 4", "align 8"),
        ),
        of(
            SOON,
            DEREF.replace("align 4", "align 8"),
        ),
        "PROVED",
    ),
    "what is not said to be aligned can be followed": (
        of(LATE.replace("align 8", "align 1"), DEREF),
        of(SOON.replace("align 8", "align 1"), DEREF),
        "PROVED",
    ),
    # Memory of the function's own.
    "parts of a structure are variables": (
        LAYOUT
        + of(PAIR + "store i32 %x, ptr %a; store i64 7, ptr %b; %v = load i32, ptr %a; %w = load i64, ptr %b" + PARTS),
        of("%y = add i32 %x, 7; ret i32 %y"),
        "PROVED",
    ),
    "and each has its own value": (
        LAYOUT
        + of(PAIR + "store i32 %x, ptr %a; store i64 7, ptr %b; %v = load i32, ptr %a; %w = load i64, ptr %b" + PARTS),
        of("%y = add i32 %x, 8; ret i32 %y"),
        "REFUTED",
    ),
    "bytes that are all set are whole numbers": (
        LAYOUT + MEMSET + of(PAIR + FILL.format(16) + BOTH + PARTS),
        of("ret i32 33686018"),
        "REFUTED",
    ),
    "bytes that are all set have their value": (
        LAYOUT + MEMSET + of(PAIR + FILL.format(16) + BOTH + PARTS),
        of("ret i32 67372036"),
        "PROVED",
    ),
    "a part of a number that is set": (
        LAYOUT + MEMSET + of(PAIR + FILL.format(10) + BOTH + PARTS),
        of("ret i32 0"),
        "SA744",
    ),
    "a pointer that has left its object": (
        LAYOUT
        + of(
            "%s = alloca { i32, i64 }, align 8; %o = getelementptr inbounds i8, ptr %s, i64 64"
            "; %a = getelementptr inbounds i8, ptr %o, i64 -64; store i32 1, ptr %a; ret i32 0"
        ),
        of("unreachable"),
        "PROVED",
    ),
    "an access of another width": (
        LAYOUT + of(PAIR + "store i32 %x, ptr %a; %v = load i8, ptr %a; ret i32 %x"),
        of("ret i32 %x"),
        "PROVED",
    ),
    "what is read before it is set is undef": (
        LAYOUT + of(PAIR + "store i64 7, ptr %b; %v = load i32, ptr %a; ret i32 %v"),
        of("ret i32 undef"),
        "PROVED",
    ),
    # Intrinsics.
    "whether a sum overflows": (
        SADD + of(SUM + "%c = extractvalue {i32, i1} %r, 1; %z = zext i1 %c to i32; ret i32 %z"),
        of("%c = icmp eq i32 %x, 2147483647; %z = zext i1 %c to i32; ret i32 %z"),
        "PROVED",
    ),
    "a sum that overflows is poison where an operand is": (
        SADD
        + of("%y = add nsw i32 %x, 5; " + SUM.replace("%x", "%y") + "%z = extractvalue {i32, i1} %r, 0; ret i32 %z"),
        of("%z = add i32 %x, 6; ret i32 %z"),
        "PROVED",
    ),
    "poison does not come by a sum": (
        SADD + of(SUM + "%z = extractvalue {i32, i1} %r, 0; ret i32 %z"),
        of("%z = add nsw i32 %x, 1; ret i32 %z"),
        "REFUTED",
    ),
    "a number and its overflow are of one undef": (
        SADD + of(SUM + "%z = extractvalue {i32, i1} %r, 0; ret i32 %z", "i32 %x"),
        of("ret i32 0", "i32 %x"),
        "SA744",
    ),
    "a sum without a sign saturates": (
        SAT + of("%y = call i32 @llvm.uadd.sat.i32(i32 %x, i32 1); ret i32 %y"),
        of("%c = icmp eq i32 %x, -1; %y = add i32 %x, 1; %z = select i1 %c, i32 -1, i32 %y; ret i32 %z"),
        "PROVED",
    ),
    "what is in memory at a trap is not seen": (
        TRAP + of("store i32 1, ptr %p; call void @llvm.trap(); unreachable", P),
        TRAP + of("store i32 2, ptr %p; call void @llvm.trap(); unreachable", P),
        "PROVED",
    ),
    "a trap comes neither sooner nor later": (
        TRAP + "@g = global i32 0\n" + of("store volatile i32 1, ptr @g; call void @llvm.trap(); unreachable"),
        TRAP + "@g = global i32 0\n" + of("call void @llvm.trap(); unreachable"),
        "REFUTED",
    ),
    "nor is it undefined": (
        TRAP + of("call void @llvm.trap(); unreachable"),
        TRAP + of("unreachable"),
        "REFUTED",
    ),
    "a trap is seen": (TRAP + of("call void @llvm.trap(); unreachable"), TRAP + of("ret i32 0"), "REFUTED"),
}


#: What takes longer than most others together.
LONG = (
    "pointers that are equal lead to one place",
    "a pointer that is chosen leads to one of two places",
    "and not to the other one",
)
NAMES = [pytest.param(name, marks=pytest.mark.fuzz if name in LONG else ()) for name in CASES]


@pytest.mark.parametrize("name", NAMES)
def test_it_means_what_the_language_reference_says(name: str, tmp_path: Path) -> None:
    before, after, expected = CASES[name]
    assert answer(before, after, tmp_path) == expected
