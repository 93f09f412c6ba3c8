"""`--property termination` of programs in C: right and wrong twins, with and without a fair scheduler."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.verify import VerifyRequest, verify
from sa.base.limits import limits
from sa.base.verdict import Verdict
from sa.engines.verify import Options
from sa.frontends.c.caveats import WRAPS
from sa.frontends.c.load import load_with
from sa.frontends.reading import Reading

HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
atomic_int flag;
int ready;
"""
SPIN = "void *set(void *p) { flag = 1; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); %s }"
WAIT = (
    "void *set(void *p) { pthread_mutex_lock(&a); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&a);"
    " return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); pthread_mutex_lock(&a);"
    " while (%s) pthread_cond_wait(&c, &a); pthread_mutex_unlock(&a); pthread_join(t, 0); return 0; }"
)
#: One thread holds `a` and waits for `b`, which nobody gives back: whoever tries `a` again and again never gets it.
HELD = (
    "void *hold(void *p) { pthread_mutex_lock(&a); flag = 1; pthread_mutex_lock(&b); pthread_mutex_unlock(&b);"
    " pthread_mutex_unlock(&a); return 0; } int main(void) { pthread_t t; pthread_mutex_lock(&b);"
    " pthread_create(&t, 0, hold, 0); while (!flag) { } while (pthread_mutex_trylock(&a)) { } return 0; }"
)

PROVED, REFUTED = Verdict.PROVED, Verdict.REFUTED
PROGRAMS = [
    ("counts", "int main(void) { int n = __VERIFIER_nondet_int(); while (n > 0) n--; return 0; }", False, PROVED),
    ("counts-not", "int main(void) { int n = 3; while (n > 0) { if (n > 1) n--; } return 0; }", False, REFUTED),
    ("empty-loop", "int main(void) { for (;;) ; }", False, REFUTED),
    ("local-loop", "int main(void) { int i = 0; while (i < 10) { i = i; } return 0; }", False, REFUTED),
    ("wraps-and-ends", "int main(void) { int i = 2147483640; while (i >= 0) i++; return 0; }", False, PROVED),
    ("advances", "int main(int n, char **v) { int s = 0; for (int i = 0; i < n; i++) s += i; }", False, PROVED),
    ("advances-not", "int main(int n, char **v) { int s = 0; for (int i = 0; i < n; ) s += i + 1; }", False, REFUTED),
    ("wraps", "int main(int n, char **v) { int s = 0; for (int i = 0; i <= n; i++) s += i; }", False, REFUTED),
    ("exit", "int main(void) { for (;;) exit(0); }", False, PROVED),
    ("spins", SPIN % "while (!flag) { } return 0;", False, REFUTED),
    ("spins-fairly", SPIN % "while (!flag) { } return 0;", True, PROVED),
    ("hoisted", SPIN % "int r = flag; while (!r) { } return 0;", True, REFUTED),
    ("waits", WAIT % "!ready", False, PROVED),
    # A deadlock is a finite run: `--property no-deadlock` is about it.
    ("waits-after-its-time", WAIT % "1", True, PROVED),
    ("held", HELD, True, REFUTED),
]


#: Those with many states.
LONG = {"waits", "waits-after-its-time", "held"}
MARKED = [pytest.param(*p[1:], id=p[0], marks=pytest.mark.fuzz if p[0] in LONG else ()) for p in PROGRAMS]


@pytest.mark.parametrize(("text", "fair", "expected"), MARKED)
def test_a_program_ends_or_has_a_run_without_end(text: str, fair: bool, expected: Verdict, tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text(HEAD + text)
    reading = Reading(only="termination", fair=fair)
    outcome = verify(VerifyRequest(str(tmp_path / "t.c"), False, Options(limits(30.0, None)), reading)).outcome
    assert outcome.verdict is expected, [f.unknown for f in outcome.findings]
    (finding,) = outcome.findings
    assert (finding.run is not None) == (expected is REFUTED)


def test_an_overflow_is_claimed_beside_the_end_if_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text("int main(void) { for (int i = 2147483640; i > 0; i++) ; }")
    reading = Reading(only="termination", overflow="check")
    outcome = verify(VerifyRequest(str(tmp_path / "t.c"), False, Options(limits(30.0, None)), reading)).outcome
    assert outcome.verdict is REFUTED and len(outcome.findings) == 2


def test_the_answer_says_how_numbers_are_taken(tmp_path: Path) -> None:
    (tmp_path / "t.c").write_text("int main(int n, char **v) { int a[2]; for (int i = 0; i < n; i++) a[i] = i; }")
    said = load_with(str(tmp_path / "t.c"), Reading(only="termination")).said
    assert WRAPS in said.assumptions and [c.kind for c in said.not_checked] == ["failures"]
