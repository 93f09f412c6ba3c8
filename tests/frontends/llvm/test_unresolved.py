"""Accesses of memory that is not resolved to objects: actions that others see, and that may do anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.llvm.modules import answer

pytest.importorskip("llvmlite")

HEAD = """%node = type {{ i32, ptr }}
@g = global ptr null
@x = global i32 0
declare ptr @give()
declare void @take(ptr)
define {result} @f(ptr %p, i64 noundef %i{more}) {attributes} {{
  {body}
}}
!0 = !{{}}
"""


def of(body: str, result: str = "i32", more: str = "", attributes: str = "") -> str:
    return HEAD.format(body=body.replace("; ", "\n  "), result=result, more=more, attributes=attributes)


NEXT = "%q = load ptr, ptr %p; "
READ = NEXT + "%v = load i32, ptr %q; "
SECOND = "%a = getelementptr inbounds %node, ptr %q, i64 0, i32 1; "


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # What was loaded is followed.
        (of(READ + "%w = add i32 %v, %v; ret i32 %w"), of(READ + "%w = shl i32 %v, 1; ret i32 %w"), "PROVED"),
        (of(READ + "ret i32 %v"), of(READ + "%w = add i32 %v, 1; ret i32 %w"), "UNKNOWN"),
        (of(READ + "ret i32 %v"), of(READ + "%w = freeze i32 %v; ret i32 %w"), "PROVED"),
        (of(READ + "%w = freeze i32 %v; ret i32 %w"), of(READ + "ret i32 %v"), "UNKNOWN"),
        # What a call gives, and what is moved.
        (of("%q = call ptr @give(); store i32 2, ptr %q; ret i32 0"),
         of("%q = call ptr @give(); %s = shl i32 1, 1; store i32 %s, ptr %q; ret i32 0"), "PROVED"),
        (of("%q = call ptr @give(); store i32 2, ptr %q; ret i32 0"),
         of("%q = call ptr @give(); store i32 3, ptr %q; ret i32 0"), "UNKNOWN"),
        (of("%q = call ptr @give(); store i32 2, ptr %q; ret i32 0"), of("%q = call ptr @give(); ret i32 0"),
         "UNKNOWN"),
        (of(NEXT + SECOND + "%r = load ptr, ptr %a; %v = load i32, ptr %r; ret i32 %v"),
         of(NEXT + "%a = getelementptr inbounds i8, ptr %q, i64 8; %r = load ptr, ptr %a; %v = load i32, ptr %r; "
            "ret i32 %v"), "PROVED"),
        (of(NEXT + "%a = getelementptr inbounds i8, ptr %q, i64 8; %b = getelementptr inbounds i8, ptr %a, i64 -4; "
            "store i32 0, ptr %b; ret i32 0"),
         of(NEXT + "%a = getelementptr inbounds i8, ptr %q, i64 4; store i32 0, ptr %a; ret i32 0"), "UNKNOWN"),
        (of(NEXT + SECOND + "%r = load ptr, ptr %a; %v = load i32, ptr %r; %w = xor i32 %v, %v; ret i32 %w"),
         of(NEXT + SECOND + "%r = load ptr, ptr %a; %v = load i32, ptr %r; ret i32 0"), "PROVED"),
        # A promise more about where it is, another alignment, another width, another order.
        (of(NEXT + SECOND.replace("inbounds ", "") + "store i64 0, ptr %a; ret i32 0"),
         of(NEXT + SECOND + "store i64 0, ptr %a; ret i32 0"), "UNKNOWN"),
        (of(NEXT + "store i32 0, ptr %q, align 1; ret i32 0"), of(NEXT + "store i32 0, ptr %q, align 4; ret i32 0"),
         "UNKNOWN"),
        (of(NEXT + "store i32 0, ptr %q; ret i32 0"), of(NEXT + "store i64 0, ptr %q; ret i32 0"), "UNKNOWN"),
        (of(NEXT + "store atomic i32 0, ptr %q release, align 4; ret i32 0"),
         of(NEXT + "store atomic i32 0, ptr %q monotonic, align 4; ret i32 0"), "UNKNOWN"),
        # It may be a variable of the module, or what a parameter points to.
        (of("store i32 1, ptr @x; " + NEXT + "store i32 2, ptr %q; %v = load i32, ptr @x; ret i32 %v"),
         of("store i32 1, ptr @x; " + NEXT + "store i32 2, ptr %q; ret i32 1"), "UNKNOWN"),
        (of("store i32 1, ptr @x; " + READ + "ret i32 %v"), of(READ + "store i32 1, ptr @x; ret i32 %v"), "UNKNOWN"),
        (of(NEXT + "store ptr null, ptr %q; %r = load ptr, ptr %p; ret i32 0"),
         of(NEXT + "store ptr null, ptr %q; ret i32 0"), "PROVED"),
        (of(NEXT + "store ptr null, ptr %q; %r = load ptr, ptr %p; %v = load i32, ptr %r; ret i32 %v"),
         of(NEXT + "store ptr null, ptr %q; %v = load i32, ptr %q; ret i32 %v"), "UNKNOWN"),
        # Memory of its own that nobody knows is not meant.
        (of("%o = alloca i32; store i32 7, ptr %o; " + READ + "%w = load i32, ptr %o; ret i32 %w"),
         of(READ + "ret i32 7"), "PROVED"),
        (of("%o = alloca i32; store i32 7, ptr %o; call void @take(ptr %o); " + READ
            + "%w = load i32, ptr %o; ret i32 %w"),
         of("%o = alloca i32; store i32 7, ptr %o; call void @take(ptr %o); " + READ + "ret i32 7"), "UNKNOWN"),
        # A null pointer is not followed, unless something may be there.
        (of(READ + "%n = icmp eq ptr %q, null; %w = zext i1 %n to i32; ret i32 %w"), of(READ + "ret i32 0"), "PROVED"),
        (of(READ + "%n = icmp eq ptr %q, null; %w = zext i1 %n to i32; ret i32 %w", attributes="null_pointer_is_valid"),
         of(READ + "ret i32 0", attributes="null_pointer_is_valid"), "UNKNOWN"),
        (of("store i32 0, ptr null; ret i32 0"), of("ret i32 1"), "PROVED"),
        (of("store i32 0, ptr null; ret i32 0", attributes="null_pointer_is_valid"),
         of("ret i32 1", attributes="null_pointer_is_valid"), "UNKNOWN"),
        (of("store i32 0, ptr null; ret i32 0", attributes="null_pointer_is_valid"), of("ret i32 0"), "SA746"),
        # Elements of what a parameter points to, and accesses that overlap in part.
        (of("%a = getelementptr i32, ptr %p, i64 %i; %v = load i32, ptr %a; %w = mul i32 %v, 4; store i32 %w, ptr %a; "
            "ret i32 0"),
         of("%a = getelementptr i32, ptr %p, i64 %i; %v = load i32, ptr %a; %w = shl i32 %v, 2; store i32 %w, ptr %a; "
            "ret i32 0"), "PROVED"),
        (of("%a = getelementptr i32, ptr %p, i64 %i; store i32 1, ptr %a; ret i32 0"),
         of("%j = add i64 %i, 1; %a = getelementptr i32, ptr %p, i64 %j; store i32 1, ptr %a; ret i32 0"), "UNKNOWN"),
        (of("store i32 1, ptr %p; store i64 2, ptr %r; ret i32 0", more=", ptr %r"),
         of("store i64 2, ptr %r; store i32 1, ptr %p; ret i32 0", more=", ptr %r"), "UNKNOWN"),
        (of("store i32 1, ptr %p; store i64 2, ptr %r; ret i32 0", more=", ptr %r"),
         of("store i32 1, ptr %p; %n = sub i64 %i, %i; %t = add i64 %n, 2; store i64 %t, ptr %r; ret i32 0",
            more=", ptr %r"), "PROVED"),
        # What is promised of the function is kept by nobody.
        (of(READ + "ret i32 0"), of(READ + "ret i32 0", attributes="memory(none)"), "SA746"),
        (of(READ + "ret i32 0", attributes="memory(read)"),
         of(READ + "ret i32 0", attributes="memory(read)"), "PROVED"),
        # Atomic accesses and exchanges.
        (of(NEXT + "%v = atomicrmw add ptr %q, i32 0 seq_cst; ret i32 %v"),
         of(NEXT + "%v = load atomic i32, ptr %q seq_cst, align 4; ret i32 %v"), "UNKNOWN"),
        (of(NEXT + "%e = cmpxchg ptr %q, i32 0, i32 1 seq_cst seq_cst; %d = extractvalue { i32, i1 } %e, 1; "
            "%v = zext i1 %d to i32; %w = add i32 %v, 0; ret i32 %w"),
         of(NEXT + "%e = cmpxchg ptr %q, i32 0, i32 1 seq_cst seq_cst; %d = extractvalue { i32, i1 } %e, 1; "
            "%v = zext i1 %d to i32; ret i32 %v"), "PROVED"),
        # Poison that is stored may be read by an atomic access.
        (of(NEXT + "%s = add nsw i32 %a, 1; store i32 %s, ptr %q; %v = load atomic i32, ptr @x monotonic, align 4; "
            "%z = icmp eq i32 %v, 7; %w = select i1 %z, i32 1, i32 1; ret i32 %w", more=", i32 noundef %a"),
         of(NEXT + "%s = add nsw i32 %a, 1; store i32 %s, ptr %q; %v = load atomic i32, ptr @x monotonic, align 4; "
            "ret i32 1", more=", i32 noundef %a"), "PROVED"),
    ],
)  # fmt: skip
def test_an_access_of_what_is_not_known_is_seen(before: str, after: str, expected: str, tmp_path: Path) -> None:
    assert answer(before, after, tmp_path) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # A number that is made a pointer, which is used or not.
        (of("%q = inttoptr i64 %i to ptr; store i32 4, ptr %q; ret i32 0"),
         of("%q = inttoptr i64 %i to ptr; %s = shl i32 2, 1; store i32 %s, ptr %q; ret i32 0"), "PROVED"),
        (of("%q = inttoptr i64 %i to ptr; store i32 4, ptr %q; ret i32 0"),
         of("%j = add i64 %i, 1; %q = inttoptr i64 %j to ptr; store i32 4, ptr %q; ret i32 0"), "UNKNOWN"),
        (of("%q = inttoptr i64 %i to ptr; %n = icmp eq ptr %q, null; %w = zext i1 %n to i32; ret i32 %w"),
         of("%n = icmp eq i64 %i, 0; %w = zext i1 %n to i32; ret i32 %w"), "UNKNOWN"),
        (of("%q = inttoptr i64 %i to ptr; ret i32 0"), of("ret i32 0"), "PROVED"),
        # What is said of a pointer that is loaded.
        (of("%q = load ptr, ptr %p, !nonnull !0; %n = icmp eq ptr %q, null; %w = zext i1 %n to i32; ret i32 %w"),
         of("%q = load ptr, ptr %p, !nonnull !0; ret i32 0"), "PROVED"),
        (of("%q = load ptr, ptr %p; %n = icmp eq ptr %q, null; %w = zext i1 %n to i32; ret i32 %w"),
         of("%q = load ptr, ptr %p, !nonnull !0; ret i32 0"), "REFUTED"),
        (of("%q = load ptr, ptr %p; ret ptr %q", "ptr"), of("%q = load ptr, ptr %p, !nonnull !0; ret ptr %q", "ptr"),
         "REFUTED"),
        # Where what was loaded is, as a number.
        (of(NEXT + "%n = ptrtoint ptr %q to i64; ret i64 %n", "i64"),
         of(NEXT + "%n = ptrtoint ptr %q to i64; %m = add i64 %n, 0; ret i64 %m", "i64"), "PROVED"),
        (of(NEXT + "%n = ptrtoint ptr %q to i64; ret i64 %n", "i64"),
         of(NEXT + "%n = ptrtoint ptr %q to i64; %m = add i64 %n, 1; ret i64 %m", "i64"), "UNKNOWN"),
        (of(NEXT + "%n = ptrtoint ptr %q to i64; %z = icmp eq i64 %n, 0; %w = zext i1 %z to i32; ret i32 %w"),
         of(NEXT + "%n = ptrtoint ptr %q to i64; %z = icmp eq ptr %q, null; %w = zext i1 %z to i32; ret i32 %w"),
         "PROVED"),
        # Two that were loaded may be one, or not; a pointer of an earlier round is not asked where it is.
        (of(NEXT + "%r = load ptr, ptr %p; %z = icmp ult ptr %q, %r; %w = zext i1 %z to i32; ret i32 %w"),
         of(NEXT + "%r = load ptr, ptr %p; ret i32 0"), "UNKNOWN"),
        (of("br label %l\nl:; %o = phi ptr [ null, %0 ], [ %q, %l ]; %q = load ptr, ptr %p; "
            "%n = ptrtoint ptr %o to i64; %c = icmp eq i64 %n, %i; br i1 %c, label %l, label %e\ne:; ret i32 0"),
         of("ret i32 0"), "SA744"),
    ],
)  # fmt: skip
def test_numbers_and_pointers_that_are_given_on_the_way(before: str, after: str, expected: str, tmp_path: Path) -> None:
    assert answer(before, after, tmp_path) == expected


DEBUG = """define i32 @f(i32 noundef %x) !dbg !4 {
  #dbg_value(i32 %x, !8, !DIExpression(), !9)
  %y = add i32 LEFT, 1, !dbg !9
  %z = add i32 %y, 1, !dbg !9
  ret i32 %z
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "c", isOptimized: false, runtimeVersion: 0)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{!7}
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocalVariable(name: "y", scope: !4, file: !1, line: 2, type: !7)
!9 = !DILocation(line: 2, column: 1, scope: !4)
"""


@pytest.mark.parametrize(("left", "expected"), [("%x", "PROVED"), ("%z", "SA741")])
def test_a_module_with_debug_information_that_is_not_valid_is_refused(left: str, expected: str, tmp_path: Path) -> None:
    text = DEBUG.replace("LEFT", left)
    assert answer(text, text, tmp_path) == expected


FUNCTIONS = """declare i32 @one(i32)
declare i32 @two(i32)
declare void @later(ptr, i32)
declare i32 @any(i32, ...)
define i32 @f(ptr noundef %p, i32 noundef %x) {{
  {body}
}}
"""


def through(body: str) -> str:
    return FUNCTIONS.format(body=body.replace("; ", "\n  "))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (through("%y = add i32 %x, %x; %r = call i32 %p(i32 %y); ret i32 %r"),
         through("%y = shl i32 %x, 1; %r = call i32 %p(i32 %y); ret i32 %r"), "PROVED"),
        (through("%r = call i32 %p(i32 %x); ret i32 %r"), through("%r = call i32 %p(i32 0); ret i32 %r"), "UNKNOWN"),
        (through("%r = call i32 %p(i32 %x); ret i32 %r"),
         through("%r = call i32 %p(i32 %x, i32 %x); ret i32 %r"), "UNKNOWN"),
        (through("%r = call i32 %p(i32 %x); %n = icmp eq ptr %p, null; %z = zext i1 %n to i32; ret i32 %z"),
         through("%r = call i32 %p(i32 %x); ret i32 0"), "PROVED"),
        # Pointers to functions.
        (through("call void @later(ptr @one, i32 %x); ret i32 0"),
         through("%y = or i32 %x, 0; call void @later(ptr @one, i32 %y); ret i32 0"), "PROVED"),
        (through("call void @later(ptr @one, i32 %x); ret i32 0"),
         through("call void @later(ptr @two, i32 %x); ret i32 0"), "UNKNOWN"),
        # Any number of arguments.
        (through("%r = call i32 (i32, ...) @any(i32 %x, i32 1); ret i32 %r"),
         through("%r = call i32 (i32, ...) @any(i32 %x, i32 1); %s = or i32 %r, 0; ret i32 %s"), "PROVED"),
        (through("%r = call i32 (i32, ...) @any(i32 %x, i32 1); %s = freeze i32 %r; %t = add i32 %s, 0; ret i32 %t"),
         through("%r = call i32 (i32, ...) @any(i32 %x, i32 1); %s = freeze i32 %r; ret i32 %s"), "PROVED"),
        (through("%r = call i32 (i32, ...) @any(i32 %x, i32 1); ret i32 0"),
         through("%r = call i32 (i32, ...) @any(i32 %x, i64 1); ret i32 0"), "REFUTED"),
        (through("%r = call i32 @any(i32 %x); ret i32 0"), through("%r = call i32 @any(i32 %x); ret i32 0"), "SA744"),
    ],
)  # fmt: skip
def test_calls_through_pointers_and_pointers_to_functions(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    assert answer(before, after, tmp_path) == expected
