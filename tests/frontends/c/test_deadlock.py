"""With `--deadlock` a wait for a condition ends by a signal: wakeups that are lost are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.verdict import Verdict
from sa.frontends.reading import Reading
from tests.frontends.c.programs import threads, verdict

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
