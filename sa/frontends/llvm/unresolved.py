"""Accesses of memory that is not resolved to objects: each is an action that others see, and that may do anything.

A function that is called may load, store and exchange what it is told to. So what is proved of any such function is so
of the access. What is refuted need not be: the access does less than the play has it do.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import Begin, End, Havoc, Range, Set
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.body import (
    Body,
    Pair,
    Plain,
    Value,
    assigned,
    bit,
    bits_of,
    canonical,
    emit,
    is_set,
    key_of,
    refused,
    register,
    temporary,
    undefined,
)
from sa.frontends.llvm.given import as_shown, seen
from sa.frontends.llvm.layout import NoLayout
from sa.frontends.llvm.memory import finished, not_undef
from sa.frontends.llvm.resolved import roots_of
from sa.frontends.llvm.values import Pointer, distances, pointer
from sa.terms import build
from sa.terms.term import Int, Term


class _Step(Struct, frozen=True):
    """How far a pointer is moved, and what is promised of that, which is not known here."""

    flags: str
    distance: Term


class _Way(Struct, frozen=True):
    """What a pointer is moved from, whether it is poison, how far it is moved, and by which steps with promises."""

    start: Pointer
    poison: Term
    total: Term
    steps: tuple[_Step, ...] = ()


def loaded(body: Body, name: str, load: s.Load, defined: bool, ranges: Sequence[tuple[int, int]]) -> None:
    """A load. Raises InputError."""
    bits = bits_of(load.type, body)
    _acted(body, f"load_{_kind(load, bits)}", load.pointer)
    value = _found(body, bits)
    finished(body, name, value, bits, defined, ranges)


def stored(body: Body, store: s.Store) -> None:
    """A store. Raises InputError."""
    bits = bits_of(store.value.type, body)
    _acted(body, f"store_{_kind(store, bits)}", store.pointer, store.value)


def updated(body: Body, name: str, update: s.Update) -> None:
    """`atomicrmw`. Raises InputError."""
    bits = bits_of(update.value.type, body)
    _acted(body, f"{update.operation}_{_kind(update, bits)}", update.pointer, update.value)
    assigned(body, name, _found(body, bits), bits)


def exchanged(body: Body, name: str, exchange: s.Exchange) -> None:
    """`cmpxchg`. Raises InputError."""
    bits = bits_of(exchange.expected.type, body)
    orders = f"{exchange.success}_{exchange.failure}{'_weak' if exchange.weak else ''}"
    words = f"cmpxchg_{orders}_{key_of(bits)}_{exchange.align}{'_volatile' if exchange.volatile else ''}"
    _acted(body, words, exchange.pointer, exchange.expected, exchange.new)
    old = _found(body, bits)
    found = register(body, f"%{name}.0", Range(*canonical(bits)), f"%{name}.0")
    done = register(body, f"%{name}.1", Range(0, 1), f"%{name}.1")
    poison = register(body, f"poison.%{name}", Range(0, 1), f"%{name} is poison")
    emit(body, Set(found, old.term))
    emit(body, Set(poison, bit(old.poison)))
    emit(body, Begin())
    emit(body, Havoc(done, Range(0, 1)))
    emit(body, Show("exchanged", (done,)))
    emit(body, End())
    body.known[name] = Pair(Plain(found, poison), Plain(done, poison))


def moved(body: Body, callee: str, call: s.Call) -> None:
    """`llvm.memcpy`, `llvm.memmove` or `llvm.memset` of memory that others may reach. Raises InputError."""
    shown, words = list[Term](), list[str]()
    for argument in call.arguments:
        assert argument.operand is not None
        value = s.Typed(argument.type, argument.operand)
        words += sorted(argument.attributes)
        if isinstance(value.type, s.PointerType):
            way = _way(body, value.operand)
            _not_own(body, way)
            # Where no bytes are moved a pointer may be any, poison too.
            at = Pointer(way.start.base, way.start.token, way.total, way.poison, way.start.undef)
            shown += [*as_shown(body, at), *(step.distance for step in way.steps)]
            words += [step.flags for step in way.steps]
        else:
            not_undef(body, value)
            shown += seen(body, value)
    name = "_".join((callee.split(".")[1], *(key_of(bits_of(a.type, body)) for a in call.arguments), *words))
    emit(body, Begin())
    emit(body, Show(name, tuple(shown), Sync.CALL))
    emit(body, End())


def _not_own(body: Body, way: _Way) -> None:
    """Raises InputError for what may be the function's own memory."""
    if any(isinstance(r, s.Local) and r.name in body.facts.own for r in roots_of(way.start.base, body.facts)):
        raise refused(body, "an access of what may be the function's own memory or other", "access one of them")


