"""Memory of a function's own whose address is used: pairs of functions, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer
from tests.frontends.llvm.test_meaning import of

pytest.importorskip("llvmlite")

USE = "declare void @use(ptr)\ndeclare void @other()\n@g = global ptr null\n"
LIFE = "declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @llvm.lifetime.end.p0(ptr)\n"
COPY = "@c = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]\ndeclare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
Y = "%y = alloca i32, align 4; "
SET = Y + "store i32 %x, ptr %y, align 4; "
CALL = "call void @use(ptr %y); "
READ = "%r = load i32, ptr %y, align 4; ret i32 %r"
ARRAY = "%a = alloca [2 x i32], align 4; store i64 0, ptr %a, align 4; %i = zext i1 %b to i64; "
AT = "%p = getelementptr inbounds [2 x i32], ptr %a, i64 0, i64 %i; "
PUT = ARRAY + AT + "store i32 %x, ptr %p, align 4; "
FOUR = (
    "%a = alloca [4 x i32], align 4; call void @llvm.memcpy.p0.p0.i64(ptr align 4 %a, ptr align 4 @c, i64 16, i1 false)"
    "; %i = zext i1 %b to i64; %p = getelementptr inbounds [4 x i32], ptr %a, i64 0, i64 %i; %r = load i32, ptr %p; "
)
XB = "i32 noundef %x, i1 noundef %b"
START, END = "call void @llvm.lifetime.start.p0(ptr %y); ", "call void @llvm.lifetime.end.p0(ptr %y); "

CASES = {
    "who gets an address may write there": (
        USE + of(SET + CALL + READ),
        USE + of(SET + CALL + "ret i32 %x"),
        "REFUTED",
    ),
    "and reads what was written before": (
        USE + of(SET + CALL + READ),
        USE + of(Y + "store i32 1, ptr %y; " + CALL + READ),
        "REFUTED",
    ),
    "before, nobody writes": (
        USE + of(SET + f"call void @other(); %r = load i32, ptr %y, align 4; {CALL}ret i32 %r"),
        USE + of(SET + f"call void @other(); {CALL}ret i32 %x"),
        "PROVED",
    ),
    "behind that, any call may": (
        USE + of(SET + CALL + "%v = load i32, ptr %y, align 4; call void @other(); " + READ),
        USE + of(SET + CALL + "%v = load i32, ptr %y, align 4; call void @other(); ret i32 %v"),
        "REFUTED",
    ),
    "a store that nobody can read any more goes": (
        USE + of(SET + CALL + "store i32 3, ptr %y, align 4; ret i32 0"),
        USE + of(SET + CALL + "ret i32 0"),
        "PROVED",
    ),
    "and one that a call reads stays": (
        USE + of(SET + CALL + "store i32 3, ptr %y, align 4; call void @other(); ret i32 0"),
        USE + of(SET + CALL + "call void @other(); ret i32 0"),
        "REFUTED",
    ),
    "poison is kept": (
        USE + of(Y + "store i32 poison, ptr %y, align 4; %r = load i32, ptr %y, align 4; " + CALL + "ret i32 %r"),
        USE + of(Y + "store i32 poison, ptr %y, align 4; " + CALL + "ret i32 3"),
        "PROVED",
    ),
    "what is stored at a variable index is found there": (
        of(PUT + "%r = load i32, ptr %p, align 4; ret i32 %r", XB),
        of("ret i32 %x", XB),
        "PROVED",
    ),
    "and elsewhere what was there": (
        of(PUT + "%r = load i32, ptr %a, align 4; ret i32 %r", XB),
        of("%r = select i1 %b, i32 0, i32 %x; ret i32 %r", XB),
        "PROVED",
    ),
    "not the other way round": (
        of(PUT + "%r = load i32, ptr %a, align 4; ret i32 %r", XB),
        of("%r = select i1 %b, i32 %x, i32 0; ret i32 %r", XB),
        "REFUTED",
    ),
    "an index outside is undefined behaviour": (
        of(ARRAY.replace("zext", "sext") + AT + "store i32 %x, ptr %p, align 4; ret i32 0", XB),
        of("br i1 %b, label %y, label %n\ny:; unreachable\nn:; ret i32 0", XB),
        "PROVED",
    ),
    "a pointer that leaves the object on the way is poison": (
        of(ARRAY + "%p = getelementptr inbounds [2 x i32], ptr %a, i64 0, i64 %i; store i32 %x, ptr %p; ret i32 0", XB),
        of(
            ARRAY.replace("zext", "sext") + "%o = getelementptr inbounds i32, ptr %a, i64 %i"
            "; %p = getelementptr inbounds i32, ptr %o, i64 1; store i32 %x, ptr %p; ret i32 0",
            XB,
        ),
        "REFUTED",
    ),
    "also of a variable": (
        "@h = global i32 0\n" + of("store i32 %x, ptr @h; ret i32 0"),
        "@h = global i32 0\n"
        + of(
            "%o = getelementptr inbounds i8, ptr @h, i64 64; %p = getelementptr inbounds i8, ptr %o, i64 -64"
            "; store i32 %x, ptr %p; ret i32 0"
        ),
        "REFUTED",
    ),
    "which must not be added": (
        of("ret i32 0", XB),
        of(ARRAY.replace("zext", "sext") + AT + "store i32 %x, ptr %p, align 4; ret i32 0", XB),
        "REFUTED",
    ),
    "copies of constants are what they are": (
        COPY + of(FOUR + "ret i32 %r", XB),
        COPY + of("%r = select i1 %b, i32 2, i32 1; ret i32 %r", XB),
        "PROVED",
    ),
    "and nothing else": (
        COPY + of(FOUR + "ret i32 %r", XB),
        COPY + of("%r = select i1 %b, i32 3, i32 1; ret i32 %r", XB),
        "REFUTED",
    ),
    "a constant that may be replaced is not known": (
        (COPY + of(FOUR + "ret i32 %r", XB)).replace("@c = constant", "@c = weak constant"),
        COPY.replace("@c = constant", "@c = weak constant") + of("%r = select i1 %b, i32 2, i32 1; ret i32 %r", XB),
        "SA744",
    ),
    "memory without a value is not read": (
        of(ARRAY.replace("store i64 0", "store i32 0") + AT + "%r = load i32, ptr %p, align 4; ret i32 %r", XB),
        of("ret i32 0", XB),
        "SA744",
    ),
    "a pointer that is kept": (USE + of(SET + "store ptr %y, ptr @g; ret i32 0"), USE + of("ret i32 0"), "SA744"),
    "a pointer that is returned": (of(Y + "ret ptr %y", result="ptr"), of(Y + "ret ptr %y", result="ptr"), "SA744"),
    "a frozen pointer": (
        USE + of(SET + "%q = freeze ptr %y; store ptr %q, ptr @g; ret i32 0"),
        USE + of("ret i32 0"),
        "SA744",
    ),
    "a tail call": (
        USE + of(SET + "tail " + CALL + "ret i32 0"),
        USE + of(SET + "tail " + CALL + "ret i32 1"),
        "SA744",
    ),
    "atomic accesses": (
        USE + of(SET + CALL + "%r = load atomic i32, ptr %y monotonic, align 4; ret i32 %r"),
        USE + of("ret i32 0"),
        "SA744",
    ),
    "a life that is over": (
        USE + LIFE + of(Y + START + "store i32 %x, ptr %y; " + CALL + END + READ),
        USE + LIFE + of("ret i32 0"),
        "SA744",
    ),
    "a life that is marked": (
        USE + LIFE + of(Y + START + "store i32 %x, ptr %y; " + CALL + "%r = load i32, ptr %y; " + END + "ret i32 %r"),
        USE + of(SET + CALL + READ),
        "PROVED",
    ),
    "a life that begins again has no value": (
        USE + LIFE + of(Y + START + "store i32 %x, ptr %y; " + CALL + START + READ),
        USE + LIFE + of("ret i32 %x"),
        "SA744",
    ),
}


CASES["no object is at null"] = (
    of("%q = getelementptr inbounds i8, ptr %p, i64 %i; %c = icmp eq ptr %q, null; ret i1 %c", "ptr %p, i64 %i", "i1"),
    of("%c = icmp eq ptr %p, null; ret i1 %c", "ptr %p, i64 %i", "i1"),
    "PROVED",
)
CASES["a pointer may be moved to null without a promise"] = (
    CASES["no object is at null"][0].replace("inbounds ", ""),
    CASES["no object is at null"][1],
    "REFUTED",
)


@pytest.mark.parametrize("name", list(CASES))
def test_own_memory(name: str, tmp_path: Path) -> None:
    before, after, expected = CASES[name]
    assert answer(before, after, tmp_path) == expected
