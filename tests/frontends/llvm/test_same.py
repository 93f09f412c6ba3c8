"""Functions that differ in names alone need no comparison; what else differs does."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.app.refine import SAME
from sa.cli.main import application
from sa.frontends.flow.compared import Compared
from sa.frontends.llvm.functions import load_functions

pytest.importorskip("llvmlite")

ONE = """@g = global i32 1
declare void @see(i32 noundef) #0
define i32 @f(i32 noundef %x, i32 noundef %n) #1 {
entry:
  %y = add nsw i32 %x, 1
  store i32 %y, ptr @g
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  call void @see(i32 noundef %y)
  %c = icmp slt i32 %j, %y
  br i1 %c, label %loop, label %end, !llvm.loop !0
end:
  ret i32 %y
}
attributes #0 = { nounwind }
attributes #1 = { nounwind }
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
"""


def renamed(text: str) -> str:
    """The same function."""
    text = text.replace("%n)", "%m)").replace("%x", "%a").replace("%y", "%v").replace("entry", "begin")
    text = text.replace("%loop", "%again").replace("loop:", "again:").replace("!0", "!7").replace("!1", "!9")
    return text.replace("#1", "#5")


def same(before: str, after: str, folder: Path) -> bool:
    """Whether the only function of two texts needs no comparison."""
    paths = folder / "before.ll", folder / "after.ll"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    (found,) = load_functions((str(paths[0]), str(paths[1])), None)
    assert isinstance(found, Compared)
    return found.same


def test_names_of_registers_blocks_and_metadata_are_no_difference(tmp_path: Path) -> None:
    assert same(ONE, renamed(ONE), tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("add nsw i32 %x, 1", "add i32 %x, 1"),
        ("add nsw i32 %x, 1", "add nsw i32 %n, 1"),
        ("add nsw i32 %x, 1", "add nsw i32 %x, 2"),
        ("store i32 %y, ptr @g", "store volatile i32 %y, ptr @g"),
        ("global i32 1", "external global i32"),
        (", !llvm.loop !0", ""),
        ("call void @see(i32 noundef %y)", "call void @see(i32 noundef %i)"),
        ("slt i32 %j, %y", "slt i32 %y, %j"),
    ],
)
def test_anything_else_is_a_difference(old: str, new: str, tmp_path: Path) -> None:
    assert old in ONE
    assert not same(ONE, ONE.replace(old, new), tmp_path)


def test_the_answer_says_so_and_a_certificate_is_found_all_the_same(tmp_path: Path) -> None:
    text = "define i32 @f(i32 noundef %{0}) {{\n  %y = add i32 %{0}, 1\n  ret i32 %y\n}}\n"
    before, after, proof = tmp_path / "before.ll", tmp_path / "after.ll", tmp_path / "proof.json"
    before.write_text(text.format("x"))
    after.write_text(text.format("z"))
    run = CliRunner().invoke
    told = run(application(), ["refine", "--no-cache", str(before), str(after)])
    assert (told.exit_code, SAME in told.output) == (0, True)
    assert (
        run(application(), ["refine", "--no-cache", "--certificate", str(proof), str(before), str(after)]).exit_code
        == 0
    )
    assert run(application(), ["certify", str(proof)]).exit_code == 0


def test_functions_that_call_one_which_has_changed_are_not_the_same(tmp_path: Path) -> None:
    """The call is inlined, so what is compared includes what the callee does."""
    text = (
        "define internal i32 @g(i32 noundef %x) {{\n  %y = add i32 %x, {}\n  ret i32 %y\n}}\n"
        "define i32 @f(i32 noundef %x) {{\n  %r = call i32 @g(i32 noundef %x)\n  ret i32 %r\n}}\n"
    )
    for name, number in (("before.ll", 0), ("after.ll", 1)):
        (tmp_path / name).write_text(text.format(number))
    made = load_functions((str(tmp_path / "before.ll"), str(tmp_path / "after.ll")), "f")
    assert [isinstance(f, Compared) and not f.same for f in made] == [True]
