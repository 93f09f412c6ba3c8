"""How a step goes wrong, by the words that operations have for it."""

from __future__ import annotations

from collections.abc import Mapping

from sa.automata.automaton import Fault
from sa.frontends.flow.lives import (
    DESTROYED,
    FREED_HELD,
    FREED_TWICE,
    FREED_WRONGLY,
    IN_USE,
    LOST,
    RAW,
    USED_DEAD,
    USED_FREED,
)

#: `assert` of C is a call that must not be reached, as all others are that are not listed.
FAULTS: Mapping[str, Fault] = {
    "pointer": Fault.POINTER,
    "overflow": Fault.OVERFLOW,
    "undefined": Fault.UNDEFINED,
    USED_FREED: Fault.FREED,
    USED_DEAD: Fault.ENDED,
    FREED_TWICE: Fault.FREED_TWICE,
    FREED_WRONGLY: Fault.NOT_ALLOCATED,
    FREED_HELD: Fault.IN_USE,
    LOST: Fault.LEAK,
    DESTROYED: Fault.DESTROYED,
    RAW: Fault.RAW,
    IN_USE: Fault.IN_USE,
}
