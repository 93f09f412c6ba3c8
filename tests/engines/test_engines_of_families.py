"""Engines that know nothing but families can be named, and are asked about families only."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.app.engines import listed
from sa.base.limits import Limits, allot
from sa.base.verdict import Verdict
from sa.engines.portfolio_of_claims import CLAIMS, STATES
from sa.engines.portfolio_of_families import (
    BOXES,
    COUNTS,
    CROWDS,
    ENVIRONMENT,
    FEW_STATES,
    for_crowds,
    for_threads,
    named,
)
from sa.engines.verify import Options, verify
from sa.frontends.load import load_program
from tests.language.texts import program_of

OWNED = "global owner : int = 0; thread {} {{ await owner == 0 {{ owner := 1; }} assert owner == 1; owner := 0; }}"


@pytest.mark.parametrize("name", [turn.engine.name for turn in CROWDS])
def test_an_engine_for_families_can_be_named(name: str) -> None:
    only = named((name,))
    assert [turn.engine.name for turn in for_crowds(only)] == [name]
    assert name in {engine for technique in listed("verify") for engine in technique.engines}


def test_no_other_program_is_given_to_them() -> None:
    assert for_threads(CLAIMS) == CLAIMS
    assert for_threads(named((COUNTS.name,))) == ()
    program = program_of(OWNED.format("T"))
    assert verify(program, Options(Limits(), portfolio=named((COUNTS.name,)))).verdict is Verdict.UNKNOWN
    assert verify(program, Options(Limits(), portfolio=named((STATES.name,)))).verdict is Verdict.PROVED


#: Two copies must read before one of them writes.
LOST = "global n, done : int = 0; thread T[*] { local k : int = 0; k := n; n := k + 1; done := done + 1; }"


def test_states_of_few_copies_have_runs_and_prove_nothing() -> None:
    states = Options(Limits(), portfolio=named((FEW_STATES.name,)))
    lost = verify(program_of(LOST + " invariant none_lost : n == done || n == done + 1 || n == done + 2;"), states)
    assert lost.verdict is Verdict.REFUTED
    (found,) = lost.findings
    assert found.counts == (2,) or found.counts == (3,)
    assert verify(program_of(LOST + " invariant few : done <= 9;"), states).verdict is Verdict.UNKNOWN


#: What main hands over grows, so bounds are widened: for one copy in another order than for the next one.
HANDED_OVER = """global new : 0..1 = 0; global given, running : int = 0;
thread main {
  local i : int = 0;
  while (i < 100) { await new == 0 { given := i; new := 1; running := running + 1; } i := i + 1; }
}
thread w[*] { local i : int = 0; await new == 1 { new := 0; i := given; } assert %s; running := running - 1; }"""


def test_bounds_of_one_copy_hold_of_each_other_copy() -> None:
    boxes = Options(Limits(), portfolio=named((BOXES.name,)))
    assert verify(program_of(HANDED_OVER % "i >= 0"), boxes).verdict is Verdict.PROVED
    wrong = verify(program_of(HANDED_OVER % "i >= 1"), boxes)
    assert wrong.verdict is Verdict.UNKNOWN
    assert wrong.findings[0].unknown is not None
    assert "checker" not in wrong.findings[0].unknown.detail


#: A ring of two places: what is in it is positive. Producers and consumers take turns of one step.
RING = """global head : 0..1 = 0; global count : 0..2 = 0; global a, b : int = 0;
thread P[*] {
  local v : int = 0;
  while (true) {
    havoc v; assume v > 0;
    await count < 2 { if ((head + count) %% 2 == 0) { a := v; } else { b := v; } count := count + 1; }
  }
}
thread C[*] {
  local v : int = 0;
  while (true) { await %s { if (head == 0) { v := a; } else { v := b; } head := 1 - head; count := %s; assert v > 0; } }
}"""


def test_copies_of_any_number_keep_an_invariant_of_what_they_share() -> None:
    together = Options(Limits(), portfolio=named((ENVIRONMENT.name,)))
    assert verify(program_of(RING % ("count > 0", "count - 1")), together).verdict is Verdict.PROVED
    broken = verify(program_of(RING % ("count >= 0", "if count > 0 then count - 1 else 0")), together)
    assert Verdict.UNKNOWN in {f.verdict for f in broken.findings}
    assert Verdict.REFUTED not in {f.verdict for f in broken.findings}


#: Whoever overflows `active` stops there: how many were let in is known from both sides only.
PERMITS = """#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
extern int __VERIFIER_nondet_int(void);
static sem_t permits;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int active;
static void add(int n) { pthread_mutex_lock(&m); active += n; assert(active <= 3); pthread_mutex_unlock(&m); }
static void *client(void *arg) {
    while (__VERIFIER_nondet_int()) { sem_wait(&permits); add(1); add(-1); sem_post(&permits); }
    return arg;
}
int main(void) {
    sem_init(&permits, 0, %d);
    while (__VERIFIER_nondet_int()) { pthread_t t; pthread_create(&t, 0, client, 0); }
    return 0;
}"""


@pytest.mark.parametrize(("permits", "verdict"), [(3, Verdict.PROVED), (4, Verdict.UNKNOWN)])
def test_numbers_are_bounded_by_the_copies_that_have_added_to_them(
    tmp_path: Path, permits: int, verdict: Verdict
) -> None:
    path = tmp_path / "permits.c"
    path.write_text(PERMITS % permits)
    program = load_program(str(path), families=True).program
    options = Options(allot(Limits(), 1_500_000), portfolio=named((COUNTS.name,)))
    assert verify(program, options).verdict is verdict
