"""Runs with few preemptions: as long as programs need them, with as many copies."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.budget import Budget, unheard
from sa.base.limits import Limits
from sa.certificates.families import CrowdRun
from sa.checker.ruling import Accepted
from sa.engines.judging_claims import judged_of_crowd
from sa.explicit.concretization import by_few_preemptions
from sa.frontends.load import load_program
from sa.question.asked import Asked, Refuted
from sa.question.claims import claims_of

HEAD = "#include <pthread.h>\n#include <assert.h>\nint x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
MANY = """
pthread_t ids[70];
void *worker(void *a) { BODY return 0; }
int main(void) {
  for (int i = 0; i < 70; i++) pthread_create(&ids[i], 0, worker, 0);
  pthread_mutex_lock(&m); assert(x == 0); pthread_mutex_unlock(&m);
  return 0;
}
"""
LOCK, UNLOCK = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"


def found(path: Path) -> tuple[Asked, list[Refuted]]:
    """What is asked of a program with families, and the runs into it, each accepted by the checker."""
    program = load_program(str(path), families=True).program
    assert program.families
    bads = tuple(b for c in claims_of(program) for b in c.bads)
    asked = Asked(program.threads, bads, program.axioms, families=program.families, init=program.init)
    runs = list(by_few_preemptions(asked, Budget(Limits()), unheard))
    assert all(isinstance(judged_of_crowd(asked, run, Limits(), 0), Accepted) for run in runs)
    return asked, runs


@pytest.mark.parametrize(
    ("body", "wrong"),
    [(f"{LOCK} x++; {UNLOCK} {LOCK} x--; {UNLOCK}", True), (f"{LOCK} x++; x--; {UNLOCK}", False)],
)
def test_a_loop_that_creates_many_threads_is_gone_through(tmp_path: Path, body: str, wrong: bool) -> None:
    """The claim is looked at only after 70 threads were created."""
    file = tmp_path / "p.c"
    file.write_text(HEAD + MANY.replace("BODY", body))
    _, runs = found(file)
    assert [type(r.evidence) for r in runs] == [CrowdRun] * wrong
    assert all(isinstance(r.evidence, CrowdRun) and len(r.evidence.run.turns) > 140 for r in runs)


FAMILY = "global x : int = 0; thread W[i : *] { local t : int = 0; BODY } "


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        # A copy is in the way of another one between its two steps.
        ("t := x; assert x == t;", False),
        ("t := x; x := t + 1; assert x == t + 1;", True),
        # Who reads its identity gets one that nobody else has.
        ("x := i; assert x == i;", True),
        ("atomic { x := i; assert x == i; }", False),
    ],
)
def test_copies_are_told_apart_where_they_have_to_be(tmp_path: Path, body: str, wrong: bool) -> None:
    file = tmp_path / "p.sa"
    file.write_text(FAMILY.replace("BODY", body))
    _, runs = found(file)
    assert bool(runs) == wrong
