"""Whatever is asked of a program, there is an answer or a message about the program, and never an internal error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from sa.app.verify import VerifyRequest, verify
from sa.base.diagnostic import InputError
from sa.base.limits import limits
from sa.engines.verify import Options
from sa.frontends.reading import PROPERTIES, Reading
from tests.frontends.c import concurrent, race_programs

ELEMENTS = """#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int b[2], large[100]; struct {{ int k; int n[2]; }} s[2];
void *w(void *a) {{ int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 2) {{ {first} }} return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, w, 0); {second} return 0; }}
"""
ACCESSES = (
    "return (void *)(long)b[i];",
    "b[i] = 1;",
    "large[i + 40]++;",
    "return (void *)(long)s[i].n[1];",
    "s[i].k = 2;",
)
OTHERS = ("b[1] = 1;", "", "large[7] = 2;", "s[0].n[0] = 1;", "s[1].n[1] = 3;", "pthread_join(t, 0); b[0] = 1;")


def readings() -> Iterator[Reading]:
    yield Reading()
    yield Reading(races=True)
    yield Reading(deadlock=True)
    yield Reading(overflow="check")
    yield from (Reading(only=name) for name in PROPERTIES)


def texts(random: Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield ELEMENTS.format(first=random.choice(ACCESSES), second=random.choice(OTHERS))
        yield concurrent.text(random)
        yield race_programs.text(race_programs.program(random))


@pytest.mark.parametrize(("count", "seed"), [(1, 0), pytest.param(60, 1, marks=pytest.mark.fuzz)])
def test_no_question_about_a_random_program_ends_in_an_internal_error(tmp_path: Path, count: int, seed: int) -> None:
    path, answered = tmp_path / "p.c", 0
    for text in texts(Random(seed), count):
        path.write_text(text)
        for reading in readings():
            try:
                verify(VerifyRequest(str(path), False, Options(limits(1.0, None)), reading))
            except InputError:
                continue
            except Exception as wrong:
                wrong.add_note(f"{reading}\n{text}")
                raise
            answered += 1
    assert answered > count * len(tuple(readings()))
