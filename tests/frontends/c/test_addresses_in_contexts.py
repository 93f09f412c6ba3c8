"""No function that hands on the address of its variable does anything new if it is PROVED to refine another.

The judge puts what is called in the place of the call: it accesses the variable, and may let another thread do so, and
wait for that. With the function the variable ends, which is a write.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from sa.base.verdict import Verdict
from tests.frontends.c.contexts import (
    CALLED,
    Await,
    Call,
    Code,
    If,
    Race,
    Read,
    Statement,
    Undefined,
    Update,
    Write,
    changed,
    code,
    ends,
    text,
)
from tests.frontends.c.test_functions_in_contexts import verdict
from tests.frontends.c.test_mixed_accesses_in_contexts import mixed

OWN = "m"


def owning(random: Random, body: Code, share: float) -> Code:
    """The code with the function's own variable in place of some plain ones."""
    found = list[Statement]()
    for here in body:
        match here:
            case Read(_, variable) | Write(variable) if variable in ("g", "h") and random.random() < share:
                found.append(replace(here, variable=OWN))
            case If(register, yes, no):
                found.append(If(register, owning(random, yes, share), owning(random, no, share)))
            case _:
                found.append(here)
    return tuple(found)


def calling(random: Random, body: Code) -> Code:
    """The code with a call somewhere."""
    place = random.randrange(len(body) + 1)
    return (*body[:place], Call(), *body[place:])


def written(body: Code) -> str:
    """A file of C whose function hands on the address of its variable."""
    return text(body).replace("int f(int a)\n{\n", f"void use(int *);\nint f(int a)\n{{\n  int {OWN};\n")


def whole(body: Code, called: Code) -> Code:
    """The function with what is called, until its variable ends."""
    return (*_inlined(body, called), Write(OWN, 0))


def _inlined(body: Code, called: Code) -> Code:
    found = list[Statement]()
    for here in body:
        match here:
            case Call():
                found += called
            case If(register, yes, no):
                found.append(If(register, _inlined(yes, called), _inlined(no, called)))
            case _:
                found.append(here)
    return tuple(found)


def environments(random: Random, count: int) -> list[tuple[Code, Code]]:
    """What is called, and another thread; the variable is the other one's only when it was handed over."""
    found = list[tuple[Code, Code]]()
    for _ in range(count):
        called = _of(random, CALLED, owning(random, code(random, random.randrange(3), 1), 0.6))
        inside = owning(random, code(random, random.choice((1, 2)), 1), 0.7)
        match random.randrange(3):
            case 0:
                found.append((called, code(random, random.randrange(3), 1)))
            case 1:
                found.append(((*called, Write("z", 1, "release")), (Await("z"), *inside)))
            case _:
                other = (Await("z"), *inside, Write("w", 1, "release"))
                found.append(((*called, Write("z", 1, "release"), Await("w")), other))
    return found


def _of(random: Random, registers: Sequence[str], body: Code) -> Code:
    """The code over other registers."""
    names = dict(zip(("r", "s"), registers, strict=True))
    found = list[Statement]()
    for here in body:
        match here:
            case Read() | Update():
                found.append(replace(here, register=names[here.register]))
            case Write(_, value):
                found.append(replace(here, value=names.get(str(value), value)))
            case _:
                continue
    return tuple(found)


def told_apart(before: Code, after: Code, others: list[tuple[Code, Code]]) -> tuple[Code, Code] | None:
    """An environment in which the original has no race and the changed code shows something new."""
    for called, other in others:
        try:
            usual = ends(whole(before, called), other, True)
        except (Race, Undefined):
            continue
        try:
            if ends(whole(after, called), other, False) - usual:
                return called, other
        except Undefined:
            return called, other
    return None


def compared(seed: int, count: int, folder: Path, seconds: float) -> dict[Verdict, int]:
    """How many pairs have each verdict; none that is PROVED is told apart."""
    random, found = Random(seed), dict.fromkeys(Verdict, 0)
    while sum(found.values()) < count:
        body = calling(random, owning(random, code(random, random.choice((2, 3))), 0.7))
        before = (Write(OWN, 1), *body)
        before = mixed(random, before, 0.2) if random.random() < 0.3 else before
        after = changed(random, before)
        if after == before or not any(isinstance(s, Call) for s in after):
            continue
        given = verdict(written(before), written(after), folder, seconds)
        found[given] += 1
        if given is Verdict.PROVED:
            assert (other := told_apart(before, after, environments(random, 150))) is None, (before, after, other)
    return found


def test_the_judge_sees_who_may_access_the_variable() -> None:
    before = (Write(OWN, 1), Call(), Read("r", OWN))
    writes = ((Write("z", 1, "release"), Await("w")), (Await("z"), Write(OWN, 5), Write("w", 1, "release")))
    assert told_apart(before, (*before[:2], Write("g", 0)), [writes]) is not None
    assert told_apart(before, (Call(), Write(OWN, 1), Read("r", OWN)), [writes]) is not None
    assert told_apart(before, before, [writes]) is None
    with pytest.raises(Race):
        ends(whole(before, writes[0][:1]), writes[1], True)


def test_random_changes(tmp_path: Path) -> None:
    found = compared(1, 8, tmp_path, 10)
    assert found[Verdict.PROVED] and found[Verdict.REFUTED]


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_random_changes(seed: int, tmp_path: Path) -> None:
    found = compared(seed, 40, tmp_path, 10)
    assert found[Verdict.PROVED] > 3
