"""What elementary steps do to a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from tests.frontends.c.judge.machine import (
    ENDED,
    FIRST,
    NOT_CREATED,
    Content,
    Draft,
    Fault,
    Faulted,
    Life,
    Object,
    Storage,
    in_use,
    synchronises,
    zero,
)
from tests.frontends.c.judge.syntax import ACQ_REL, ACQUIRE, RELEASE, SEQ_CST

#: The value of an expression in the registers of its thread.
Pure: TypeAlias = Callable[[list[Content]], Content]
Where: TypeAlias = Pure
ACQUIRING = (ACQUIRE, ACQ_REL, SEQ_CST)
RELEASING = (RELEASE, ACQ_REL, SEQ_CST)


class Blocked(Exception):
    """A step that is not possible now."""


class Effect(Struct, frozen=True):
    """A change by a thread, for each of its choices."""

    change: Callable[[Draft, int, int], None]
    choices: Callable[[Draft, int], int] | None = None


def _number(value: Content) -> int:
    if not isinstance(value, int):
        raise Faulted(Fault.INDETERMINATE, "a value")
    return value


def local(register: int, name: str) -> Pure:
    """A register, which must have a value."""

    def value(registers: list[Content]) -> Content:
        found = registers[register]
        if found is None:
            raise Faulted(Fault.INDETERMINATE, name)
        return found

    return value


def binary(operator: Callable[[int, int], int], left: Pure, right: Pure) -> Pure:
    """An operator."""
    return lambda registers: operator(_number(left(registers)), _number(right(registers)))


def moved(pointer: Pure, offset: int) -> Pure:
    """The address of a member; a null pointer stays one."""

    def value(registers: list[Content]) -> Content:
        found = _number(pointer(registers))
        return found + offset if found >= FIRST else found

    return value


def address(where: Where) -> Pure:
    """The address of an object; that of a member of nothing is undefined, whether it is used or not."""

    def value(registers: list[Content]) -> Content:
        found = _number(where(registers))
        if found < FIRST:
            raise Faulted(Fault.AMBIGUOUS, "the address of a member of nothing")
        return found

    return value


def constant(register: int, number: int) -> Effect:
    """A register gets a number."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        draft.registers[thread][register] = number

    return Effect(change)


def assign(register: int, value: Pure) -> Effect:
    """A register gets a value; where nothing wants it, it is only computed."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        found = value(draft.registers[thread])
        if register >= 0:
            draft.registers[thread][register] = found

    return Effect(change)


def clear(registers: tuple[int, ...]) -> Effect:
    """Registers that are not needed any more."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        for register in registers:
            draft.registers[thread][register] = None

    return Effect(change)


def _access(draft: Draft, thread: int, address: Content, text: str, *, write: bool, atomic: bool) -> int:
    cell = draft.find(address, text)
    draft.touch(cell, thread, write, atomic, text)
    return cell


def load(where: Where, register: int, text: str) -> Effect:
    """A plain load."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        cell = _access(draft, thread, where(draft.registers[thread]), text, write=False, atomic=False)
        value = draft.values[cell]
        if value is None:
            raise Faulted(Fault.INDETERMINATE, text)
        draft.registers[thread][register] = value

    return Effect(change)


def store(where: Where, value: Pure, text: str) -> Effect:
    """A plain store, and the initialisation of an atomic object: nothing before it is carried any more."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        registers = draft.registers[thread]
        cell = _access(draft, thread, where(registers), text, write=True, atomic=False)
        draft.values[cell] = value(registers)
        draft.forget(cell)

    return Effect(change)


def check(value: Pure, text: str) -> Effect:
    """An assertion."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        if value(draft.registers[thread]) == 0:
            raise Faulted(Fault.ASSERTION, text)

    return Effect(change)


def fence(order: str) -> Effect:
    """A fence: later relaxed stores carry what is known now, and what relaxed loads have read becomes known."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        threads = draft.layout.threads
        if order in ACQUIRING:
            draft.know[thread] |= draft.know[2 * threads + thread]
        if order in RELEASING:
            draft.know[threads + thread] = draft.know[thread]

    return Effect(change)


