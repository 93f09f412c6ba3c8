"""Arrays of modules of LLVM IR whose elements are chosen by variables: one element stands for all."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from sa.base.diagnostic import InputError
from sa.base.limits import LimitReached, limits
from sa.engines.options import Options
from sa.engines.refine import refine
from sa.frontends.llvm import functions
from sa.frontends.llvm.analysis import Resolution
from sa.frontends.llvm.read import read_module
from tests.frontends.llvm.modules import answer
from tests.parts import for_each

pytest.importorskip("llvmlite")

ARRAY = """@h = global [64 x i32] zeroinitializer
define i32 @f(i32 noundef %c) {{
  %i = and i32 %c, {mask}
  %j = zext i32 %i to i64
  %p = getelementptr inbounds [64 x i32], ptr @h, i64 0, i64 %j
  %v = load i32, ptr %p, align 4
  {body}
}}
"""


#: Before, after, and the answer.
CASES = [
    ("%w = add i32 %v, %v\nstore i32 %w, ptr %p, align 4\nret i32 0",
     "%w = shl i32 %v, 1\nstore i32 %w, ptr %p, align 4\nret i32 0", "PROVED"),
    ("%w = add i32 %v, %v\nstore i32 %w, ptr %p, align 4\nret i32 0",
     "%w = shl nsw i32 %v, 1\nstore i32 %w, ptr %p, align 4\nret i32 0", "REFUTED"),
    ("ret i32 %v", "%w = add i32 %v, 0\nret i32 %w", "PROVED"),
    ("ret i32 %v", "%w = freeze i32 %v\nret i32 %w", "PROVED"),
    # The first function has one run only: it must not choose.
    ("%w = freeze i32 %v\nret i32 %w", "ret i32 %v", "UNKNOWN"),
    ("ret i32 %v", "store i32 %v, ptr %p, align 4\nret i32 %v", "REFUTED"),
]  # fmt: skip


#: All elements may be chosen, or some of them.
@pytest.mark.parametrize(
    ("before", "after", "expected", "mask"), [*((*c, 63) for c in CASES), (*CASES[0], 15), (*CASES[-1], 15)]
)
def test_one_element_stands_for_all(before: str, after: str, expected: str, mask: int, tmp_path: Path) -> None:
    made = [ARRAY.format(body=body, mask=mask) for body in (before, after)]
    assert answer(made[0], made[1], tmp_path) == expected


RING = """@h = global [8 x i32] zeroinitializer
@x = global i32 0
define i32 @f(i32 noundef %v, i32 noundef %w) {{
  %i = and i32 %v, 7
  %j = zext i32 %i to i64
  %p = getelementptr inbounds [8 x i32], ptr @h, i64 0, i64 %j
  {body}
}}
"""
ACQUIRE = "%a = load atomic i32, ptr @x acquire, align 4\n"
RELEASE = "store atomic i32 %w, ptr @x release, align 4\n"
RELAXED = "store atomic i32 %w, ptr @x monotonic, align 4\n"
PUT = "store i32 %w, ptr %p, align 4\n"
GET = "%g = load i32, ptr %p, align 4\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (ACQUIRE + PUT + RELEASE + "ret i32 0", ACQUIRE + PUT + RELEASE + "%z = sub i32 %w, %w\nret i32 %z", "PROVED"),
        (ACQUIRE + PUT + RELEASE + "ret i32 0", ACQUIRE + RELEASE + PUT + "ret i32 0", "REFUTED"),
        (ACQUIRE + PUT + RELEASE + "ret i32 0", PUT + ACQUIRE + RELEASE + "ret i32 0", "REFUTED"),
        # What will be written in any case may be written before a relaxed access.
        (RELAXED + PUT + "ret i32 0", PUT + RELAXED + "ret i32 0", "PROVED"),
        (ACQUIRE + GET + "ret i32 %g", GET + ACQUIRE + "ret i32 %g", "REFUTED"),
        (GET + RELEASE + "ret i32 %g", RELEASE + GET + "ret i32 %g", "REFUTED"),
        pytest.param(
            PUT + ACQUIRE + GET + "ret i32 %g", PUT + ACQUIRE + "ret i32 %w", "PROVED", marks=pytest.mark.fuzz
        ),
        (PUT + RELEASE + ACQUIRE + GET + "ret i32 %g", PUT + RELEASE + ACQUIRE + "ret i32 %w", "REFUTED"),
    ],
)
def test_others_get_and_give_elements(before: str, after: str, expected: str, tmp_path: Path) -> None:
    made = [RING.format(body=body) for body in (before, after)]
    assert answer(made[0], made[1], tmp_path) == expected


SMALL = """@h = global [3 x i32] zeroinitializer
@x = global i32 0
define i32 @f(i32 noundef %v, i32 noundef %w, i32 noundef %u) {{
  %i = urem i32 %v, 3
  %j = zext i32 %i to i64
  %p = getelementptr inbounds [3 x i32], ptr @h, i64 0, i64 %j
  %k = urem i32 %u, 3
  %l = zext i32 %k to i64
  %q = getelementptr inbounds [3 x i32], ptr @h, i64 0, i64 %l
  {body}
}}
"""
PIECES = (
    "%a{n} = load atomic i32, ptr @x acquire, align 4",
    "store atomic i32 %w, ptr @x release, align 4",
    "store atomic i32 %w, ptr @x monotonic, align 4",
    "store i32 %w, ptr %p, align 4",
    "store i32 %v, ptr %q, align 4",
    "%g{n} = load i32, ptr %p, align 4\n%s{n} = add i32 %w, %g{n}\nstore i32 %s{n}, ptr %q, align 4",
    "fence acquire",
)


def _pair(seed: int) -> tuple[str, str]:
    """A function, and one with two pieces swapped, or with one left out, doubled or replaced."""
    dice = Random(seed)
    pieces = [dice.choice(PIECES) for _ in range(dice.randint(2, 4))]
    changed, at = list(pieces), dice.randrange(len(pieces))
    match dice.randrange(4):
        case 0:
            other = dice.randrange(len(pieces))
            changed[at], changed[other] = changed[other], changed[at]
        case 1:
            del changed[at]
        case 2:
            changed.insert(at, changed[at])
        case _:
            changed[at] = dice.choice(PIECES)
    ends = "ret i32 0" if dice.random() < 0.5 else "%z = load i32, ptr %p, align 4\nret i32 %z"
    made = ("\n".join(p.format(n=n) for n, p in enumerate(body)) + "\n" + ends for body in (pieces, changed))
    first, second = (SMALL.format(body=body) for body in made)
    return first, second


def _both_readings(seed: int, folder: Path) -> list[str]:
    """The answers with the array as a whole, and with a variable for each element."""
    paths = folder / "before.ll", folder / "after.ll"
    for path, text in zip(paths, _pair(seed), strict=True):
        path.write_text(text)
    link = functions._link(*(read_module(str(p)) for p in paths), "f", Resolution.PARAMETERS)
    answers = list[str]()
    for whole in (frozenset({"h"}), frozenset[str]()):
        try:
            made = functions._with_whole(link, functions._given([link]), whole)
            found = refine(made.abstract.program, made.concrete.program, made.block, Options(limits(4.0, None)))
            answers.append(found.verdict.name)
        except InputError as wrong:
            answers.append(wrong.diagnostics[0].code)
        except LimitReached:
            answers.append("UNKNOWN")
    return answers


@pytest.mark.fuzz
@for_each("seed", range(200))
def test_one_element_stands_for_all_as_all_elements_do(seed: int) -> None:
    with TemporaryDirectory() as folder:
        assert set(_both_readings(seed, Path(folder))) != {"PROVED", "REFUTED"}
