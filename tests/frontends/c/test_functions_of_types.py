"""Functions alone: what the environment may choose, what is constant, and what types say."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from sa.app.refine import RefineRequest, refine
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.engines.options import Options
from sa.frontends.reading import Reading
from tests.frontends.c.test_functions import ATOMICS, compared, verdict


def checked(before: str, after: str, folder: Path) -> str:
    """The verdict with overflow as undefined behaviour."""
    paths = folder / "before.c", folder / "after.c"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    reading = replace(Reading(function="f"), overflow="check")
    asked = RefineRequest((str(paths[0]), str(paths[1])), False, Options(limits(60.0, None)), reading=reading)
    (found,) = refine(asked)
    return found.outcome.verdict.value


def refused(before: str, after: str, folder: Path) -> str:
    """The code of the first error."""
    with pytest.raises(InputError) as wrong:
        verdict(before, after, folder)
    assert all(d.hint for d in wrong.value.diagnostics)
    return wrong.value.diagnostics[0].code


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("return x + 1 <= 2147483647;", "return 1;", "PROVED"),
        ("return x + 1 <= 7;", "return 1;", "REFUTED"),
        ("return x + 1 > x;", "return 1;", "PROVED"),
    ],
)
def test_a_play_that_only_an_overflow_makes_counts_for_nothing(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    assert verdict(f"int f(int x) {{ {before} }}", f"int f(int x) {{ {after} }}", tmp_path) == expected
    # The first function is assumed to be defined, which says it.
    said = compared(tmp_path / "before.c", tmp_path / "after.c").outcome.said
    assert "overflow" not in {c.kind for c in (*said.assumptions, *said.not_checked)}


def test_the_first_function_does_not_choose_to_overflow_by_what_it_reads(tmp_path: Path) -> None:
    text = ATOMICS + "atomic_int x; int f(void) {{ {} return {}; }}"
    for change in ("x += 1;", "x *= 3;", "x++;"):
        assert checked(text.format(change, 0), text.format(change, 5), tmp_path) == "REFUTED"
        assert checked(text.format(change, 0), text.format("x = 7;", 0), tmp_path) == "REFUTED"
    assert checked(text.format("x += 1;", 0), text.format("x += 1;", 0), tmp_path) == "PROVED"


@pytest.mark.parametrize(
    "text",
    [
        "int g; char c; int f(int a) { char *p = a ? (char *) &g : &c; *p = 1; return 0; }",
        "int g; char c; int f(int a) { char *p = a ? (char *) &g : &c; return *p; }",
        "char c; int f(int a) { int l = 5; char *p = a ? (char *) &l : &c; return *p; }",
    ],
)
def test_bytes_of_other_objects_are_not_undefined(text: str, tmp_path: Path) -> None:
    assert refused(text, "char c; int f(int a) { return 0; }", tmp_path) == "SA718"


def test_who_never_returns_is_undefined_if_he_does(tmp_path: Path) -> None:
    text = "{} int g; int f(int a) {{ if (a) {{ die(); g = 1; }} return {}; }}"
    for ends in ("_Noreturn void die(void);", "void die(void) __attribute__((noreturn));"):
        assert verdict(text.format(ends, "a"), text.format(ends, "0").replace("g = 1;", ""), tmp_path) == "PROVED"
        assert verdict(text.format(ends, "a"), text.format(ends, "1"), tmp_path) == "REFUTED"
    returns = text.format("void die(void);", "a")
    assert verdict(returns, text.format("_Noreturn void die(void);", "a"), tmp_path) == "REFUTED"
    assert verdict(text.format("_Noreturn void die(void);", "a"), returns, tmp_path) == "PROVED"


def test_the_sign_that_memcmp_gives_is_no_choice(tmp_path: Path) -> None:
    text = "#include <string.h>\nstatic const int x[1] = {%s}, y[1] = {%s}; int f(int a) { return %s; }"
    less = "memcmp(x, y, sizeof x) < 0"
    for one, two, result in ((1, 256, 0), (256, 1, 1), (-1, 0, 0), (0, -1, 1), (3, 3, 0)):
        assert verdict(text % (one, two, less), text % (one, two, result), tmp_path) == "PROVED"
        assert verdict(text % (one, two, less), text % (one, two, 1 - result), tmp_path) == "REFUTED"


def test_what_comes_from_outside_is_of_its_type(tmp_path: Path) -> None:
    text = "int g; int f(int a) { int l = %s; return %s; }"
    for given in ("a", "g"):
        assert verdict(text % (given, "l <= 2147483647"), text % (given, "1"), tmp_path) == "PROVED"
        assert verdict(text % (given, "l <= 2147483646"), text % (given, "1"), tmp_path) == "REFUTED"


@pytest.mark.parametrize(
    "declared", ["extern const int k;", "typedef const int c; extern c k;", "extern const int k[2];"]
)
def test_nobody_changes_a_constant_of_another_file(declared: str, tmp_path: Path) -> None:
    k = "k[a & 1]" if "[" in declared else "k"
    text = declared + "void use(void); int f(unsigned a) { int l = %s; use(); return %s - l; }"
    assert verdict(text % (k, k), text % ("0", "0"), tmp_path) == "PROVED"
    changed = text.replace("const int c", "int c").replace("const int k", "int k")
    assert verdict(changed % (k, k), changed % ("0", "0"), tmp_path) == "REFUTED"
    assert refused(text % (k, k), changed % (k, k), tmp_path) == "SA405"


def test_constants_by_typedef_have_their_values(tmp_path: Path) -> None:
    text = "typedef const int c; c t[2] = {1, %d}; int f(unsigned a) { return t[a & 1]; }"
    assert verdict(text % 2, text % 2, tmp_path) == "PROVED"
    assert verdict(text % 2, text % 3, tmp_path) == "REFUTED"


def test_a_function_is_called_by_its_own_type(tmp_path: Path) -> None:
    text = "int one(unsigned char a) {{ return a; }} int (*const k)(int) = (int (*)(int)) one; int f(int a) {{ {} }}"
    assert refused(text.format("return k(a);"), text.format("return a & 255;"), tmp_path) == "SA714"


def test_assembly_may_put_anything_into_a_variable(tmp_path: Path) -> None:
    text = 'int f(int a) { int l = 1; __asm__("" : %s); return l; }'
    assert verdict("int f(int a) { return 1; }", text % '"+r"(l)', tmp_path) == "PROVED"
    assert verdict("int f(int a) { return 1; }", text % '"=r"(l) : "0"(l)', tmp_path) == "PROVED"
    assert refused("int f(int a) { return 1; }", text % '"=r"(l)', tmp_path) == "SA717"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("int g, h; int f(long a) { return a == (long) &g; }", "int g, h; int f(long a) { return a == (long) &h; }"),
        ('int f(void *p) { return p == (void *) "a"; }', 'int f(void *p) { return p == (void *) "b"; }'),
        ("int one(void) { return 1; } int f(void *p) { return p == (void *) one; }", "int f(void *p) { return 0; }"),
        ("int f(void) { int l[2]; l[0] = 0; return (long) &l[0] < 9; }", "int f(void) { return 0; }"),
        ("int g, h; int f(void) { return &g < &h; }", "int g, h; int f(void) { return 1; }"),
        ("int g, h; int f(void) { return &g + 1 == &h; }", "int g, h; int f(void) { return 0; }"),
        ("int g; int f(int *p) { return p == &g && p == (int *) 4096; }", "int g; int f(int *p) { return 0; }"),
        ("int g; int f(void) { return (long) &g == 5; }", "int f(void) { return 0; }"),
    ],
)
def test_addresses_are_not_compared_with_what_may_be_any(before: str, after: str, tmp_path: Path) -> None:
    """They are other numbers in each file."""
    assert refused(before, after, tmp_path) == "SA718"


def test_addresses_are_compared_with_addresses_and_with_nothing(tmp_path: Path) -> None:
    text = "int g, h; int f(int c, void *p) {{ int *q = c ? &g : &h; return {}; }}"
    assert verdict(text.format("q == &g"), text.format("c != 0"), tmp_path) == "PROVED"
    assert verdict(text.format("q == &g"), text.format("c == 0"), tmp_path) == "REFUTED"
    assert verdict(text.format("q && p"), text.format("p != 0"), tmp_path) == "PROVED"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("LOAD int *p = c ? &g : &h; *p = 1;", "int *p = c ? &g : &h; *p = 1; LOAD", "PROVED"),
        ("LOAD int *p = c ? &g : &h; *p = 1;", "int *p = c ? &h : &g; *p = 1; LOAD", "REFUTED"),
        ("LOAD int *p = c > 3 ? &g : &h; if (t) *p = 1; else *p = 2;",
         "int *p = c > 3 ? &g : &h; *p = 2; LOAD if (t) *p = 1;", "PROVED"),
        ("LOAD int *p = t ? &g : &h; *p = 1;", "g = 1; LOAD if (!t) h = 1;", "REFUTED"),
        ("LOAD if (c) g = 1;", "if (c) g = 1; LOAD", "PROVED"),
        ("LOAD if (t) g = 1;", "g = 1; LOAD", "REFUTED"),
        ("LOAD if (c) g = 1;", "g = 1; LOAD", "REFUTED"),
    ],
)  # fmt: skip
def test_what_is_owed_depends_on_what_the_function_knows(one: str, other: str, expected: str, tmp_path: Path) -> None:
    text = ATOMICS + "int g, h; atomic_int x; int f(int c) {{ int t; {} return t; }}"
    load = "t = atomic_load_explicit(&x, memory_order_relaxed);"
    before, after = (text.format(body.replace("LOAD", load)) for body in (one, other))
    assert verdict(before, after, tmp_path) == expected


def test_an_index_outside_is_undefined_before_a_relaxed_load(tmp_path: Path) -> None:
    text = ATOMICS + "int a[2]; atomic_int x; int f(unsigned n) {{ int t, s; {} return t + s; }}"
    load = "t = atomic_load_explicit(&x, memory_order_{});"
    for order, expected in (("relaxed", "PROVED"), ("acquire", "REFUTED")):
        moved = load.format(order)
        assert verdict(text.format(moved + "s = a[n];"), text.format("s = a[n];" + moved), tmp_path) == expected


def test_the_size_of_an_array_gives_nobody_its_address(tmp_path: Path) -> None:
    text = "static int m[2]; int f(int *p) {{ m[0] = 1; *p = 2; return {} + (int)(sizeof m / sizeof *m{}); }}"
    assert verdict(text.format("m[0]", ""), text.format("1", ""), tmp_path) == "PROVED"
    taken = " + !m"
    assert verdict(text.format("m[0]", taken), text.format("1", taken), tmp_path) == "REFUTED"


def test_a_size_that_is_computed_may_hand_an_address_on(tmp_path: Path) -> None:
    size = "static int m[2]; int *w; int size(int n) {{ return sizeof(int[(w = m, n)]); }}"
    text = size + "int f(int *p) {{ m[0] = 1; *p = 2; return {}; }}"
    assert verdict(text.format("m[0]"), text.format("1"), tmp_path) == "REFUTED"
