"""Functions of the library count as functions that may do anything: such calls are proved, and nothing is refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.limits import limits
from sa.certificates.shape import Entry, Malformed
from sa.checker.family_question import asked_of
from sa.checker.judge import judge_refinement
from sa.checker.resources import Resources
from sa.checker.second import Choice, Observer, solvers_of
from sa.frontends.flow.compared import Compared
from sa.frontends.llvm.functions import load_functions
from tests.frontends.llvm.modules import answer

pytest.importorskip("llvmlite")

HEAD = """@g = global i32 0
@t = private unnamed_addr constant [3 x i8] c"a\\0A\\00"
@u = private unnamed_addr constant [3 x i8] c"b\\0A\\00"
declare i32 @puts(ptr)
declare i32 @printf(ptr, ...)
declare noalias ptr @malloc(i64) {malloc}
declare void @free(ptr)
declare i32 @setjmp(ptr)
declare i64 @strlen(ptr {strlen})
define i32 @f(i32 noundef %x{given}) {{
  {body}
}}
"""
PUTS = "%r = call i32 @puts(ptr @t); "
KNOWN = "mustprogress nofree willreturn memory(inaccessiblemem: readwrite)"


def of(body: str, malloc: str = "", strlen: str = "", given: str = ", ptr noundef %p") -> str:
    return HEAD.format(body=body.replace("; ", "\n  "), malloc=malloc, strlen=strlen, given=given)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (of("store i32 %x, ptr @g; " + PUTS + "ret i32 0"),
         of("store i32 %x, ptr @g; " + PUTS + "%z = sub i32 %x, %x; ret i32 %z"), "PROVED"),
        # A value that is read again behind a call may be another one. That `puts` writes no `g` is not known here.
        (of("store i32 %x, ptr @g; " + PUTS + "%v = load i32, ptr @g; ret i32 %v"),
         of("store i32 %x, ptr @g; " + PUTS + "ret i32 %x"), "UNKNOWN"),
        (of(PUTS + "ret i32 0"), of(PUTS + "ret i32 1"), "UNKNOWN"),
        (of(PUTS + "ret i32 0"), of("ret i32 0"), "UNKNOWN"),
        (of(PUTS + "ret i32 0"), of(PUTS.replace("@t", "@u") + "ret i32 0"), "UNKNOWN"),
        (of("%r = call i32 (ptr, ...) @printf(ptr @t, i32 %x, ptr %p); %z = mul i32 %x, 2; ret i32 %z"),
         of("%r = call i32 (ptr, ...) @printf(ptr @t, i32 %x, ptr %p); %z = shl i32 %x, 1; ret i32 %z"), "PROVED"),
        (of("%r = call i32 (ptr, ...) @printf(ptr @t, i32 %x); ret i32 0"),
         of("%r = call i32 (ptr, ...) @printf(ptr @t, ptr %p); ret i32 0"), "UNKNOWN"),
        # A value of another type is another one, although it is the same number.
        (of("%r = call i32 (ptr, ...) @printf(ptr @t, i32 5); ret i32 0"),
         of("%r = call i32 (ptr, ...) @printf(ptr @t, i64 5); ret i32 0"), "UNKNOWN"),
        # What LLVM adds to declarations of the library is so.
        (of("%m = call noalias ptr @malloc(i64 8); store ptr %m, ptr %p; ret i32 0"),
         of("%m = call noalias ptr @malloc(i64 8); store ptr %m, ptr %p; %z = xor i32 %x, %x; ret i32 %z", KNOWN),
         "PROVED"),
        (of("%n = call i64 @strlen(ptr @t); %z = trunc i64 %n to i32; ret i32 %z"),
         of("%n = call i64 @strlen(ptr @t); %z = trunc i64 %n to i32; ret i32 %z", strlen="readonly captures(none)"),
         "PROVED"),
        # Not everything is so that may be said of a function.
        (of("%m = call noalias ptr @malloc(i64 8); store ptr %m, ptr %p; ret i32 0"),
         of("%m = call noalias ptr @malloc(i64 8); store ptr %m, ptr %p; ret i32 0", "memory(none)"), "SA746"),
        # A variable is there whoever is called.
        (of(PUTS + "ret i32 0", given=""),
         of(PUTS.replace("@t", "nonnull dereferenceable(3) @t") + "ret i32 0", given=""), "PROVED"),
        (of(PUTS + "ret i32 0", given=""),
         of(PUTS.replace("@t", "dereferenceable(4) @t") + "ret i32 0", given=""), "UNKNOWN"),
        # Memory that is freed is not resolved.
        (of("%v = load i32, ptr %p; call void @free(ptr %p); ret i32 0"),
         of("call void @free(ptr %p); %v = load i32, ptr %p; ret i32 0"), "UNKNOWN"),
        (of("%r = call i32 @setjmp(ptr %p); ret i32 0"), of("%r = call i32 @setjmp(ptr %p); ret i32 0"), "SA744"),
    ],
)  # fmt: skip
def test_nothing_is_refuted_by_what_a_function_of_the_library_does_not_do(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    assert answer(before, after, tmp_path, 10.0) == expected


def test_a_certificate_with_a_play_is_refused(tmp_path: Path) -> None:
    paths = tmp_path / "before.ll", tmp_path / "after.ll"
    for path, text in zip(paths, (of(PUTS + "ret i32 0"), of("ret i32 0")), strict=True):
        path.write_text(text)
    (made,) = load_functions((str(paths[0]), str(paths[1])), None)
    assert isinstance(made, Compared)
    asked = asked_of(made.abstract.program, made.concrete.program, made.block, False)
    entry = Entry({"verdict": "refuted", "goals": [None]}, "the question")
    with pytest.raises(Malformed, match="puts"):
        list(
            judge_refinement(
                asked,
                entry,
                Resources(limits(10.0, None), 0, solvers_of(Choice.Z3, Observer(limits(10.0, None), False, False))),
            )
        )


def test_of_a_name_that_looks_like_one_of_the_library_nothing_is_believed(tmp_path: Path) -> None:
    text = "declare i32 @memtest(i32) {}\ndefine i32 @f(i32 %a) {{\n %r = call i32 @memtest(i32 %a)\n ret i32 %r }}"
    assert answer(text.format(""), text.format("memory(none)"), tmp_path, 10.0) == "SA746"
