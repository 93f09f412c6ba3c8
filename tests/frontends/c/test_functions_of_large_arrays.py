"""Functions with large arrays are compared as those with as many variables, where both are decided."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from sa.base.diagnostic import InputError
from sa.base.verdict import Verdict
from sa.frontends.c import functions, types
from tests.frontends.c.test_functions_in_contexts import verdict

#: Elements of the array.
SIZE = 3


def statement(random: Random, depth: int = 0) -> str:
    """A random statement over the array `a`, the variable `g`, parameters and registers."""
    place = random.choice((*(f"a[{n}]" for n in range(SIZE)), "a[n]", "a[n]", "g"))
    register = random.choice("rs")
    match random.randrange(7 if depth == 0 else 4):
        case 0:
            return f"{register} = {place};"
        case 1 | 2:
            return f"{place} = {random.choice(('1', '2', 'r', 's', 'n'))};"
        case 3:
            return f"{register} = {random.choice('rs')} + 1;"
        case 4:
            return f"if ({register}) {{ {statement(random, 1)} }} else {{ {statement(random, 1)} }}"
        case 5:
            return f"if (n == {random.randrange(SIZE)}) {{ {statement(random, 1)} }}"
        case _:
            element = random.choice((f"a[i] = {register};", f"{register} = {register} + a[i];", "a[i] = i;"))
            return f"for (int i = 0; i < {random.choice(('n', '2'))}; i++) {{ {element} }}"


def changed(random: Random, body: list[str]) -> list[str]:
    """The statements with one left out, put elsewhere, written twice, or another one."""
    made = list(body)
    at = random.randrange(len(made))
    match random.randrange(4):
        case 0:
            del made[at]
        case 1:
            made.insert(random.randrange(len(made)), made.pop(at))
        case 2:
            made.insert(random.randrange(len(made) + 1), made[at])
        case _:
            made[at] = statement(random)
    return made


def text(body: list[str]) -> str:
    declared = f"int a[{SIZE}], g; _Atomic int x; void put(int);"
    return f"{declared} int f(int n) {{ int r = 0, s = 1; {' '.join(body)} return r; }}"


def compared(
    seed: int, count: int, folder: Path, patch: pytest.MonkeyPatch, action: str = ""
) -> Counter[tuple[str, str]]:
    """How many pairs have each two verdicts: with elements that are variables, and with an array.

    An `action` is done at the end, or somewhere before.
    """
    random, found = Random(seed), Counter[tuple[str, str]]()
    patch.setattr(functions, "_with_whole", lambda read, chosen: read)
    while found.total() < count:
        before = [*(statement(random) for _ in range(random.randint(1, 3))), *([action] if action else ())]
        after = changed(random, before)
        if after == before:
            continue
        given = []
        try:
            for most in (1, SIZE):
                patch.setattr(types, "LARGE", (most, types.LARGE[1]))
                given.insert(0, verdict(text(before), text(after), folder, 10))
        except InputError:
            # Some access comes behind the action.
            assert action
            continue
        assert {*given} != {Verdict.PROVED, Verdict.REFUTED}, (text(before), text(after), given)
        found[given[0].value, given[1].value] += 1
    return found


def function(body: str, array: str = "int a[1000];") -> str:
    return f"{array} void put(int); int g; int f(int n) {{ {body} }}"


SUM = "int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s;"
CLEAR = "for (int i = 0; i < n; i++) a[i] = 0; return 0;"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("if (0 <= n && n < 8) a[n] = a[n] + 1u; return 0;", "if (n < 8u) a[n]++; return 0;", Verdict.PROVED),
        ("a[n & 7] = 1; a[n & 7] = 0; return 0;", "a[n % 8u] = 0; return 0;", Verdict.PROVED),
        ("a[n & 7] = 0; return 0;", "a[n & 3] = 0; return 0;", Verdict.REFUTED),
    ],
)
def test_in_a_small_array_one_element_stands_for_all(
    before: str, after: str, expected: Verdict, tmp_path: Path
) -> None:
    array = "unsigned a[8];"
    assert verdict(function(before, array), function(after, array), tmp_path, 5) is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a[n] = 1; return 0;", "int *p = a + n; *p = 1; return 0;", Verdict.PROVED),
        ("a[n] = 1; return 0;", "int *p = &a[n]; p[1] = 1; return 0;", Verdict.REFUTED),
        ("a[n] = 1; return a[n];", "int *p = &a[n], *q = p; *q = 1; return *p;", Verdict.PROVED),
    ],
)
def test_a_pointer_that_is_set_once_is_the_element(before: str, after: str, expected: Verdict, tmp_path: Path) -> None:
    assert verdict(function(before), function(after), tmp_path, 5) is expected


@pytest.mark.parametrize(
    "after",
    [
        "int *p = a + n; n++; *p = 1; return n;",
        "int m = 0; while (m < n) { int *p = a + m; m++; *p = m; } return n;",
        "int *p; if (n) p = a + n; *p = 1; return n;",
    ],
)
def test_a_pointer_is_not_what_it_is_set_to_where_that_may_have_changed(after: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which variable is accessed"):
        verdict(function("a[n] = 1; return n;"), function(after), tmp_path, 5)


def test_elements_of_which_each_access_is_known_are_variables(tmp_path: Path) -> None:
    array = "_Atomic int x; int a[2];"
    put = "a[0] = n; a[1] = n; x = 1; return 0;"
    assert verdict(function(put, array), function("a[1] = n; " + put, array), tmp_path, 5) is Verdict.PROVED


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (SUM, "int s = 0, i = 0; while (i < n) { s = a[i] + s; i += 1; } return s;", Verdict.PROVED),
        (CLEAR, "for (int i = 0; i < n; ++i) { a[i] = 1; a[i] = 0; } return 0;", Verdict.PROVED),
        ("a[n] = 2; return a[n];", "a[n] = 2; return 2;", Verdict.PROVED),
        ("int x = a[0]; a[0] = 1; a[0] = x; return x;", "return a[0];", Verdict.PROVED),
        ("return 0;", "a[5]; return 0;", Verdict.PROVED),
        ("return a[n];", "return a[n + 1];", Verdict.REFUTED),
        ("return a[n] <= 2147483647;", "return 1;", Verdict.PROVED),
        ("return a[n];", "a[n] = a[n]; return a[n];", Verdict.REFUTED),
        ("a[n] = 2; return 0;", "a[n] = 2; a[0] = a[0]; return 0;", Verdict.REFUTED),
        ("a[n] = 2; return 0;", "a[n] = 3; return 0;", Verdict.REFUTED),
    ],
)
def test_an_array_is_compared_by_elements(before: str, after: str, expected: Verdict, tmp_path: Path) -> None:
    assert verdict(function(before), function(after), tmp_path, 20) is expected


TRAPPED = "if (n < 0 || n > 9) __builtin_trap();"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a[n] = 1; put(n); return 0;", "a[n] = 0; a[n] = 1; put(n); return 0;", Verdict.PROVED),
        ("a[n] = 1; put(n); return 0;", "put(n); return 0;", Verdict.REFUTED),
        ("put(a[n]); return 0;", "int v = a[n]; put(v); return 0;", Verdict.PROVED),
        ("put(a[n]); return 0;", "put(a[n + 1]); return 0;", Verdict.REFUTED),
        (f"a[0] = 1; {TRAPPED} a[n] = 2; return 0;",
         "int wrong = n < 0 || n > 9; a[0] = 1; if (wrong) __builtin_trap(); a[n] = 2; return 0;", Verdict.PROVED),
        # What is not stored before the trap others do not miss; a store that was not there they may see.
        (f"a[0] = 1; {TRAPPED} a[n] = 2; return 0;", f"{TRAPPED} a[0] = 1; a[n] = 2; return 0;", Verdict.PROVED),
        (f"{TRAPPED} a[0] = 1; a[n] = 2; return 0;", f"a[0] = 1; {TRAPPED} a[n] = 2; return 0;", Verdict.REFUTED),
    ],
)  # fmt: skip
def test_behind_its_accesses_of_a_large_array_a_function_may_do_anything(
    before: str, after: str, expected: Verdict, tmp_path: Path
) -> None:
    assert verdict(function(before), function(after), tmp_path, 20) is expected


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (function("put(n); return a[n];"), function("put(n); return a[n];"), "SA718"),
        (function("a[n] = 1; put(n); return 0;"), function("put(n); a[n] = 1; return 0;"), "SA718"),
        (function("int v = a[n & 3]; __atomic_store_n(&a[n & 7], 1, 3); return v;"),
         function("int v = a[n & 3]; __atomic_store_n(&a[n & 7], 1, 3); return v;"), "SA718"),
        (function("int x; a[n] = x; return 0;"), function("a[n] = 1; return 0;"), "SA718"),
        (function("return a[n];"), function("return a[n];", "int a[900];"), "SA405"),
    ],
)  # fmt: skip
def test_what_is_not_compared_with_a_large_array_is_an_error(
    before: str, after: str, code: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as raised:
        verdict(before, after, tmp_path, 20)
    assert [d.code for d in raised.value.diagnostics] == [code]


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_random_changes_of_functions_with_arrays(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = compared(seed, 60, tmp_path, monkeypatch)
    assert found["PROVED", "PROVED"] > 5 and found["REFUTED", "REFUTED"] > 5


@pytest.mark.fuzz
@pytest.mark.parametrize("action", ["put(r);", "x = 1;", "if (r) __builtin_trap();"])
def test_random_changes_of_functions_with_arrays_and_an_action(
    action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = compared(4, 40, tmp_path, monkeypatch, action)
    assert found["PROVED", "PROVED"] > 3 and found["REFUTED", "REFUTED"] > 3
