"""A union is one location of memory: races on it are told where all members have its size."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.diagnostic import InputError
from sa.base.verdict import Verdict
from sa.frontends.reading import Reading
from tests.frontends.c.programs import verdict

SHARED = """
union u { int number; unsigned bits; } shared; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_t t;
void *worker(void *a) { LOCK shared.bits = 1; UNLOCK return 0; }
int main(void) {
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m); shared.number = 2; pthread_mutex_unlock(&m);
}
"""


def test_members_of_the_size_of_a_union_race_with_each_other(tmp_path: Path) -> None:
    locked = SHARED.replace("UNLOCK", "pthread_mutex_unlock(&m);").replace("LOCK", "pthread_mutex_lock(&m);")
    assert verdict(tmp_path, locked, reading=Reading(races=True)) is Verdict.PROVED
    free = SHARED.replace("UNLOCK", "").replace("LOCK", "")
    assert verdict(tmp_path, free, reading=Reading(races=True)) is Verdict.REFUTED


def test_members_that_are_a_part_of_a_union_are_refused_with_races(tmp_path: Path) -> None:
    parts = SHARED.replace("UNLOCK", "").replace("LOCK", "").replace("unsigned bits;", "unsigned char bits;")
    with pytest.raises(InputError) as refused:
        verdict(tmp_path, parts, reading=Reading(races=True))
    assert {d.code for d in refused.value.diagnostics} == {"SA712"}
