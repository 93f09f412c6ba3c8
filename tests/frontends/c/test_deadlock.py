"""Waits for conditions and deadlocks: wake-ups that are lost, threads that wait for each other, a few of any number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sa.automata.automaton import Fault
from sa.base.verdict import Verdict
from sa.cli.main import application
from sa.frontends.reading import Reading
from tests.frontends.c.programs import HEADERS, faults, threads, verdict

SHARED = "pthread_mutex_t m; pthread_cond_t c; int go;"
WAITS = "pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);"
LATE = "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);"
TIMED = "pthread_mutex_lock(&m); while (!go) pthread_cond_timedwait(&c, &m, 0); pthread_mutex_unlock(&m);"


def sets(how: str) -> str:
    """A thread that says that it is time, and wakes others."""
    return f"pthread_mutex_lock(&m); go = 1; pthread_cond_{how}(&c); pthread_mutex_unlock(&m);"


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ((WAITS, sets("signal")), Verdict.PROVED),
        ((LATE, sets("signal")), Verdict.REFUTED),
        ((WAITS, WAITS, sets("broadcast")), Verdict.PROVED),
        ((WAITS, WAITS, sets("signal")), Verdict.REFUTED),
        ((TIMED, sets("destroy")), Verdict.REFUTED),
        ((WAITS, sets("destroy")), Verdict.REFUTED),
    ],
)
def test_a_wakeup_that_is_lost_is_a_deadlock(bodies: tuple[str, ...], expected: Verdict, tmp_path: Path) -> None:
    assert verdict(tmp_path, threads(*bodies, shared=SHARED), reading=Reading(deadlock=True)) == expected


def test_to_ask_for_it_alone_is_the_same(tmp_path: Path) -> None:
    text = threads(LATE, sets("signal"), shared=SHARED)
    assert verdict(tmp_path, text, reading=Reading(only="no-deadlock")) == Verdict.REFUTED


def test_without_it_a_wait_may_end_at_any_time(tmp_path: Path) -> None:
    once = WAITS.replace("while", "if").replace("pthread_mutex_unlock", "assert(go); pthread_mutex_unlock")
    assert verdict(tmp_path, threads(once, sets("signal"), shared=SHARED)) == Verdict.REFUTED


#: Threads that are created and joined in loops, as many as an input says. Each takes a lock.
CROWD = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
void *w(void *x) {{ pthread_mutex_lock(&a); {then} return 0; }}
int main(void) {{
  int k = __VERIFIER_nondet_int(); pthread_t t[8];
  if (k < 0 || k > 8) return 0;
  for (int i = 0; i < k; i++) pthread_create(&t[i], 0, w, 0);
  for (int i = 0; i < k; i++) pthread_join(t[i], 0);
  return 0;
}}
"""


def test_a_few_threads_refute_that_any_number_has_no_deadlock_and_prove_nothing(tmp_path: Path) -> None:
    kept, released = (
        verdict(tmp_path, CROWD.format(then=then), reading=Reading(only="no-deadlock"))
        for then in ("", "pthread_mutex_unlock(&a);")
    )
    assert kept is Verdict.REFUTED
    assert released is Verdict.UNKNOWN


def sacheck(*arguments: str) -> int:
    """The exit status of a command."""
    return CliRunner().invoke(application(), arguments).exit_code


def test_a_run_of_a_few_threads_is_judged_again_from_the_source(tmp_path: Path) -> None:
    path, proof = tmp_path / "prog.c", tmp_path / "proof.json"
    path.write_text(HEADERS + CROWD.format(then=""))
    asked = ("verify", str(path), "--deadlock", "--no-cache", "--certificate", str(proof))
    assert sacheck(*asked) == 1
    # That more threads may be created than are looked at stays open, and no answer depends on it.
    assert sacheck("certify", str(proof)) == 3
    document = json.loads(proof.read_text())
    document["questions"][0]["runs"][0]["run"]["turns"].pop()
    proof.write_text(json.dumps(document))
    assert sacheck("certify", str(proof)) == 1


@pytest.mark.fuzz
def test_that_a_few_threads_have_no_deadlock_is_accepted_of_nobody(tmp_path: Path) -> None:
    path, proof = tmp_path / "prog.c", tmp_path / "proof.json"
    path.write_text(HEADERS + CROWD.format(then="pthread_mutex_unlock(&a);"))
    sacheck("verify", str(path), "--deadlock", "--no-cache", "--certificate", str(proof))
    document = json.loads(proof.read_text())
    question = document["questions"][0]
    question["verdict"] = "proved"
    for claim in question["claims"]:
        claim["verdict"] = "proved"
    proof.write_text(json.dumps(document))
    assert sacheck("certify", str(proof)) == 1


def test_a_condition_is_not_destroyed_while_a_thread_is_blocked_on_it(tmp_path: Path) -> None:
    waits = "pthread_mutex_lock(&m); in = 1; while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);"
    destroys = "pthread_mutex_lock(&m); if (in) pthread_cond_destroy(&c); pthread_mutex_unlock(&m);"
    shared = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int go, in;"
    assert Fault.IN_USE in faults(tmp_path, threads(waits, destroys, shared=shared))
    woken = destroys.replace("if (in)", "go = 1; pthread_cond_broadcast(&c); if (in)")
    assert Fault.IN_USE not in faults(tmp_path, threads(waits, woken, shared=shared))


def test_a_claim_about_deadlocks_changes_no_other(tmp_path: Path) -> None:
    """Who waits without looking again is wrong if the wait ends by itself, whatever else is asked."""
    waits = "pthread_mutex_lock(&m); {again} (!go) pthread_cond_wait(&c, &m); assert(go); pthread_mutex_unlock(&m);"
    signals = "pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);"
    shared = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int go;"
    for again, expected in (("if", Verdict.REFUTED), ("while", Verdict.PROVED)):
        text = threads(waits.format(again=again), signals, shared=shared)
        for deadlock in (False, True):
            assert verdict(tmp_path, text, reading=Reading(deadlock=deadlock)) is expected
