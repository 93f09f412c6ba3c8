"""The ends of objects as operations: memory that is given back, and variables whose block or thread ends (C11 6.2.4).

Whether an object has ended is told by a cell beside it, its *life*: 0 while it may be used, and otherwise the number of
the place where it ended. Only objects that somebody may use after their end have such a cell (`flow.lifetimes`), and
all allocated ones where leaks are looked for.
"""

from __future__ import annotations

from msgspec import Struct

from sa.terms.term import Term, Var

#: The kind of the cell that says whether an object has ended, and what follows the name of that object.
LIFE = "life"
LIFE_OF = "__life"


#: What goes wrong with objects that have ended, and where memory is given back that cannot be.
USED_FREED, USED_DEAD = "use after free", "use of a variable after its lifetime"
FREED_TWICE, FREED_WRONGLY, FREED_HELD = "double free", "invalid free", "free of a lock that is held"
LOST = "memory leak"

#: The same of what threads synchronise with, as `headers/library.c` says it.
DESTROYED, RAW, IN_USE = "use after destruction", "use before initialisation", "destruction while in use"

#: What follows the name of a lock where it is told who holds it, or how many.
HOLDERS = (".__owner", ".__writer", ".__readers")

#: A life before the object begins, where leaks are looked for.
UNBORN = -1


class Free(Struct, frozen=True):
    """The allocated object that begins at an address ends; 0 is the address of none. `site` is the place's number.

    What goes wrong says nothing of the program where the thread is `early` (`flow.joins`).
    """

    address: Term
    site: int = 1
    early: bool = False


class Freeable(Struct, frozen=True):
    """The same without the end: what would go wrong if the object were freed goes wrong."""

    address: Term
    early: bool = False


class Dead(Struct, frozen=True):
    """An object of an activation or a thread ends."""

    name: str
    site: int = 1


class Track(Struct, frozen=True):
    """Goes wrong where some allocated object has not ended and nothing static leads to it any more."""


class Recycle(Struct, frozen=True):
    """`var :=` the address of an allocated object that has ended and begins anew; it is like the one with this name."""

    var: Var
    name: str
