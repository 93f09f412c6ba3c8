"""No function of pointers that is PROVED to refine another one does anything new, wherever its pointers point.

The judge resolves pointers before it runs anything: for each choice of what they point to, a function is one of
variables. To follow a pointer to nothing is undefined, as a race is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from sa.base.verdict import Verdict
from tests.frontends.c.contexts import (
    MORE,
    PLAIN,
    Add,
    Code,
    If,
    Race,
    Read,
    Same,
    Statement,
    Undefined,
    Write,
    changed,
    code,
    contexts,
    ends,
    text,
)
from tests.frontends.c.test_functions_in_contexts import verdict

POINTERS = ("p", "q")


def pointing(random: Random, body: Code) -> Code:
    """The code with pointers for some of the plain variables, and comparisons of pointers for some of the sums."""
    found = list[Statement]()
    for here in body:
        match here:
            case Read(_, _, None) | Write(_, _, None) if random.random() < 0.7:
                found.append(replace(here, variable=f"*{random.choice(POINTERS)}"))
            case Add(register) if random.random() < 0.5:
                found.append(Same(register, random.choice(POINTERS), random.choice((*POINTERS, "&g"))))
            case If(register, yes, no):
                found.append(If(register, pointing(random, yes), pointing(random, no)))
            case _:
                found.append(here)
    return tuple(found)


def resolved(body: Code, where: dict[str, str]) -> Code:
    """The code where each pointer points to a variable, or to nothing."""
    found = list[Statement]()
    for here in body:
        match here:
            case Read(_, variable) | Write(variable) if variable.startswith("*"):
                found.append(replace(here, variable=where[variable[1:]]))
            case Same(register, one, two):
                found.append(Add(register, int(where[one] == where.get(two, two[1:])), 0))
            case If(register, yes, no):
                found.append(If(register, resolved(yes, where), resolved(no, where)))
            case _:
                found.append(here)
    return tuple(found)


def written(body: Code) -> str:
    """A file of C whose function `f` gets the pointers."""
    return text(body).replace("int f(int a)", "int f(int *p, int *q)")


def told_apart(before: Code, after: Code, others: list[Code]) -> tuple[object, ...] | None:
    """What pointers point to, and a thread beside which the original has no race and the changed code does more."""
    for p, q in product((*PLAIN, *MORE, "nothing"), repeat=2):
        one, two = (resolved(c, {"p": p, "q": q}) for c in (before, after))
        for other in others:
            try:
                usual = ends(one, other, True)
            except (Race, Undefined):
                continue
            try:
                if ends(two, other, False) - usual:
                    return p, q, other
            except Undefined:
                return p, q, other
    return None


def compared(seed: int, count: int, folder: Path, seconds: float) -> dict[Verdict, int]:
    """How many pairs have each verdict; none that is PROVED is told apart."""
    random, found = Random(seed), dict.fromkeys(Verdict, 0)
    while sum(found.values()) < count:
        before = pointing(random, code(random, random.choice((2, 3, 4))))
        after = changed(random, before) if random.random() < 0.7 else simpler(random, before)
        if after == before:
            continue
        given = verdict(written(before), written(after), folder, seconds)
        found[given] += 1
        if given is Verdict.PROVED:
            assert (other := told_apart(before, after, others(random))) is None, (before, after, other)
    return found


def simpler(random: Random, before: Code) -> Code:
    """The code with a read through a pointer that is taken from a pointer or variable beside it, right or wrong."""
    after = list(before)
    for place, here in enumerate(after):
        if isinstance(here, Read) and here.variable.startswith("*"):
            after[place] = Read(here.register, random.choice(("*p", "*q", "g")))
        elif isinstance(here, Same):
            after[place] = Add(here.register, random.choice((0, 1)), 0)
    return tuple(after)


def others(random: Random) -> list[Code]:
    """Threads beside, of which some access what pointers point to."""
    return [_elsewhere(random, c) for c in contexts(random, 60)]


def _elsewhere(random: Random, other: Code) -> Code:
    return tuple(_moved(random, other))


def _moved(random: Random, other: Code) -> Iterator[Statement]:
    for here in other:
        match here:
            case Read(_, variable, None) | Write(variable, _, None) if variable in PLAIN:
                yield replace(here, variable=random.choice((variable, *MORE)))
            case If(register, yes, no):
                yield If(register, tuple(_moved(random, yes)), tuple(_moved(random, no)))
            case _:
                yield here


def test_the_judge_sees_aliases_and_null() -> None:
    before = (Write("*p", 1), Write("*q", 2), Read("r", "*p"))
    assert told_apart(before, (*before[:2], Add("r", 1, 0)), [()]) is not None
    assert told_apart(before, before, [()]) is None
    assert told_apart((), (Read("r", "*p"),), [()]) is not None


def test_random_changes(tmp_path: Path) -> None:
    found = compared(4, 3, tmp_path, 10)
    assert found[Verdict.PROVED] and found[Verdict.REFUTED]


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(5, 15))
def test_many_random_changes(seed: int, tmp_path: Path) -> None:
    found = compared(seed, 40, tmp_path, 10)
    assert found[Verdict.PROVED] > 3
