"""Memory that was freed may be allocated again where a program can tell, since it compares pointers."""

from __future__ import annotations

from pathlib import Path

from sa.base.verdict import Verdict
from sa.frontends.reading import Reading
from tests.frontends.c.programs import faults, verdict
from tests.frontends.c.test_lifetimes import ALLOCATING, JOINED, NODE, beside


def test_an_address_may_come_back_where_pointers_are_compared(tmp_path: Path) -> None:
    text = (
        "int main(void) { int *p = malloc(sizeof *p), *q = p; free(p); int *r = malloc(sizeof *r);"
        " assert(r != q); return 0; }"
    )
    assert verdict(tmp_path, ALLOCATING + text) is Verdict.REFUTED
    alive = text.replace("free(p); ", "")
    assert verdict(tmp_path, ALLOCATING + alive) is Verdict.PROVED


def test_memory_that_lives_is_not_given_out_again(tmp_path: Path) -> None:
    """Who loses the race to make an object frees its own, which no other allocation has by then."""
    make = (
        "struct node *p = atomic_load(&once), *q; if (p == 0) { q = malloc(sizeof *q); q->value = 5;"
        " if (atomic_compare_exchange_strong(&once, &p, q)) p = q; else free(q); } assert(p->value == 5);"
    )
    shared = f"_Atomic(struct node *) once; void make(void) {{ {make} }}"
    text = beside("make();", f"make(); {JOINED} free(atomic_load(&once));", shared)
    for only in (None, "valid-memsafety"):
        assert faults(tmp_path, ALLOCATING + NODE + text, Reading(only=only)) == set()


def test_memory_of_another_thread_may_be_given_out_again(tmp_path: Path) -> None:
    """`realloc` in one thread may return what another one has given back."""
    text = beside(
        "p = realloc(p, sizeof *p);",
        "struct node *n = malloc(sizeof *n), *h = atomic_load(&top); atomic_compare_exchange_strong(&top, &h, n);",
        "struct node *p; _Atomic(struct node *) top;",
        "p = calloc(1, sizeof *p);",
    )
    assert faults(tmp_path, ALLOCATING + NODE + text) == set()
