"""What programs say every day: options on the command line, generic selections, formats with constants."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

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


UNION = (
    "struct point { short x, y; };\n"
    "struct value { int type; union { long i; char *s; struct point p; } u; int more; };\n"
    "#define INT(n) ((struct value){ .type = 1, .u.i = (n) })\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("struct value v = INT(-3); assert(v.u.i == -3 && v.more == 0);", "PROVED"),
        ("struct value v = { .u.i = 7, .type = 2 }; assert(v.u.i == 7 && v.type == 2);", "PROVED"),
        ("struct value v = { 1, .u.i = 7, 9 }; assert(v.u.i == 7 && v.more == 9);", "PROVED"),
        ("struct value v = { .u = { .p = { 3, 4 } } }; assert(v.u.p.y == 4 && v.u.i == 4 * 65536 + 3);", "PROVED"),
        ("long n = argc; struct value v = { 1, { n }, 2 }; assert(v.u.i == argc && v.more == 2);", "PROVED"),
        ('struct value v = { .u.s = "ab" }; assert(v.u.s[1] == \'b\');', "PROVED"),
        ('static struct value v[2] = { { 1, { .s = "a" }, 5 }, { .u.s = "b" } };'
         " assert(*v[0].u.s == 'a' && *v[1].u.s == 'b' && v[0].more == 5);", "PROVED"),
        ("struct value v = INT(argc); assert(v.u.i < 3);", "REFUTED"),
        ("struct value v = { .u.i = argc, .more = 1 }; v = INT(v.u.i); assert(v.more == 1);", "REFUTED"),
    ],
)  # fmt: skip
def test_a_union_in_a_structure_has_first_values(tmp_path: Path, text: str, expected: str) -> None:
    head = f"{HEADS}{UNION}"
    assert answer(tmp_path, f"{head}int main(int argc, char **argv) {{ {text} return 0; }}\n") == expected


COPY = (
    "static unsigned char from[4] = {1, 2, 3, 4};\n"
    "static int put(void *to, size_t n) { memcpy(to, from, n); return 0; }\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unsigned char b[4] = {0}; put(b, 3); assert(b[2] == 3 && b[3] == 0);", "PROVED"),
        ("unsigned char b[4] = {0}; put(b, sizeof b); assert(b[3] != 4);", "REFUTED"),
        ("unsigned char b[2]; put(b, 3);", "REFUTED"),
        # The bytes of a number are not looked at one by one.
        ("int i = 0; put(&i, 1); assert(i == 1);", "SA714"),
        ("char b[3] = {5, 6, 7}; void *p = b; assert(memcmp(p, b, 3) == 0 && memcmp(b, p, 2) == 0);", "PROVED"),
    ],
)
def test_bytes_are_copied_to_where_a_pointer_to_anything_points(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, f"{HEADS}{COPY}int main(int argc, char **argv) {{ {text} return 0; }}\n") == expected


def _members(random: Random, depth: int = 0) -> str:
    """The members of a structure, some of which ask for an alignment."""
    made = list[str]()
    for number in range(random.randint(1, 4)):
        aligned = random.choice(["", "", "_Alignas(128) ", "_Alignas(128) "])
        kind = random.choice(["char", "short", "int", "long", "char *"])
        if aligned == "" and random.random() < 0.3:
            aligned = random.choice(["_Alignas(16) ", "_Alignas(long) "])
        elif depth == 0 and random.random() < 0.3:
            kind = f"struct {{ {_members(random, 1)} }}"
        made.append(f"{aligned}{kind} m{number}{random.choice(['', '', '[3]'])};")
    return " ".join(made)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the judge")
def test_sizes_and_places_of_aligned_members_are_those_of_gcc(tmp_path: Path) -> None:
    random = Random(3)
    asked = ["sizeof(struct s)", "_Alignof(struct s)", "offsetof(struct s, m0)", "offsetof(struct s, last)"]
    for _ in range(8):
        members = _members(random)
        head = f"#include <assert.h>\n#include <stddef.h>\n#include <stdio.h>\nstruct s {{ {members} char last; }};\n"
        shown = "".join(f'printf("%d ", (int) {a});' for a in asked)
        (tmp_path / "p.c").write_text(f"{head}int main(void) {{ {shown} return 0; }}\n")
        subprocess.run(["gcc", "-w", "-o", str(tmp_path / "p"), str(tmp_path / "p.c")], check=True)
        told = subprocess.run([str(tmp_path / "p")], check=True, capture_output=True, text=True).stdout.split()
        claims = " ".join(f"assert({a} == {n});" for a, n in zip(asked, told, strict=True))
        assert answer(tmp_path, f"{head}int main(void) {{ {claims} return 0; }}\n") == "PROVED", members
