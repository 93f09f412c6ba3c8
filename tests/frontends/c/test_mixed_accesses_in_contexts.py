"""No function that accesses variables both plainly and atomically does anything new if it is PROVED to refine another.

The judge counts as a race what C11 does: two accesses of which one is plain and one writes, that nothing orders.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from sa.base.verdict import Verdict
from tests.frontends.c.contexts import (
    ATOMIC,
    LOADS,
    PLAIN,
    REGISTERS,
    STORES,
    Code,
    If,
    Race,
    Read,
    Statement,
    Update,
    Write,
    changed,
    code,
    contexts,
    ends,
    text,
    told_apart,
)
from tests.frontends.c.test_functions_in_contexts import verdict

ORDERS = ("relaxed", "acquire", "release", "acq_rel")


def mixed(random: Random, body: Code, share: float) -> Code:
    """The code where some accesses have another order, or none, and some are updates."""
    return tuple(_mixed(random, s, share) for s in body)


def _mixed(random: Random, here: Statement, share: float) -> Statement:
    if isinstance(here, If):
        return If(here.register, mixed(random, here.yes, share), mixed(random, here.no, share))
    if random.random() >= share or not isinstance(here, Read | Write | Update):
        return here
    match here:
        case Read():
            return replace(here, order=random.choice((None, *LOADS)))
        case Write(variable, value) if random.random() < 0.7:
            return Write(variable, value, random.choice((None, *STORES)))
        case Write(variable, value):
            return Update(random.choice(REGISTERS), variable, value, random.choice(ORDERS))
        case Update():
            return replace(here, order=random.choice(ORDERS))


def compared(seed: int, count: int, folder: Path, seconds: float) -> dict[Verdict, int]:
    """How many pairs have each verdict; none that is PROVED is told apart."""
    random, found = Random(seed), dict.fromkeys(Verdict, 0)
    while sum(found.values()) < count:
        before = mixed(random, code(random, random.choice((2, 3, 4))), 0.4)
        after = mixed(random, before, 0.3) if random.random() < 0.5 else changed(random, before)
        if after == before:
            continue
        given = verdict(text(before), text(after), folder, seconds)
        found[given] += 1
        if given is Verdict.PROVED:
            others = [mixed(random, c, 0.3) for c in contexts(random, 200)]
            assert (other := told_apart(before, after, others)) is None, (before, after, other)
    return found


def test_the_judge_sees_races_of_plain_and_atomic_accesses() -> None:
    for one, other in (
        ((Write("g", 1),), (Read("r", "g", "relaxed"),)),
        ((Read("r", "g"),), (Write("g", 1, "relaxed"),)),
        ((Read("r", "g"),), (Update("r", "g", 1, "acq_rel"),)),
    ):
        for pair in ((one, other), (other, one)):
            with pytest.raises(Race):
                ends(*pair, True)
    assert ends((Read("r", "g"),), (Read("r", "g", "relaxed"),), True)
    assert ends((Write("g", 1, "relaxed"),), (Read("r", "g", "relaxed"),), True)


def test_the_judge_sees_that_a_single_writer_is_read() -> None:
    """Who alone writes a variable may read it plainly; its atomic stores are seen all the same."""
    before = (Read("r", "g"), Write("h", 1), Write("g", 1, "release"))
    reader = Read("r", "g", "acquire"), If("r", (Read("s", "h"),), ())
    weaker = (*before[:2], Write("g", 1, "relaxed"))
    assert told_apart(before, (before[0], *before[:0:-1]), [reader]) is not None
    assert ends(before, reader, True)
    with pytest.raises(Race):
        ends(weaker, reader, True)


def test_random_changes(tmp_path: Path) -> None:
    assert {*PLAIN, *ATOMIC} == {"g", "h", "x", "y"}
    found = compared(1, 12, tmp_path, 10)
    assert found[Verdict.PROVED] and found[Verdict.REFUTED]


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_random_changes(seed: int, tmp_path: Path) -> None:
    found = compared(seed, 60, tmp_path, 10)
    assert found[Verdict.PROVED] > 5


def strengthened(random: Random, body: Code) -> Code:
    """The code where some plain accesses are atomic."""
    found = list[Statement]()
    for here in body:
        match here:
            case Read(_, _, None) if random.random() < 0.5:
                found.append(replace(here, order=random.choice(LOADS)))
            case Write(_, _, None) if random.random() < 0.5:
                found.append(replace(here, order=random.choice(STORES)))
            case If(register, yes, no):
                found.append(If(register, strengthened(random, yes), strengthened(random, no)))
            case _:
                found.append(here)
    return tuple(found)


def never_refuted(seed: int, count: int, folder: Path) -> int:
    """How many of so many functions whose plain accesses become atomic are PROVED; none is REFUTED."""
    random, proved = Random(seed), 0
    for _ in range(count):
        before = mixed(random, code(random, random.choice((2, 3, 4))), random.choice((0.0, 0.3)))
        after = strengthened(random, before)
        given = verdict(text(before), text(after), folder, 10)
        assert given is not Verdict.REFUTED, (before, after)
        proved += given is Verdict.PROVED
    return proved


def test_plain_accesses_may_become_atomic(tmp_path: Path) -> None:
    assert never_refuted(1, 6, tmp_path) > 3


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_plain_accesses_may_become_atomic(seed: int, tmp_path: Path) -> None:
    assert never_refuted(seed, 40, tmp_path) > 30
