"""Names of variables: what each part means is data; the text is how they are printed.

A name is its own text, so that it prints, sorts and compares as one: `conc.T.x[3]?1@0` is element 3 of the array `x`
of the thread `T` on the concrete side, chosen by the first choice of a step, at stage 0 of a run. `at T.CS` says that
`T` is at its location `CS`. Only this file puts names together or takes them apart.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from typing import Any

#: The sides of a refinement.
CONCRETE, ABSTRACT = "conc", "abs"
#: What quotients are called, which are choices that a condition determines. No variable has the name: it is reserved.
QUOTIENT = "choose"


class Name(str):
    """A name with its parts; those that it does not have are None.

    `owner` is a thread and a goal where each goal about a thread has variables of its own, `side` the program of a
    refinement, `thread` the thread that a local belongs to beside other threads, `base` what the user wrote,
    `position` that of an element in its array, `choice` the number of a choice, `stage` the moment of a run that a
    copy of the variable is for. A name that says where a thread is has a `place` and no base.
    """

    __slots__ = ("base", "choice", "owner", "place", "position", "side", "stage", "thread")
    base: str
    position: int | None
    thread: str | None
    side: str | None
    owner: tuple[str, str] | None
    choice: int | None
    stage: str | None
    place: str | None

    def __new__(
        cls,
        base: str,
        position: int | None = None,
        thread: str | None = None,
        side: str | None = None,
        owner: tuple[str, str] | None = None,
        choice: int | None = None,
        stage: str | None = None,
        place: str | None = None,
    ) -> Name:
        text = base if position is None else f"{base}[{position}]"
        if thread is not None:
            text = f"{thread}.{text}" if place is None else f"at {thread}.{place}"
        if side is not None:
            text = f"{side}.{text}"
        if owner is not None:
            text = f"{owner[0]} in {owner[1]}.{text}"
        if choice is not None:
            text = f"{text}?{choice}"
        if stage is not None:
            text = f"{text}@{stage}"
        self = super().__new__(cls, text)
        self.base, self.position, self.thread, self.side = base, position, thread, side
        self.owner, self.choice, self.stage, self.place = owner, choice, stage, place
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Name, _parts(self)


def _parts(name: Name) -> tuple[Any, ...]:
    return name.base, name.position, name.thread, name.side, name.owner, name.choice, name.stage, name.place


def _with(name: str, **parts: Any) -> Name:
    name = named(name)
    return Name(**{**dict(zip(_FIELDS, _parts(name), strict=True)), **parts})


_FIELDS = ("base", "position", "thread", "side", "owner", "choice", "stage", "place")

#: Names are made from the same parts again and again.
_remembered = lru_cache(maxsize=1 << 14)

_TEXT = re.compile(
    r"(?:(?P<side>conc|abs|mid\d+)\.)?"
    r"(?:at (?P<at>.+)\.(?P<place>[^.]+)|(?:(?P<thread>.+)\.)?(?P<base>[^.?@]+?)(?:\[(?P<index>\d+)\])?)"
    r"(?:\?(?P<choice>\d+))?(?:@(?P<stage>.+))?"
)


@_remembered
def _read(text: str) -> Name:
    found = _TEXT.fullmatch(text)
    if found is None:
        return Name(text)
    index, choice = (None if found[part] is None else int(found[part]) for part in ("index", "choice"))
    thread = found["thread"] if found["place"] is None else found["at"]
    name = Name(found["base"] or "", index, thread, found["side"], None, choice, found["stage"], found["place"])
    return name if name == text else Name(text)


def named(text: str) -> Name:
    """The name that is printed so."""
    return text if isinstance(text, Name) else _read(text)


@_remembered
def element(array: str, index: int) -> Name:
    """The element of an array, or the member of a family."""
    return _with(array, position=index)


@_remembered
def whole(name: str) -> Name:
    """The array that an element belongs to, or the family of a member; other names as they are."""
    return _with(name, position=None)


def family(name: str) -> Name | None:
    """The family of which this is a member, if it is one."""
    return whole(name) if named(name).position is not None else None


def beside(name: Name, count: int, known: Container[str]) -> Name | None:
    """The next element of an array, after the last one the first; None unless just `count` elements are known."""
    if name.position is None or element(name, count - 1) not in known or element(name, count) in known:
        return None
    return element(name, (name.position + 1) % count)


@_remembered
def of_thread(name: str, thread: str) -> Name:
    """A local of a thread beside other threads."""
    inner = named(name).thread
    return _with(name, thread=thread if inner is None else f"{thread}.{inner}")


@_remembered
def off_thread(name: str) -> Name:
    """The name that a local has in its own thread."""
    return _with(name, thread=None)


@_remembered
def on_side(name: str, side: str) -> Name:
    """A variable of one program of a refinement."""
    inner = named(name).side
    return _with(name, side=side if inner is None else f"{side}.{inner}")


@_remembered
def off_side(name: str) -> Name:
    """The name that a variable has in its own program."""
    return _with(name, side=None)


@_remembered
def length(sequence: str) -> Name:
    """The length of a sequence."""
    return _with(sequence, base=f"{named(sequence).base}_len")


@_remembered
def measured(name: str) -> Name:
    """The sequence that a length belongs to."""
    return _with(name, base=named(name).base.removesuffix("_len"))


def in_goal(name: str, thread: str, goal: str) -> Name:
    """A thread's local as one of several goals has it."""
    return _with(name, owner=(thread, goal))


def chosen(name: str, number: int) -> Name:
    """The choice of a value for a variable; that for an element of `x` begins with `x_3`."""
    name = named(name)
    return Name(name.base if name.position is None else f"{name.base}_{name.position}", choice=number)


def alone(name: Name) -> Name:
    """The name that a local has in each goal."""
    return _with(name, owner=None)


def unchosen(name: Name) -> Name:
    """The variable that a choice is made for."""
    return _with(name, choice=None)


@_remembered
def staged(name: str, stage: int | str) -> Name:
    """The copy of a variable for a moment of a run."""
    before = named(name).stage
    return _with(name, stage=str(stage) if before is None else f"{before}@{stage}")


def at_place(thread: str, place: str) -> Name:
    """That a thread is at a location."""
    return Name("", thread=thread, place=place)


def unused(name: str, taken: Container[str]) -> str:
    """The name, with a number behind it where it is taken: `x`, `x_2`, `x_3`."""
    number, made = 1, name
    while made in taken:
        number += 1
        made = f"{name}_{number}"
    return made
