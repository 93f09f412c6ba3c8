"""What a thread does while it holds a lock: a rely is soon found, counted in units of work."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.limits import Limits, limits
from sa.base.verdict import Verdict
from sa.engines.options import Options
from sa.report.screen import Screen
from sa.report.terminal import show_document
from sa.report.weakest import clause_text, weakest_document
from sa.weakest.infer import Weakest
from tests.weakest.pairs import found

LOCK = "global l : 0..2 = 0; global sum, v : int;"

#: Before and after a variable is kept in a register under a lock, in a loop and over two steps.
PAIRS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "lock": (
        LOCK,
        "local i : int = 0; lock(l); while (i < 3) { sum := sum + v; i := i + 1; } unlock(l);",
        "local i : int = 0; local r : int; lock(l); r := sum; while (i < 3) { r := r + v; i := i + 1; } sum := r; "
        "unlock(l);",
        ("l == 1 ==> unchanged l", "l == 1 ==> unchanged sum", "l == 1 ==> unchanged v"),
    ),
    "steps": (
        LOCK,
        "local a : int; lock(l); a := v; sum := sum + a; sum := 2 * sum; unlock(l);",
        "local a, r : int; lock(l); a := v; r := sum + a; sum := 2 * r; unlock(l);",
        ("l == 1 ==> unchanged l", "l == 1 ==> unchanged sum"),
    ),
}


def _asked(folder: Path, name: str) -> tuple[Weakest, Limits]:
    head, before, after, _ = PAIRS[name]
    bounds = limits(None, None)
    return found(folder, head, before, after, Options(bounds)), bounds


@pytest.mark.parametrize("name", PAIRS)
def test_a_rely_is_found_with_little_work_and_fits_into_ten_lines(tmp_path: Path, name: str) -> None:
    answer, bounds = _asked(tmp_path, name)
    assert answer.verdict is Verdict.PROVED and answer.uniform is not None
    assert tuple(clause_text(n.clause) for n in answer.uniform.concrete) == PAIRS[name][3]
    assert bounds.work.done < 4_000_000
    text = show_document(weakest_document(answer, "TEXT", 0.0, None, False), Screen(100))
    assert len([line for line in text.splitlines() if line]) <= 12
