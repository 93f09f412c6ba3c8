"""What of C a file uses, and what of that is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.frontends.c.coverage import Construct, coverage, line_of
from sa.frontends.reading import USUAL

TEXT = """#include <assert.h>
struct s { int a; unsigned b : 3; };
void elsewhere(int *);
int own(struct s *p) { return p->a; }
int main(void) {
  struct s s = {1, 2};
  for (int i = 0; i < 2; i++) s.a += own(&s);
  assert(s.a); elsewhere(&s.a);
  switch (s.a) { default: ; }
}
"""


def found(folder: Path, text: str) -> dict[str, Construct]:
    file = folder / "p.c"
    file.write_text(text)
    return {c.name: c for c in coverage(str(file), USUAL)}


def lines(construct: Construct) -> list[int]:
    return [line_of(p) for p in construct.places]


def test_each_construct_has_its_lines(tmp_path: Path) -> None:
    constructs = found(tmp_path, TEXT)
    expected = {"struct": [2], "bit field": [2], "for": [7], "call": [7], "assert()": [8], "switch": [9]}
    assert {name: lines(constructs[name]) for name in expected} == expected
    assert all(constructs[name].refused is None for name in expected)


def test_what_is_not_accepted_comes_first_and_is_not_called_accepted(tmp_path: Path) -> None:
    constructs = found(tmp_path, TEXT)
    first = next(iter(constructs.values()))
    assert first.refused is not None and "elsewhere" in first.refused and lines(first) == [8]
    assert "elsewhere()" not in constructs


def test_what_is_no_c_has_no_constructs(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        found(tmp_path, "int main( {")
