"""The kind of a mutex (POSIX, `pthread_mutexattr_settype`), as its initialiser says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.c.test_reviewed import answer

TWICE = """
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
%s
int main(void) {
    %s
    pthread_mutex_lock(&m);
    assert(pthread_mutex_lock(&m) == 0);
    assert(0);
}
"""


@pytest.mark.parametrize("where", ["static", "automatic"])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP", "REFUTED"),
        ("PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP", "REFUTED"),
        # Who locks it twice waits for ever.
        ("PTHREAD_MUTEX_INITIALIZER", "PROVED"),
        ("{ { 0, 0, 0, 0, 0, 0, 0, { 0, 0 } } }", "PROVED"),
    ],
)
def test_an_initialiser_says_of_which_kind_a_mutex_is(tmp_path: Path, kind: str, where: str, expected: str) -> None:
    declared = f"pthread_mutex_t m = {kind};"
    outside, inside = (declared, "") if where == "static" else ("", declared)
    assert answer(tmp_path, TWICE % (outside, inside)) == expected


def test_an_initialiser_whose_meaning_is_not_known_is_an_error(tmp_path: Path) -> None:
    assert answer(tmp_path, TWICE % ("pthread_mutex_t m = { 0, 0, 0, 0, 1 };", "")) == "SA719"
