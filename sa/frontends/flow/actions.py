"""Visible actions of a function: what they are about, what they show, and what they mean for its plain variables."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from sa.terms.term import Term


class Sync(Enum):
    """What a visible action means for the plain variables of a function that is compared alone.

    An acquire may bring permissions, a release may take some away. An `update` acquires, then releases. A `call` does
    what it likes with everything. At the `begin` everything is arbitrary, at the `end` the rest of the thread goes on.
    """

    BEGIN = "begin"
    NONE = "none"
    ACQUIRE = "acquire"
    RELEASE = "release"
    UPDATE = "update"
    CALL = "call"
    END = "end"


class Atomic(Enum):
    """An atomic access by its values: what it reads, what it writes, or both in this order."""

    LOAD = "load"
    STORE = "store"
    UPDATE = "update"


class Thing(Struct, frozen=True):
    """What an action is about: a scalar or a lock by its address, and the key of the type by which it is accessed.

    By a type that is `qualified` as atomic no object of another type may be accessed (C11 6.5p7).
    """

    address: Term
    key: str
    qualified: bool = False


class Show(Struct, frozen=True):
    """A visible action with values, about some `things`. It is one `atomic` access of the only thing, or none."""

    action: str
    values: tuple[Term, ...]
    sync: Sync = Sync.NONE
    things: tuple[Thing, ...] = ()
    atomic: Atomic | None = None
