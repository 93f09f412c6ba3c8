"""Races beside any number of threads: random workers, against the same program with three of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from sa.base.limits import limits
from sa.engines.verification import within_bounds
from sa.engines.verify import Options, verify
from sa.frontends.load import load_program
from sa.frontends.reading import Reading

HEAD = """#include <pthread.h>
#include <stdatomic.h>
extern int __VERIFIER_nondet_int(void);
static int g, h, slots[3]; static atomic_int a; static pthread_mutex_t m, n;
"""
PARTS = (
    "g++;",
    "h = g;",
    "if (g == 1) h = 2;",
    "atomic_fetch_add(&a, 1);",
    "if (a == 2) g = 3;",
    "int own = 1; own++;",
    "slots[k] = 1;",
    "if (h < 2) slots[0] = h;",
)
GUARDS = (
    "{}",
    "pthread_mutex_lock(&m); {} pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&n); {} pthread_mutex_unlock(&n);",
)


def worker(random: Random) -> str:
    parts = "".join(
        "{" + random.choice(GUARDS).format(random.choice(PARTS)) + "}" for _ in range(random.choice((1, 1, 2)))
    )
    return f"static void *w(void *p) {{ int k = (int)(long)p; {parts} return 0; }}\n"


def programs(random: Random) -> tuple[str, str]:
    """A program with any number of threads, and the one with three."""
    text = HEAD + worker(random)
    argument = random.choice(("(void *)1", "(void *)0"))
    create = f"pthread_create(&t, 0, w, {argument});"
    behind = random.choice(GUARDS).format(random.choice(("g = 0;", "", "h++;", "slots[1] = 0;")))
    loop = f"while (__VERIFIER_nondet_int()) {create}"
    start = "int main(void) { pthread_t t; int k = 1; "
    return f"{text}{start}{loop} {behind} }}\n", f"{text}{start}{create * 3} {behind} }}\n"


def answer(folder: Path, text: str) -> str:
    file = folder / "p.c"
    file.write_text(text)
    program = load_program(str(file), families=True, reading=Reading(races=True)).program
    verdict = within_bounds(verify(program, Options(limits(20.0, None)))).verdict
    return "PROVED" if verdict is None else verdict.value


@pytest.mark.parametrize(("count", "seed"), [(4, 0), pytest.param(200, 1, marks=pytest.mark.fuzz)])
def test_any_number_of_threads_has_a_race_where_three_have(tmp_path: Path, count: int, seed: int) -> None:
    decided = 0
    for number in range(count):
        any_number, three = programs(Random(f"{seed}-{number}"))
        found = {answer(tmp_path, any_number), answer(tmp_path, three)}
        assert not {"PROVED", "REFUTED"} <= found, any_number
        decided += "UNKNOWN" not in found
    assert decided > count * 0.5
