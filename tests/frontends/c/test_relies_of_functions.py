"""`refine --function f --weakest-rely`: what others may do while a function of C runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import sa
from sa.base.verdict import Verdict

HEAD = """#include <pthread.h>
#include <stdatomic.h>
extern void print(int);
atomic_int x, y, go;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int twice(int n) { return n + n; }
"""
FUNCTION = "int f(int n) {{ {} return 0; }}\n"
#: What f waits for behind a read of x, and in front of another one.
WAITS, FORWARDED = "int a = x; while (!go) {} print(a + x);", "int a = x; while (!go) {} print(a + a);"

PAIRS = {
    "a value that is read once is read again by nobody": (WAITS, FORWARDED, ["unchanged x"]),
    "with a function and another loop": (
        "int a = x; for (;;) { if (go) break; } int b = x; print(b + a);",
        "int old = x; while (go == 0) ; print(twice(old));",
        ["unchanged x"],
    ),
    "two reads without an action in between are two steps": ("print(0);", "int a = x; print(a - x);", ["unchanged x"]),
    "one read in place of two": ("int a = x; print(a - x);", "print(0);", []),
    "a value is read at once where it was written": ("x = 1; print(x);", "x = 1; print(1);", []),
    "and may be changed behind an action": (
        "x = 1; print(x); print(x);",
        "x = 1; print(1); print(1);",
        ["x == 1 ==> unchanged x"],
    ),
    "nothing is known of first values": ("print(y);", "print(0);", None),
    "whatever the file says": ("if (y == 7) print(1); else print(2);", "print(2);", None),
    "a write that is gone is missed, although nobody reads it": ("x = 1; print(1);", "print(1);", None),
    "a write that is new is one too many": ("print(1);", "y = 1; print(1);", None),
    "a wait that nobody can end in the file may end": ("while (!go) {} print(1);", "while (1) {}", []),
    "and is no endless loop": ("while (1) {}", "while (!go) {} print(1);", None),
    "unless others leave alone what it waits for": (
        "go = 0; while (1) {}",
        "go = 0; while (!go) {} print(1);",
        ["go == 0 ==> unchanged go"],
    ),
    "parameters are chosen by the caller": ("print(n + n);", "print(twice(n));", []),
    "and not by the function": ("print(n);", "print(7);", None),
}


def written(folder: Path, before: str, after: str, tail: str = "") -> tuple[Path, Path]:
    paths = folder / "before.c", folder / "after.c"
    for path, body in zip(paths, (before, after), strict=True):
        path.write_text(HEAD + FUNCTION.format(body) + tail)
    return paths


@pytest.mark.parametrize(("before", "after", "rely"), PAIRS.values(), ids=PAIRS.keys())
def test_the_rely_is_what_others_must_keep(before: str, after: str, rely: list[str] | None, tmp_path: Path) -> None:
    found = sa.weakest_rely(*written(tmp_path, before, after), function="f", timeout=30)
    if rely is None:
        assert found.verdict is Verdict.REFUTED
        return
    assert found.verdict is Verdict.PROVED
    (told,) = found.json()["threads"]
    assert [c["clause"] for c in (told["rely"] or told["environment"])["concrete"]] == rely
    assert "sequential-consistency" in [a["kind"] for a in told["assumptions"]]


def test_elements_have_their_names_in_c(tmp_path: Path) -> None:
    head = "extern void print(int); struct { int flag; } g;\n"
    (tmp_path / "a.c").write_text(head + "int f(void) { g.flag = 1; print(2); return g.flag; }")
    (tmp_path / "b.c").write_text(head + "int f(void) { g.flag = 1; print(2); return 1; }")
    found = sa.weakest_rely(tmp_path / "a.c", tmp_path / "b.c", function="f", timeout=30)
    assert "rely g.flag == 1 ==> unchanged g.flag;" in str(found)


MAIN = """
void *other(void *arg) {{ {} return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, other, 0); f(0); pthread_join(t, 0); return 0; }}
"""


@pytest.mark.parametrize(("other", "verdict"), [("go = 1;", Verdict.PROVED), ("x = 5; go = 1;", Verdict.REFUTED)])
def test_whole_programs_refine_where_the_other_thread_keeps_to_the_rely(
    other: str, verdict: Verdict, tmp_path: Path
) -> None:
    assert sa.refine(*written(tmp_path, WAITS, FORWARDED, MAIN.format(other)), timeout=30).verdict is verdict


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("int *p; int f(int n) { return *p; }", "pointers"),
        ("int f(int *p) { return 0; }", "pointers"),
        ("_Thread_local int calls; int f(void) { return calls; }", "variables of its thread"),
        (
            "#include <pthread.h>\nvoid *g(void *a) { return 0; }\n"
            "int f(void) { pthread_t t; pthread_create(&t, 0, g, 0); return 0; }",
            "creates no threads",
        ),
    ],
)
def test_what_is_not_known_of_others_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(text)
    with pytest.raises(sa.InputError) as wrong:
        sa.weakest_rely(tmp_path / "a.c", tmp_path / "a.c", function="f")
    assert why in wrong.value.diagnostics[0].message


@pytest.mark.parametrize(("kind", "verdict"), [("int", Verdict.UNKNOWN), ("unsigned", Verdict.PROVED)])
def test_a_play_in_which_the_first_function_overflows_refutes_nothing(
    kind: str, verdict: Verdict, tmp_path: Path
) -> None:
    head = f"#include <stdatomic.h>\n_Atomic({kind}) x;\n"
    (tmp_path / "a.c").write_text(head + f"void f(void) {{ {kind} t = atomic_load(&x); atomic_store(&x, t + 1); }}")
    (tmp_path / "b.c").write_text(head + "void f(void) { atomic_fetch_add(&x, 1); }")
    assert sa.weakest_rely(tmp_path / "a.c", tmp_path / "b.c", function="f", timeout=30).verdict is verdict
