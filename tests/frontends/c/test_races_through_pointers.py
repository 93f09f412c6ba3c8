"""Races on what a pointer leads to that only says where: no step needs its value beside the access."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.frontends.reading import Reading
from tests.frontends.c.programs import threads, verdict

RACES = Reading(only="no-data-race")
SHARED = """
extern int __VERIFIER_nondet_int(void);
struct locked { int datum; pthread_mutex_t lock; } one, two;
"""
LOCKED = "pthread_mutex_lock(&one.lock); one.datum = 5; pthread_mutex_unlock(&one.lock);"
CHOSEN = """
struct locked *s = __VERIFIER_nondet_int() ? &one : &two, *other = s == &one ? &two : &one;
int *d = &s->datum;
pthread_mutex_lock(&LOCK->lock); *d = 8; pthread_mutex_unlock(&LOCK->lock);
"""


@pytest.mark.parametrize(("lock", "expected"), [("s", "PROVED"), ("other", "REFUTED")])
def test_the_lock_beside_what_is_accessed_orders_the_accesses(tmp_path: Path, lock: str, expected: str) -> None:
    text = threads(LOCKED, CHOSEN.replace("LOCK", lock), shared=SHARED)
    found = verdict(tmp_path, text, reading=RACES)
    assert found is not None and found.name == expected


def test_a_call_through_a_pointer_to_no_function_goes_wrong(tmp_path: Path) -> None:
    text = "void (*f)(int); int main(void) { CALL f(1); }"
    for guard, expected in (("", "REFUTED"), ("if (f)", "PROVED")):
        found = verdict(tmp_path, text.replace("CALL", guard))
        assert found is not None and found.name == expected
