"""Arrays of a middle size are kept whole where accesses choose from many of their elements, and only there."""

from __future__ import annotations

from pathlib import Path

from sa.base.verdict import Verdict
from sa.terms.sort import ArraySort
from tests.frontends.c.programs import program, verdict

SLOTS = """
int next[40]; atomic_int head = 1; pthread_t t;
void *worker(void *a) { int at = head; next[at] = at + 1; head = next[at]; return 0; }
int main(void) {
    for (int i = 0; i < 2; i++) { pthread_create(&t, 0, worker, 0); pthread_join(t, 0); }
    assert(next[1] == 2 && next[2] == WANTED);
}
"""


def arrays(tmp_path: Path, text: str) -> set[str]:
    return {v.var.name for v in program(tmp_path, text).variables if isinstance(v.var.sort, ArraySort)}


def test_an_array_that_accesses_choose_from_is_one_variable(tmp_path: Path) -> None:
    assert verdict(tmp_path, SLOTS.replace("WANTED", "3")) is Verdict.PROVED
    assert verdict(tmp_path, SLOTS.replace("WANTED", "4")) is Verdict.REFUTED


CHOSEN = """
extern int __VERIFIER_nondet_int(void);
int slots[20]; pthread_t t;
void *worker(void *a) { INDEX slots[i] = slots[i] + 1; return 0; }
int main(void) { pthread_create(&t, 0, worker, 0); int i = 3; if (slots[i] > 2) slots[4] = 1; }
"""


def test_elements_that_are_named_are_variables_of_their_own(tmp_path: Path) -> None:
    chosen = "int i = __VERIFIER_nondet_int(); if (i < 0 || i > 19) return 0;"
    assert arrays(tmp_path, CHOSEN.replace("INDEX", chosen)) == {"slots"}
    assert arrays(tmp_path, CHOSEN.replace("INDEX", "int i = 3;")) == set()
