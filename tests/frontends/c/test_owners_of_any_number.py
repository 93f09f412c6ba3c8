"""Owners of one object, as many as are created: a counter of them does not wrap around, which is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from sa.base.verdict import Verdict
from sa.frontends.c.caveats import THREADS
from sa.frontends.load import load_program
from tests.frontends.c.programs import HEADERS, verdict

OWNERS = """int __VERIFIER_nondet_int(void);
atomic_int owners = 0;
void *owner(void *a) { assert(atomic_load(&owners) > 0); atomic_fetch_sub(&owners, 1); return 0; }
int main(void) {
    pthread_t t;
    while (__VERIFIER_nondet_int()) { $ }
    return 0;
}
"""
COUNTED, CREATED = "atomic_fetch_add(&owners, 1);", "pthread_create(&t, 0, owner, 0);"
BEFORE, AFTER = OWNERS.replace("$", f"{COUNTED} {CREATED}"), OWNERS.replace("$", f"{CREATED} {COUNTED}")


@pytest.mark.parametrize(("text", "answer"), [(BEFORE, Verdict.PROVED), (AFTER, Verdict.REFUTED)])
def test_an_owner_is_counted_before_it_exists(tmp_path: Path, text: str, answer: Verdict) -> None:
    assert verdict(tmp_path, text, 60.0) is answer


def test_how_many_threads_there_may_be_is_said_where_there_are_any_number(tmp_path: Path) -> None:
    path = tmp_path / "prog.c"
    path.write_text(HEADERS + BEFORE)
    assert THREADS in load_program(str(path), families=True).said.assumptions
    path.write_text(HEADERS + BEFORE.replace("while (__VERIFIER_nondet_int())", ""))
    assert THREADS not in load_program(str(path), families=True).said.assumptions
