"""Above each play and run one sentence says what goes wrong, in the words of the programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.cli.main import application

SHARED = "global x, y : int = 0;"


def said(folder: Path, abstract: str, concrete: str, *options: str, kind: str = "sa") -> str:
    """What `refine` prints, on one line."""
    (folder / f"abs.{kind}").write_text(abstract)
    (folder / f"conc.{kind}").write_text(concrete)
    files = (str(folder / f"abs.{kind}"), str(folder / f"conc.{kind}"))
    return " ".join(CliRunner().invoke(application(), ["refine", "--no-cache", *options, *files]).stdout.split())


@pytest.mark.parametrize(
    ("abstract", "concrete", "sentence"),
    [
        ("x := 2;", "x := 1;", "conc.sa:2 leads to x = 1, and abs.sa has x = 0 or 2."),
        ("@out(2) skip;", "@out(1) skip;", "conc.sa:2 shows out(1) where abs.sa:2 shows out(2)."),
        ("x := 2; @out(x) skip;", "x := 2; @out(y) skip;", "conc.sa:2 shows y = 0 where abs.sa:2 has x = 2."),
        ("havoc y; @out(y % 2) skip;", "@out(9) skip;", "conc.sa:2 shows out(9), which abs.sa cannot show here."),
        ("if (*) { @out(2) skip; } else { @out(3) skip; }", "@out(1) skip;", "abs.sa:2 shows out(2) or out(3)."),
        ("skip;", "@out(1) skip;", "conc.sa:2 shows out(1) where abs.sa ends."),
        ("@in(3) skip;", "@out(1) skip;", "conc.sa:2 shows out(1) where abs.sa:2 shows in(3)."),
        ("await x == 1;", "skip;", "conc.sa ends at line 2 where abs.sa cannot."),
        ("skip;", "assert x == 1;", "conc.sa:2 fails (an assertion is false), and abs.sa does not."),
        (
            "x := 1; y := 1;",
            "atomic { x := 1; y := 2; }",
            "conc.sa:2 leads to x = 1, y = 2, and abs.sa has x = 0, y = 0; or x = 1, y = 0; or x = 1, y = 1.",
        ),
    ],
)
def test_a_play_has_a_sentence_of_both_programs(abstract: str, concrete: str, sentence: str, tmp_path: Path) -> None:
    text = SHARED + "\nthread T {{ {} }}"
    assert sentence in said(tmp_path, text.format(abstract), text.format(concrete))


def test_a_play_that_never_begins_names_the_state(tmp_path: Path) -> None:
    abstract, concrete = (f"global x : int; init x > {n}; thread T {{ skip; }}" for n in (1, 0))
    assert "no initial state of abs.sa is related to x = 1 in conc.sa." in said(tmp_path, abstract, concrete).lower()


STORES = """#include <stdatomic.h>
int payload;
atomic_int ready;
int f(int a) {{ {} return 0; }}
"""
PUBLISHED = "atomic_store_explicit(&ready, 1, memory_order_release);"


def test_a_release_that_publishes_too_little_is_told_by_its_variable(tmp_path: Path) -> None:
    """Without a word of what the translation made up, unless `--why` asks for it."""
    before, after = STORES.format(f"payload = 7; {PUBLISHED}"), STORES.format(f"{PUBLISHED} payload = 7;")
    plain = said(tmp_path, before, after, "--function", "f", kind="c")
    assert "conc.c:4 publishes payload = 0 where abs.c:4 publishes payload = 7." in plain
    assert "has written" not in plain
    assert "chosen_" not in plain
    assert "has written payload" in said(tmp_path, before, after, "--function", "f", "--why", kind="c")


LOCKED = """#include <pthread.h>
pthread_mutex_t m;
int sum, data[16];
void add(int n) {{ pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m); }}
"""


def test_what_is_undefined_in_the_second_function_alone_is_told_with_its_arguments(tmp_path: Path) -> None:
    """A write of what others may write at the same time."""
    before = LOCKED.format("for (int i = 0; i < n; i++) sum += data[i];")
    after = LOCKED.format("int s = sum; for (int i = 0; i < n; i++) s += data[i]; sum = s;")
    plain = said(tmp_path, before, after, "--function", "add", kind="c")
    assert "The behaviour of conc.c:4 is undefined where that of abs.c is not, with n = 0." in plain


def test_calls_of_functions_that_are_compared_alone_have_their_own_names(tmp_path: Path) -> None:
    text = "#include <stdatomic.h>\natomic_int s;\nvoid done(int);\nvoid f(int r) {{ {} }}\n"
    before, after = text.format("s = 2; done(r);"), text.format("done(r); s = 2;")
    assert "conc.c:4 shows done(0) where abs.c:4 shows store_seq_cst_s(2)." in said(
        tmp_path, before, after, "--function", "f", kind="c"
    )


BIGGER = """int best;
void offer(int v) {{
  {}
}}
"""


def test_a_write_that_is_added_is_told_without_what_follows_the_variable(tmp_path: Path) -> None:
    """Nor is it said why the first function's undefined behaviour, or what follows another action, is no answer."""
    before, after = BIGGER.format("if (v > best) best = v;"), BIGGER.format("best = v > best ? v : best;")
    plain = said(tmp_path, before, after, "--function", "offer", kind="c")
    assert "conc.c:3 writes `best` where abs.c does not, with v = 0." in plain
    assert "@begins(v = 0, best = 0)" in plain
    assert "staying where it is does not write `best`" in plain
    assert "but none writes `best`." in plain
    assert not any(word in plain for word in ("has_written", "has written", "may_access", "_best", "no values that"))
    assert "has_written_best" in said(tmp_path, before, after, "--function", "offer", "--why", kind="c")


