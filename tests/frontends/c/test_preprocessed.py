"""Preprocessed text, which no compiler has checked: what is wrong with it is an error at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.frontends.load import load_program


@pytest.mark.parametrize(
    "text",
    [
        "int a[100000000]; int main(void) { a[5] = 1; return 0; }",
        "int *p = &(int) { 3 }; int main(void) { return *p; }",
        "int main(void) { break; }",
        "int main(void) { continue; }",
        "int main(int n) { switch (n) { case 1: continue; } }",
    ],
)
def test_what_is_wrong_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.i").write_text(text)
    with pytest.raises(InputError) as wrong:
        load_program(str(tmp_path / "p.i"), families=True)
    assert [d.code for d in wrong.value.diagnostics] == ["SA719"]