def _kind(access: s.Load | s.Store | s.Update, bits: int) -> str:
    words = [access.order or "plain", key_of(bits), str(access.align), *(["volatile"] if access.volatile else [])]
    return "_".join(words)


def _acted(body: Body, action: str, through: s.Operand, *values: s.Typed) -> None:
    """An action that others see, with where it is and some values. Raises InputError."""
    for value in values:
        not_undef(body, value)
    way = _way(body, through)
    _not_own(body, way)
    start = way.start
    undefined(body, build.lor(way.poison, start.undef), "an access through poison")
    if not body.facts.null_is_valid and (
        way.total is build.ZERO or any("inbounds" in step.flags for step in way.steps)
    ):
        # Nothing is at null, and nothing is in the bounds of that.
        undefined(body, build.eq(start.token, build.ZERO), "an access at null")
    at, offset = as_shown(body, Pointer(start.base, start.token, way.total, build.FALSE))
    given = tuple(term for value in values for term in seen(body, value))
    emit(body, Begin())
    name, steps = "_".join((action, *(step.flags for step in way.steps))), (step.distance for step in way.steps)
    emit(body, Show(name, (at, offset, *steps, *given), Sync.CALL))
    emit(body, End())


def _way(body: Body, what: s.Operand) -> _Way:
    """How a pointer is moved. Raises InputError."""
    match what:
        case s.Element():
            return _moved(body, what)
        case s.Local(name) if name in body.facts.moves:
            return _moved(body, body.facts.moves[name])
        case _:
            start = pointer(body, what)
            return _Way(start, start.poison, start.offset)


def _moved(body: Body, element: s.Element) -> _Way:
    way = _way(body, element.base)
    try:
        parts = distances(body, element)
    except NoLayout:
        raise refused(body, "`getelementptr` of this type") from None
    total = build.add(way.total, *(p.term for p in parts))
    poison = build.lor(way.poison, *(p.poison for p in parts))
    steps = way.steps
    for part in parts if element.flags else ():
        steps = _and(steps, _Step("_".join(sorted(element.flags)), part.term))
    return _Way(way.start, poison, total, steps)


def _and(steps: tuple[_Step, ...], step: _Step) -> tuple[_Step, ...]:
    """Some steps and another one. Constant distances of one sign promise what their sum does: all between is within."""
    if step.distance is build.ZERO:
        return steps
    match (*steps[-1:], step):
        case (_Step(flags, Int(one)), _Step(others, Int(two))) if flags == others and (one < 0) == (two < 0):
            return (*steps[:-1], _Step(flags, build.integer(one + two)))
        case _:
            return (*steps, step)


def _found(body: Body, bits: int) -> Value:
    """What the environment gives: a value, or poison."""
    made, wrong = temporary(body, Range(*canonical(bits))), temporary(body, Range(0, 1))
    emit(body, Begin())
    emit(body, Havoc(made, Range(*canonical(bits))))
    emit(body, Havoc(wrong, Range(0, 1)))
    emit(body, Show("found", (made, wrong)))
    emit(body, End())
    return Value(made, is_set(wrong))
