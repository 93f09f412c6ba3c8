"""Atomic functions of C11 and of GNU C: one guarded update each, whatever the memory order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from sa.frontends.c.body import Body, InMemory, converted, emit, fresh, temporary, warn
from sa.frontends.c.expressions import NOTHING, constant, value
from sa.frontends.c.memory_orders import orders_of
from sa.frontends.c.operations import kept, load, operation, scalars, store
from sa.frontends.c.places import span
from sa.frontends.c.types import INT, CType, Int, Pointer, Struct, cells_of, is_whole, plain, size_of
from sa.frontends.c.values import Unsupported, Value, binary, number
from sa.frontends.flow.graph import Begin, End, Set, Step, Test
from sa.frontends.flow.orders import ACQUIRE, Order, Synchronise
from sa.terms import build
from sa.terms.term import Term

_OPERATORS = {"add": "+", "sub": "-", "or": "|", "and": "&", "xor": "^"}
_SEQ_CST = 5
_BOOL = Int("_Bool", 1, False)


def _table() -> dict[str, str]:
    """What each function does: `load`, `store`, `exchange`, …; operators as `fetch +` and `+ fetch`."""
    table = {
        "atomic_init": "init", "__atomic_load_n": "load", "__atomic_store_n": "store",
        "__atomic_exchange_n": "exchange", "__sync_lock_test_and_set": "exchange", "__sync_lock_release": "clear",
        "__atomic_test_and_set": "set", "__atomic_clear": "clear", "__atomic_compare_exchange_n": "cas n",
        "__sync_bool_compare_and_swap": "cas bool", "__sync_val_compare_and_swap": "cas val",
        "atomic_flag_test_and_set": "set", "atomic_flag_test_and_set_explicit": "set",
        "atomic_flag_clear": "clear", "atomic_flag_clear_explicit": "clear",
        "__atomic_load": "load into", "__atomic_store": "store from", "__atomic_compare_exchange": "cas from",
    }  # fmt: skip
    for plain_name, what in (
        ("load", "load"), ("store", "store"), ("exchange", "exchange"),
        ("compare_exchange_strong", "cas strong"), ("compare_exchange_weak", "cas weak"),
    ):  # fmt: skip
        table[f"atomic_{plain_name}"] = table[f"atomic_{plain_name}_explicit"] = what
    for word, sign in _OPERATORS.items():
        table[f"atomic_fetch_{word}"] = table[f"atomic_fetch_{word}_explicit"] = f"fetch {sign}"
        table[f"__atomic_fetch_{word}"] = table[f"__sync_fetch_and_{word}"] = f"fetch {sign}"
        table[f"__atomic_{word}_fetch"] = table[f"__sync_{word}_and_fetch"] = f"{sign} fetch"
    return table


ATOMICS = _table()

#: Functions of `atomic_flag`.
FLAGS = frozenset(name for name in ATOMICS if name.startswith("atomic_flag_"))


def atomic(body: Body, name: str, arguments: Sequence[Any]) -> Value:
    """A call of an atomic function. Raises Unsupported."""
    what = ATOMICS[name]
    pointer = value(body, arguments[0])
    kind = _BOOL if name in FLAGS else pointer.type.to if isinstance(pointer.type, Pointer) else pointer.type
    if not isinstance(pointer.type, Pointer) or not (is_whole(kind) or isinstance(kind, Int | Pointer)):
        raise Unsupported("SA714", f"`{name}` of what is not a scalar is not accepted")
    rest = arguments[1:]
    _orders(body, name, arguments)
    orders = orders_of(body, name, what, arguments)
    where = InMemory(number(pointer), kind, order=orders[0])
    match what.split():
        case ["init"]:
            # That is no atomic access (C11 7.17.2.2).
            store(body, InMemory(number(pointer), plain(kind)), value(body, rest[0]))
            return NOTHING
        case ["load"]:
            return load(body, where)
        case ["store"]:
            store(body, where, value(body, rest[0]))
            return NOTHING
        case ["clear"]:
            store(body, where, Value(build.integer(0), INT))
            return NOTHING
        case ["load", "into"]:
            into = followed(body, rest[0])
            store(body, into, load(body, where))
            return NOTHING
        case ["store", "from"]:
            store(body, where, load(body, followed(body, rest[0])))
            return NOTHING
        case ["exchange"]:
            return _updated(body, where, None, value(body, rest[0]), True)
        case ["set"]:
            return _updated(body, where, None, Value(build.integer(1), INT), True)
        case ["fetch", sign]:
            return _updated(body, where, sign, value(body, rest[0]), True)
        case [sign, "fetch"]:
            return _updated(body, where, sign, value(body, rest[0]), False)
        case ["cas", how]:
            return _compared(body, where, how, rest, orders[1])
        case _:
            raise Unsupported("SA719", f"`{name}` is not accepted")


def _orders(body: Body, name: str, arguments: Sequence[Any]) -> None:
    """Say once that an order weaker than `seq_cst` is read as that one."""
    if not name.endswith("_explicit") and not name.startswith("__atomic_"):
        return
    number_of_orders = 2 if "compare_exchange" in name else 1
    for node in arguments[-number_of_orders:]:
        try:
            weak = constant(body, node) != _SEQ_CST
        except Unsupported:
            weak = True
        if weak:
            body.file.weak |= {place: None for place in (span(node, body.file.text),) if place is not None}
        if weak and not any(p.code == "SA732" for p in body.file.problems):
            message = "this memory order is treated as `seq_cst`; weaker behaviours are not explored"
            warn(body.file, node, "SA732", message)


def followed(body: Body, node: Any) -> InMemory:
    """The place that a pointer points to. Raises Unsupported."""
    pointer = value(body, node)
    if not isinstance(pointer.type, Pointer):
        raise Unsupported("SA719", "this is not a pointer")
    return InMemory(number(pointer), pointer.type.to)


def _updated(body: Body, where: InMemory, sign: str | None, operand: Value, old_one: bool) -> Value:
    """Read, change and write in one step; the value before or after. Atomic arithmetic wraps (C11 7.17.7.5)."""
    if is_whole(where.type):
        return _exchanged(body, where, sign, operand)
    where = _to_update(where)
    emit(body, Begin())
    old = load(body, where)
    new = operand if sign is None else wrapping(body, sign, old, operand)
    made = converted(body, new, plain(where.type))
    kept = temporary(body, where.type)
    emit(body, Set(kept, number(made)))
    store(body, where, Value(kept, plain(where.type)))
    emit(body, End())
    return old if old_one else Value(kept, plain(where.type))


def _to_update(where: InMemory) -> InMemory:
    """The place of a read-modify-write, which is part of the release sequence that it finds (C11 5.1.2.4p10)."""
    return where if where.order is None else replace(where, order=replace(where.order, updates=True))


def _exchanged(body: Body, where: InMemory, sign: str | None, operand: Value) -> Value:
    """A structure is another one from now on; the one before. Raises Unsupported."""
    if sign is not None:
        raise Unsupported("SA719", f"`{sign}` of a structure")
    new, where = kept(body, operand), _to_update(where)
    emit(body, Begin())
    old = load(body, where)
    store(body, where, new)
    emit(body, End())
    return old


def wrapping(body: Body, sign: str, old: Value, operand: Value) -> Value:
    """The operation modulo 2^bits, also for signed types, whatever is said of overflow elsewhere."""
    if isinstance(old.type, Int) and isinstance(operand.type, Int):
        return binary(sign, old, operand, body.registers, True).value  # No atomic function divides.
    return operation(body, sign, old, operand)


def _compared(body: Body, where: InMemory, how: str, rest: Sequence[Any], failing: Order) -> Value:
    """Compare and exchange. A weak one may fail although the values are equal. One that fails only looks."""
    kind = plain(where.type)
    old_given = how in ("bool", "val")
    expected_at = None if old_given else followed(body, rest[0])
    given = value(body, rest[0]) if old_given else None
    new = load(body, followed(body, rest[1])) if how == "from" else value(body, rest[1])
    weak = how == "weak" or (how in ("n", "from") and len(rest) > 2 and is_true(body, rest[2]))
    if is_whole(where.type):
        # Bytes between members are compared, too, and nothing is known of them.
        weak = weak or sum(size_of(k) for _, k in cells_of(kind)) < size_of(kind)
        new = kept(body, new)
    both = where.order is not None and where.order.acquires and failing.acquires
    result, where = temporary(body, _BOOL), _to_update(where)
    same, other, after = fresh(body), fresh(body), fresh(body)
    emit(body, Begin())
    # What is expected is no atomic object: its accesses are plain.
    expected = load(body, expected_at) if given is None and expected_at else given or NOTHING
    before = expected if isinstance(kind, Struct) else converted(body, expected, kind)
    old = load(body, replace(where, order=Order(acquires=both)))
    equal = _equal(body, old, before)
    body.steps.append(Step(body.here, Test(equal), same, body.origin))
    if weak and body.origin.span is not None:
        body.file.spurious[body.origin.span] = None
    body.steps.append(Step(body.here, Test(build.TRUE if weak else build.lnot(equal)), other, body.origin))
    body.here = same
    if where.order is not None and where.order.acquires and not both:
        _acquired(body, where)
    store(body, where, new)
    emit(body, Set(result, build.integer(1)), after)
    body.here = other
    if failing.acquires and not both:
        _acquired(body, where)
    if expected_at is not None:
        store(body, expected_at, old)
    emit(body, Set(result, build.integer(0)), after)
    emit(body, End())
    return _old(old, kind) if how == "val" else Value(build.ne(result, build.integer(0)), INT)


def _acquired(body: Body, where: InMemory) -> None:
    """What was read in this step is acquired, as only this outcome of a comparison does."""
    for offset, _ in enumerate(cells_of(where.type)):
        emit(body, Synchronise(build.add(where.address, build.integer(offset)), ACQUIRE))


def _equal(body: Body, one: Value, two: Value) -> Term:
    """That two values are the same, of structures that all their scalars are."""
    if not isinstance(one.type, Struct):
        body.file.addresses |= isinstance(one.type, Pointer)
        body.file.compared |= isinstance(one.type, Pointer)
        return build.eq(number(one), number(two))
    pairs = list(zip(*(scalars(body, InMemory(number(v), v.type)) for v in (one, two)), strict=True))
    body.file.compared |= any(isinstance(v.type, Pointer) for pair in pairs for v in pair)
    return build.land(*(build.eq(number(a), number(b)) for a, b in pairs))


def _old(old: Value, kind: CType) -> Value:
    return Value(old.term, kind)


def is_true(body: Body, node: Any) -> bool:
    """Whether an argument is the constant 1, or any other that is not 0."""
    found = number(value(body, node))
    return found is not build.integer(0)
