"""Arrays of blocks whose size is computed, judged by gcc's sanitizers for each size."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.frontends.c.test_reviewed import answer

HEADS = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n"
SUM = (
    "static int sum(int n, int by) { int a[n], s = 0; memset(a, 0, sizeof a);\n"
    "for (int i = 0; i < n; i++) a[i] += by; for (int i = 0; i < n; i++) s += a[i]; return s; }\n"
)
#: Bodies of `main` with a number `n` from 0 to 3.
BODIES = (
    "int a[n + 1]; for (int i = 0; i <= n; i++) a[i] = i; assert(a[n] == n && a[0] == 0);",
    "int a[n + 1]; for (int i = 0; i <= n + 1; i++) a[i] = i;",
    "int a[n]; assert(sizeof a == n * sizeof(int));",
    "if (n > 0) { int a[n]; assert(sizeof a == n * sizeof(int) && sizeof a / sizeof a[0] == (size_t)n); }",
    "char t[n + 3]; strcpy(t, n < 2 ? \"ab\" : \"abcd\"); assert(t[1] == 'b');",
    "char t[n + 3]; strcpy(t, n < 2 ? \"ab\" : \"abcde\");",
    "int m[n + 1][2]; m[n][1] = 3; m[0][0] = 1; assert(m[n][1] + m[0][0] == 4);",
    "int k = n + 1, a[k]; k = 9; a[3] = 1;",
    "assert(sum(2, n) == 2 * n);",
    "assert(sum(n + 1, 2) != 6);",
    "int a[n + 1]; a[n] = 1; free(a);",
    "struct s { short x; long y; } a[n + 1]; a[n].y = 1; assert(sizeof a == 16 * (n + 1) && a[n].y == 1);",
)  # fmt: skip


def _by_gcc(folder: Path, body: str) -> str:
    source, binary = folder / "p.c", folder / "p"
    source.write_text(f"{HEADS}{SUM}int main(void) {{ int n = N; {{ {body} }} return 0; }}\n")
    flags = ["-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    for size in range(4):
        subprocess.run(["gcc", *flags, f"-DN={size}", "-o", str(binary), str(source)], check=True)
        if subprocess.run([str(binary)], check=False, capture_output=True).returncode:
            return "REFUTED"
    return "PROVED"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is the judge")
@pytest.mark.parametrize("body", BODIES)
def test_each_size_is_as_with_gcc(tmp_path: Path, body: str) -> None:
    chosen = "int n = __VERIFIER_nondet_int(); if (n < 0 || n > 3) return 0;"
    text = f"#include <string.h>\n{SUM}int main(void) {{ {chosen} {{ {body} }} return 0; }}\n"
    assert answer(tmp_path, text) == _by_gcc(tmp_path, body)


CHOSEN = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 9) return 0; "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int main(void) { int n = 3, *p; { int a[n]; a[0] = 1; p = a; } return *p; }", "REFUTED"),
        ("static int *f(int n) { int a[n], *p = a; *p = 1; return p; } int main(void) { return *f(2); }", "REFUTED"),
        (
            "int main(void) { int *kept = 0; for (int i = 1; i < 3; i++)"
            " { int a[2 * i]; a[0] = i; if (kept) assert(*kept == 1); kept = a; } }",
            "REFUTED",
        ),
        (
            "void *w(void *p) { ((int *)p)[1] = 5; return 0; } int main(void) { int n = 2, a[n]; pthread_t t;"
            " pthread_create(&t, 0, w, a); pthread_join(t, 0); assert(a[1] == 5); }",
            "PROVED",
        ),
        (
            "void *w(void *p) { ((int *)p)[1] = 5; return 0; } int main(void) { int n = 2; pthread_t t;"
            " { int a[n]; pthread_create(&t, 0, w, a); } pthread_join(t, 0); }",
            "REFUTED",
        ),
        (CHOSEN + "int a[n]; int *p = malloc(sizeof a); p[n - 1] = 1; free(p); }", "PROVED"),
        (CHOSEN + "int a[n]; int *p = malloc(sizeof a); p[n] = 1; free(p); }", "REFUTED"),
        (CHOSEN + "int a[n]; int (*p)[2] = malloc(2 * sizeof a); free(p); }", "SA711"),
        (CHOSEN + "typedef int row[n]; row a; }", "SA711"),
    ],
    ids=["block", "function", "round", "thread", "thread later", "size", "past it", "size of several", "typedef"],
)  # fmt: skip
def test_they_end_with_their_blocks(tmp_path: Path, text: str, expected: str) -> None:
    assert answer(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("declared", "made", "expected"),
    [
        # Rows of a computed number, within their bounds and behind them.
        ("int (*p)[2]", "malloc(n * sizeof *p); p[n - 1][1] = 3; assert(p[n - 1][1] == 3);", "PROVED"),
        ("int (*p)[2]", "malloc(n * sizeof *p); p[n][0] = 3;", "REFUTED"),
        ("struct { int a[60], b; } *p", "malloc(n * sizeof *p); p[n - 1].b = 1; p[n - 1].a[59] = 2;", "PROVED"),
        ("struct { int a[60], b; } *p", "malloc(n * sizeof *p); p[n].a[0] = 1;", "REFUTED"),
        ("struct { int a[90], b; } *p", "malloc(n * sizeof *p); p[n - 1].b = 1;", "SA715"),
        ("struct s { int k; int g[][3]; } *p", "malloc(sizeof *p + n * sizeof(int[3])); p->g[n - 1][2] = 1;", "PROVED"),
        ("struct s { int k; int g[][3]; } *p", "malloc(sizeof *p + n * sizeof(int[3])); p->g[n][0] = 1;", "REFUTED"),
    ],
)
def test_what_is_allocated_may_be_rows(tmp_path: Path, declared: str, made: str, expected: str) -> None:
    assert answer(tmp_path, f"{CHOSEN} {declared} = {made} free(p); }}") == expected
