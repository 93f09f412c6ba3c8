"""The memory orders of calls: their names, and what they mean for happens-before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sa.frontends.c.body import Body
from sa.frontends.c.expressions import constant
from sa.frontends.c.observable_accesses import ORDERS
from sa.frontends.c.values import Unsupported
from sa.frontends.flow.orders import Order

_ACQUIRING, _RELEASING = ("consume", "acquire", "acq_rel", "seq_cst"), ("release", "acq_rel", "seq_cst")


def order_names(body: Body, name: str, what: str, arguments: Sequence[Any]) -> tuple[str, str]:
    """The order of an atomic access, and of one that only looks. Raises Unsupported."""
    if name == "atomic_init":
        return "relaxed", "relaxed"
    if name == "__sync_lock_test_and_set":
        return "acquire", "acquire"
    if name == "__sync_lock_release":
        return "release", "release"
    if not name.endswith("_explicit") and not name.startswith("__atomic_"):
        return "seq_cst", "seq_cst"
    if what.startswith("cas"):
        return order_name(body, arguments[-2]), order_name(body, arguments[-1])
    order = order_name(body, arguments[-1])
    return order, order


def order_name(body: Body, node: Any) -> str:
    """The order that an argument means. Raises Unsupported."""
    number_ = constant(body, node)
    if not 0 <= number_ < len(ORDERS):
        raise Unsupported("SA718", "this is no memory order", "use one of `memory_order_…`")
    return ORDERS[number_]


def orders_of(body: Body, name: str, what: str, arguments: Sequence[Any]) -> tuple[Order, Order]:
    """What the order of an atomic access means, and that of one that only looks.

    Where no claim depends on orders, one that is no constant may be any. Raises Unsupported.
    """
    try:
        names = order_names(body, name, what, arguments)
    except Unsupported:
        if body.file.choices.races:
            hint = "write `memory_order_…` in the call"
            raise Unsupported("SA716", "a memory order that is not a constant, with `--races`", hint) from None
        names = "seq_cst", "seq_cst"
    return meant(names[0]), meant(names[1])


def meant(order: str) -> Order:
    """What an order means for an access of any kind: what a load releases and a store acquires is nothing."""
    return Order(order in _ACQUIRING, order in _RELEASING)
