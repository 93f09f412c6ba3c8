"""`[A ... B] = e` in an initialiser gives each element from A to B the value (GNU C)."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.verdict import Verdict
from tests.frontends.c.programs import program, verdict
from tests.parts import for_each

FILLED = """
struct s { int a[4]; int b; };
int flat[6] = { [0 ... 2] = 7, [3] = 1, [4 ... 5] = 9, [5] = 2 };
struct s inner = { .a = { [1 ... 2] = 4 }, .b = 5 };
int deep[2][2] = { [0 ... 0] = { 1, 2 }, [1][0 ... 1] = 6 };
int open[] = { [0 ... 9] = 3 };
int main(void) {
    int own[3] = { [1 ... 2] = 8 };
    assert(flat[0] == 7 && flat[2] == 7 && flat[3] == 1 && flat[4] == 9 && flat[5] == 2);
    assert(inner.a[0] == 0 && inner.a[1] == 4 && inner.a[2] == 4 && inner.a[3] == 0 && inner.b == 5);
    assert(deep[0][0] == 1 && deep[0][1] == 2 && deep[1][0] == 6 && deep[1][1] == 6);
    assert(sizeof open == 40 && open[9] == 3 && own[0] == 0 && own[1] == 8 && own[2] == 8);
}
"""


def test_each_element_of_a_range_has_the_value(tmp_path: Path) -> None:
    assert verdict(tmp_path, FILLED) is Verdict.PROVED


@for_each("wrong", ("flat[2] == 0", "inner.a[2] == 0", "own[2] == 0"))
def test_no_element_of_a_range_is_left_out(wrong: str, tmp_path: Path) -> None:
    right = wrong.split(" == ")[0]
    value = {"flat[2]": "7", "inner.a[2]": "4", "own[2]": "8"}[right]
    assert verdict(tmp_path, FILLED.replace(f"{right} == {value}", wrong)) is Verdict.REFUTED


@for_each("initialiser", ("[3 ... 1] = 2", "[0 ... 1] = f()"))
def test_a_range_of_nothing_or_of_what_is_evaluated_once_is_refused(initialiser: str, tmp_path: Path) -> None:
    text = f"int n; int f(void) {{ return n++; }} int main(void) {{ int a[4] = {{ {initialiser} }}; return a[0]; }}"
    with pytest.raises(InputError):
        program(tmp_path, text)
