"""What instructions mean: each case has a pair of functions and its answer. Most were answered wrongly somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer

pytest.importorskip("llvmlite")

G = "@g = global i32 0\n@f = global i32 0\n"
LOAD = """define i32 @f1(i32 noundef %n) {
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %a, label %b
a:
  %v = load i32, ptr @g
  RET
b:
  ret i32 0
}
"""
HOISTED = """define i32 @f1(i32 noundef %n) {
  %v = load i32, ptr @g
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %a, label %b
a:
  RET
b:
  ret i32 0
}
"""


A = "@a = global [2 x i32] zeroinitializer\n"
S = 'target datalayout = "i64:64"\n%s = type { i32, i64 }\n@s = global %s zeroinitializer\n'
H = "declare void @h(i32)\n"
ASSUME = "declare void @llvm.assume(i1)\n"


def of(body: str, parameters: str = "i32 noundef %x", result: str = "i32") -> str:
    """A function with a body of one block."""
    index = "%e = getelementptr inbounds [2 x i32], ptr @a, i64 0, i64 %x"
    lines = body.replace("INDEX", index).replace("; ", "\n  ")
    return f"define {result} @f1({parameters}) {{\n  {lines}\n}}\n"


CASES = {
    # Values that are not defined.
    "nsw may go": (of("%y = add nsw i32 %x, 1; ret i32 %y"), of("%y = add i32 %x, 1; ret i32 %y"), "PROVED"),
    "nsw may not come": (of("%y = add i32 %x, 1; ret i32 %y"), of("%y = add nsw i32 %x, 1; ret i32 %y"), "REFUTED"),
    "poison passes a select that does not take it": (
        of("%y = add nsw i32 %x, 1; %c = icmp eq i32 %x, 0; %z = select i1 %c, i32 %y, i32 5; ret i32 %z"),
        of("%c = icmp eq i32 %x, 0; %z = select i1 %c, i32 1, i32 5; ret i32 %z"),
        "PROVED",
    ),
    "a frozen value is one value": (
        of("%y = freeze i32 poison; %z = sub i32 %y, %y; ret i32 %z"),
        of("ret i32 0"),
        "PROVED",
    ),
    "undef is another value at each use": (
        of("%z = sub i32 undef, undef; ret i32 %z"),
        of("ret i32 7"),
        "PROVED",
    ),
    "a result that was frozen is not undef": (
        of("%y = freeze i32 undef; ret i32 %y"),
        of("ret i32 undef"),
        "REFUTED",
    ),
    "a parameter may be undef": (
        of("%y = shl i32 %x, 1; ret i32 %y", "i32 %x"),
        of("%y = add i32 %x, %x; ret i32 %y", "i32 %x"),
        "REFUTED",
    ),
    "a parameter that is noundef is a value": (
        of("%y = shl i32 %x, 1; ret i32 %y"),
        of("%y = add i32 %x, %x; ret i32 %y"),
        "PROVED",
    ),
    "what is always true of a parameter is undefined where it is undef": (
        of("%c = icmp ule i32 0, %x; br i1 %c, label %a, label %a\na:; %y = freeze i32 %x; ret i32 %y", "i32 %x"),
        of("ret i32 %x", "i32 %x"),
        "REFUTED",
    ),
    "a branch on undef is undefined": (
        of("br i1 undef, label %a, label %b\na:; ret i32 0\nb:; ret i32 1"),
        of("unreachable"),
        "PROVED",
    ),
    "noundef may not be added to a parameter": (
        of("ret i32 0", "i32 %x"),
        of("ret i32 0", "i32 noundef %x"),
        "REFUTED",
    ),
    "noundef may go from a result": (
        of("%y = add nsw i32 %x, 1; ret i32 %y").replace("define ", "define noundef "),
        of("%y = add nsw i32 %x, 1; ret i32 %y"),
        "PROVED",
    ),
    "noundef may not come to a result that may be undef": (
        of("ret i32 %x", "i32 %x"),
        of("ret i32 %x", "i32 %x").replace("define ", "define noundef "),
        "REFUTED",
    ),
    # Arithmetic.
    "unsigned division by a power of two is a shift": (
        of("%y = udiv i32 %x, 8; ret i32 %y"),
        of("%y = lshr i32 %x, 3; ret i32 %y"),
        "PROVED",
    ),
    "signed division by a power of two is none": (
        of("%y = sdiv i32 %x, 8; ret i32 %y"),
        of("%y = ashr i32 %x, 3; ret i32 %y"),
        "REFUTED",
    ),
    "a shift by too much is poison": (
        of("%y = shl i32 1, %x; ret i32 %y"),
        of("%m = and i32 %x, 31; %y = shl i32 1, %m; ret i32 %y"),
        "PROVED",
    ),
    "i1 as a signed number is 0 or -1": (
        of("%y = sext i1 %b to i32; ret i32 %y", "i1 noundef %b"),
        of("%z = zext i1 %b to i32; %y = sub i32 0, %z; ret i32 %y", "i1 noundef %b"),
        "PROVED",
    ),
    "the least of i1 is true as a signed number": (
        of("%y = icmp slt i1 %b, false; ret i1 %y", "i1 noundef %b", "i1"),
        of("ret i1 %b", "i1 noundef %b", "i1"),
        "PROVED",
    ),
    "a division comes only where it was": (
        of("%c = icmp eq i32 %x, 0; br i1 %c, label %a, label %b\na:; ret i32 0\nb:; %y = udiv i32 9, %x; ret i32 %y"),
        of("%y = udiv i32 9, %x; %c = icmp eq i32 %x, 0; %z = select i1 %c, i32 0, i32 %y; ret i32 %z"),
        "REFUTED",
    ),
    # Memory.
    "a load may be hoisted": (
        G + LOAD.replace("RET", "ret i32 %v"),
        G + HOISTED.replace("RET", "ret i32 %v"),
        "PROVED",
    ),
    "a value that is frozen behind a hoisted load may race": (
        G + LOAD.replace("RET", "%w = freeze i32 %v\n  ret i32 %w"),
        G + HOISTED.replace("  %c = ", "  %w = freeze i32 %v\n  %c = ").replace("RET", "ret i32 %w"),
        "PROVED",
    ),
    "a store may not be hoisted": (
        G + LOAD.replace("%v = load i32, ptr @g", "store i32 1, ptr @g").replace("RET", "ret i32 0"),
        G + HOISTED.replace("%v = load i32, ptr @g", "store i32 1, ptr @g").replace("RET", "ret i32 0"),
        "REFUTED",
    ),
    "a branch on a racing load may not come": (
        G + of("ret i32 0"),
        G + of("%v = load i32, ptr @g; %c = icmp eq i32 %v, 0; br i1 %c, label %a, label %a\na:; ret i32 0"),
        "REFUTED",
    ),
    "a constant that may be replaced has no known value": (
        "@c = weak constant i32 0\n" + of("%v = load i32, ptr @c; ret i32 %v"),
        "@c = weak constant i32 0\n" + of("ret i32 0"),
        "REFUTED",
    ),
    "a constant has its value": (
        "@c = constant i32 7\n" + of("%v = load i32, ptr @c; ret i32 %v"),
        "@c = constant i32 7\n" + of("ret i32 7"),
        "PROVED",
    ),
    "a pointer that can be followed may be followed earlier": (
        HOISTED.replace("i32 noundef %n", "i32 noundef %n, ptr align 4 dereferenceable(4) %p")
        .replace("@g", "%p, align 4")
        .replace("  %v = load i32, ptr %p, align 4\n", "")
        .replace("RET", "%v = load i32, ptr %p, align 4\n  ret i32 %v"),
        HOISTED.replace("i32 noundef %n", "i32 noundef %n, ptr align 4 dereferenceable(4) %p")
        .replace("@g", "%p, align 4")
        .replace("RET", "ret i32 %v"),
        "PROVED",
    ),
    "a pointer that is not aligned cannot be followed": (
        HOISTED.replace("i32 noundef %n", "i32 noundef %n, ptr dereferenceable(4) %p")
        .replace("  %v = load i32, ptr @g\n", "")
        .replace("RET", "%v = load i32, ptr %p, align 4\n  ret i32 %v"),
        HOISTED.replace("i32 noundef %n", "i32 noundef %n, ptr dereferenceable(4) %p")
        .replace("@g", "%p, align 4")
        .replace("RET", "ret i32 %v"),
        "REFUTED",
    ),
    "the index of an array is within it": (
        A + of("INDEX; store i32 1, ptr %e; %c = icmp ult i64 %x, 2; ret i1 %c", "i64 noundef %x", "i1"),
        A + of("INDEX; store i32 1, ptr %e; ret i1 true", "i64 noundef %x", "i1"),
        "PROVED",
    ),
    "an element may be another one": (
        A + of("INDEX; store i32 1, ptr %e; store i32 2, ptr @a; ret i32 1", "i64 noundef %x"),
        A + of("INDEX; store i32 2, ptr @a; store i32 1, ptr %e; ret i32 1", "i64 noundef %x"),
        "REFUTED",
    ),
    "a field is at a distance in bytes": (
        S + of("%e = getelementptr inbounds %s, ptr @s, i32 0, i32 1; %v = load i64, ptr %e; ret i64 %v", "", "i64"),
        S + of("%e = getelementptr i8, ptr @s, i64 8; %v = load i64, ptr %e; ret i64 %v", "", "i64"),
        "PROVED",
    ),
    "behind a variable there is nothing": (
        G + of("%e = getelementptr i8, ptr @g, i64 4; %v = load i32, ptr %e; ret i32 %v"),
        G + of("unreachable"),
        "PROVED",
    ),
    "two fields of one parameter": (
        of("%e = getelementptr i8, ptr %p, i64 4; store i32 1, ptr %p; store i32 2, ptr %e; ret i32 0", "ptr %p"),
        of("%e = getelementptr i8, ptr %p, i64 4; store i32 2, ptr %e; store i32 1, ptr %p; ret i32 0", "ptr %p"),
        "PROVED",
    ),
    "allocas are variables": (
        of("%s = alloca i32; store i32 %x, ptr %s; %v = load i32, ptr %s; ret i32 %v"),
        of("ret i32 %x"),
        "PROVED",
    ),
    "an alloca without a value is undef": (
        of("%s = alloca i32; %v = load i32, ptr %s; %y = sub i32 %v, %v; ret i32 %y"),
        of("ret i32 3"),
        "PROVED",
    ),
    # Calls.
    "a call may change memory": (
        H + G + of("store i32 1, ptr @g; call void @h(i32 %x); %v = load i32, ptr @g; ret i32 %v"),
        H + G + of("store i32 1, ptr @g; call void @h(i32 %x); ret i32 1"),
        "REFUTED",
    ),
    "an argument that is poison may be anything": (
        H + of("%y = add nsw i32 %x, 1; call void @h(i32 %y); ret i32 0"),
        H + of("%y = add i32 %x, 1; call void @h(i32 %y); ret i32 0"),
        "PROVED",
    ),
    "an argument that must not be poison": (
        H + of("%y = add nsw i32 %x, 1; call void @h(i32 %y); ret i32 0"),
        H + of("%y = add nsw i32 %x, 1; call void @h(i32 noundef %y); ret i32 0"),
        "REFUTED",
    ),
    "who calls what does not return does not return": (
        H + of("call void @h(i32 %x); ret i32 0"),
        H + of("call void @h(i32 %x) noreturn; ret i32 0"),
        "REFUTED",
    ),
    "what is called may be undef": (
        "declare i32 @r()\n" + of("%y = call i32 @r(); %z = shl i32 %y, 1; ret i32 %z"),
        "declare i32 @r()\n" + of("%y = call i32 @r(); %z = add i32 %y, %y; ret i32 %z"),
        "REFUTED",
    ),
    "what is assumed holds": (
        ASSUME + of("%c = icmp ult i32 %x, 8; call void @llvm.assume(i1 %c); %y = lshr i32 %x, 3; ret i32 %y"),
        of("ret i32 0"),
        "PROVED",
    ),
    # Orders.
    "a weaker order is seen": (
        G + of("store atomic i32 1, ptr @f release, align 4; ret i32 0"),
        G + of("store atomic i32 1, ptr @f monotonic, align 4; ret i32 0"),
        "REFUTED",
    ),
    "minima are those of signed or of unsigned numbers": (
        G + of("%o = atomicrmw min ptr @f, i32 0 seq_cst; ret i32 %o"),
        G + of("%o = atomicrmw umin ptr @f, i32 0 seq_cst; ret i32 %o"),
        "REFUTED",
    ),
    # What is refused.
    "pointers of 32 bits": ('target datalayout = "p:32:32"\n' + of("ret i32 0"), of("ret i32 0"), "SA742"),
    "big endian": ('target datalayout = "E"\n' + of("ret i32 0"), of("ret i32 0"), "SA742"),
    "no IR": ("define i32 @f1( {", of("ret i32 0"), "SA741"),
    "IR that does not verify": (of("%y = add i32 %z, 1; %z = add i32 %x, 1; ret i32 %y"), of("ret i32 0"), "SA741"),
    "floating-point numbers": (
        of("%y = fadd float %x, %x; ret float %y", "float %x", "float"),
        of("ret float %x", "float %x", "float"),
        "SA743",
    ),
    "an access of part of a variable": (G + of("%v = load i8, ptr @g; ret i32 0"), G + of("ret i32 0"), "PROVED"),
    "accesses that may overlap": (
        of("%v = load i32, ptr %p; %w = load i8, ptr %q; ret i32 %v", "ptr %p, ptr %q"),
        of("%v = load i32, ptr %p; ret i32 %v", "ptr %p, ptr %q"),
        "UNKNOWN",
    ),
    "atomic and plain accesses of one variable": (
        # Who may write plainly is alone, so that nobody sees the load.
        G + of("store i32 1, ptr @g; %v = load atomic i32, ptr @g monotonic, align 4; ret i32 %v"),
        G + of("store i32 1, ptr @g; ret i32 1"),
        "PROVED",
    ),
    "what is returned may be said": (
        of("%y = add i32 %x, 0; ret i32 %y"),
        of("ret i32 %x", "i32 noundef returned %x"),
        "PROVED",
    ),
    "if it is": (of("ret i32 1"), of("ret i32 1", "i32 noundef returned %x"), "SA746"),
    "an attribute that is not evidently kept": (
        G + of("store i32 1, ptr @g; ret i32 0"),
        G + of("store i32 1, ptr @g; ret i32 0").replace(") {", ") memory(none) {"),
        "SA746",
    ),
    "a promise that is added": (
        of("ret i32 0", "ptr %p"),
        of("ret i32 0", "ptr dereferenceable(4) %p"),
        "REFUTED",
    ),
    "unordered accesses": (
        G + of("%v = load atomic i32, ptr @g unordered, align 4; ret i32 %v"),
        G + of("ret i32 0"),
        "UNKNOWN",
    ),
    "how large an array of another module is": (
        "@a = external global [2 x i32]\n" + of("INDEX; %v = load i32, ptr %e; ret i32 %v", "i64 noundef %x"),
        "@a = external global [2 x i32]\n" + of("ret i32 0", "i64 noundef %x"),
        "UNKNOWN",
    ),
    "what LLVM knows of the library": (
        "declare i32 @ffs(i32)\n" + of("%y = call i32 @ffs(i32 %x); ret i32 %y"),
        "declare i32 @ffs(i32)\n" + of("ret i32 0"),
        "UNKNOWN",
    ),
    "what a call is said to do with memory": (
        H + of("call void @h(i32 %x) memory(none); ret i32 0"),
        H + of("ret i32 0"),
        "UNKNOWN",
    ),
    "another type": (of("ret i32 0"), of("ret i32 0", "i64 noundef %x"), "SA405"),
    "another first value": ("@g = global i32 0\n" + of("ret i32 0"), "@g = global i32 1\n" + of("ret i32 0"), "SA405"),
}  # fmt: skip


#: What takes longer than most others together.
LONG = ("a shift by too much is poison", "what is always true of a parameter is undefined where it is undef")
NAMES = [pytest.param(name, marks=pytest.mark.fuzz if name in LONG else ()) for name in CASES]


@pytest.mark.parametrize("name", NAMES)
def test_it_means_what_the_language_reference_says(name: str, tmp_path: Path) -> None:
    before, after, expected = CASES[name]
    assert answer(before, after, tmp_path) == expected
