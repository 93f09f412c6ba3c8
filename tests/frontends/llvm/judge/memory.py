"""Functions that load, store and copy bytes, made at random, and what they leave, byte by byte.

Nothing is computed, so a byte is known by what it was: a byte of the parameter's memory at the beginning, or of a
constant. It is poison if any byte that it was loaded together with is (LangRef, Poison Values).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from random import Random

SIZE = 4


@dataclass(frozen=True)
class Place:
    """A distance from the parameter `p` or an alloca; `getelementptr` may be `inbounds`; the alignment that is said."""

    base: str
    offset: int
    inbounds: bool
    align: int


@dataclass(frozen=True)
class Load:
    name: str
    place: Place
    size: int


@dataclass(frozen=True)
class Store:
    """A number, or a register of the same size, is stored."""

    place: Place
    size: int
    value: str


@dataclass(frozen=True)
class Copy:
    to: Place
    source: Place
    size: int


Line = Load | Store | Copy


@dataclass(frozen=True)
class Function:
    """All bytes of the allocas are stored first, in parts of these sizes."""

    parts: Mapping[str, tuple[int, ...]]
    lines: tuple[Line, ...]
    result: Load


@dataclass(frozen=True)
class Byte:
    """What it is, and the bytes that make it poison if they are."""

    what: object
    by: frozenset[object]


@dataclass(frozen=True)
class Left:
    """What a function returns, what it leaves at the parameter, and which bytes there it has written."""

    result: tuple[Byte, ...]
    memory: tuple[Byte, ...]
    written: frozenset[int]


#: The first byte that is there, the end of those that are there, and the address of the parameter.
Surroundings = tuple[int, int, int]


def surroundings() -> Iterator[Surroundings]:
    yield from ((a, b, c) for a, b, c in product(range(SIZE + 1), range(SIZE + 1), (8, 9, 10, 12)) if a <= b)


def run(function: Function, given: Surroundings) -> Left | None:
    """What a function leaves; None if its behaviour is undefined."""
    memory = {"p": [Byte(("p", n), frozenset({n})) for n in range(SIZE)]}
    for base, parts in function.parts.items():
        memory[base] = [b for n, size in enumerate(parts) for b in _number(_begun(base, n), size)]
    registers, written = dict[str, tuple[Byte, ...]](), set[int]()
    for line in (*function.lines, function.result):
        ends = {Load: ("place",), Store: ("place",), Copy: ("to", "source")}[type(line)]
        if not all(_is_there(getattr(line, end), line.size, given) for end in ends):
            return None
        match line:
            case Load(name, place, size):
                found = memory[place.base][place.offset : place.offset + size]
                by = frozenset[object]().union(*(b.by for b in found))
                registers[name] = tuple(Byte(b.what, by) for b in found)
            case Store(place, size, value):
                own = registers[value] if value.startswith("%") else _number(int(value), size)
                memory[place.base][place.offset : place.offset + size] = own
                written |= {place.offset + n for n in range(size) if place.base == "p"}
            case Copy(to, source, size):
                memory[to.base][to.offset : to.offset + size] = memory[source.base][source.offset :][:size]
                written |= {to.offset + n for n in range(size) if to.base == "p"}
    return Left(registers[function.result.name], tuple(memory["p"]), frozenset(written))


def _is_there(place: Place, size: int, given: Surroundings) -> bool:
    if place.base != "p":
        return True
    first, end, address = given
    start = 0 if place.inbounds else place.offset
    return first <= start and place.offset + size <= end and (address + place.offset) % place.align == 0


def _number(value: int, size: int) -> tuple[Byte, ...]:
    return tuple(Byte(b, frozenset()) for b in value.to_bytes(size, "little"))


def _begun(base: str, number: int) -> int:
    return ord(base) + number


def refines(source: Function, target: Function) -> bool:
    """Whether the target leaves what the source may leave, whatever is there."""
    for given in surroundings():
        before, after = run(source, given), run(target, given)
        if before is None:
            continue
        if after is None or not after.written <= before.written:
            return False
        pairs = zip((*after.result, *after.memory), (*before.result, *before.memory), strict=True)
        if not all(mine.what == theirs.what and mine.by <= theirs.by for mine, theirs in pairs):
            return False
    return True


def text_of(function: Function) -> str:
    """The function as text of LLVM IR."""
    lines = [
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        f"define i{8 * function.result.size} @f(ptr noundef %p) {{",
    ]
    lines += [f"  %{base} = alloca [4 x i8], align 4" for base in function.parts]
    numbers = iter(range(1000))
    for base, parts in function.parts.items():
        here = 0
        for n, size in enumerate(parts):
            place = Place(base, here, True, 1)
            lines += _written(Store(place, size, str(_begun(base, n))), numbers)
            here += size
    for line in (*function.lines, function.result):
        lines += _written(line, numbers)
    return "\n".join([*lines, f"  ret i{8 * function.result.size} {function.result.name}", "}", ""])


def _written(line: Line, numbers: Iterator[int]) -> Iterator[str]:
    def at(place: Place) -> tuple[str, str]:
        name = f"%at{next(numbers)}"
        flags = "inbounds " if place.inbounds else ""
        return name, f"  {name} = getelementptr {flags}i8, ptr %{place.base}, i64 {place.offset}"

    match line:
        case Load(name, place, size):
            pointer, moved = at(place)
            yield from (moved, f"  {name} = load i{8 * size}, ptr {pointer}, align {place.align}")
        case Store(place, size, value):
            pointer, moved = at(place)
            yield from (moved, f"  store i{8 * size} {value}, ptr {pointer}, align {place.align}")
        case Copy(to, source, size):
            (one, first), (two, second) = at(to), at(source)
            ends = f"ptr align {to.align} {one}, ptr align {source.align} {two}"
            yield from (first, second, f"  call void @llvm.memcpy.p0.p0.i64({ends}, i64 {size}, i1 false)")


def random_function(random: Random) -> Function:
    """A function of a few lines, perhaps with an alloca or two."""
    layouts = ((4,), (2, 2), (1, 1, 2))
    own = random.choice(("", "a", "ab"))
    layout = random.choice(layouts)
    parts = dict.fromkeys(own, layout)
    known, lines = dict[str, int](), list[Line]()
    for number in range(random.randrange(1, 4)):
        line = _line(f"%v{number}", parts, known, random)
        lines.append(line)
        if isinstance(line, Load):
            known[line.name] = line.size
    place, size = _place(parts, random)
    return Function(parts, tuple(lines), Load("%r", place, size))


def _line(name: str, parts: Mapping[str, tuple[int, ...]], known: Mapping[str, int], random: Random) -> Line:
    place, size = _place(parts, random)
    if parts and random.random() < 0.4:
        to, source = random.sample(["p", *parts], 2)
        # Bytes from elsewhere stay here: copies through an alloca are refused.
        ends = (Place(base, 0, True, random.choice((1, 2, 4)) if base == "p" else 1) for base in (to, source))
        return Copy(*ends, random.choice((2, 4)) if all(2 in p or len(p) > 1 for p in parts.values()) else 4)
    if random.random() < 0.5:
        return Load(name, place, size)
    values = [n for n, s in known.items() if s == size]
    return Store(place, size, random.choice(values) if values and random.random() < 0.6 else str(random.randrange(99)))


def _place(parts: Mapping[str, tuple[int, ...]], random: Random) -> tuple[Place, int]:
    base = random.choice(["p", *parts])
    if base == "p":
        size = random.choice((1, 1, 2, 4))
        offset = random.randrange(0, SIZE + 1 - size, 1 if size == 1 else 2)
        return Place(base, offset, random.random() < 0.5, random.choice((1, size))), size
    number = random.randrange(len(parts[base]))
    return Place(base, sum(parts[base][:number]), True, 1), parts[base][number]


def changed(function: Function, random: Random) -> Function:
    """A function with two lines exchanged, one left out, or another place in one of them."""
    lines = list(function.lines)
    number = random.randrange(len(lines))
    match random.randrange(4):
        case 0 if number:
            lines[number - 1], lines[number] = lines[number], lines[number - 1]
        case 1 if not isinstance(lines[number], Load):
            del lines[number]
        case 2 if not isinstance(line := lines[number], Copy):
            lines[number] = replace(line, place=_other(line.place, line.size, random))
        case _:
            result = function.result
            return replace(function, result=replace(result, place=_other(result.place, result.size, random)))
    return replace(function, lines=tuple(lines)) if _is_ordered(lines) else function


def _other(place: Place, size: int, random: Random) -> Place:
    if place.base != "p":
        return place
    if random.random() < 0.4:
        return replace(place, inbounds=not place.inbounds)
    return replace(
        place, align=random.choice([n for n in (1, 2, 4) if n != place.align and place.offset % n == 0] or [1])
    )


def _is_ordered(lines: list[Line]) -> bool:
    """Whether registers have values where they are stored."""
    known = set[str]()
    for line in lines:
        if isinstance(line, Store) and line.value.startswith("%") and line.value not in known:
            return False
        known |= {line.name} if isinstance(line, Load) else set()
    return True
