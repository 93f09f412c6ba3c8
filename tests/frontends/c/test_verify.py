"""`verify` on programs of C."""

from __future__ import annotations

from pathlib import Path

from sa.base.verdict import Verdict
from tests.frontends.c.programs import threads, verdict

PETERSON = (Path(__file__).parent / "peterson.c").read_text()
LOCKED = "pthread_mutex_lock(&m);\nx++;\npthread_mutex_unlock(&m);"
SHARED = "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"


def test_petersons_lock_excludes(tmp_path: Path) -> None:
    assert verdict(tmp_path, PETERSON) is Verdict.PROVED


def test_petersons_lock_without_waiting_does_not(tmp_path: Path) -> None:
    assert verdict(tmp_path, PETERSON.replace("flag1 && turn == 1", "0")) is Verdict.REFUTED


def test_a_counter_with_a_lock_loses_nothing(tmp_path: Path) -> None:
    assert verdict(tmp_path, threads(LOCKED, LOCKED, shared=SHARED, end="assert(x == 2);")) is Verdict.PROVED


def test_a_counter_without_a_lock_loses_updates(tmp_path: Path) -> None:
    assert verdict(tmp_path, threads("x++;", "x++;", shared="int x;", end="assert(x == 2);")) is Verdict.REFUTED


def test_an_atomic_counter_loses_nothing(tmp_path: Path) -> None:
    assert verdict(tmp_path, threads("x++;", "x++;", shared="atomic_int x;", end="assert(x == 2);")) is Verdict.PROVED


def test_a_lock_that_somebody_else_holds_cannot_be_released(tmp_path: Path) -> None:
    assert verdict(tmp_path, threads("pthread_mutex_unlock(&m);", shared=SHARED)) is Verdict.REFUTED
