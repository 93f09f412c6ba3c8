"""How a step goes wrong, by the words that operations have for it."""

from __future__ import annotations

from collections.abc import Mapping

from sa.automata.automaton import Fault
from sa.frontends.flow.graph import KEPT
from sa.frontends.flow.heap import BOUNDS, LOCK
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

#: All that are not listed are calls that must not be reached.
FAULTS: Mapping[str, Fault] = {
    "assertion": Fault.ASSERTION,
    "index": Fault.INDEX,
    LOCK: Fault.LOCK,
    **dict.fromkeys(BOUNDS, Fault.LIMIT),
    "pointer": Fault.POINTER,
    "overflow": Fault.OVERFLOW,
    KEPT: Fault.CONSTANT,
    "undefined": Fault.UNDEFINED,
    USED_FREED: Fault.FREED,
    USED_DEAD: Fault.ENDED,
    FREED_TWICE: Fault.FREED_TWICE,
    FREED_WRONGLY: Fault.NOT_ALLOCATED,
    FREED_HELD: Fault.FREED_IN_USE,
    LOST: Fault.LEAK,
    DESTROYED: Fault.DESTROYED,
    RAW: Fault.RAW,
    IN_USE: Fault.IN_USE,
}
