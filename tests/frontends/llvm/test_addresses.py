"""Pointers as values: in memory, moved, as numbers, and with what is said of them. Pairs of functions, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer
from tests.frontends.llvm.test_meaning import of

pytest.importorskip("llvmlite")

P, Q = "ptr noundef %p", "ptr noundef %p, ptr noundef %q"
HEAD = "@h = global ptr null\n"
WEAK = "@a = weak global i32 0\n@b = global i32 0\n"
USE = "declare void @use(ptr)\n"
NONNULL = "declare void @use(ptr nonnull)\n"
CERTAIN = "declare void @use(ptr noundef nonnull)\n"
ASSUME = "declare void @llvm.assume(i1)\n"
ALIGNED = 'call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 8) ]; '
SECOND = "%q = getelementptr i8, ptr %p, i64 {}; ret ptr %q"
EQUAL = "%c = icmp eq ptr %p, %q; br i1 %c, label %y, label %n\nn:; ret ptr null\ny:; ret ptr {}"
ISNULL = "%c = icmp eq ptr %p, null; "
BITS = "%n = ptrtoint ptr {} to i64; %b = and i64 %n, 3; ret i64 %b"
REST = "%n = ptrtoint ptr {} to i64; %b = urem i64 %n, 4; ret i64 %b"

C = "ptr noundef %p, i1 noundef %d"
THERE = "ptr noundef nonnull dereferenceable(8) %p"
FAR = "getelementptr i8, ptr {}, i64 9223372036854775807"
ROUND = f"%a = {FAR.format('%p')}; %b = {FAR.format('%a')}; %c = getelementptr i8, ptr %b, i64 2; "
CHOSEN = "%r = select i1 %d, ptr %v, ptr %p; %x = icmp eq ptr %r, %p; ret i1 %x"
FREES = "declare void @use(ptr dereferenceable(4))\n"
LATE = "br i1 %d, label %y, label %n\nn:; ret i32 0\ny:; %v = load i32, ptr %p, align 4; ret i32 %v"
SOON = "%v = load i32, ptr %p, align 4; br i1 %d, label %y, label %n\nn:; ret i32 0\ny:; ret i32 %v"


CASES = {
    "a pointer that has come round is in bounds again": (
        of(f"{ROUND}%d = getelementptr inbounds i8, ptr %c, i64 4; ret ptr %d", THERE, "ptr"),
        of("ret ptr null", THERE, "ptr"),
        "REFUTED",
    ),
    "and where it began": (
        of(f"{ROUND}%d = getelementptr inbounds i8, ptr %c, i64 4; ret ptr %d", THERE, "ptr"),
        of("%d = getelementptr i8, ptr %p, i64 4; ret ptr %d", THERE, "ptr"),
        "PROVED",
    ),
    # Where pointers come from.
    "a pointer that is chosen may be the loaded one, of which nothing is known": (
        HEAD + of(f"%v = load ptr, ptr @h; {CHOSEN}", C, "i1"),
        HEAD + of("ret i1 true", C, "i1"),
        "SA744",
    ),
    "or the one that a call has returned": (
        "declare ptr @g()\n" + of(f"%v = call noundef ptr @g(); {CHOSEN}", C, "i1"),
        "declare ptr @g()\n" + of("ret i1 true", C, "i1"),
        "SA744",
    ),
    # Where variables are.
    "a variable may be aligned to less than is usual of its type": (
        "@a = global i32 0, align 2\n" + of(BITS.format("@a"), "", "i64"),
        "@a = global i32 0, align 2\n" + of("ret i64 0", "", "i64"),
        "REFUTED",
    ),
    "and is aligned as usual where nothing is written": (
        "@a = global i32 0\n" + of(BITS.format("@a"), "", "i64"),
        "@a = global i32 0\n" + of("ret i64 0", "", "i64"),
        "PROVED",
    ),
    "a weak variable may be another one by an alias elsewhere": (
        WEAK + of("%c = icmp eq ptr @a, @b; ret i1 %c", "", "i1"),
        WEAK + of("ret i1 false", "", "i1"),
        "REFUTED",
    ),
    "a variable that may not be there": (
        "@a = extern_weak global i32\n" + of("%c = icmp eq ptr null, @a; ret i1 %c", "", "i1"),
        "@a = extern_weak global i32\n" + of("ret i1 false", "", "i1"),
        "SA745",
    ),
    # In memory.
    "what is stored again is what was there": (
        HEAD + of("%v = load ptr, ptr @h; store ptr %v, ptr @h; ret void", "", "void"),
        HEAD + of("ret void", "", "void"),
        "PROVED",
    ),
    "a pointer that is stored can be loaded": (
        HEAD + of("store ptr %p, ptr @h; %v = load ptr, ptr @h; ret ptr %v", P, "ptr"),
        HEAD + of("store ptr %p, ptr @h; ret ptr %p", P, "ptr"),
        "PROVED",
    ),
    "and not another one": (
        HEAD + of("store ptr %p, ptr @h; %v = load ptr, ptr @h; ret ptr %v", Q, "ptr"),
        HEAD + of("store ptr %p, ptr @h; ret ptr %q", Q, "ptr"),
        "REFUTED",
    ),
    "a pointer is no integer": (
        "@n = global i64 0\n" + of("%v = load i64, ptr @n; store i64 %v, ptr @n; ret void", "", "void"),
        "@n = global i64 0\n" + of("%v = load ptr, ptr @n; store ptr %v, ptr @n; ret void", "", "void"),
        "UNKNOWN",
    ),
    "a constant pointer is what it is": (
        "@k = constant { i8, ptr } { i8 7, ptr null }\n"
        + of("%e = getelementptr i8, ptr @k, i64 8; %v = load ptr, ptr %e; ret ptr %v", "", "ptr"),
        "@k = constant { i8, ptr } { i8 7, ptr null }\n" + of("ret ptr null", "", "ptr"),
        "PROVED",
    ),
    # Poison and `undef`.
    "a pointer that may be poison can be frozen": (
        of("%q = freeze ptr %p; ret ptr %q", "ptr %p", "ptr"),
        of("ret ptr %p", "ptr %p", "ptr"),
        "REFUTED",
    ),
    "one that is not need not be": (
        of("%q = freeze ptr %p; ret ptr %q", P, "ptr"),
        of("ret ptr %p", P, "ptr"),
        "PROVED",
    ),
    "what is compared may be undefined": (
        of("%c = icmp eq ptr %p, null; %d = freeze i1 %c; %z = zext i1 %d to i32; ret i32 %z", "ptr %p"),
        of("%c = icmp eq ptr %p, null; %z = zext i1 %c to i32; ret i32 %z", "ptr %p"),
        "REFUTED",
    ),
    "an argument that is `undef` is any value, chosen by who is called": (
        USE + of("call void @use(ptr undef); ret void", "", "void"),
        USE + of("call void @use(ptr null); ret void", "", "void"),
        "PROVED",
    ),
    "and a frozen one is not": (
        USE + of("%q = freeze ptr undef; call void @use(ptr %q); ret void", "", "void"),
        USE + of("call void @use(ptr undef); ret void", "", "void"),
        "REFUTED",
    ),
    # Distances.
    "distances add up": (
        of("%m = getelementptr i32, ptr %p, i64 1; %q = getelementptr i16, ptr %m, i64 -1; ret ptr %q", P, "ptr"),
        of(SECOND.format(2), P, "ptr"),
        "PROVED",
    ),
    "in bytes": (
        of("%q = getelementptr i32, ptr %p, i64 1; ret ptr %q", P, "ptr"),
        of(SECOND.format(1), P, "ptr"),
        "REFUTED",
    ),
    "`inbounds` may go": (
        of(SECOND.replace("getelementptr", "getelementptr inbounds").format(4), P, "ptr"),
        of(SECOND.format(4), P, "ptr"),
        "PROVED",
    ),
    "and not come": (
        of(SECOND.format(4), P, "ptr"),
        of(SECOND.replace("getelementptr", "getelementptr inbounds").format(4), P, "ptr"),
        "REFUTED",
    ),
    "equal distances from one pointer": (
        of("%a = getelementptr i8, ptr %p, i64 %x; %c = icmp eq ptr %a, %p; ret i1 %c", P + ", i64 noundef %x", "i1"),
        of("%c = icmp eq i64 %x, 0; ret i1 %c", P + ", i64 noundef %x", "i1"),
        "PROVED",
    ),
    # Numbers.
    "a bit of an address": (of(BITS.format("%p"), P, "i64"), of(REST.format("%p"), P, "i64"), "PROVED"),
    "is another one of another address": (of(BITS.format("%p"), Q, "i64"), of(BITS.format("%q"), Q, "i64"), "REFUTED"),
    "a variable is aligned": (
        "@g = global i32 0\n" + of(BITS.format("@g"), "", "i64"),
        "@g = global i32 0\n" + of("ret i64 0", "", "i64"),
        "PROVED",
    ),
    "as far as is said": (
        "@g = global i16 0\n" + of(BITS.format("@g"), "", "i64"),
        "@g = global i16 0\n" + of("ret i64 0", "", "i64"),
        "REFUTED",
    ),
    "equal addresses do not make one pointer of two": (
        of(EQUAL.format("%p"), Q, "ptr"),
        of(EQUAL.format("%q"), Q, "ptr"),
        "REFUTED",
    ),
    # What is said.
    "an argument that is null is poison where it must not be": (
        NONNULL + of("call void @use(ptr %p); ret void", P, "void"),
        NONNULL + of(f"{ISNULL}%q = select i1 %c, ptr poison, ptr %p; call void @use(ptr %q); ret void", P, "void"),
        "PROVED",
    ),
    "which is not undefined": (
        NONNULL + of("call void @use(ptr null); ret void", "", "void"),
        NONNULL + of("unreachable", "", "void"),
        "REFUTED",
    ),
    "unless it must be a value": (
        CERTAIN + of("call void @use(ptr null); ret void", "", "void"),
        CERTAIN + of("unreachable", "", "void"),
        "PROVED",
    ),
    "what is said of a parameter may not come": (
        of("ret ptr %p", "ptr %p", "ptr"),
        of("ret ptr %p", "ptr nonnull %p", "ptr"),
        "REFUTED",
    ),
    "and may go": (
        of("ret ptr %p", "ptr align 4 %p", "ptr"),
        of("ret ptr %p", "ptr %p", "ptr"),
        "PROVED",
    ),
    "what is assumed of an address may go": (
        ASSUME + of(ALIGNED + BITS.format("%p"), P, "i64"),
        ASSUME + of("ret i64 0", P, "i64"),
        "PROVED",
    ),
    "and may not come": (
        ASSUME + of("ret i64 0", P, "i64"),
        ASSUME + of(ALIGNED + "ret i64 0", P, "i64"),
        "REFUTED",
    ),
    "what a call asks for may be freed by it": (
        FREES + of(f"call void @use(ptr %p); {LATE}", C),
        FREES + of(f"call void @use(ptr %p); {SOON}", C),
        "UNKNOWN",
    ),
    "what is large enough may not be aligned": (
        of(f"%c = icmp eq ptr %p, null; {LATE}", "ptr noundef dereferenceable(4) %p, i1 noundef %d"),
        of(f"%c = icmp eq ptr %p, null; {SOON}", "ptr noundef dereferenceable(4) %p, i1 noundef %d"),
        "REFUTED",
    ),
    "and may be": (
        of(f"%c = icmp eq ptr %p, null; {LATE}", "ptr noundef align 4 dereferenceable(4) %p, i1 noundef %d"),
        of(f"%c = icmp eq ptr %p, null; {SOON}", "ptr noundef align 4 dereferenceable(4) %p, i1 noundef %d"),
        "PROVED",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_pointer_means_what_the_language_reference_says(name: str, tmp_path: Path) -> None:
    before, after, expected = CASES[name]
    assert answer(before, after, tmp_path) == expected


def test_a_pointer_that_may_be_undefined_is_not_told_from_one_that_is_chosen(tmp_path: Path) -> None:
    """Both may give any pointer: it must not be REFUTED."""
    chosen = of("%c = icmp eq ptr %p, null; %r = select i1 %c, ptr null, ptr %p; ret ptr %r", "ptr %p", "ptr")
    assert answer(chosen, of("ret ptr %p", "ptr %p", "ptr"), tmp_path, seconds=2) != "REFUTED"
