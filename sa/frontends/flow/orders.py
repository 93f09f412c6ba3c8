"""What atomic accesses, fences and operations on locks do to the happens-before relation (C11 5.1.2.4).

Of an order only that matters: in sequentially consistent runs `seq_cst` adds nothing to `acq_rel`, and `consume` is
read as `acquire`.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from sa.terms.term import Term


class Order(Struct, frozen=True):
    """Whether something `acquires` or `releases`. A store that `updates` is the write of a read-modify-write."""

    acquires: bool = False
    releases: bool = False
    updates: bool = False


RELAXED, ACQUIRE, RELEASE, BOTH = Order(), Order(acquires=True), Order(releases=True), Order(True, True)
UPDATE = Order(releases=True, updates=True)


class Fence(Struct, frozen=True):
    """A fence between threads."""

    order: Order


class Synchronise(Struct, frozen=True):
    """An operation on an object of the library, known by the address of one of its cells.

    Who acquires it happens after all that was done before it was released, however often that was.
    """

    address: Term
    order: Order


class Act(Enum):
    """What a thread does to a lock: it has it now, it gives it back next, or it looks whether it is free."""

    TAKE = "take"
    GIVE = "give"
    TRY = "try"


class Lock(Struct, frozen=True):
    """A word about the lock whose owner is the cell at the address; it does nothing by itself.

    A lock that is taken has the number of its thread as owner, which only that thread changes until it gives it back.
    """

    address: Term
    act: Act
