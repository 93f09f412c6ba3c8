"""Fences, atomic regions of the program, and the library's words for what happens before what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sa.frontends.c.body import Body, emit
from sa.frontends.c.expressions import NOTHING, value
from sa.frontends.c.memory_orders import orders_of
from sa.frontends.c.values import Value, number
from sa.frontends.flow.graph import ANY, Begin, Cell, End, Object, Storage, base
from sa.frontends.flow.orders import ACQUIRE, BOTH, RELEASE, Fence, Order, Synchronise
from sa.terms import build

#: The object that all atomic regions of a program have in common: each happens after those before it.
REGIONS = "__regions"


def begin_region(body: Body) -> None:
    """An atomic region of the program begins."""
    emit(body, Begin(program=True))
    if body.file.choices.races:
        cells = (Cell("", ANY, "count", build.ZERO, True),)
        body.file.objects[REGIONS] = Object(REGIONS, cells, Storage.STATIC, body.origin)
        emit(body, Synchronise(base(REGIONS), ACQUIRE))


def end_region(body: Body) -> None:
    """An atomic region of the program ends."""
    if body.file.choices.races:
        emit(body, Synchronise(base(REGIONS), RELEASE))
    emit(body, End())


def _begin(body: Body, arguments: Sequence[Any]) -> Value:
    begin_region(body)
    return NOTHING


def _end(body: Body, arguments: Sequence[Any]) -> Value:
    end_region(body)
    return NOTHING


def _synchronised(order: Order) -> Callable[[Body, Sequence[Any]], Value]:
    def handler(body: Body, arguments: Sequence[Any]) -> Value:
        emit(body, Synchronise(number(value(body, arguments[0])), order))
        return NOTHING

    return handler


def _fence(body: Body, arguments: Sequence[Any]) -> Value:
    """A fence between threads; without an argument a full one."""
    order = orders_of(body, "__atomic_thread_fence", "fence", arguments)[0] if arguments else BOTH
    if order.acquires or order.releases:
        emit(body, Fence(order))
    return NOTHING


SYNCHRONISING: Mapping[str, Callable[[Body, Sequence[Any]], Value]] = {
    "__VERIFIER_atomic_begin": _begin,
    "__VERIFIER_atomic_end": _end,
    "__sacheck_acquire": _synchronised(ACQUIRE),
    "__sacheck_release": _synchronised(RELEASE),
    **dict.fromkeys(("__sync_synchronize", "__atomic_thread_fence", "atomic_thread_fence"), _fence),
}
