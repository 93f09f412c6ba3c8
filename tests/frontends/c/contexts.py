"""Random functions beside random threads: what a changed function can do that the original one cannot.

The judge knows no permissions, no labels and no solver. It runs a function and one other thread step by step in every
order, with the happens-before relation of C11 as vector clocks. A pair is told apart by a context in which the original
has no data race in any run, and the changed one ends with something that the original one never ends with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias

from msgspec import Struct

#: An operand: a number, or the name of a register.
Operand: TypeAlias = int | str


class Read(Struct, frozen=True):
    register: str
    variable: str
    order: str | None = None


class Write(Struct, frozen=True):
    variable: str
    value: Operand
    order: str | None = None


class Update(Struct, frozen=True):
    """An atomic addition; the register gets what was there before."""

    register: str
    variable: str
    value: Operand
    order: str


class Add(Struct, frozen=True):
    register: str
    left: Operand
    right: Operand


class Divide(Struct, frozen=True):
    """To divide by 0 is undefined."""

    register: str
    left: Operand
    right: Operand


class If(Struct, frozen=True):
    register: str
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]


class Same(Struct, frozen=True):
    """A register gets whether two addresses are the same: of a pointer, and of another one or of a variable."""

    register: str
    one: str
    two: str


class Await(Struct, frozen=True):
    """Acquire loads until the variable is not 0. Only contexts wait."""

    variable: str


class Call(Struct, frozen=True):
    """A call of a function that is not defined, which gets the address of a variable of the function's own."""


Statement: TypeAlias = Read | Write | Update | Add | Divide | If | Same | Await | Call
Code: TypeAlias = tuple[Statement, ...]

PLAIN, ATOMIC = ("g", "h"), ("x", "y")
#: What pointers may point to beside variables of the file.
MORE = ("m", "n")
REGISTERS = ("r", "s")
#: Registers of functions that are called, and atomic variables that only contexts know.
CALLED, HANDED = ("u", "v"), ("z", "w")
LOADS, STORES = ("relaxed", "acquire"), ("relaxed", "release")


def statement(random: Random, depth: int = 0) -> Statement:
    """A random statement, more often about plain variables."""
    kind = random.random()
    register = random.choice(REGISTERS)
    if kind < 0.25:
        return Read(register, random.choice(PLAIN))
    if kind < 0.55:
        return Write(random.choice(PLAIN), random.choice((1, 2, *REGISTERS)))
    if kind < 0.7:
        return Read(register, random.choice(ATOMIC), random.choice(LOADS))
    if kind < 0.85:
        return Write(random.choice(ATOMIC), random.choice((1, 2)), random.choice(STORES))
    if kind < 0.93 or depth:
        made = Divide if 0.89 < kind < 0.97 else Add
        return made(register, random.choice(REGISTERS), random.choice((1, *REGISTERS)))
    return If(register, code(random, 1, depth + 1), code(random, random.randrange(2), depth + 1))


def code(random: Random, length: int, depth: int = 0) -> Code:
    """So many random statements."""
    return tuple(statement(random, depth) for _ in range(length))


def changed(random: Random, before: Code) -> Code:
    """The code after one or two changes as optimisers make them, right or wrong."""
    after = list(before)
    for _ in range(random.choice((1, 1, 2))):
        place = random.randrange(len(after))
        match random.randrange(6):
            case 0 | 1 if len(after) > 1:
                other = min(place + 1, len(after) - 1)
                after[place], after[other] = after[other], after[place]
            case 2 if len(after) > 1:
                del after[place]
            case 3:
                after.insert(random.randrange(len(after) + 1), after[place])
            case 4:
                after.insert(place, statement(random, 1))
            case _:
                here = after[place]
                if isinstance(here, Read) and here.order is None:
                    after[place] = Add(here.register, random.choice((0, 1, *REGISTERS)), 0)
                elif isinstance(here, Write):
                    after[place] = Write(here.variable, random.choice((1, 2, *REGISTERS)), here.order)
    return tuple(after) or before


def text(body: Code) -> str:
    """A file of C, preprocessed, whose function `f` runs the code and returns both registers in one number."""
    declared = "".join(f"int {v};\n" for v in PLAIN) + "".join(f"int {v};\n" for v in ATOMIC)
    return f"{declared}int f(int a)\n{{\n  int r = 0, s = 0;\n{_lines(body)}  return r * 100 + s;\n}}\n"


