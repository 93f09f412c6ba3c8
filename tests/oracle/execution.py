"""What a statement does to a store within one step, atomic blocks included: all its outcomes, enumerated."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple, assert_never

from sa.language.syntax import (
    Action,
    ArrayType,
    Assert,
    Assign,
    Assume,
    Atomic,
    Await,
    Block,
    Break,
    Choose,
    CompareAndSwap,
    Continue,
    Expression,
    FetchAdd,
    Havoc,
    If,
    Label,
    Local,
    Lock,
    NamedType,
    Place,
    RangeType,
    Return,
    Skip,
    Statement,
    Unlock,
    While,
)
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import Plain
from tests.oracle.expressions import OutsideArray, Store, entries_of, entry, value_of, values_of
from tests.oracle.loading import Instance, Interpreted

#: What is seen of a step; None for a silent one.
Seen = tuple[str, tuple[Plain, ...]] | None


class Outcome(NamedTuple):
    """How something ended within a step; `failed` makes the whole step a `fail`."""

    store: dict[str, Plain]
    seen: Seen = None
    failed: bool = False


def executed(program: Interpreted, thread: Instance, statement: Statement, store: Store) -> Iterator[Outcome]:
    """The outcomes of a statement other than a loop; none where it waits. Raises Unevaluable."""
    try:
        seen = None if statement.label is None else _seen(thread, statement.label, store)
        for outcome in _outcomes(program, thread, statement.action, dict(store)):
            yield outcome if seen is None else outcome._replace(seen=seen)
    except OutsideArray:
        yield Outcome(dict(store), failed=True)


def _seen(thread: Instance, label: Label, store: Store) -> Seen:
    return label.action, tuple(value_of(v, store, thread.meanings) for v in label.values)


def _outcomes(program: Interpreted, thread: Instance, action: Action, store: dict[str, Plain]) -> Iterator[Outcome]:
    def value(e: Expression) -> Plain:
        return value_of(e, store, thread.meanings)

    match action:
        case Skip():
            yield Outcome(store)
        case Assume(condition):
            if value(condition):
                yield Outcome(store)
        case Assert(condition):
            yield Outcome(store, failed=not value(condition))
        case Assign(places, values):
            yield _written(thread, store, list(zip(places, map(value, values), strict=True)))
        case CompareAndSwap():
            yield from _swapped(thread, store, action)
        case FetchAdd(result, place, amount):
            before = store[entry(place, store, thread.meanings)]
            yield _written(thread, store, [(result, before), (place, before + value(amount))])
        case Lock(place):
            if store[entry(place, store, thread.meanings)] == 0:
                yield _written(thread, store, [(place, thread.number)])
        case Unlock(place):
            owned = store[entry(place, store, thread.meanings)] == thread.number
            yield _written(thread, store, [(place, 0)]) if owned else Outcome(store, failed=True)
        case Havoc(places):
            names = [entry(p, store, thread.meanings) for p in places]
            for row in product(*(values_of(thread.types[p.name], program.integers, thread.meanings) for p in places)):
                yield Outcome({**store, **dict(zip(names, row, strict=True))})
        case Local():
            yield from _declared(program, thread, action, store)
        case Atomic(body):
            yield from _in_order(program, thread, body, store)
        case Await(condition, body):
            if value(condition):
                yield from _in_order(program, thread, body, store) if body else [Outcome(store)]
        case Choose(branches):
            for branch in branches:
                yield from _in_order(program, thread, branch, store)
        case If():
            yield from _branched(program, thread, action, store)
        case While() | Break() | Continue() | Return():
            raise Unevaluable(type(action).__name__)
        case _:
            assert_never(action)


def _in_order(program: Interpreted, thread: Instance, block: Block, store: Store) -> Iterator[Outcome]:
    """The outcomes of the statements of a block, one after the other; at most one of them has a label."""
    running = [Outcome(dict(store))]
    for statement in block.statements:
        further = []
        for before in running:
            for after in executed(program, thread, statement, before.store):
                joined = after._replace(seen=after.seen or before.seen)
                if joined.failed:
                    yield joined
                else:
                    further.append(joined)
        running = further
    yield from running


def _branched(program: Interpreted, thread: Instance, action: If, store: Store) -> Iterator[Outcome]:
    for arm in action.arms:
        taken = arm.condition is None or bool(value_of(arm.condition, store, thread.meanings))
        if taken:
            yield from _in_order(program, thread, arm.body, store)
        if taken and arm.condition is not None:
            return
    yield from _in_order(program, thread, action.orelse, store) if action.orelse else [Outcome(dict(store))]


def _swapped(thread: Instance, store: dict[str, Plain], action: CompareAndSwap) -> Iterator[Outcome]:
    before = store[entry(action.place, store, thread.meanings)]
    equal = before == value_of(action.expected, store, thread.meanings)
    new = value_of(action.new, store, thread.meanings)
    type_ = thread.types[action.result.name]
    element = type_.element if isinstance(type_, ArrayType) else type_
    written = equal if isinstance(element, NamedType) and element.name == "bool" else int(equal)
    yield _written(thread, store, [(action.result, written), *([(action.place, new)] if equal else [])])


def _declared(program: Interpreted, thread: Instance, action: Local, store: dict[str, Plain]) -> Iterator[Outcome]:
    entries = [e for n in action.names for e in entries_of(n.name, action.type, thread.meanings)]
    values = values_of(action.type, program.integers, thread.meanings)
    if action.value is None:
        for row in product(values, repeat=len(entries)):
            yield Outcome({**store, **dict(zip(entries, row, strict=True))})
        return
    given = value_of(action.value, store, thread.meanings)
    failed = _is_range(action.type) and given not in values
    yield Outcome({**store, **dict.fromkeys(entries, given)}, failed=failed)


def _written(thread: Instance, store: dict[str, Plain], updates: list[tuple[Place, Plain]]) -> Outcome:
    """The store with all the updates at once; failed where a value is outside of its place's range."""
    after = dict(store)
    for place, value in updates:
        after[entry(place, store, thread.meanings)] = value
    outside = any(
        _is_range(thread.types[place.name])
        and value not in values_of(thread.types[place.name], range(0), thread.meanings)
        for place, value in updates
    )
    return Outcome(after, failed=outside)


def _is_range(type_: object) -> bool:
    return isinstance(type_.element if isinstance(type_, ArrayType) else type_, RangeType)