def found(folder: Path, text: str, *options: str, kind: str = "sa") -> str:
    """What `verify` prints, on one line."""
    (folder / f"prog.{kind}").write_text(text)
    arguments = ["verify", "--no-cache", *options, str(folder / f"prog.{kind}")]
    return " ".join(CliRunner().invoke(application(), arguments).stdout.split())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("thread T { x := 1; assert x == 2; }", "T at prog.sa:1: `assert x == 2` is false with x = 1."),
        (
            "thread T { x := 1; } invariant i : x == 0;",
            "invariant i is false after the step of T at prog.sa:1 with x = 1.",
        ),
        ("thread T { skip; } invariant i : x == 1;", "invariant i is false at the start with x = 0."),
        (
            "global z : 0..1 = 1; thread T { z := z + 1; }",
            "T at prog.sa:1: a value is outside of its variable's range in `z := z + 1` with z = 1.",
        ),
    ],
)
def test_a_run_has_a_sentence_with_thread_and_place(text: str, sentence: str, tmp_path: Path) -> None:
    assert sentence in found(tmp_path, f"{SHARED} {text}")


DEADLOCK = """#include <pthread.h>
pthread_mutex_t m;
pthread_cond_t c;
void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_join(t, 0);
    return 0;
}
"""


def test_a_deadlock_says_who_waits_where(tmp_path: Path) -> None:
    shown = found(tmp_path, DEADLOCK, "--deadlock", kind="c")
    assert "Deadlock: main waits at 13 `pthread_join(t, 0)`, worker at 6 `pthread_cond_wait(&c, &m)`." in shown
    assert "__woken" not in shown


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "thread A { await x == 1; } thread B { await x == 2; } progress;",
            "Deadlock: A waits at 1 `await x == 1`, B at 1",
        ),
        (
            "thread A { await x == 1; start B; } thread B { x := 1; } progress;",
            "Deadlock: A waits at 1 `await x == 1`.",
        ),
        ("thread A { while (x == 0) { skip; } } terminates;", "A can repeat line 1 for ever."),
        (
            "thread A {\n while (x == 0) {\n y := 1;\n y := 0;\n }\n } terminates;",
            "A can repeat lines 2 to 4 for ever.",
        ),
    ],
)
def test_a_run_that_goes_on_or_is_stuck_says_who_and_where(text: str, sentence: str, tmp_path: Path) -> None:
    """Threads that were never started do not wait."""
    assert sentence in found(tmp_path, f"{SHARED} {text}")