def atomic(
    operation: str,
    where: Where,
    values: tuple[Pure, ...],
    orders: tuple[str, ...],
    results: tuple[int | None, int | None],
    text: str,
) -> Effect:
    """An atomic access. A compare-exchange that fails is a load with its second order."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        registers = draft.registers[thread]
        cell = draft.find(where(registers), text)
        given = [_number(v(registers)) for v in values]
        old = draft.values[cell]
        if operation != "store" and old is None:
            raise Faulted(Fault.INDETERMINATE, text)
        order, result, new = orders[0], old, None
        match operation:
            case "store" | "exchange":
                new = given[0]
            case "fetch_add":
                new = _number(old) + given[0]
            case "fetch_sub":
                new = _number(old) - given[0]
            case "compare_exchange_strong":
                assert results[1] is not None
                _number(registers[results[1]])
                if old == registers[results[1]]:
                    new, result = given[0], 1
                else:
                    registers[results[1]], order, result = old, orders[1], 0
            case _:
                assert operation == "load"
        _access(draft, thread, FIRST + cell, text, write=new is not None, atomic=True)
        if operation != "store":
            _read(draft, cell, thread, order)
        if new is not None:
            _written(draft, cell, thread, order, alone=operation == "store")
            draft.values[cell] = new
        if results[0] is not None:
            registers[results[0]] = result

    return Effect(change)


def _read(draft: Draft, cell: int, thread: int, order: str) -> None:
    message = draft.message(cell)
    draft.know[2 * draft.layout.threads + thread] |= message
    if order in ACQUIRING:
        draft.know[thread] |= message


def _written(draft: Draft, cell: int, thread: int, order: str, alone: bool) -> None:
    """Release sequences are as in C11 5.1.2.4p10: updates, and stores by the thread that began one, continue it."""
    if alone:
        kept = draft.know[draft.carried(cell, thread)]
        draft.forget(cell)
        draft.know[draft.carried(cell, thread)] = kept
    released = draft.know[thread] if order in RELEASING else draft.know[draft.layout.threads + thread]
    draft.know[draft.carried(cell, thread)] |= released


def allocate(function: str, pool: tuple[int, ...], register: int, old: Pure | None, text: str) -> Effect:
    """Memory, either never used before or, for each object that was freed, its address again."""

    def choices(draft: Draft, _thread: int) -> int:
        freed = sum(draft.lives[n] is Life.ENDED for n in pool) if draft.setting.reuse else 0
        return freed + any(draft.lives[n] is Life.NEVER for n in pool)

    def change(draft: Draft, thread: int, choice: int) -> None:
        freed = [n for n in pool if draft.lives[n] is Life.ENDED] if draft.setting.reuse else []
        fresh = [n for n in pool if draft.lives[n] is Life.NEVER]
        given = None if old is None else _number(old(draft.registers[thread]))
        if not freed and not fresh:
            raise Faulted(Fault.AMBIGUOUS, "too many allocations")
        number = (freed + fresh[:1])[choice]
        made = draft.layout.objects[number]
        draft.acquire(made.base, thread)
        contents: list[Content] = [zero(c.type) if function == "calloc" else None for c in made.cells]
        if function == "calloc" and any(synchronises(c.type) for c in made.cells):
            raise Faulted(Fault.AMBIGUOUS, "a lock in memory that is all zero")
        if given:
            contents = _moved_from(draft, thread, given, text)
        draft.begin(number, contents)
        draft.registers[thread][register] = FIRST + made.base

    return Effect(change, choices)


def _moved_from(draft: Draft, thread: int, given: int, text: str) -> list[Content]:
    number = _allocated(draft, given, text)
    made = draft.layout.objects[number]
    if any(synchronises(c.type) for c in made.cells):
        raise Faulted(Fault.AMBIGUOUS, "a lock is moved")
    contents = draft.values[made.base : made.base + made.size]
    _freed(draft, thread, number, text)
    return contents


def _allocated(draft: Draft, address: int, text: str) -> int:
    cell = address - FIRST
    if not 0 <= cell < len(draft.values):
        raise Faulted(Fault.BAD_FREE, text)
    number = draft.layout.owner[cell]
    found = draft.layout.objects[number]
    if found.storage is not Storage.HEAP or cell != found.base:
        raise Faulted(Fault.BAD_FREE, text)
    if draft.lives[number] is not Life.ALIVE:
        raise Faulted(Fault.DOUBLE_FREE, text)
    return number


def _freed(draft: Draft, thread: int, number: int, text: str) -> None:
    found = draft.layout.objects[number]
    for cell, variable in enumerate(found.cells, found.base):
        if synchronises(variable.type):
            if in_use(draft.values[cell]):
                raise Faulted(Fault.FREED_IN_USE, text)
        else:
            _access(draft, thread, FIRST + cell, text, write=True, atomic=False)
    draft.end(number)
    draft.release(found.base, thread)


def free(pointer: Pure, text: str) -> Effect:
    """`free`: a write of the whole object; nothing for the null pointer."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        address = _number(pointer(draft.registers[thread]))
        if address != 0:
            _freed(draft, thread, _allocated(draft, address, text), text)

    return Effect(change)


