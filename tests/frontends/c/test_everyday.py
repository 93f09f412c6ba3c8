"""What programs say every day: options on the command line, generic selections, formats with constants."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.frontends.c.load import load_with
from sa.frontends.reading import USUAL
from tests.frontends.c.test_reviewed import answer

HEADS = "#include <stdio.h>\n#include <string.h>\n"
PARSE = (
    "static int parse(int n, char **v) { int on = 0; for (int i = 1; i < n; i++) {"
    ' if (strcmp(v[i], "-v") == 0) on = 1; else return -1; } return on; }\n'
)


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        (PARSE, "int k = parse(argc, argv); assert(k >= -1 && k <= 1);", "PROVED"),
        (PARSE, "int k = parse(argc, argv); assert(k != -1);", "REFUTED"),
        (PARSE, "int k = parse(argc, argv); assert(argc > 1 || k == 0);", "PROVED"),
        ("", "if (argc > 2) { int i = argc - 2; char *a = argv[i], *b = argv[i + 1]; assert(a != b); }", "PROVED"),
        ("", "int n = 0; while (*argv) { argv++; n++; } assert(n == argc);", "PROVED"),
        ("", "char **end = argv + argc; assert(*end == 0);", "PROVED"),
        ("", "char **end = argv + argc; assert(end[1] == 0);", "REFUTED"),
        ("", 'if (argc > 2 && !strcmp(argv[argc - 1], "a")) assert(strcmp(argv[argc - 1], "b"));', "PROVED"),
        ("", "(void) argv; assert(argc > 0);", "REFUTED"),
    ],
)
def test_arguments_are_an_array_where_it_matters(tmp_path: Path, before: str, text: str, expected: str) -> None:
    assert answer(tmp_path, f"{HEADS}{before}int main(int argc, char **argv) {{ {text} return 0; }}\n") == expected


SELECTED = "static int i(int x) { return x + 1; } static int u(unsigned x) { return 9; } enum e { A, B };\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "short s = 1; assert(_Generic(s, short: 1, int: 2) == 1 && _Generic(s + 1, short: 1, int: 2) == 2);",
            "PROVED",
        ),
        ("const int c = 3; enum e k = B; assert(_Generic(c, int: i, unsigned: u)(c) == 4);", "PROVED"),
        ("enum e k = B; assert(_Generic(k, int: i, unsigned: u)(k) == 9);", "PROVED"),
        ("assert(_Generic('a', char: 1, int: 2) == 1);", "REFUTED"),
        ('assert(_Generic("a", char *: 1, int: 2) == 1 && _Generic(1.0f, double: 1, float: 2) == 2);', "PROVED"),
        ("assert(_Generic(1, long: 1, default: 2) == 2);", "PROVED"),
        # Whether a pointer is to `const` is not known here, nor whether it is a `long long`.
        ('const char *p = "a"; assert(_Generic(p, char *: 1, default: 2) == 2);', "SA719"),
        ("assert(_Generic(1L, long long: 1, default: 2) == 2);", "SA719"),
    ],
)
def test_a_generic_selection_is_by_type(tmp_path: Path, text: str, expected: str) -> None:
    try:
        found = answer(tmp_path, f"{SELECTED}int main(void) {{ {text} return 0; }}\n")
    except InputError as wrong:
        found = wrong.diagnostics[0].code
    assert found == expected


@pytest.mark.parametrize(
    ("form", "argument", "expected"),
    [
        ("%x", "255u", "ff"),
        ("%02d", "3", "03"),
        ("%-3d|", "7", "7  |"),
        ("%+d", "5", "+5"),
        ("%5u", "12u", "   12"),
        ("%x", "-1", "ffffffff"),
        ("%d", "4294967295u", "-1"),
        ("%ld", "-1L", "-1"),
        ("%+u", "5u", "5"),
        ("% d", "5", " 5"),
    ],
)
def test_a_constant_is_written_with_flags_and_width(tmp_path: Path, form: str, argument: str, expected: str) -> None:
    letters = "".join(f"assert(b[{n}] == {ord(c)});" for n, c in enumerate(f"{expected}\0"))
    text = f'char b[16]; sprintf(b, "{form}", {argument}); {letters}'
    assert answer(tmp_path, f"{HEADS}int main(void) {{ {text} return 0; }}\n") == "PROVED"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('char b[8] = "ab,c"; assert(strcspn(b, ",;") == 2 && strspn(b, "ba") == 2 && strcspn(b, "") == 4);', "PROVED"),
        ('char b[2] = {97, 98}; assert(strcspn(b, ",") < 9);', "REFUTED"),
        ('char b[8] = "ab"; b[strcspn(b, "b")] = 0; assert(b[1] == 0);', "PROVED"),
    ],
)
def test_letters_are_looked_for(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, f"{HEADS}int main(void) {{ {text} return 0; }}\n") == expected


def test_how_many_elements_a_parameter_says_means_nothing(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text("static int f(int n, int a[n]) { return a[n - 1]; } int main(void) { int a[2] = {1}; f(2, a); }")
    load_with(str(file), USUAL)
