"""What goes wrong at the end of a run of C, in one sentence; and how its steps are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa import api

MAIN = """
int main(void) {
    pthread_t t;
    %s
    pthread_create(&t, 0, reader, 0);
    %s
    pthread_join(t, 0);
    return 0;
}
"""
HEAD = "#include <pthread.h>\n#include <stdlib.h>\n#include <assert.h>\nstruct pair { int left, right; };\n"
FREED = "int *p;\nvoid *reader(void *a) {\n    int v = *p;\n    return 0;\n}\n"
NULL = (
    "struct pair *head;\nvoid *reader(void *a) {\n"
    "    if (head->left > 3) {\n        head->left = 0;\n    }\n    return 0;\n}\n"
)
PAIR = (
    "struct pair two;\nvoid *reader(void *a) {\n    int sum = two.left + two.right;\n"
    "    assert(sum == 0);\n    return 0;\n}\n"
)

REASONS = {
    "memory that another thread has freed": (
        FREED + MAIN % ("p = malloc(sizeof *p);", "*p = 3; free(p);"),
        "reader at p.c:7: `int v = *p` uses memory that was freed by main, line 15.",
    ),
    "a null pointer": (
        NULL + "struct pair one;" + MAIN % ("", "head = &one;"),
        "reader at p.c:7: `head` is NULL in `if (head->left > 3)`.",
    ),
}


def _told(text: str, folder: Path) -> str:
    path = folder / "p.c"
    path.write_text(HEAD + text)
    return str(api.verify(path))


@pytest.mark.parametrize("name", REASONS)
def test_the_first_sentence_says_what_went_wrong(name: str, tmp_path: Path) -> None:
    text, reason = REASONS[name]
    assert reason in " ".join(_told(text, tmp_path).split())


def test_no_object_is_alive_before_its_allocation(tmp_path: Path) -> None:
    """What is so from the start is not told, and what becomes of it is."""
    told = _told(FREED + MAIN % ("", "p = malloc(sizeof *p); free(p);"), tmp_path)
    start = told[told.index("    start ") : told.index("───")]
    assert "alive" not in start
    assert "p = NULL" in start
    assert "freed by main" in told


def test_a_line_is_told_once_whatever_a_step_reads_there(tmp_path: Path) -> None:
    told = _told(PAIR + MAIN % ("", "two.left = 1;"), tmp_path)
    run = told[told.index("violated at the end") : told.index("a thread has failed")]
    assert run.count("int sum = two.left") == 1


LOCKS = (
    "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n"
    "void both(pthread_mutex_t *l, pthread_mutex_t *k) {\n    pthread_mutex_lock(l);\n    pthread_mutex_lock(k);\n"
    "    pthread_mutex_unlock(k);\n    pthread_mutex_unlock(l);\n}\n"
    "void *reader(void *x) {\n    both(&a, &b);\n    return 0;\n}\n"
    "int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, reader, 0);\n    both(&b, &a);\n"
    "    pthread_join(t, 0);\n    return 0;\n}\n"
)


def test_threads_that_wait_at_one_place_are_told_together_and_once(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text(HEAD + LOCKS)
    told = str(api.verify(path, deadlock=True))
    assert "Deadlock: main and reader wait at 8 `pthread_mutex_lock(k)`." in told
    assert told.count("wait at") == 1
    assert "b = held by main" in told
