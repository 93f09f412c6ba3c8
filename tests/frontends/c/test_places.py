"""Places in C: a line with several statements is told apart by its statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.api import verify
from sa.frontends.c.places import statement_at


@pytest.mark.parametrize(
    ("line", "word", "statement"),
    [
        ("  x = 1; y = 2;", "y", "y = 2;"),
        ("for (i = 0; i < n; i++) { put(i); get(); }", "get", "get();"),
        ("for (i = 0; i < n; i++) { put(i); get(); }", "n;", "for (i = 0; i < n; i++)"),
        ("} else if (y) { f(); }", "y", "else if (y)"),
        ('say("a; b"); f();', "f", "f();"),
        ("int a[] = {1, 2}, b; f();", "2", "int a[] = {1, 2}, b;"),
        ("  f(a);", "a", "f(a);"),
    ],
)
def test_a_statement_is_a_part_of_its_line(line: str, word: str, statement: str) -> None:
    start, end = statement_at(line, line.index(word))
    assert line[start:end] == statement


def test_a_claim_is_named_by_its_statement_also_behind_macros(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "#include <assert.h>\n#define TWICE(v) do { v++; v++; } while (0)\nint g;\n"
        "int main(void) { TWICE(g); assert(g == 2); if (g > 1) { g = 0; } assert(g > 9); return 0; }\n"
    )
    assert [claim["what"] for claim in verify(path).json()["claims"]] == ["assert(g > 9)"]
