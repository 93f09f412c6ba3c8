"""Functions that follow pointers from memory, made at random, and what they leave: every aliasing is tried.

`@g` holds a pointer, `@x` a number, and `%p` is a pointer to a number. Pointers are null, lead to `@x`, to one of two
numbers that nobody names, or to the lower half of `@g`: a number that is stored there makes it a pointer to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from random import Random

#: Where pointers may lead, and what numbers there are.
NULL, WILD = "null", "wild"
CELLS = ("x", "h", "k")
VALUES = (0, 1)


@dataclass(frozen=True)
class Line:
    """`name` gets the result of an operation on operands: registers, numbers, `@x` or `null`."""

    name: str
    op: str
    operands: tuple[str, ...]


@dataclass(frozen=True)
class Function:
    """Lines, and the register of a number that is returned."""

    lines: tuple[Line, ...]
    result: str


@dataclass(frozen=True)
class Left:
    """What is returned, what is left in memory, and what was written."""

    result: int
    memory: tuple[tuple[str, object], ...]
    written: frozenset[str]


class _Undefined(Exception):
    pass


def inputs() -> Iterator[tuple[str, dict[str, object]]]:
    """The parameter, and what is in memory."""
    places = (NULL, *CELLS, "g")
    for given, held, numbers in product(places, places, product(VALUES, repeat=len(CELLS))):
        memory: dict[str, object] = dict(zip(CELLS, numbers, strict=True))
        yield given, {**memory, "g": held}


def run(function: Function, given: str, memory: dict[str, object]) -> Left | None:
    """What a function leaves; None if its behaviour is undefined."""
    registers, written = {"%p": given, "@x": "x", "null": NULL}, set[str]()
    known: dict[str, object] = dict(registers)

    def of(operand: str) -> object:
        return known[operand] if operand in known else int(operand)

    try:
        for line in function.lines:
            known[line.name] = _step(line, [of(o) for o in line.operands], memory, written)
    except _Undefined:
        return None
    result = of(function.result)
    assert isinstance(result, int)
    return Left(result % 2**32, tuple(sorted(memory.items())), frozenset(written))


def _step(line: Line, values: list[object], memory: dict[str, object], written: set[str]) -> object:
    match line.op, values:
        case "fetch", []:
            return memory["g"]
        case "keep", [value]:
            memory["g"] = value
            written.add("g")
        case "load", [str(place)]:
            # Half of a pointer is no number that these functions know.
            return memory[place] if place in CELLS else _nothing(place, memory)
        case "store", [str(place), value]:
            if place not in (*CELLS, "g"):
                raise _Undefined
            memory[place] = (WILD, value) if place == "g" else value
            written.add(place)
        case "isnull", [value]:
            return int(value == NULL)
        case "add", [int(one), int(two)]:
            return (one + two) % 2**32
        case "sub", [int(one), int(two)]:
            return (one - two) % 2**32
        case _:
            raise _Undefined
    return None


def _nothing(place: str, memory: dict[str, object]) -> int:
    if place != "g":
        raise _Undefined
    held = memory["g"]
    return held[1] if isinstance(held, tuple) else 7 + len(str(held))


def refines(source: Function, target: Function) -> bool:
    """Whether the target leaves what the source leaves, whatever leads where."""
    for given, memory in inputs():
        before, after = run(source, given, dict(memory)), run(target, given, dict(memory))
        if before is None:
            continue
        if after is None or (after.result, after.memory) != (before.result, before.memory):
            return False
        if not after.written <= before.written:
            return False
    return True


def text_of(function: Function) -> str:
    """The function as text of LLVM IR."""
    lines = ["@g = global ptr null", "@x = global i32 0", "define i32 @f(ptr noundef %p) {"]
    for line in function.lines:
        a, b = (*line.operands, "", "")[:2]
        lines += {
            "fetch": [f"  {line.name} = load ptr, ptr @g, !noundef !0"],
            "keep": [f"  store ptr {a}, ptr @g"],
            "load": [f"  {line.name} = load i32, ptr {a}, !noundef !0"],
            "store": [f"  store i32 {b}, ptr {a}"],
            "isnull": [f"  {line.name}.c = icmp eq ptr {a}, null", f"  {line.name} = zext i1 {line.name}.c to i32"],
            "add": [f"  {line.name} = add i32 {a}, {b}"],
            "sub": [f"  {line.name} = sub i32 {a}, {b}"],
        }[line.op]
    return "\n".join([*lines, f"  ret i32 {function.result}", "}", "!0 = !{}", ""])


def random_function(random: Random) -> Function:
    """A function of a few lines."""
    pointers, numbers, lines = ["%p", "@x"], ["0", "1"], list[Line]()
    for number in range(random.randrange(4, 8)):
        name = f"%v{number}"
        if number == 0 or random.random() < 0.2:
            lines.append(Line(name, "fetch", ()))
            pointers.append(name)
            continue
        place, value = random.choice(pointers[-2:] + pointers), random.choice(numbers)
        match random.choice((0, 1, 1, 3, 3, 3, 4, 5)):
            case 0:
                lines.append(Line(name, "keep", (random.choice([*pointers, "null"]),)))
                continue
            case 1:
                lines.append(Line(name, "load", (place,)))
            case 3:
                lines.append(Line(name, "store", (place, value)))
                continue
            case 4:
                lines.append(Line(name, "isnull", (place,)))
            case _:
                lines.append(Line(name, random.choice(("add", "sub")), (random.choice(numbers), value)))
        numbers.append(name)
    ends = [Line("%n", "load", ("@x",)), Line("%r", "add", (numbers[-1], "%n"))]
    return Function((*lines, *ends), "%r")


def changed(function: Function, random: Random) -> Function:
    """A function with two lines exchanged, one left out, a value used again, or arithmetic in another form."""
    lines, number = list(function.lines), random.randrange(len(function.lines) - 1)
    line = lines[number]
    match random.choice((0, 0, 1, 2, 2, 2, 3, 4)):
        case 0 if number:
            lines[number - 1], lines[number] = line, lines[number - 1]
        case 1 if line.op in ("keep", "store"):
            del lines[number]
        case 2 if line.op in ("load", "fetch"):
            # What was loaded or stored before is taken to be there still.
            again = [x for x in lines[:number] if (x.op, x.operands) == (line.op, line.operands)]
            again += [x for x in lines[:number] if x.op == "store" and x.operands[:1] == line.operands]
            if again:
                return _with(function, line.name, again[-1].operands[1] if again[-1].op == "store" else again[-1].name)
        case 3 if line.op == "add" and line.operands[1].isdigit():
            lines[number] = replace(line, op="sub", operands=(line.operands[0], str(-int(line.operands[1]))))
        case _:
            lines.insert(number, Line("%again", "add", ("1", "1")))
    return replace(function, lines=tuple(lines)) if _is_ordered(lines) else function


def _with(function: Function, name: str, value: str) -> Function:
    """The function without a line, whose result is another one."""
    kept = [x for x in function.lines if x.name != name]
    lines = (replace(x, operands=tuple(value if o == name else o for o in x.operands)) for x in kept)
    return Function(tuple(lines), value if function.result == name else function.result)


def _is_ordered(lines: list[Line]) -> bool:
    """Whether registers have values where they are read."""
    known = set[str]()
    for line in lines:
        if any(o[:2] in ("%v", "%n") and o not in known for o in line.operands):
            return False
        known.add(line.name)
    return True
