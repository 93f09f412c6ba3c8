"""What threads do about conditions, until it is known which threads there are (`flow.waiting`)."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from sa.terms.term import Term, Var


class Block(Struct, frozen=True):
    """The thread is blocked on the condition at this address from now on."""

    address: Term


class Unblock(Struct, frozen=True):
    """An atomic region begins with this: it can begin where the thread is blocked no more, or unblocks itself."""


class TimeOut(Struct, frozen=True):
    """`var := 0`; until the next atomic region begins, which is the next step, time may be over, and `var := 1`."""

    var: Var


class Signal(Struct, frozen=True):
    """A thread that is blocked on the condition at this address is woken, if there is one; or `every` one."""

    address: Term
    every: bool


class Waited(Struct, frozen=True):
    """`var :=` whether some thread is blocked on the condition at this address."""

    var: Var
    address: Term


Waits: TypeAlias = Block | Unblock | TimeOut | Signal | Waited
