"""Programs that a fourth review found answered wrongly: each is the smallest that shows the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.automata.automaton import Fault
from sa.base.diagnostic import InputError
from sa.frontends.c.load import load_with
from sa.frontends.reading import USUAL
from tests.frontends.c.test_functions import verdict
from tests.frontends.c.test_reviewed import answer

HEADS = "".join(f"#include <{name}.h>\n" for name in ("stdio", "string", "errno", "time", "unistd"))


def _main(text: str) -> str:
    return f"{HEADS}int main(int argc, char **argv) {{ {text} return 0; }}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('char *s = "hi"; s[0] = 65;', "REFUTED"),
        ('char a[3] = "hi", *s = argc > 2 ? a : "hi"; s[0] = 65;', "REFUTED"),
        ('char a[3] = "hi", *s = argc > 2 ? a : "hi"; if (argc > 2) s[0] = 65; assert(s[1] == 105);', "PROVED"),
        ("static const int k = 3; *(int *)&k = 4;", "REFUTED"),
        ("const int k = argc; *(int *)&k = 4;", "REFUTED"),
        ("const int k[2] = {1, argc}; ((int *)k)[argc > 1] = 4;", "REFUTED"),
        ("static const int k[40] = {1}; ((int *)k)[argc % 40] = 4;", "REFUTED"),
        ("const struct { int a, b; } k = {argc, 2}; const int *p = &k.b; assert(*p == 2);", "PROVED"),
        ("int s = 0; for (int i = 0; i < 3; i++) { const int k = i, *p = &k; s += *p; } assert(s == 3);", "PROVED"),
        ('char *e = getenv("A"); if (e) e[0] = 65;', "REFUTED"),
        ("char *e = strerror(argc); e[0] = 65;", "REFUTED"),
    ],
)
def test_constants_and_string_literals_are_not_written(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, _main(text)) == expected


def test_a_write_to_a_constant_is_a_failure_of_its_own_kind(tmp_path: Path) -> None:
    file = tmp_path / "p.c"
    file.write_text(_main('char *s = "hi"; s[0] = 65;'))
    program = load_with(str(file), USUAL).program
    faults = {e.failure.fault for t in program.threads for e in t.edges if e.failure is not None}
    assert Fault.CONSTANT in faults and Fault.POINTER not in faults


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('char b[16] = "ab"; sprintf(b, "%sx", b); assert(b[0]);', "REFUTED"),
        ('char b[16] = "ab"; sprintf(b, "%s%s", b + 8, "12345678"); assert(b[0]);', "REFUTED"),
        ('char b[16] = "ab"; sprintf(b + 4, "%s", b); assert(b[4] == 97);', "PROVED"),
        ('char b[16] = "ab"; snprintf(b, 3, "%d%s", 1, b + 3); assert(b[0] == 49);', "PROVED"),
        ('char b[16] = "ab"; strcpy(b, b);', "REFUTED"),
        ('char b[16] = "ab"; strcpy(b + 3, b); assert(b[3] == 97);', "PROVED"),
        ('char b[16] = "ab"; strcpy(b, b + 1);', "REFUTED"),
        ('char b[16] = "ab"; strncpy(b, b + 3, 4);', "REFUTED"),
        ('char b[16] = "ab"; strncpy(b, b + 3, 3); assert(b[0] == 0);', "PROVED"),
        ('char b[16] = "ab"; strncat(b, b + 1, 1);', "REFUTED"),
    ],
)
def test_a_text_is_not_made_of_itself(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, _main(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('char *p = malloc(4); memset(p, 65, 4); printf("%.*s", 8, p);', "REFUTED"),
        ('char *p = malloc(4); memset(p, 65, 4); printf("%.5s", p);', "REFUTED"),
        ('char *p = malloc(4); memset(p, 65, 4); printf("%.*s", 4, p);', "PROVED"),
        ('char *p = malloc(4); memset(p, 65, 4); printf("%.*s", -1, p);', "REFUTED"),
        ('char *p = malloc(4); memset(p, 65, 4); printf("%.*s", 0, p + 4);', "PROVED"),
    ],
)
def test_as_many_letters_are_read_as_are_printed(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, _main(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("assert(strcmp(strerror(1), strerror(1)) == 0);", "PROVED"),
        ("assert(strcmp(strerror(1), strerror(2)) == 0);", "REFUTED"),
        ('for (int i = 1; i < 4; i++) fprintf(stderr, "%s", strerror(i));', "PROVED"),
        ("char *m[2]; for (int i = 0; i < 2; i++) m[i] = strerror(i); assert(m[0] == m[1]);", "UNKNOWN"),
        ("assert(getpid() == getpid() && getpid() > 0);", "PROVED"),
        ("assert(getpid() == 77);", "REFUTED"),
    ],
)
def test_what_the_system_says_is_the_same_for_the_same_question(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, _main(text)) == expected


OPENED = 'FILE *f = fopen("a", "r"); if (!f) return 1; '


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("assert(!feof(f) && !ferror(f));", "PROVED"),
        ("if (fgetc(f) == EOF) assert(feof(f) || ferror(f));", "PROVED"),
        ("if (fgetc(f) == EOF) assert(feof(f));", "REFUTED"),
        ("if (fgetc(f) == EOF) { clearerr(f); assert(!feof(f)); }", "PROVED"),
        ("if (fgetc(f) != EOF) assert(!feof(f));", "PROVED"),
        ("char l[4]; if (!fgets(l, 4, f)) assert(feof(f) || ferror(f));", "PROVED"),
        ('int x; if (fscanf(f, "%d", &x) == EOF) assert(feof(f) || ferror(f));', "PROVED"),
        ('int x; if (fscanf(f, "%d", &x) == 1) assert(!feof(f));', "REFUTED"),
        ('int x, n = 0; fscanf((n++, f), "%d", &x); assert(n == 1);', "PROVED"),
    ],
)
def test_a_stream_that_ends_says_why(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, _main(f"{OPENED}{text} fclose(f);")) == expected


TIMES = "struct timespec a, b; clock_gettime(CLOCK, &a); clock_gettime(CLOCK, &b); "


@pytest.mark.parametrize(
    ("clock", "expected"), [("CLOCK_MONOTONIC", "PROVED"), ("CLOCK_BOOTTIME", "PROVED"), ("CLOCK_REALTIME", "REFUTED")]
)
def test_some_clocks_never_go_back(tmp_path: Path, clock: str, expected: str) -> None:
    later = "assert(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));"
    assert answer(tmp_path, _main(TIMES.replace("CLOCK", clock) + later)) == expected


def test_constants_of_functions_are_initialised_where_functions_are_compared(tmp_path: Path) -> None:
    text = "int f(int n) { const int k = n, *p = &k; return *p; }\n"
    assert verdict(text, text.replace("return *p", "return n"), tmp_path) == "PROVED"


GIVEN = "if (argc < 3) return 0; "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('int a, b; if (sscanf(argv[1], "%d", &a) == 1 && sscanf(argv[1], "%d", &b) == 1) assert(a == b);', "PROVED"),
        ('int a, b = 0; if (sscanf(argv[1], "%d", &a) == 1) assert(sscanf(argv[1], "%d", &b) == 1);', "PROVED"),
        ('int a, b; if (sscanf(argv[1], "%d%d", &a, &b) == 2) assert(a == b);', "REFUTED"),
        ('int a, b; if (sscanf(argv[1], "%d", &a) == 1) { b = atoi(argv[1]); assert(a == b); }', "SA716"),
        ("int a[2]; for (int i = 0; i < 2; i++) a[i] = atoi(argv[argc - 1]); assert(a[0] == a[1]);", "PROVED"),
        ("int a[2]; for (int i = 1; i < 3; i++) a[i - 1] = atoi(argv[i]); assert(a[0] == a[1]);", "REFUTED"),
        ("int i = 1; assert(atoi(argv[i]) == atoi(argv[1]));", "PROVED"),
        ("int i = argc - 1; assert(atoi(argv[i]) == atoi(argv[1]));", "REFUTED"),
        ("int i = argc - 1; if (atoi(argv[i]) > 0) assert(strtol(argv[1], 0, 10) > 0);", "SA716"),
        ("int s = 0; for (int i = 1; i < argc; i++) if (atoi(argv[i]) > 0) s = 1; assert(s == 0 || s == 1);", "PROVED"),
    ],
)
def test_an_argument_is_the_same_number_each_time(tmp_path: Path, text: str, expected: str) -> None:
    try:
        found = answer(tmp_path, _main(GIVEN + text))
    except InputError as wrong:
        found = wrong.diagnostics[0].code
    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        "char l[32]; if (fgets(l, 3, stdin)) { int n = atoi(l); assert(n < 100); }",
        'char l[32] = "42"; if (argc < 6 || fgets(l, 32, stdin)) { int n = atoi(l); assert(argc > 5 || n == 42); }',
        'char l[32]; if (scanf("%2s", l) == 1) { int n = atoi(l); assert(n < 100); }',
    ],
)
def test_a_line_is_any_number_only_if_it_is_long_and_was_read(tmp_path: Path, text: str) -> None:
    assert answer(tmp_path, _main(text)) != "REFUTED"


def test_a_line_of_the_usual_length_is_any_number(tmp_path: Path) -> None:
    text = "char l[64]; if (fgets(l, sizeof l, stdin)) { int n = atoi(l); assert(n != 77); }"
    assert answer(tmp_path, _main(text)) == "REFUTED"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('char *p = argc > 9 ? "abc" : "ab"; assert(strcmp(p, "abc") < 0 || argc > 9);', True),
        ('char b[] = "a\\377"; assert(strcmp(b, "ab") > 0 && strcmp("ab", b) < 0 && strcmp(b, "a\\377") == 0);', True),
        ('char b[] = "abc"; assert(strncmp(b, "abd", 2) == 0 && strncmp(b, "x", 0) == 0 && strcmp(b, "abcd"));', True),
        ('char b[2] = {97, 98}; assert(strcmp(b, "abc"));', False),
        ('char b[2] = {97, 98}; assert(strcmp(b, "ax"));', True),
    ],
)
def test_a_text_is_compared_with_a_literal_letter_by_letter(tmp_path: Path, text: str, holds: bool) -> None:
    assert answer(tmp_path, _main(text)) == ("PROVED" if holds else "REFUTED")
