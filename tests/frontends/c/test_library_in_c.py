"""What C leaves open of its library, and what it does not: each program is the smallest that was answered wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.verdict import Verdict
from tests.frontends.c.programs import verdict
from tests.frontends.c.test_constructs import answer
from tests.frontends.c.test_data_races import RACES

HEADERS = "".join(f"#include <{name}.h>\n" for name in ("ctype", "errno", "stdio", "strings", "unistd"))


def told(folder: Path, text: str) -> str:
    """The verdict about a program, or the code of an error in it."""
    return answer(folder, HEADERS + text)


def body(text: str) -> str:
    """A program of one function."""
    return f"int main(int argc, char **argv) {{ {text} return 0; }}"


COUNTING = """
static void *allocate(unsigned long n) { static int count; count++; assert(count <= {}); return malloc(n); }
int main(void) { int *a = allocate(sizeof(int)); long *b = allocate(sizeof(long)); *a = 1; *b = 2; free(a); free(b); }
"""
IDENTITY = """
static void *same(unsigned long n) { static char *s = "x"; void *p = malloc(n); free(p); return n ? s : 0; }
int main(void) { char *a = same(4); int *b = same(8); assert((void *) a {} (void *) b); }
"""


@pytest.mark.parametrize(("most", "verdict"), [(1, "REFUTED"), (2, "PROVED")])
def test_copies_of_an_allocating_function_share_its_static_variables(tmp_path: Path, most: int, verdict: str) -> None:
    assert told(tmp_path, COUNTING.replace("{}", str(most))) == verdict


@pytest.mark.parametrize(("operator", "verdict"), [("==", "PROVED"), ("!=", "REFUTED")])
def test_copies_of_an_allocating_function_share_its_texts(tmp_path: Path, operator: str, verdict: str) -> None:
    assert told(tmp_path, IDENTITY.replace("{}", operator)) == verdict


LOOKED_AT = [
    'char b[16], *a = b; int main(void) { sprintf(b, "%d", 5); assert(a[0] == {}); }',
    'char b[16]; struct s { char *p; } v = { b }; int main(void) { sprintf(b, "%d", 5); assert(v.p[0] == {}); }',
    'char b[16]; int f(void) { return b[0]; } int main(void) { extern char b[16]; sprintf(b, "5");'
    'assert(f() == {}); }',
    'struct s { char t[8]; int n; }; int main(void) { struct s x; sprintf(x.t, "5"); assert(*(char *) &x == {}); }',
    'struct s { char t[8]; }; int f(void *p) { char *q = p; return q[0]; }'
    'int main(void) { struct s x; sprintf(x.t, "5"); assert(f(&x) == {}); }',
    'struct s { char t[8]; }; struct r { char u[8]; }; int f(void *p) { struct r *q = p; return q->u[0]; }'
    'int main(void) { struct s x; sprintf(x.t, "5"); assert(f(&x) == {}); }',
    'struct s { char t[8]; }; int main(void) { struct s x; char b[8]; sprintf(x.t, "5"); memcpy(b, &x, 8);'
    'assert(b[0] == {}); }',
    'struct s { char t[8]; } v; char *a = v.t; int main(void) { sprintf(v.t, "5"); assert(a[0] == {}); }',
    'int main(void) { char b[4], to[4]; sprintf(b, "5"); snprintf(to, 4, "%s", b); assert(to[0] == {}); }',
    'int main(void) { char b[4], to[4]; sprintf(b, "5"); snprintf(to, 4, b); assert(to[0] == {}); }',
]  # fmt: skip


@pytest.mark.parametrize("text", LOOKED_AT)
def test_a_text_that_is_looked_at_in_any_way_is_known(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, text.replace("{}", "0")) in ("REFUTED", "UNKNOWN", "SA714", "SA716")
    assert told(tmp_path, text.replace("{}", "'5'")) in ("PROVED", "UNKNOWN", "SA714", "SA716")


@pytest.mark.parametrize(
    "text",
    [
        'struct s { char t[8]; int n; }; void f(void *p) { struct s *q = p; printf("%s", q->t); }'
        'int main(void) { struct s x; sprintf(x.t, "%5d", 5); f(&x); }',
        'char b[16]; int main(void) { sprintf(b, "%5c", 53); puts(b); }',
    ],
)
def test_a_text_that_is_only_printed_is_accepted(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, text) in ("PROVED", "SA716")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('char b[16]; int n = snprintf(b, 16, "id %d", argc); assert(n < 15); puts(b);', "PROVED"),
        ('char b[16]; int n = snprintf(b, 16, "id %d", argc); assert(n < 13); puts(b);', "REFUTED"),
        ('char b[16]; int n = snprintf(b, 4, "%lx|%u", 255ul, 10u); assert(n == 5); puts(b);', "PROVED"),
        ('assert(snprintf(0, 0, "%d%%", -5) == 3);', "PROVED"),
        ('assert(snprintf(0, 0, "%d", -2147483647 - 1) == 11);', "PROVED"),
        ('int n = printf("%d%s%c", argc, "ab", 99); assert(n < 0 || (n >= 4 && n <= 14));', "PROVED"),
        ('assert(printf("%d", 5) == 1);', "REFUTED"),
        ('assert(printf("%d", 5) >= -1);', "REFUTED"),
        ('assert(putchar(353) == 97 || putchar(97) < 0);', "REFUTED"),
        ('int n = putchar(353); assert(n == 97 || n == -1);', "PROVED"),
        ('assert(fflush(0) <= 0);', "PROVED"),
        ('int n = printf("%5d", argc); assert(n);', "SA716"),
        ('printf("%5d", argc); (void) printf("%-3d", argc); argc && printf("%+d", 2);', "PROVED"),
        ('char b[8]; setvbuf(stdout, b, 0, 8); assert(b[0] == 0);', "SA716"),
        ('static char b[8]; setbuf(stdout, b); setbuf(stderr, 0);', "PROVED"),
    ],
)  # fmt: skip
def test_how_many_letters_are_written(tmp_path: Path, text: str, verdict: str) -> None:
    assert told(tmp_path, body(text)) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('char *p = strdup("abc"); free(p); printf("%.3s", p);', "REFUTED"),
        ('char *p = strdup("abc"); free(p); printf("%.*s", 2, p);', "REFUTED"),
        ('char *p = strdup("abc"); free(p); printf("%.0s%.*s", p, 0, p);', "PROVED"),
        ('unsigned char *p = malloc(1); *p = 0; free(p); printf("%s", p);', "REFUTED"),
        ("char b[2] = {97, 98}; printf(\"%.2s\", b);", "PROVED"),
        ("char b[2] = {97, 98}; printf(\"%.3s\", b);", "REFUTED"),
        ("char b[2] = {97, 98}; printf(\"%.*s\", -1, b);", "REFUTED"),
    ],
)  # fmt: skip
def test_what_is_read_of_a_text_with_a_precision(tmp_path: Path, text: str, verdict: str) -> None:
    assert told(tmp_path, body(text)) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("assert(isdigit('5') == 1);", "REFUTED"),
        ("int n = isdigit('5'); assert(n); assert(!isdigit('x') && isdigit('x') == 0 && 0 != isupper('A'));", "PROVED"),
        ("int (*f)(int) = isspace; assert(f(' ') && !f('x'));", "PROVED"),
        ("assert(isalpha('a') > 0);", "REFUTED"),
        ('assert(strcmp("a", "c") == -2);', "REFUTED"),
        ('assert(strcmp("a", "c") == -1);', "REFUTED"),
        ('assert(strcmp("a", "c") < 0 && strcmp("b", "a") > 0 && strcmp("a", "a") == 0);', "PROVED"),
        ('assert(strncmp("ab", "ac", 1) == 0 && strncmp("ab", "ac", 2) < 0);', "PROVED"),
        ('assert(strcasecmp("aB", "Ab") == 0 && strncasecmp("aX", "Ay", 1) == 0);', "PROVED"),
        ('assert(strcasecmp("a", "c") == -2);', "REFUTED"),
        ("assert(toupper('a') == 'A' && tolower('A') == 'a' && toupper('1') == '1');", "PROVED"),
    ],
)  # fmt: skip
def test_of_letters_and_comparisons_only_the_sign_is_known(tmp_path: Path, text: str, verdict: str) -> None:
    assert told(tmp_path, body(text)) == verdict


PRINTED = """
#include <stdio.h>
#include <pthread.h>
char b[16] = "abcdef";
void *w(void *a) { b[{}] = 120; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); printf("%.4s", b); pthread_join(t, 0); }
"""


@pytest.mark.parametrize(("index", "wanted"), [(3, Verdict.REFUTED), (4, Verdict.PROVED)])
def test_of_a_text_with_a_precision_so_many_letters_are_read(tmp_path: Path, index: int, wanted: Verdict) -> None:
    assert verdict(tmp_path, PRINTED.replace("{}", str(index)), reading=RACES) == wanted


ALLOCATING = """
#include <stdlib.h>
#include <pthread.h>
static void *allocate(size_t n) { {} int total; total = total + 1; return malloc(n); }
void *w(void *a) { int *p = allocate(sizeof(int)); free(p); return 0; }
int main(void) {
  pthread_t t; pthread_create(&t, 0, w, 0); long *q = allocate(sizeof(long)); free(q); pthread_join(t, 0);
}
"""


@pytest.mark.parametrize(("kind", "wanted"), [("static", Verdict.REFUTED), ("static _Thread_local", Verdict.PROVED)])
def test_copies_of_a_function_race_on_its_static_variables(tmp_path: Path, kind: str, wanted: Verdict) -> None:
    assert verdict(tmp_path, ALLOCATING.replace("{}", kind), reading=RACES) == wanted


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ('int x, k = 0; if (scanf("%d%n", &x, &k) == 1) assert(k == 0);', "SA716"),
        ('int x; if (scanf("%2d", &x) == 1) assert(x < 100 && x >= -9);', "PROVED"),
        ('int x; if (scanf("%2d", &x) == 1) assert(x < 99);', "REFUTED"),
        ('unsigned x; if (scanf("%1u", &x) == 1) assert(x < 10);', "PROVED"),
        ('int x; if (scanf("%2x", &x) == 1) assert(x < 256 && x >= -15);', "PROVED"),
        ('char w[8]; if (scanf("%5[0-9]", w) == 1) assert(w[0] >= 48 && w[0] <= 57);', "PROVED"),
        ('char w[4]; if (scanf("%2[^a-z]", w) == 1) assert(w[0] < 97 || w[0] > 122);', "PROVED"),
        ('char w[4]; if (scanf("%2[^a-z]", w) == 1) assert(w[0] != 32);', "REFUTED"),
        ('char w[4]; if (scanf("%2s", w) == 1) assert(w[0] != 32 && w[0]);', "PROVED"),
        ('wchar_t w[4]; scanf("%2ls", w);', "SA716"),
        ('if (getenv("A")) assert(getenv("A"));', "PROVED"),
        ('if (!getenv("A")) assert(!getenv("B"));', "REFUTED"),
    ],
)  # fmt: skip
def test_what_is_read_from_outside(tmp_path: Path, text: str, verdict: str) -> None:
    assert told(tmp_path, body(text)) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (body('errno = 0; FILE *f = fopen("x", "r"); if (!f) assert(errno == 0);'), "REFUTED"),
        (body('FILE *f = fopen("x", "r"); if (!f && errno == 2) assert(0);'), "REFUTED"),
        (body("errno = 0; if (argc > 1) { strtol(argv[1], 0, 10); assert(errno == 0); }"), "REFUTED"),
        # What the program itself wrote is no number that is too large.
        (body('char b[8]; sprintf(b, "12"); errno = 0; long n = strtol(b, 0, 10); assert(n == 12 && errno == 0);'),
         "PROVED"),
        (body("errno = 0; int *p = &argc; assert(*p == argc && errno == 0);"), "PROVED"),
    ],
)  # fmt: skip
def test_what_fails_outside_says_why(tmp_path: Path, text: str, verdict: str) -> None:
    assert told(tmp_path, text) == verdict


@pytest.mark.parametrize(
    "text",
    [
        body("if (argc > 1) { long a = strtol(argv[1], 0, 10), b = strtol(argv[1], 0, 16); assert(a == b); }"),
        body("if (argc > 1) { long a = strtol(argv[1], 0, 10), b = strtol(argv[1], 0, argc); assert(a == b); }"),
        'long f(void) { return strtol(getenv("A"), 0, 10); }'
        'int main(void) { if (getenv("A")) { long a = f(); assert(a == strtol(getenv("A"), 0, 16)); } }',
    ],
)
def test_a_text_that_is_read_in_two_bases_is_an_error(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, text) == "SA716"


@pytest.mark.parametrize(
    "text",
    [
        body('printf("%s\\n", 5);'),
        body('printf("%d %s\\n", 5);'),
        body('printf("%*d\\n", 5);'),
        body('char b[8]; sprintf(b, "%d");'),
        body('int x; scanf("%ld", &x); return x;'),
        body('long x; scanf("%d", &x); return x;'),
        body('short x; scanf("%hhd", &x); return x;'),
    ],
)
def test_an_argument_that_its_conversion_does_not_take_is_an_error(tmp_path: Path, text: str) -> None:
    assert told(tmp_path, text) == "SA719"


def test_arguments_that_conversions_take_are_accepted(tmp_path: Path) -> None:
    text = 'long x; short y; scanf("%ld %hd", &x, &y); printf("%*d %.*s %s", 3, 4, 2, "abc", argc > 1 ? argv[1] : "-");'
    assert told(tmp_path, body(text)) == "PROVED"


@pytest.mark.parametrize(("claim", "verdict"), [("p == 0", "REFUTED"), ("p == 0 || b[0] == 0", "PROVED")])
def test_a_line_with_room_for_its_end_alone_is_empty(tmp_path: Path, claim: str, verdict: str) -> None:
    assert told(tmp_path, body(f"char b[2] = {{1}}; char *p = fgets(b, 1, stdin); assert({claim});")) == verdict


@pytest.mark.parametrize(
    ("initial", "claim"),
    [
        ("int m[2][2] = {[0][0] = 1, 2}", "m[0][1] == 2 && m[1][0] == 0"),
        ("int m[2][2] = {[0][1] = 1, 2}", "m[0][1] == 1 && m[1][0] == 2"),
        ("struct { int a[2], b; } m = {.a[0] = 1, 2, 3}", "m.a[1] == 2 && m.b == 3"),
        ("struct { int x, y; } m[2] = {[0].x = 1, 2, 3}", "m[0].y == 2 && m[1].x == 3"),
        ("struct { int a[3], b; } m = {.a[0 ... 1] = 1, 2, 3}", "m.a[1] == 1 && m.a[2] == 2 && m.b == 3"),
        ("int m[3] = {[1] = 1, 2}", "m[0] == 0 && m[2] == 2"),
    ],
)
def test_what_follows_a_designator_goes_on_behind_it(tmp_path: Path, initial: str, claim: str) -> None:
    assert told(tmp_path, body(f"{initial}; assert({claim});")) == "PROVED"
    assert told(tmp_path, body(f"{initial}; assert(!({claim}));")) == "REFUTED"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (body("if (argc > 1 && argv[1][0] == 'x') return 1;"), "PROVED"),
        (body("if (argc > 1) { char *p = argv[1]; assert(p[0] == argv[1][0] && *argv[1] == p[0]); }"), "PROVED"),
        (body("if (argc > 1) assert(argv[1][0] == 'x');"), "REFUTED"),
        # Without a test it may be the null pointer behind the last one.
        (body("return argv[1][0] == 'x';"), "REFUTED"),
    ],
)
def test_letters_of_an_argument_are_read(tmp_path: Path, text: str, verdict: str) -> None:
    assert told(tmp_path, text) == verdict