def _lines(body: Code) -> str:
    return "".join(f"  {_line(s)}\n" for s in body)


def _line(here: Statement) -> str:
    numbers = {"relaxed": 0, "acquire": 2, "release": 3, "acq_rel": 4}
    match here:
        case Read(register, variable, None):
            return f"{register} = {variable};"
        case Read(register, variable, order):
            return f"{register} = __atomic_load_n(&{variable}, {numbers[order or '']});"
        case Write(variable, value, None):
            return f"{variable} = {value};"
        case Write(variable, value, order):
            return f"__atomic_store_n(&{variable}, {value}, {numbers[order or '']});"
        case Update(register, variable, value, order):
            return f"{register} = __atomic_fetch_add(&{variable}, {value}, {numbers[order]});"
        case Add(register, left, right):
            return f"{register} = {left} + {right};"
        case Divide(register, left, right):
            return f"{register} = {left} / {right};"
        case If(register, yes, no):
            return f"if ({register}) {{ {_lines(yes)} }} else {{ {_lines(no)} }}"
        case Same(register, one, two):
            return f"{register} = {one} == {two};"
        case Call():
            return "use(&m);"
        case Await():
            raise ValueError("only contexts wait")


Clock: TypeAlias = tuple[int, int]


class _State(Struct, frozen=True):
    """Code that is left, registers and clocks by thread; memory, what was released to each atomic, who accessed last.

    `reads` and `writes` have the clocks of the last plain access of each thread to each variable, `loads` and `stores`
    those of the last atomic one.
    """

    left: tuple[Code, Code]
    registers: tuple[tuple[int, ...], tuple[int, ...]]
    clocks: tuple[Clock, Clock]
    memory: tuple[int, ...]
    released: tuple[Clock, ...]
    reads: tuple[Clock, ...]
    writes: tuple[Clock, ...]
    loads: tuple[Clock, ...]
    stores: tuple[Clock, ...]


class Race(Exception):
    """Two accesses of a plain variable, one of them a write, that nothing orders."""


class Undefined(Exception):
    """What C leaves undefined in one thread: a division by 0, or a pointer to nothing that is followed."""


_ALL = (*PLAIN, *MORE, *ATOMIC, *HANDED)
_EVERY = (*REGISTERS, *CALLED)
_START = ((0, 0, 0, 0), (0, 0, 0, 0))


def ends(function: Code, other: Code, races: bool) -> frozenset[tuple[object, ...]]:
    """How a function beside another thread can end: all registers, and the memory. Raises Race if `races` matter.

    Raises Undefined, too.
    """
    first = _State((function, other), _START, ((1, 0), (0, 1)), (0,) * len(_ALL), *(((0, 0),) * len(_ALL),) * 5)
    found, seen, pending = set[tuple[object, ...]](), {first}, [first]
    while pending:
        here = pending.pop()
        if not any(here.left):
            found.add((here.registers, here.memory))
        for thread in (0, 1):
            if here.left[thread] and not _waits(here, here.left[thread][0]):
                after = _step(here, thread, races)
                if after not in seen:
                    seen.add(after)
                    pending.append(after)
    return frozenset(found)


def _waits(here: _State, now: Statement) -> bool:
    return isinstance(now, Await) and here.memory[_cell(now.variable)] == 0


