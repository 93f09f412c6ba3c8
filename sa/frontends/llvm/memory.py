"""Accesses of memory: plain ones under permissions, atomic and volatile ones as visible actions (SEQ, PLDI 2022)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sa.frontends.flow.actions import Atomic, Show, Sync, Thing
from sa.frontends.flow.graph import Among, Begin, End, Havoc, Load, Range, Set, Step, Store, Test
from sa.frontends.flow.spans import span_of
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.arithmetic import combined
from sa.frontends.llvm.body import (
    Body,
    Pair,
    Plain,
    Value,
    assigned,
    bit,
    bits_of,
    canonical,
    cell_range,
    chosen,
    emit,
    fresh,
    key_of,
    poison_of,
    refused,
    register,
    temporary,
    undefined,
)
from sa.frontends.llvm.demands import extends, is_aligned, stays
from sa.frontends.llvm.integers import between, outside, unsigned, wrapped
from sa.frontends.llvm.layout import POINTER, Place, place_of
from sa.frontends.llvm.shapes import Touched, bytes_of, touched
from sa.frontends.llvm.uses import definite
from sa.frontends.llvm.values import typed
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.term import Term, Var

_LOADS = {"monotonic": Sync.NONE, "volatile": Sync.CALL}
_STORES = {"monotonic": Sync.NONE, "volatile": Sync.CALL}
_UPDATES = {"monotonic": Sync.NONE, "acquire": Sync.ACQUIRE, "release": Sync.RELEASE}
_FENCES = {"acquire": Sync.ACQUIRE, "release": Sync.RELEASE}


def loaded(body: Body, name: str, load: s.Load, defined: bool, ranges: Sequence[tuple[int, int]] = ()) -> None:
    """A load; the value of one that is `defined` must not be poison. Raises InputError.

    Where it has `ranges`, other values are poison (LangRef, `range` Metadata).
    """
    order = _order(body, load.order, load.volatile)
    bits = bits_of(load.type, body) if order is None else width(body, load.type)
    if order is None:
        value = _loaded_plainly(body, load, bits)
    else:
        address = addressed(body, load.pointer, bits, load.align, order)
        _begun(body, address)
        raw = _found(body, load.pointer, address, bits, order)
        _seen(body, address, bits, (Atomic.LOAD, order), (raw,), _LOADS.get(order, Sync.ACQUIRE))
        value = _without_poison(body, raw, bits)
        if ranges:
            raise refused(body, "`!range` at an atomic or volatile load", "leave it out in both files")
    finished(body, name, value, bits, defined, ranges)


def finished(
    body: Body, name: str, value: Value, bits: int, defined: bool, ranges: Sequence[tuple[int, int]] = ()
) -> None:
    """What is said of what a load has found, which its register gets."""
    if ranges:
        inside = build.lor(*(between(value.term, *pair) for pair in ranges))
        value = Value(value.term, build.lor(value.poison, build.lnot(inside)))
    if defined:
        undefined(body, value.poison, "a load that must not be poison")
    assigned(body, name, value, bits)


def stored(body: Body, store: s.Store) -> None:
    """A store. Raises InputError."""
    order = _order(body, store.order, store.volatile)
    bits = bits_of(store.value.type, body) if order is None else width(body, store.value.type)
    value = _kept(body, store.value, bits)
    if order is None:
        _stored_plainly(body, store, value, bits)
        return
    address = addressed(body, store.pointer, bits, store.align, order)
    _begun(body, address)
    shown_ = shown(body, value, bits)
    _seen(body, address, bits, (Atomic.STORE, order), (shown_,), _STORES.get(order, Sync.RELEASE))


def updated(body: Body, name: str, update: s.Update) -> None:
    """`atomicrmw`. Raises InputError."""
    bits = width(body, update.value.type)
    value = _kept(body, update.value, bits)
    if bits == POINTER and update.operation != "xchg":
        raise refused(body, f"`atomicrmw {update.operation}` of pointers")
    order = _order(body, update.order, update.volatile) or "monotonic"
    address = addressed(body, update.pointer, bits, update.align, order)
    _begun(body, address)
    raw = _found(body, update.pointer, address, bits, order)
    old = _without_poison(body, raw, bits)
    new = combined(body, update.operation, old, value, bits)
    values = raw, shown(body, new, bits)
    _seen(body, address, bits, (Atomic.UPDATE, order), values, _UPDATES.get(order, Sync.UPDATE))
    assigned(body, name, old, bits)


def exchanged(body: Body, name: str, exchange: s.Exchange) -> None:
    """`cmpxchg`: an update, or a load of the other order; a weak one may fail although values are equal.

    Where it finds poison it yields poison, and exchanges nothing.
    """
    bits = width(body, exchange.expected.type)
    expected, new = _kept(body, exchange.expected, bits), _kept(body, exchange.new, bits)
    if expected.poison is not build.FALSE:
        raise refused(body, "`cmpxchg` with what may be poison", "freeze it")
    if bits == POINTER:
        raise refused(body, "`cmpxchg` of pointers", "compare and exchange integers")
    order = _order(body, exchange.success, exchange.volatile) or "monotonic"
    address = addressed(body, exchange.pointer, bits, exchange.align, order)
    failing = order if order == "volatile" else exchange.failure
    _begun(body, address)
    range_ = Range(*canonical(bits))
    raw = _found(body, exchange.pointer, address, bits, order)
    old = _without_poison(body, raw, bits)
    found, done = (register(body, f"%{name}.{n}", r, f"%{name}.{n}") for n, r in ((0, range_), (1, Range(0, 1))))
    same, other, after = fresh(body), fresh(body), fresh(body)
    equal = build.eq(raw, expected.term)
    body.steps.append(Step(body.here, Test(equal), same, body.origin))
    body.steps.append(Step(body.here, Test(build.TRUE if exchange.weak else build.lnot(equal)), other, body.origin))
    body.here = same
    values = raw, shown(body, new, bits)
    _seen(body, address, bits, (Atomic.UPDATE, order), values, _UPDATES.get(order, Sync.UPDATE))
    emit(body, Set(done, build.ONE), after)
    body.here = other
    _seen(body, address, bits, (Atomic.LOAD, failing), (raw,), _LOADS.get(failing, Sync.ACQUIRE))
    emit(body, Set(done, build.ZERO), after)
    emit(body, Set(found, old.term))
    poison = None
    if old.poison is not build.FALSE:
        poison = register(body, f"poison.%{name}", Range(0, 1), f"%{name} is poison")
        emit(body, Set(poison, bit(old.poison)))
    body.known[name] = Pair(Plain(found, poison), Plain(done, poison))


def fenced(body: Body, order: str) -> None:
    """`fence`."""
    emit(body, Begin())
    emit(body, Show(f"fence_{order}", (), _FENCES.get(order, Sync.UPDATE)))
    emit(body, End())


def shown(body: Body, value: Value, bits: int) -> Term:
    """A value as others see it. The source may show anything where it has poison."""
    if value.poison is build.FALSE:
        return value.term
    return build.ite(value.poison, poisoned(body, bits), value.term)


def poisoned(body: Body, bits: int) -> Term:
    """What others see of poison."""
    return chosen(body, cell_range(bits)) if body.unit.source else build.integer(poison_of(bits))


def width(body: Body, kind: s.Type) -> int:
    """The width of what an atomic access is of. Raises InputError."""
    bits = bits_of(kind, body)
    if bits not in (8, 16, 32, 64, POINTER):
        raise refused(body, f"`i{bits}` in an atomic access", "integers that are atomic have 8, 16, 32 or 64 bits")
    return bits


class _Place(Struct, frozen=True):
    """The address of the first cell that is accessed, and the widths of all of them, which follow each other.

    It is `among` some.
    """

    address: Term
    widths: tuple[int, ...]
    among: Among | None = None

    def cell(self, number: int) -> tuple[Term, Among | None]:
        """The address of one of the cells, and among which it is."""
        address = build.add(self.address, build.integer(number))
        return address, self.among and (self.among[0], tuple(d + number for d in self.among[1]))


def _addressed(body: Body, pointer: s.Operand, bits: int, align: int) -> _Place:
    """Where a plain access is. Raises InputError."""
    place = place_of(pointer, body.facts.moves, body.unit.module)
    start = definite(body, s.Typed(s.PointerType(), place.base), "an access through poison")
    meant = _touched(body, place, bits)
    if not meant.count:
        undefined(body, build.TRUE, "an access outside of the variable")
        return _Place(start, ())
    is_aligned(body, pointer, place, align)
    extends(body, place, bits, align)
    if place.index is None:
        stays(body, pointer, place, (0, 0), None, bits)
        return _Place(build.add(start, build.integer(meant.first)), meant.widths)
    index = _index(body, place)
    least, last = max(meant.least, 0) if place.rises else meant.least, meant.least + meant.count - 1
    undefined(body, outside(index, least, last, body.registers), "index")
    stays(body, pointer, place, (least, last), index, bits)
    low, high = span_of(index, body.registers)
    numbers = range(least if low is None else max(least, low), (last if high is None else min(last, high)) + 1)
    among = start, tuple(meant.first + meant.step * (number - meant.least) for number in numbers)
    distance = build.scale(meant.step, build.sub(index, build.integer(meant.least)))
    return _Place(build.add(start, build.integer(meant.first), distance), meant.widths, among)


def addressed(body: Body, pointer: s.Operand, bits: int, align: int, order: str) -> Term:
    """The cell of an atomic or volatile access. Raises InputError."""
    found = _addressed(body, pointer, bits, align)
    if order != "volatile" and align < bytes_of(bits):
        raise refused(body, "an atomic access that is not aligned", "align it to its size")
    if found.widths not in ((), (bits,)):
        raise refused(body, "an atomic or volatile access of memory accessed in parts", "access it by one type")
    return found.address


def _loaded_plainly(body: Body, load: s.Load, bits: int) -> Value:
    """What a plain load finds: all of its bytes, or poison if one of them is (LangRef, Poison Values)."""
    found = _addressed(body, load.pointer, bits, load.align)
    total: Term = build.ZERO
    poison: Term = build.FALSE
    shift = 0
    for number, own in enumerate(found.widths):
        raw = temporary(body, cell_range(own))
        address, among = found.cell(number)
        emit(body, Load(raw, address, key_of(own), "pointer", among))
        value = _without_poison(body, raw, own)
        if found.widths == (bits,):
            return value
        total = build.add(total, build.scale(2**shift, unsigned(value.term, own, body.registers)))
        poison = build.lor(poison, value.poison)
        shift += own
    # Of what is not stored as such a number the other bits are not 0.
    wrong = outside(total, 0, 2**bits - 1, body.registers) if bits < shift else build.FALSE
    return Value(wrapped(total, bits, body.registers), build.lor(poison, wrong))


def _stored_plainly(body: Body, store: s.Store, value: Value, bits: int) -> None:
    found = _addressed(body, store.pointer, bits, store.align)
    whole = value.term if bits % 8 == 0 or bits == POINTER else unsigned(value.term, bits, body.registers)
    shift = 0
    for number, own in enumerate(found.widths):
        part = value if found.widths == (bits,) else Value(wrapped(build.div(whole, 2**shift), own, body.registers))
        part = Value(part.term, value.poison)
        address, among = found.cell(number)
        emit(body, Store(address, _as_number(part, own), key_of(own), "pointer", among))
        shift += own


def _touched(body: Body, place: Place, bits: int) -> Touched:
    """The scalars that an access may be of, the same ones whatever its pointer is. Raises InputError."""
    base, roots = place.base, body.facts.roots
    alone: frozenset[s.Operand] = frozenset((base,))
    meant = roots.get(base.name, alone) if isinstance(base, s.Local) else alone
    if meant and all(isinstance(root, s.Null | s.Poison | s.Undef) for root in meant):
        return Touched(0, 0, 0, 0)
    found = {touched(place, bits, shape) for root in meant if (shape := body.shapes.get(root)) is not None}
    if len(found) != 1 or None in found or not all(root in body.shapes for root in meant):
        raise refused(body, "an access through a pointer of which too little is known")
    (one,) = found
    assert one is not None
    return one


def _index(body: Body, place: Place) -> Term:
    """The number of an element. Raises InputError where it may be `undef`, or wrap around."""
    assert place.index is not None
    name = place.index.operand.name if isinstance(place.index.operand, s.Local) else ""
    if name in body.facts.may_undef:
        raise refused(body, "an index that may be `undef`", "freeze it")
    index = definite(body, place.index, "an index that is poison")
    low, high = span_of(index, body.registers)
    most = 2**62 // place.stride
    if place.wraps and (low is None or high is None or low < -most or high > most):
        raise refused(body, "an index that may wrap around", "use `getelementptr inbounds`")
    return index


def _order(body: Body, order: str | None, volatile: bool) -> str | None:
    """The order of an access, None for a plain one. Raises InputError."""
    if volatile and order is not None:
        raise refused(body, "an access that is both atomic and volatile", "leave out `volatile`")
    if order == "unordered":
        raise refused(body, "an `unordered` access", "make it monotonic")
    return "volatile" if volatile else order


def _kept(body: Body, value: s.Typed, bits: int) -> Value:
    """A value that is stored. Raises InputError where it may be `undef`."""
    not_undef(body, value)
    found = typed(body, value)
    if found.term.free or found.poison.free:
        var = temporary(body, Range(*canonical(bits)))
        emit(body, Set(var, found.term))
        if found.poison is build.FALSE:
            return Value(var)
        wrong = temporary(body, Range(0, 1))
        emit(body, Set(wrong, bit(found.poison)))
        return Value(var, build.eq(wrong, build.ONE))
    return found


def not_undef(body: Body, value: s.Typed) -> None:
    """Raises InputError where a value that is stored may be `undef`."""
    name = value.operand.name if isinstance(value.operand, s.Local) else ""
    if isinstance(value.operand, s.Undef) or name in body.facts.may_undef:
        hint = "freeze it, or declare parameters `noundef`"
        raise refused(body, "a store of what may be `undef`", hint)


def _as_number(value: Value, bits: int) -> Term:
    return build.ite(value.poison, build.integer(poison_of(bits)), value.term)


def _without_poison(body: Body, raw: Var, bits: int) -> Value:
    """What a number in memory means."""
    if body.registers[raw].range == Range(*canonical(bits)):
        return Value(raw)
    most = build.integer(canonical(bits)[1])
    return Value(build.ite(build.le(raw, most), raw, build.ZERO), build.lt(most, raw))


def _thing(address: Term, bits: int) -> Thing:
    return Thing(address, key_of(bits))


def _found(body: Body, pointer: s.Operand, address: Term, bits: int, order: str) -> Var:
    """What an atomic or volatile access finds, which the environment chooses: a value, if it may write there."""
    range_ = Range(*canonical(bits))
    var = temporary(body, cell_range(bits) if order != "volatile" and pointer in body.facts.met else range_)
    emit(body, Havoc(var, range_, found=None if order == "volatile" else _thing(address, bits)))
    return var


def _begun(body: Body, address: Term) -> None:
    """An atomic region begins. Pointers to nothing are not positive: to access one is undefined."""
    if not any(v.name.startswith("&") for v in address.free):
        distance, _ = linear_parts(address)
        undefined(body, build.le(address, build.integer(distance)), "pointer")
    emit(body, Begin())


def _seen(body: Body, address: Term, bits: int, how: tuple[Atomic, str], values: tuple[Term, ...], sync: Sync) -> None:
    """An atomic or volatile access is seen, and its region ends."""
    kind, order = how
    atomic = None if order == "volatile" else kind
    emit(body, Show(f"{kind.value}_{order}", values, sync, (_thing(address, bits),), atomic))
    emit(body, End())