def begin(number: int, made: Object, initial: int | None) -> Effect:
    """The lifetime of an automatic variable begins."""

    def change(draft: Draft, _thread: int, _choice: int) -> None:
        draft.begin(number, [initial if len(made.cells) == 1 else None] * len(made.cells))

    return Effect(change)


def end(numbers: tuple[int, ...]) -> Effect:
    """The lifetimes of automatic variables end."""

    def change(draft: Draft, _thread: int, _choice: int) -> None:
        _end(draft, numbers)

    return Effect(change)


def _end(draft: Draft, numbers: tuple[int, ...]) -> None:
    for number in numbers:
        made = draft.layout.objects[number]
        if any(in_use(v) for v in draft.values[made.base : made.base + made.size]):
            raise Faulted(Fault.AMBIGUOUS, "the end of a lock that is held")
        draft.end(number)


def leave(process: bool, numbers: tuple[int, ...]) -> Effect:
    """A thread ends and with it its variables; when `main` returns, everything ends."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        if process:
            draft.over = True
            return
        _end(draft, (*numbers, *draft.setting.own[thread]))
        draft.pcs[thread] = ENDED
        draft.registers[thread] = [None] * len(draft.registers[thread])

    return Effect(change)


def create(number: int, argument: Pure) -> Effect:
    """A thread begins. It knows what its creator knows."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        if draft.pcs[number] != NOT_CREATED:
            raise Faulted(Fault.AMBIGUOUS, "a creation in a loop")
        given = argument(draft.registers[thread])
        draft.pcs[number] = 0
        draft.know[number] = draft.know[thread]
        parameter = draft.setting.parameters[number]
        if parameter is not None:
            draft.registers[number][parameter] = given
        for own in draft.setting.own[number]:
            base = draft.layout.objects[own].base
            draft.begin(own, [draft.setting.initial[base]])

    return Effect(change)


def join(handle: Pure, text: str) -> Effect:
    """`pthread_join`, of each thread at most once."""

    def change(draft: Draft, thread: int, _choice: int) -> None:
        other = _number(handle(draft.registers[thread]))
        if not 0 < other < len(draft.pcs) or draft.pcs[other] == NOT_CREATED or other in draft.joined:
            raise Faulted(Fault.AMBIGUOUS, "a join of no thread")
        if draft.pcs[other] != ENDED:
            raise Blocked
        draft.joined |= {other}
        draft.know[thread] |= draft.know[other]

    return Effect(change)
