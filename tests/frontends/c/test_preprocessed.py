"""Preprocessed text, which no compiler has checked: what is wrong with it is an error at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.frontends.c.least_arguments import LEAST
from sa.frontends.load import load_program


@pytest.mark.parametrize(
    "text",
    [
        "int a[100000000]; int main(void) { a[5] = 1; return 0; }",
        "int *p = &(int) { 3 }; int main(void) { return *p; }",
        "int main(void) { break; }",
        "int main(void) { continue; }",
        "int main(int n) { switch (n) { case 1: continue; } }",
        "struct s { struct s a[2]; }; int main(void) { struct s v; return 0; }",
        "int main(void) { char b[4]; sprintf(b); }",
        "int main(void) { return strtol(); }",
        "int a; int main(void) { return __atomic_load_n(); }",
        "int a; int main(void) { return atomic_compare_exchange_strong(&a, &a); }",
        "int a; int main(void) { return __sync_fetch_and_add(&a); }",
        "int a; int main(void) { return __builtin_add_overflow(a, a, &a, a); }",
        "unsigned long t; int main(void) { pthread_create(&t); }",
    ],
)
def test_what_is_wrong_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.i").write_text(text)
    with pytest.raises(InputError) as wrong:
        load_program(str(tmp_path / "p.i"), families=True)
    assert [d.code for d in wrong.value.diagnostics] == ["SA719"]


def test_what_is_nested_too_deeply_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "p.i").write_text(f"int main(void) {{ return {'+'.join(['1'] * 3000)}; }}")
    with pytest.raises(InputError) as wrong:
        load_program(str(tmp_path / "p.i"), families=True)
    assert [d.code for d in wrong.value.diagnostics] == ["SA703"]


def test_calls_without_enough_arguments_are_errors(tmp_path: Path) -> None:
    calls = (f"{name}({', '.join(['&a'] * (least - 1))});\n" for name, least in LEAST.items())
    (tmp_path / "p.i").write_text(f"int a; int main(void) {{ {''.join(calls)} return 0; }}")
    with pytest.raises(InputError) as wrong:
        load_program(str(tmp_path / "p.i"), families=True)
    found = [d.message for d in wrong.value.diagnostics if d.code == "SA719"]
    assert all(any(f"`{name}`" in message for message in found) for name in LEAST)
