"""What is to be said beside an answer about C: which assumptions it makes, and what it does not check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.base.caveat import Caveat, Said, unchecked
from sa.frontends.c.body import File
from sa.frontends.c.caveats import (
    ADDRESSES,
    ENDS,
    FAIR,
    FIELDS,
    ORDER,
    PARTS,
    REUSE,
    SEQUENTIAL,
    THREADS,
    WAITS,
    WOKEN,
    WRAPS,
    computed,
    left_to_right,
    spurious,
    weak,
)
from sa.frontends.flow.graph import Allocate, Fail, Fork, Join, Load, Op, Store, Unit, Wait
from sa.frontends.flow.lives import Free
from sa.frontends.flow.waits import Block
from sa.frontends.reading import NO_BOUNDS, NO_OVERFLOW, Reading
from sa.terms.term import Var

#: What may block.
_BLOCKING = (Wait, Join)


def said(reading: Reading, file: File, unit: Unit, families: bool = False) -> Said:
    """What is to be said beside an answer about the program of a file, which may have threads of any number."""
    ops = tuple(s.op for p in unit.procedures.values() for s in p.steps)
    counted = (THREADS,) if families else ()
    return Said((*_assumptions(reading, file, ops), *counted), tuple(_not_checked(reading, file, ops)))


def _assumptions(reading: Reading, file: File, ops: Sequence[Op]) -> Iterator[Caveat]:
    if _has(ops, Fork) and reading.function is None:
        yield SEQUENTIAL
    if file.weak:
        yield weak(tuple(file.weak))
    if file.spurious and reading.only == "termination":
        yield spurious(tuple(file.spurious))
    yield from _overflow(reading, file)
    if file.unordered:
        yield left_to_right(tuple(file.unordered))
    yield from file.granted
    for holds, caveat in (
        (file.parts and file.moves, PARTS),
        # A wait that may end by itself never blocks for ever.
        (reading.deadlock and reading.only != "termination" and _has(ops, Block), WAITS),
        (reading.only == "termination" and _has(ops, Block), WOKEN),
        (reading.fair, FAIR),
        (file.bit_fields and not reading.races, FIELDS),
        (file.addresses, ADDRESSES),
        (file.frees and file.compared, REUSE),
        (file.placed, ORDER),
    ):
        if holds:
            yield caveat
    if file.sized:
        yield computed(file.sized)
    if reading.visible and reading.function is None:
        yield from ENDS


def _overflow(reading: Reading, file: File) -> Iterator[Caveat]:
    """What is assumed of signed arithmetic. Where `verify` leaves it out, that is said as such."""
    if not file.signed:
        return
    if reading.overflow == "wrap":
        yield WRAPS
    elif reading.overflow == "assume" and (reading.visible or reading.function is not None):
        yield NO_BOUNDS if reading.function is None else NO_OVERFLOW


def _not_checked(reading: Reading, file: File, ops: Sequence[Op]) -> Iterator[Caveat]:
    """What C leaves undefined, and what may go wrong beside it, where there is anything of the kind."""
    if reading.visible or reading.function is not None:
        return
    if _has(ops, Fork) and not reading.races:
        yield unchecked("races", "data races", "--races")
    if file.signed and reading.overflow == "assume":
        yield unchecked("overflow", "signed overflow", "--overflow check")
    if reading.only == "termination" and _has(ops, *_BLOCKING):
        # A thread that waits for ever takes finitely many steps.
        yield unchecked("deadlock", "whether threads wait for ever", "--property no-deadlock")
    if reading.only == "termination" and any(map(_may_fail, ops)):
        yield unchecked("failures", "whether a run ends because something goes wrong", "ask without `--property`")
    if reading.only is None:
        if _has(ops, Allocate):
            yield unchecked("leaks", "memory leaks", "--property valid-memsafety")
        if _has(ops, Wait, Join) and _has(ops, Fork) and not reading.deadlock:
            yield unchecked("deadlock", "deadlock", "--deadlock")


def _may_fail(op: Op) -> bool:
    """Whether an operation may go wrong, as far as it shows by itself."""
    by_name = isinstance(op, Load | Store) and isinstance(op.address, Var)
    return isinstance(op, Fail | Free) or (isinstance(op, Load | Store) and not by_name)


def _has(ops: Sequence[Op], *kinds: type[Op]) -> bool:
    return any(isinstance(op, kinds) for op in ops)
