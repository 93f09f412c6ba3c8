"""`llvm.memcpy` and `llvm.memmove` of memory of the function's own: pairs, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer
from tests.frontends.llvm.test_meaning import of

pytest.importorskip("llvmlite")

DECLARED = "".join(f"declare void @llvm.{kind}.p0.p0.i64(ptr, ptr, i64, i1)\n" for kind in ("memcpy", "memmove"))
MAX = "declare i32 @llvm.smax.i32(i32, i32)\n"
G = "@g = global { i32, i32 } zeroinitializer\n"
PAIR = "i32 noundef %x, i32 noundef %y"
SET = (
    "%a = alloca {{ i32, i32 }}, align 4; %a1 = getelementptr inbounds i8, ptr %a, i64 4; store i32 {}, ptr %a"
    "; store i32 {}, ptr %a1; "
)
COPY = "call void @llvm.memcpy.p0.p0.i64(ptr {}, ptr {}, i64 8, i1 false); "
READ = "%b1 = getelementptr inbounds i8, ptr %b, i64 4; %v = load i32, ptr %b1; ret i32 %v"
B = "%b = alloca { i32, i32 }, align 4; "
SHIFTED = (
    "%a = alloca [3 x i32], align 4; %a1 = getelementptr inbounds i8, ptr %a, i64 4"
    "; %b = getelementptr inbounds i8, ptr %a, i64 4; store i32 %x, ptr %a; store i32 %y, ptr %a1; "
    + COPY.format("%a1", "%a")
)


def copied(body: str, parameters: str = PAIR, result: str = "i32") -> str:
    return DECLARED + G + of(body, parameters, result)


OWN = copied(SET.format("%x", "%y") + B + COPY.format("%b", "%a") + READ)
OUT = copied(SET.format("%x", "%y") + COPY.format("@g", "align 4 %a") + "ret void", PAIR, "void")
STORES = "store i32 {}, ptr @g; store i32 {}, ptr getelementptr inbounds (i8, ptr @g, i64 4); ret void"
IN = copied(B + COPY.format("%b", "align 4 %p") + READ, "ptr noundef %p")
FIELD = "%b1 = getelementptr inbounds i8, ptr %p, i64 4; %v = load i32, ptr %b1; ret i32 %v"
THROUGH = B + COPY.format("%b", "align 4 %p") + COPY.format("@g", "align 4 %b") + "ret void"
H = "@h = global { i32, i32 } zeroinitializer\n"
TWICE = (
    of(SET.format("%x", 2) + COPY.format("%p", "align 4 %a") + "ret void", "ptr noundef %p, i32 noundef %x", "void")
    .replace("@f1", "@put")
    .replace("define", "define internal")
)
CALLS = "call void @put(ptr noundef @g, i32 noundef %x); call void @put(ptr noundef @h, i32 noundef %y); ret void"
BOTH = "".join(
    f"store i32 {{}}, ptr @{name}, align 1; store i32 2, ptr getelementptr inbounds (i8, ptr @{name}, i64 4), align 1; "
    for name in "gh"
)

CASES = {
    "a copy has what was stored": (OWN, copied("ret i32 %y"), "PROVED"),
    "each part in its place": (OWN, copied("ret i32 %x"), "REFUTED"),
    "others see a copy": (OUT, copied(STORES.format("%x", "%y"), PAIR, "void"), "PROVED"),
    "all of it": (OUT, copied(STORES.format("%x", "%x"), PAIR, "void"), "REFUTED"),
    "a part of what others have": (IN, copied(FIELD, "ptr noundef %p"), "PROVED"),
    "and all of it must be there": (copied(FIELD.replace("inbounds ", ""), "ptr noundef %p"), IN, "REFUTED"),
    "a function that copies is called twice": (
        H + TWICE + copied(CALLS, PAIR, "void"),
        H + copied(BOTH.format("%x", "%y") + "ret void", PAIR, "void"),
        "PROVED",
    ),
    "each time with what it is given": (
        H + TWICE + copied(CALLS, PAIR, "void"),
        H + copied(BOTH.format("%x", "%x") + "ret void", PAIR, "void"),
        "REFUTED",
    ),
    "what is moved may overlap": (copied(SHIFTED.replace("memcpy", "memmove") + READ), copied("ret i32 %y"), "PROVED"),
    "and is read before it is written": (
        copied(SHIFTED.replace("memcpy", "memmove") + READ),
        copied("ret i32 %x"),
        "REFUTED",
    ),
    "what is copied may not overlap": (copied(SHIFTED + READ), copied("ret i32 %y"), "SA744"),
    "bytes of others may be poison in part, and go on so": (
        copied(THROUGH, "ptr noundef %p", "void"),
        copied(THROUGH, "ptr noundef %p", "void"),
        "SA744",
    ),
    "a tail call must not access it": (OWN.replace("call void", "tail call void"), copied("ret i32 %y"), "SA744"),
    "what was never written is undef": (
        copied(B + "%a = alloca { i32, i32 }, align 4; " + COPY.format("%b", "%a") + READ),
        copied("ret i32 7"),
        "PROVED",
    ),
    "and is not the same at each use": (
        copied(B + "%a = alloca { i32, i32 }, align 4; " + COPY.format("%b", "%a") + READ),
        copied("%v = freeze i32 undef; %w = xor i32 %v, 1; ret i32 poison"),
        "REFUTED",
    ),
    "memory is no better aligned than it says": (
        of("%a = alloca i64, align 4; store i64 1, ptr %a, align 4; ret i32 0", ""),
        of("%a = alloca i64, align 4; store i64 1, ptr %a, align 8; ret i32 0", ""),
        "SA745",
    ),
    "an argument of an intrinsic must be defined where it says so": (
        MAX + of("%r = call i32 @llvm.smax.i32(i32 %x, i32 0); ret i32 1", "i32 %x"),
        MAX + of("%r = call i32 @llvm.smax.i32(i32 noundef %x, i32 0); ret i32 1", "i32 %x"),
        "REFUTED",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_copies_mean_what_the_language_reference_says(name: str, tmp_path: Path) -> None:
    before, after, expected = CASES[name]
    assert answer(before, after, tmp_path) == expected
