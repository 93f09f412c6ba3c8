"""Programs and pairs that a second review found answered wrongly: each is the smallest that shows the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.refine import RefineRequest, refine
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.engines.options import Options
from tests.frontends.c.test_reviewed import answer

LOCKS_OF_THEIR_OWN = """extern int __VERIFIER_nondet_int(void);
int x; _Thread_local pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *t(void *a) {
  pthread_mutex_lock(&m); int y = x; x = y + 1; assert(x == y + 1); pthread_mutex_unlock(&m); return 0;
}
int main(void) { pthread_t p; while (__VERIFIER_nondet_int()) pthread_create(&p, 0, t, 0); }
"""
BYTES_ARE_NO_CELLS = "int main(void) { int a[8] = {0}; a[1] = 7; a[4] = 9; assert(*(int *) ((char *) a + 4) == 9); }"
QUOTES_INSIDE = 'int main(void) { char s[] = "a\\"b\\"c"; assert(s[1] == \'c\'); }'
SEVERAL_LETTERS = "int main(void) { int x = 'ab'; assert(x != 0); }"
TABLE = """int g; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *up(void *a) { pthread_mutex_lock(&m); g++; pthread_mutex_unlock(&m); return a; }
void *down(void *a) { pthread_mutex_lock(&m); g -= 2; pthread_mutex_unlock(&m); return a; }
static struct { void *(*fn)(void *); int arg; } table[] = { {up, 1}, {down, 2}, {up, 3} };
int main(void) {
  pthread_t t[3]; void *(**q)(void *) = &table[0].fn;
  CHANGE for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, table[i].fn, 0);
  for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
  assert(g == SUM);
}
"""


def table(change: str, total: int) -> str:
    return TABLE.replace("CHANGE", change).replace("SUM", str(total))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (table("", 0), {"PROVED"}),
        (table("", 1), {"REFUTED"}),
        (table("*q = down;", -3), {"UNKNOWN"}),
        (table("*q = down;", 0), {"UNKNOWN"}),
        (LOCKS_OF_THEIR_OWN, {"REFUTED"}),
        (BYTES_ARE_NO_CELLS, {"SA714"}),
        (QUOTES_INSIDE, {"REFUTED"}),
        (SEVERAL_LETTERS, {"SA710"}),
    ],
)
def test_programs(tmp_path: Path, text: str, expected: set[str]) -> None:
    assert answer(tmp_path, text) in expected


HEAD = """#include <stdlib.h>
#include <assert.h>
void out(int); int in(void); void narrow(char); void told(const char *);
"""


def compared(folder: Path, before: str, after: str) -> str:
    for name, text in (("before.c", before), ("after.c", after)):
        (folder / name).write_text(f"{HEAD}int main(void) {{ {text} return 0; }}\n")
    request = RefineRequest((str(folder / "before.c"), str(folder / "after.c")), False, Options(limits(20.0, None)))
    try:
        (found,) = refine(request)
    except InputError as wrong:
        return wrong.diagnostics[0].code
    return found.outcome.verdict.value


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("out(1); assert(0);", "assert(0);", "REFUTED"),
        ("assert(0);", "out(1); assert(0);", "REFUTED"),
        ("int x = in(); assert(x != 3);", "int x = in(); assert(0);", "REFUTED"),
        ("abort();", "exit(-1);", "REFUTED"),
        ("exit(3);", "return 3;", "PROVED"),
        ("narrow(300);", "narrow(44);", "PROVED"),
        ('told("A");', 'told("\\x41");', "PROVED"),
        ('told("A");', 'told("B");', "REFUTED"),
        ("typedef int A[1]; volatile A r; r[0] = 1; r[0] = 1;", "typedef int A[1]; volatile A r; r[0] = 1;", "REFUTED"),
    ],
)
def test_pairs(tmp_path: Path, before: str, after: str, expected: str) -> None:
    assert compared(tmp_path, before, after) == expected
