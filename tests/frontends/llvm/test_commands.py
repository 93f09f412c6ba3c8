"""`refine` of two modules: a row for each function, whether it is accepted or not, and certificates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.app import refine
from sa.base.limits import seconds_left
from sa.cli.main import application
from sa.engines.outcome import Outcome

pytest.importorskip("llvmlite")

TWICE = "define i32 @twice(i32 %x) {\n  %y = add i32 %x, %x\n  ret i32 %y\n}\n"
SHIFTED = "define i32 @twice(i32 %x) {\n  %y = shl i32 %x, 1\n  ret i32 %y\n}\n"
HALF = "define float @half(float %x) {\n  ret float %x\n}\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SACHECK_CACHE", "")


def sacheck(*arguments: str) -> tuple[int, str]:
    """The exit status, and all that is written."""
    result = CliRunner().invoke(application(), arguments)
    return result.exit_code, result.output


def write(before: str, after: str) -> None:
    """Two modules in the folder."""
    Path("before.ll").write_text(before)
    Path("after.ll").write_text(after)


def test_a_function_that_is_not_accepted_costs_the_others_nothing() -> None:
    write(TWICE + HALF, SHIFTED + HALF)
    status, told = sacheck("refine", "--certificate", "proof.json", "before.ll", "after.ll")
    assert status == 3
    assert "PROVED  twice" in told
    assert "this function was not compared (SA744)" in told
    status, told = sacheck("certify", "proof.json")
    assert (status, told.split()[0]) == (0, "ACCEPTED")


def test_a_certificate_is_about_the_texts_that_were_read() -> None:
    write(TWICE, SHIFTED)
    assert sacheck("refine", "--certificate", "proof.json", "before.ll", "after.ll")[0] == 0
    Path("after.ll").write_text(TWICE)
    assert sacheck("certify", "proof.json")[0] == 1


def test_a_relation_of_another_pair_is_not_accepted() -> None:
    """The checker makes the question again from the modules."""
    write(TWICE, SHIFTED)
    sacheck("refine", "--certificate", "proof.json", "before.ll", "after.ll")
    forged = json.loads(Path("proof.json").read_text())
    forged["files"] = list(reversed(forged["files"]))
    Path("forged.json").write_text(json.dumps(forged))
    assert sacheck("certify", "forged.json")[0] != 0


def test_without_an_accepted_function_there_is_nothing_to_certify() -> None:
    write(HALF, HALF)
    status, told = sacheck("refine", "--certificate", "proof.json", "before.ll", "after.ll")
    assert status == 2
    assert "SA903" in told


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("refine", "--function", "other", "before.ll", "after.ll"), "SA747"),
        (("refine", "--overflow", "check", "before.ll", "after.ll"), "SA705"),
        (("refine", "before.ll"), "SA748"),
        (("verify", "before.ll"), "SA748"),
    ],
)
def test_what_is_not_meant_for_modules_is_an_error_of_the_input(arguments: tuple[str, ...], code: str) -> None:
    write(TWICE, SHIFTED)
    status, told = sacheck(*arguments)
    assert status == 2
    assert code in told


SPINS = """@f = global i32 0
define void @wait() {{
entry:
  {0}
  br label %again
again:
  {1}
  %c = icmp eq i32 %v, 0
  br i1 %c, label %again, label %done
done:
  ret void
}}
"""
LOADS = "%v = load atomic i32, ptr @f monotonic, align 4"


@pytest.mark.parametrize(("after", "status"), [(SPINS.format("", LOADS), 0), (SPINS.format(LOADS, ""), 1)])
def test_a_load_that_leaves_its_loop_keeps_the_function_from_ending(after: str, status: int) -> None:
    write(SPINS.format("", LOADS), after)
    assert sacheck("refine", "before.ll", "after.ll")[0] == 0
    found, told = sacheck("refine", "--preserve", "termination", "before.ll", "after.ll")
    assert found == status, told
    assert ("again and again" in told) == (status == 1)


def test_bitcode_is_read_as_text_is(tmp_path: Path) -> None:
    binding = pytest.importorskip("llvmlite.binding")
    paths = tmp_path / "before.bc", tmp_path / "after.bc"
    for path, body in zip(paths, ("add i32 %x, 1", "sub i32 %x, -1"), strict=True):
        text = f"define i32 @f(i32 noundef %x) {{\n  %y = {body}\n  ret i32 %y\n}}\n"
        path.write_bytes(binding.parse_assembly(text).as_bitcode())
    proof = str(tmp_path / "proof.json")
    run = CliRunner().invoke
    asked = ["refine", "--no-cache", "--certificate", proof, *map(str, paths)]
    assert [run(application(), words).exit_code for words in (asked, ["certify", proof])] == [0, 0]
    paths[1].write_bytes(b"BC\xc0\xde and no more")
    found = run(application(), ["refine", *map(str, paths)])
    assert (found.exit_code, "SA741" in found.output) == (2, True)


DEBUGGED = """@g = global i32 0
define void @f(i32 noundef %x) !dbg !4 {{
  store volatile i32 {}, ptr @g, !dbg !6
  ret void, !dbg !7
}}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!2}}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "{}", directory: "{}")
!2 = !{{i32 2, !"Debug Info Version", i32 3}}
!3 = !DISubroutineType(types: !5)
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 2, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !{{null}}
!6 = !DILocation(line: 3, column: 5, scope: !8)
!7 = !DILocation(line: 4, column: 1, scope: !4)
!8 = distinct !DILexicalBlock(scope: !4, file: !1, line: 2)
"""
C_FILE = "volatile int g;\nvoid f(int x) {\n    g = x;\n}\n"


@pytest.mark.parametrize(("name", "shown"), [("write.c", True), ("gone.c", False), ("write.txt", False)])
def test_a_play_shows_the_place_in_c_below_an_instruction(name: str, shown: bool, tmp_path: Path) -> None:
    for path in ("write.c", "write.txt"):
        (tmp_path / path).write_text(C_FILE)
    for path, value in (("before.ll", "%x"), ("after.ll", "1")):
        (tmp_path / path).write_text(DEBUGGED.format(value, name, tmp_path))
    found = CliRunner().invoke(application(), ["refine", "--no-cache", "before.ll", "after.ll"])
    assert found.exit_code == 1
    told = " ".join(found.output.split())
    assert ("compiled from write.c:3:5: g = x;" in told, "compiled from" in told) == (shown, shown)


def test_calls_of_debug_intrinsics_move_no_place(tmp_path: Path) -> None:
    old = "declare void @llvm.dbg.value(metadata, metadata, metadata)\n" + DEBUGGED.replace(
        "  store",
        "  call void @llvm.dbg.value(metadata i32 0, metadata !9, metadata !DIExpression()), !dbg !6\n  store",
    )
    old += '!9 = !DILocalVariable(name: "y", scope: !4, file: !1, line: 2, type: !10)\n'
    old += '!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)\n'
    for path, value in (("before.ll", "%x"), ("after.ll", "1")):
        (tmp_path / path).write_text(old.format(value, "none.c", tmp_path))
    found = CliRunner().invoke(application(), ["refine", "--no-cache", "before.ll", "after.ll"])
    assert "after.ll:5 shows" in found.output


def test_each_of_several_functions_has_its_share_of_the_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[float]()
    answered = refine._answered

    def watched(question: refine.Question, request: refine.RefineRequest) -> tuple[Outcome, refine.Question]:
        left = seconds_left(request.options.limits)
        given.append(-1.0 if left is None else left)
        return answered(question, request)

    monkeypatch.setattr(refine, "_answered", watched)
    names = ("one", "two", "three")
    write(*("".join(text.replace("twice", name) for name in names) for text in (TWICE, SHIFTED)))
    status, _ = sacheck("refine", "--timeout", "60", "before.ll", "after.ll")
    assert status == 0
    # The first one has a third of what is left, and the last one all.
    first, second, third = given
    assert 0 < first <= 20 < second <= 30 < third <= 60
