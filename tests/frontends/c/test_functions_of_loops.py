"""Functions alone with loops, whose accesses through given pointers are moved out of them, or done once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.c.test_functions import verdict

SUM = "int s = 0; for (int i = 0; i < k; i++) s += {}; {}"
HOISTED = "int s = 0; if (k > 0) {{ int t = *p; for (int i = 0; i < k; i++) s += t; }} {}"


@pytest.mark.parametrize(
    ("declared", "one", "other", "expected"),
    [
        ("int f(int *p, int k)", SUM.format("*p", "return s;"), HOISTED.format("return s;"), "PROVED"),
        # Where the loop has no round the pointer may be one to nothing.
        ("int f(int *p, int k)", SUM.format("*p", "return s;"),
         "int t = *p; " + SUM.format("t", "return s;"), "REFUTED"),
        ("void f(int *p, int *q, int k)", SUM.format("*p", "*q = s;"), HOISTED.format("*q = s;"), "PROVED"),
        # Where both point to the same, what is written in the loop is read in it.
        ("int f(int *p, int *q, int k)", SUM.format("*p, *q = 1", "return s;"),
         HOISTED.format("if (k > 0) *q = 1; return s;"), "REFUTED"),
        ("int f(int *p, int k)", "int s = *p; for (int i = 0; i < k; i++) s += *p; return s;",
         "int t = *p, s = t; for (int i = 0; i < k; i++) s += t; return s;", "PROVED"),
    ],
)  # fmt: skip
def test_loads_that_give_the_same_are_done_once(
    declared: str, one: str, other: str, expected: str, tmp_path: Path
) -> None:
    assert verdict(f"{declared} {{ {one} }}", f"{declared} {{ {other} }}", tmp_path) == expected


def test_what_is_written_behind_a_loop_may_be_written_before_it(tmp_path: Path) -> None:
    """A debt: the loop of the first function is taken to end."""
    loop = "int s = 0; for (int i = 0; i < k; i++) s += i;"
    text = "int x; int f(int *p, int k) {{ {} return s; }}"
    assert verdict(text.format(f"{loop} *p = 1;"), text.format(f"*p = 1; {loop}"), tmp_path) == "PROVED"
    assert verdict(text.format(f"{loop} if (s) *p = 1;"), text.format(f"*p = 1; {loop}"), tmp_path) == "REFUTED"


@pytest.mark.parametrize("first", ["0", "lo"])
def test_what_one_side_chooses_by_the_other_one_tests(first: str, tmp_path: Path) -> None:
    """A maximum of a part of an array. Where the loop begins at a parameter, one round more is no better answer."""
    declared = "int a[100]; int f(int lo, int hi) { if (lo < 0 || hi > 100) return -1; int m = 0;"
    loop = f"for (int i = {first}; i < hi; i++)"
    tested = f"{declared} {loop} if (a[i] > m) m = a[i]; return m; }}"
    assert (
        verdict(tested, f"{declared} {loop} {{ int v = a[i]; m = v > m ? v : m; }} return m; }}", tmp_path) == "PROVED"
    )
