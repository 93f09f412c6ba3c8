"""A function does what it does itself: random functions with loops, plain and atomic accesses, each compared alone."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from sa.base.verdict import Verdict
from tests.frontends.c.test_functions import compared, verdict
from tests.parts import for_each

PLAIN = ("x", "y", "z")


def function(seed: int) -> str:
    """A function over three plain variables and an atomic one."""
    luck = random.Random(seed)

    def value(depth: int = 1) -> str:
        kind = luck.random()
        if kind < 0.35:
            return luck.choice(("a", "b", "i", "s"))
        if kind < 0.55:
            return str(luck.randint(-2, 4))
        if kind < 0.75 or not depth:
            return luck.choice(PLAIN)
        return f"({value(0)} {luck.choice('+-+')} {value(0)})"

    def condition() -> str:
        return f"{value()} {luck.choice(('<', '<=', '>', '!=', '=='))} {value()}"

    def statement(depth: int) -> str:
        made = [
            f"{luck.choice(PLAIN)} = {value()};",
            f"{luck.choice('abs')} {luck.choice(('=', '+=', '-='))} {value()};",
            f"atomic_store_explicit(&l, {value()}, memory_order_{luck.choice(('release', 'relaxed'))});",
            f"s = atomic_load_explicit(&l, memory_order_{luck.choice(('acquire', 'relaxed'))});",
        ]
        if depth:
            made += [
                f"if ({condition()}) {{ {block(depth - 1)} }} else {{ {block(depth - 1)} }}",
                f"for (int i = 0; i < {luck.choice('ab3')}; i++) {{ {block(depth - 1)} }}",
                f"do {{ {block(depth - 1)} a--; }} while (a > {luck.randint(0, 2)});",
                f"while (b > 0) {{ {block(depth - 1)} b -= {luck.randint(1, 2)}; }}",
            ]
        return luck.choice(made)

    def block(depth: int) -> str:
        return " ".join(statement(depth) for _ in range(luck.randint(1, 2)))

    shared = f"#include <stdatomic.h>\nint {', '.join(PLAIN)}; atomic_int l;\n"
    return f"{shared}int f(int a, int b) {{ int i = 0, s = 0; {block(2)} {block(2)} return s; }}\n"


def _answer(seed: int, folder: Path) -> Verdict:
    path = folder / f"{seed}.c"
    path.write_text(function(seed))
    return compared(path, path).outcome.verdict


@for_each("seed", range(6))
def test_a_function_refines_itself(seed: int, tmp_path: Path) -> None:
    assert _answer(seed, tmp_path) is Verdict.PROVED


@pytest.mark.fuzz
def test_many_functions_refine_themselves(tmp_path: Path) -> None:
    """Of the first 206 functions 200 are PROVED and 6 UNKNOWN within 20 s each."""
    found = Counter(_answer(seed, tmp_path) for seed in range(6, 206))
    assert not found[Verdict.REFUTED]
    assert found[Verdict.UNKNOWN] <= 10


FISSION = "int a[3], b[3]; void f(int v) { for (int i = 0; i < 3; i++) { a[i] = v; b[i] = v + i; } }"
COUNTING = (
    "int a[6]; void f(void) { for (int i = 0; i < 6; i++) a[i]++; }",
    "unsigned a[2], n; int f(unsigned k) { int s = 0;"
    " for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s += a[(k + i + j) % 2]; n++; return s; }",
)


@for_each("text", COUNTING)
def test_a_function_that_counts_to_a_constant_refines_itself(text: str, tmp_path: Path) -> None:
    assert verdict(text, text, tmp_path) == "PROVED"


#: A function, one that may take its place, and one that may not.
OTHERWISE = (
    (
        FISSION,
        "int a[3], b[3]; void f(int v) { for (int i = 0; i < 3; i++) a[i] = v;"
        " for (int i = 2; i >= 0; i--) b[i] = v + i; }",
        "int a[3], b[3]; void f(int v) { for (int i = 0; i < 3; i++) a[i] = v;"
        " for (int i = 2; i >= 1; i--) b[i] = v + i; }",
    ),
    (
        "int a[3]; int f(void) { int m = a[0]; for (int i = 1; i < 3; i++) if (a[i] > m) m = a[i]; return m; }",
        "int a[3]; int f(void) { int m = a[0]; if (a[1] > m) m = a[1]; return m < a[2] ? a[2] : m; }",
        "int a[3]; int f(void) { int m = a[0]; if (a[1] > m) m = a[1]; return m < a[1] ? a[2] : m; }",
    ),
    (
        "int f(int a, int b) { return a / b * b + a % b; }",
        "int f(int a, int b) { return a; }",
        "int f(int a, int b) { return a + 1; }",
    ),
)


@for_each("texts", OTHERWISE)
def test_rounds_are_steps_and_a_quotient_is_one_number(texts: tuple[str, str, str], tmp_path: Path) -> None:
    before, right, wrong = texts
    assert verdict(before, right, tmp_path) == "PROVED"
    assert verdict(before, wrong, tmp_path) == "REFUTED"


def test_a_rotated_loop_is_proved_before_engines_are_asked_that_take_long(tmp_path: Path) -> None:
    loops = "k--; while (k > 0) k--;", "do { k--; } while (k > 0);"
    before, after = (f"int f(int k) {{ {loop} return k; }}" for loop in loops)
    assert verdict(before, after, tmp_path) == "PROVED"
    tried = compared(tmp_path / "before.c", tmp_path / "after.c").outcome.tried
    assert {t.engine for t in tried}.isdisjoint({"strategy", "bounded"})
