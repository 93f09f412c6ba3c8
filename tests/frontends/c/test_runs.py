"""Runs of C programs speak of C: names, enumerators, characters, objects that pointers point to, owners of locks."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.source import position
from sa.engines.verify import Options
from sa.frontends.c.load import load_with
from sa.frontends.reading import Reading
from sa.report.run import show_run
from sa.report.screen import Screen
from sa.report.snippet import chain_told
from tests.frontends.c.programs import HEADERS

PROGRAM = """
enum color { RED, GREEN = 5 };
struct node { char letter; enum color color; struct node *next; } one, two = {'b', RED, 0}, *top = &one;
struct entry { unsigned key; int value; } table[100];
pthread_mutex_t m;
static void put(int where, int what) { table[where].value = what; }
void *work(void *arg) {
  pthread_mutex_lock(&m);
  one.letter = 'a';
  one.color = GREEN;
  top = &two;
  put(7, 3);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  pthread_mutex_lock(&m);
  assert(top == &one || one.color != GREEN || one.letter != 'a' || table[7].value != 3);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("runs") / "prog.c"
    path.write_text(HEADERS + PROGRAM)
    outcome = verify(VerifyRequest(str(path), False, Options(limits(20.0, None)))).outcome
    run = next(f.run for f in outcome.findings if f.run is not None)
    return show_run(run, outcome.program, Screen(160, False))


@pytest.mark.parametrize(
    "words",
    [
        "one.letter: 0 → 'a'",
        "one.color: RED → GREEN",
        "top: &one → &two",
        "table[7].value: 0 → 3",
        "m: free → held by main",
        "table[…].value = 0",
        "the thread begins",
    ],
)
def test_a_run_is_told_in_c(words: str, printed: str) -> None:
    assert words in printed


NESTED = """
#define SET(x, y) do { x = y; } while (0)
int g;
static void inner(int n) { SET(g, n); }
static void outer(int n) {
  inner(n);
}
void *work(void *arg) {
  assert(g != 1);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  outer(1);
}
"""


def test_a_step_of_inlined_code_says_where_it_is_called_from(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(HEADERS + NESTED)
    outcome = verify(VerifyRequest(str(path), False, Options(limits(20.0, None)))).outcome
    run = next(f.run for f in outcome.findings if f.run is not None)
    first = HEADERS.count("\n") + 2
    step = next(t.move.edge.origin for t in run.turns if t.move.edge.origin.chain)
    lines = [position(link.span.source, link.span.start).line for link in step.chain]
    assert [link.macro for link in step.chain] == ["SET", None, None]
    assert lines == [first, first + 4, first + 13]
    expected = f"in the expansion of SET, line {first}, called from line {first + 4}, line {first + 13}"
    assert chain_told(step) == expected
    assert expected.split(",")[0] in show_run(run, outcome.program, Screen(160, False))


def test_a_claim_is_about_all_calls_of_a_function(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(HEADERS + "int g; void f(void) { assert(g < 2); g++; } int main(void) { f(); f(); }")
    outcome = verify(VerifyRequest(str(path), False, Options(limits(20.0, None)))).outcome
    assert len(outcome.findings) == 1


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ('const char *s = "ab", *t = "ab"; assert(s != t);', True),
        ("assert((unsigned long)&x != 5);", True),
        ("int *p = &x; assert(p != 0); assert(*p == 0);", False),
    ],
)
def test_a_claim_says_what_it_assumes_of_addresses(statement: str, said: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(f"#include <assert.h>\nint x; int main(void) {{ {statement} }}\n")
    assert ("an address of its own" in " ".join(load_with(str(path), Reading()).said.lines)) is said


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("int *p = malloc(sizeof(int)); *p = 1;", "Assuming `malloc` never fails."),
        ("assert(&x < &y);", "addresses follow declaration order"),
        ("long a = (long) &x; assert(a != 0);", "addresses follow declaration order"),
        ("int l; assert(l - l == 0);", "uninitialised variables hold an arbitrary value"),
        ("int l; if (x) l = 1; assert(l == 1 || !x);", "uninitialised variables hold an arbitrary value"),
        ("assert(*(v.a + 2) == 0);", "leaves that part"),
        ("int *p = v.a; assert(p[2] == 0);", "leaves that part"),
        ("int *p = &v.a[2]; assert(*p == 0);", "leaves that part"),
        ("int *p = &v.b; p--; assert(*p == 0);", "leaves that part"),
        ("int (*p)[2] = &v.a; assert((*p)[2] == 0);", "leaves that part"),
        ("void g(int *) __attribute__((nonnull)); g(0);", "what `nonnull` promises"),
        ("void g(int *restrict); g(0);", "what `restrict` promises"),
        ("void g(int a[static 2]); g(0);", "what `static` promises"),
    ],
)
def test_a_claim_says_what_it_assumes_of_memory(statement: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    declared = "#include <assert.h>\n#include <stdlib.h>\nint x, y; struct { int a[2], b; } v;"
    path.write_text(f"{declared}\nint main(void) {{ {statement} }}\n")
    assert said in " ".join(load_with(str(path), Reading()).said.lines)


def test_a_claim_does_not_speak_of_what_a_program_does_not_do(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    declared = "#include <assert.h>\nint x, a[3]; struct { int a[2], b; } v; static int s; "
    does = "int *p = &x, l; *p = 1; l = v.a[1]; p = &v.b; a[x + 1] = l; assert(x == 1);"
    path.write_text(f"{declared}int main(void) {{ {does} }}\n")
    told = " ".join(load_with(str(path), Reading()).said.lines)
    words = ("freed", "declaration order", "ended", "malloc", "uninitialised", "leaves that part", "promises")
    assert not any(word in told for word in words)


#: A wait that ends by itself.
SPURIOUS = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int r;
int main(void) {
  pthread_mutex_lock(&m);
  if (!r)
    pthread_cond_wait(&c, &m);
  assert(r);
}
"""


def test_each_line_that_a_step_passes_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(HEADERS + SPURIOUS)
    outcome = verify(VerifyRequest(str(path), False, Options(limits(20.0, None)))).outcome
    run = next(f.run for f in outcome.findings if f.run is not None)
    shown = show_run(run, outcome.program, Screen(100, False))
    places = [shown.index(words) for words in ("lock(&m);", "if (!r)", "cond_wait(&c, &m);", "assert(r);")]
    assert places == sorted(places)


def test_a_thread_that_blocks_only_because_overflow_is_taken_not_to_happen_is_said_to(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    for step, why in (("x = x + 1;", True), ("while (x) ;", False)):
        path.write_text(f"{HEADERS}int main(void) {{ int x = 2147483647; {step} assert(x == 0); return 0; }}\n")
        outcome = verify(VerifyRequest(str(path), False, Options(limits(20.0, None)))).outcome
        assert any("signed arithmetic overflows" in d.message for d in outcome.warnings) is why


ALLOCATED = """
#include <stdlib.h>
struct node { int value; struct node *next; } *head;
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->value = v;
  n->next = head;
  head = n;
}
void *work(void *arg) { push(1); push(2); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  struct node *first = head;
  assert(!first || !first->next);
  pthread_join(t, 0);
}
"""


def test_allocated_memory_is_named_by_the_line_that_allocates_it(tmp_path: Path) -> None:
    (tmp_path / "prog.c").write_text(HEADERS + ALLOCATED)
    outcome = verify(VerifyRequest(str(tmp_path / "prog.c"), False, Options(limits(20.0, None)))).outcome
    run = next(f.run for f in outcome.findings if f.run is not None)
    told = show_run(run, outcome.program, Screen(160, False))
    line = 1 + (HEADERS + ALLOCATED).splitlines().index("  struct node *n = malloc(sizeof *n);")
    # Before its allocation nothing is told of it.
    assert "malloc" not in told[: told.index("───")]
    assert f"malloc@{line}.next: never written → " in told
    # Two objects of one line are told apart; what a pointer has is what `malloc` returned.
    assert f"head: NULL → malloc@{line}" in told
    assert f"head: malloc@{line} → malloc@{line}#2" in told


def test_an_empty_block_is_not_told_as_the_statement_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(
        HEADERS + "static atomic_int stop; static int done;\n"
        "static void *work(void *a) { while (!atomic_load(&stop)) { } done = 1; return a; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 0; }\n"
    )
    loaded = load_with(str(path), Reading(only="termination"))
    (worker,) = (t for t in loaded.program.threads if t.name == "work")
    told = {e.origin.text for e in worker.edges if e.source != worker.initial and not e.updates}
    assert "done = 1;" not in told