def _step(here: _State, thread: int, races: bool) -> _State:
    now, *later = here.left[thread]
    registers = dict(zip(_EVERY, here.registers[thread], strict=True))

    def value(operand: Operand) -> int:
        return registers[operand] if isinstance(operand, str) else operand

    clocks, memory, released = list(here.clocks), list(here.memory), list(here.released)
    last = _Last(list(here.reads), list(here.writes), list(here.loads), list(here.stores))

    def accessed(at: int, plain: bool, write: bool) -> None:
        _accessed(last, at, clocks[thread], thread, plain, write, races)

    match now:
        case Add(register, left, right):
            registers[register] = value(left) + value(right)
        case Divide(register, left, right):
            if value(right) == 0:
                raise Undefined
            registers[register] = value(left) // value(right)
        case If(register, yes, no):
            later = [*(yes if registers[register] else no), *later]
        case Read(register, variable, order):
            at = _cell(variable)
            registers[register] = memory[at]
            if order == "acquire":
                clocks[thread] = _joined(clocks[thread], released[at])
            accessed(at, order is None, False)
        case Write(variable, operand, order):
            at = _cell(variable)
            memory[at] = value(operand)
            accessed(at, order is None, True)
            released[at] = clocks[thread] if order == "release" else (0, 0)
            if order == "release":
                clocks[thread] = _with(clocks[thread], thread, clocks[thread][thread] + 1)
        case Await(variable):
            clocks[thread] = _joined(clocks[thread], released[_cell(variable)])
            accessed(_cell(variable), False, False)
        case Update(register, variable, operand, order):
            at, more = _cell(variable), value(operand)
            if order in ("acquire", "acq_rel"):
                clocks[thread] = _joined(clocks[thread], released[at])
            registers[register], memory[at] = memory[at], memory[at] + more
            accessed(at, False, True)
            if order in ("release", "acq_rel"):
                # It goes on with the release sequence that it reads from.
                released[at] = _joined(clocks[thread], released[at])
                clocks[thread] = _with(clocks[thread], thread, clocks[thread][thread] + 1)
    return _State(
        _put(here.left, thread, tuple(later)),
        _put(here.registers, thread, tuple(registers[r] for r in _EVERY)),
        (clocks[0], clocks[1]),
        tuple(memory),
        tuple(released),
        tuple(last.reads),
        tuple(last.writes),
        tuple(last.loads),
        tuple(last.stores),
    )


class _Last(Struct):
    """Of a state in the making, who accessed last."""

    reads: list[Clock]
    writes: list[Clock]
    loads: list[Clock]
    stores: list[Clock]


def _accessed(last: _Last, at: int, now: Clock, thread: int, plain: bool, write: bool, races: bool) -> None:
    """An access races with earlier ones of which one is plain and one writes, unless they happen before it."""
    met = [last.writes[at], *([last.stores[at]] if plain else ())]
    met += [last.reads[at], *([last.loads[at]] if plain else ())] if write else []
    for accesses in met:
        _ordered(accesses, now, thread, races)
    table = (last.writes if write else last.reads) if plain else (last.stores if write else last.loads)
    table[at] = _with(table[at], thread, now[thread])


def _cell(variable: str) -> int:
    if variable not in _ALL:
        raise Undefined
    return _ALL.index(variable)


def _put(pair: tuple[object, object], place: int, new: object) -> tuple[object, object]:
    return (new, pair[1]) if place == 0 else (pair[0], new)


def _with(clock: Clock, place: int, time: int) -> Clock:
    return (time, clock[1]) if place == 0 else (clock[0], time)


def _joined(one: Clock, two: Clock) -> Clock:
    return max(one[0], two[0]), max(one[1], two[1])


def _ordered(accesses: Clock, now: Clock, thread: int, races: bool) -> None:
    if races and accesses[1 - thread] > now[1 - thread]:
        raise Race


def contexts(random: Random, count: int) -> Iterator[Code]:
    """Threads to run beside a function; many hand something over, so that they race less often."""
    for _ in range(count):
        flag = random.choice(ATOMIC)
        inside = tuple(s for s in code(random, random.choice((1, 2, 3)), 1) if not isinstance(s, If))
        match random.randrange(4):
            case 0:
                yield code(random, random.choice((1, 2, 3)))
            case 1:
                yield Read("r", flag, "acquire"), If("r", inside, ())
            case 2:
                yield *inside, Write(flag, random.choice((1, 2)), "release")
            case _:
                back = Write(random.choice(ATOMIC), random.choice((1, 2)), "release")
                yield Read("r", flag, "acquire"), If("r", (*inside, back), ())


def told_apart(before: Code, after: Code, others: Sequence[Code]) -> Code | None:
    """A context in which the original has no race and the changed code shows something new."""
    for other in others:
        try:
            usual = ends(before, other, True)
        except (Race, Undefined):
            continue
        try:
            if ends(after, other, False) - usual:
                return other
        except Undefined:
            return other
    return None
