"""Loops of the first function that are taken to end: C11 6.8.5p6, and `mustprogress` of LLVM IR."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from sa.app.refine import RefineRequest, refine
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.cli.main import application
from sa.engines.options import Options
from sa.frontends.reading import USUAL

PROVED, REFUTED = Verdict.PROVED, Verdict.REFUTED

CALLS = "int g(int); void f(unsigned n) {{ {0} g(1); {1} }}"
ODD, WAITS = "while (n != 3) n += 2;", "while (n != 3);"


def function(texts: tuple[str, str], suffix: str, folder: Path, preserve: str | None, endless: bool) -> Verdict:
    """The answer about the function `f` of two texts."""
    paths = tuple(str(folder / f"{name}.{suffix}") for name in ("before", "after"))
    for path, text in zip(paths, texts, strict=True):
        Path(path).write_text(text)
    reading = replace(USUAL, function="f", endless=endless)
    (answer,) = refine(RefineRequest(paths, False, Options(limits(60.0, None)), reading=reading, preserve=preserve))
    return answer.outcome.verdict


@pytest.mark.parametrize(
    ("before", "after", "preserve", "ending", "endless"),
    [
        # A loop whose results nobody reads is deleted. Nothing is known of numbers that are even.
        ((ODD, ""), ("", ""), None, PROVED, REFUTED),
        # Its condition is constant, so that it may go on for ever in any case.
        (("for (;;) if (n == 3) break;", ""), ("", ""), None, REFUTED, REFUTED),
        # It goes on for ever where n is 3, and the first one comes to its end then.
        ((WAITS, ""), ("", "while (n == 3);"), "termination", REFUTED, REFUTED),
        # It goes on for ever where the first one does, though behind an action that the first one never comes to.
        ((WAITS, ""), ("", WAITS), "termination", PROVED, REFUTED),
    ],
)
def test_loops_of_c_end_if_they_are_taken_to(
    before: tuple[str, str],
    after: tuple[str, str],
    preserve: str | None,
    ending: Verdict,
    endless: Verdict,
    tmp_path: Path,
) -> None:
    texts = (CALLS.format(*before), CALLS.format(*after))
    assert function(texts, "c", tmp_path, preserve, False) is ending
    assert function(texts, "c", tmp_path, preserve, True) is endless


def test_a_loop_with_a_visible_end_or_a_result_is_not_left_out(tmp_path: Path) -> None:
    reads = "int f(unsigned n) { while (n & 8) n += 1; return n > 9; }"
    assert function((reads, "int f(unsigned n) { return n > 9; }"), "c", tmp_path, None, False) is not PROVED
    shows = "atomic_int a; int f(unsigned n) { while (n != 3) { n += 2; atomic_load(&a); } return 0; }"
    texts = (f"#include <stdatomic.h>\n{t}" for t in (shows, "atomic_int a; int f(unsigned n) { return 0; }"))
    assert function((next(texts), next(texts)), "c", tmp_path, None, False) is REFUTED


ROUNDS = """
declare i32 @g(i32)
define void @f(i32 noundef %n) {0} {{
entry:
  br label %head
head:
  %c = icmp eq i32 %n, 3
  br i1 %c, label %out, label %body
body:
  br label %head{1}
out:
  %x = call i32 @g(i32 1)
  ret void
}}
!0 = distinct !{{!0, !1}}
!1 = !{{!"llvm.loop.mustprogress"}}
"""
STRAIGHT = """
declare i32 @g(i32)
define void @f(i32 noundef %n) {
  %x = call i32 @g(i32 1)
  ret void
}
"""


@pytest.mark.parametrize(
    ("attribute", "loop", "deleted", "added"),
    [
        ("", "", REFUTED, REFUTED),
        ("mustprogress", "", PROVED, REFUTED),
        ("", ", !llvm.loop !0", PROVED, REFUTED),
    ],
)
def test_loops_of_llvm_end_where_they_must_make_progress(
    attribute: str, loop: str, deleted: Verdict, added: Verdict, tmp_path: Path
) -> None:
    rounds = ROUNDS.format(attribute, loop)
    assert function((rounds, STRAIGHT), "ll", tmp_path, "termination", False) is deleted
    # That a loop must make progress does not make it legal to put it where none was.
    assert function((STRAIGHT, rounds), "ll", tmp_path, "termination", False) is added


@pytest.mark.parametrize(("suffix", "function"), [("ll", ()), ("c", ())])
def test_the_option_is_refused_where_it_has_no_meaning(suffix: str, function: tuple[str, ...], tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{n}.{suffix}") for n in (1, 2)]
    for path in paths:
        Path(path).write_text("")
    assert CliRunner().invoke(application(), ["refine", "--no-finite-loops", *function, *paths]).exit_code == 2
