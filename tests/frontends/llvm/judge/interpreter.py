"""What a function may return for each input, by the definitions of LLVM's Language Reference.

The value of a register is a set: `undef` is all values of the type, and each use takes any element of its own. So what
an instruction yields are all results of elements of its operands. POISON is an element that dominates all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from tests.frontends.llvm.judge.functions import Function, Instruction, Operand

POISON = "poison"
#: The behaviour is undefined.
UNDEFINED = "undefined"

Value = int | str
Values = frozenset[Value]
State = Mapping[str, Values]


class _Undefined(Exception):
    pass


def inputs(function: Function) -> Iterator[dict[str, Values]]:
    """The values that parameters may have: numbers, and poison and `undef` if nothing excludes them."""
    kinds = []
    for _, width, defined in function.parameters:
        own: list[Values] = [frozenset({n}) for n in range(2**width)]
        kinds.append(own if defined else [*own, frozenset({POISON}), frozenset(range(2**width))])
    for chosen in product(*kinds):
        yield {name: values for (name, _, _), values in zip(function.parameters, chosen, strict=True)}


def outcomes(function: Function, given: State) -> set[Values | str]:
    """What may be returned, as a set for each choice of what is frozen, or UNDEFINED."""
    found = set[Values | str]()
    for state in _through(function.before, dict(given)):
        if state is None:
            found.add(UNDEFINED)
            continue
        found |= _behind(function, state)
    return found


def _behind(function: Function, state: dict[str, Values]) -> set[Values | str]:
    ends: list[dict[str, Values] | None] = [state]
    if function.test is not None and function.phi is not None:
        tested = values_of(function.test, state)
        if len(tested) != 1 or POISON in tested:
            return {UNDEFINED}
        name, _, one, two = function.phi
        side, taken = (function.sides[0], one) if tested == {1} else (function.sides[1], two)
        ends = [None if s is None else {**s, name: values_of(taken, s)} for s in _through(side, state)]
    found = set[Values | str]()
    for end in ends:
        for last in [None] if end is None else _through(function.behind, end):
            if last is None:
                found.add(UNDEFINED)
                continue
            result = values_of(function.result, last)
            if function.defined and (len(result) != 1 or POISON in result):
                found.add(UNDEFINED)
            else:
                found.add(result)
    return found


def _through(made: tuple[Instruction, ...], state: dict[str, Values]) -> Iterator[dict[str, Values] | None]:
    """The states behind instructions, one for each choice; None where the behaviour is undefined."""
    if not made:
        yield state
        return
    first, rest = made[0], made[1:]
    try:
        results = list(_results(first, state))
    except _Undefined:
        yield None
        return
    for result in results:
        yield from _through(rest, {**state, first.name: result})


def _results(made: Instruction, state: State) -> Iterator[Values]:
    operands = [values_of(o, state) for o in made.operands]
    if made.op == "freeze":
        chosen = frozenset(range(2**made.width)) if POISON in operands[0] else operands[0]
        yield from (frozenset({v}) for v in chosen)
        return
    if made.op in ("udiv", "sdiv", "urem", "srem"):
        _divides(made, operands)
    yield frozenset(_result(made, chosen) for chosen in product(*operands))


def _divides(made: Instruction, operands: list[Values]) -> None:
    least, minus = 2 ** (made.width - 1), 2**made.width - 1
    if operands[1] & {0, POISON}:
        raise _Undefined
    if made.op[0] == "s" and minus in operands[1] and operands[0] & {least, POISON}:
        raise _Undefined


def values_of(operand: Operand, state: State) -> Values:
    """What an operand may be at one use."""
    match operand.text:
        case "undef":
            return frozenset(range(2**operand.width))
        case "poison":
            return frozenset({POISON})
        case "true" | "false":
            return frozenset({int(operand.text == "true")})
        case text if text.startswith("%"):
            return state[text]
        case text:
            return frozenset({int(text)})


def _signed(value: int, width: int) -> int:
    return value - 2**width if value >= 2 ** (width - 1) else value


def _result(made: Instruction, chosen: tuple[Value, ...]) -> Value:
    """The result of one choice of operands."""
    if made.op == "select":
        if chosen[0] == POISON:
            return POISON
        return chosen[1] if chosen[0] == 1 else chosen[2]
    if POISON in chosen:
        return POISON
    numbers = [v for v in chosen if isinstance(v, int)]
    wide = made.operands[0].width
    if made.op == "icmp":
        return _compared(made, numbers[0], numbers[1], wide)
    if made.op in ("zext", "sext", "trunc"):
        return _cast(made, numbers[0], wide)
    if made.op == "abs":
        value = _signed(numbers[0], wide)
        return POISON if made.flags and value == -(2 ** (wide - 1)) else abs(value) % 2**wide
    return _arithmetic(made, numbers[0], numbers[1], wide)


def _compared(made: Instruction, a: int, b: int, width: int) -> Value:
    if "samesign" in made.flags and (_signed(a, width) < 0) != (_signed(b, width) < 0):
        return POISON
    if made.predicate[0] == "s":
        a, b = _signed(a, width), _signed(b, width)
    holds = {
        "eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b,
    }  # fmt: skip
    return int(holds[made.predicate if made.predicate in holds else made.predicate[1:]])


def _cast(made: Instruction, a: int, width: int) -> Value:
    if made.op == "zext":
        return POISON if "nneg" in made.flags and _signed(a, width) < 0 else a
    if made.op == "sext":
        return _signed(a, width) % 2**made.width
    short = a % 2**made.width
    if "nuw" in made.flags and short != a:
        return POISON
    return POISON if "nsw" in made.flags and _signed(short, made.width) != _signed(a, width) else short


def _arithmetic(made: Instruction, a: int, b: int, width: int) -> Value:
    size, one, two = 2**width, _signed(a, width), _signed(b, width)
    match made.op:
        case "add" | "sub" | "mul":
            compute = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}[made.op]
            return _wrapped(made, compute(one, two), compute(a, b), size)
        case "and":
            return a & b
        case "or":
            return POISON if "disjoint" in made.flags and a & b else a | b
        case "xor":
            return a ^ b
        case "shl":
            return POISON if b >= width else _wrapped(made, one * 2**b, a * 2**b, size)
        case "lshr" | "ashr":
            if b >= width or ("exact" in made.flags and a % 2**b):
                return POISON
            return (a >> b) if made.op == "lshr" else (one >> b) % size
        case "udiv" | "urem":
            if "exact" in made.flags and a % b:
                return POISON
            return a // b if made.op == "udiv" else a % b
        case "sdiv" | "srem":
            quotient = abs(one) // abs(two) * (1 if (one < 0) == (two < 0) else -1)
            rest = one - quotient * two
            if "exact" in made.flags and rest:
                return POISON
            return (quotient if made.op == "sdiv" else rest) % size
        case "smax" | "smin":
            return a if (one > two) == (made.op == "smax") else b
        case _:
            return a if (a > b) == (made.op == "umax") else b


def _wrapped(made: Instruction, signed: int, unsigned: int, size: int) -> Value:
    if "nsw" in made.flags and not -(size // 2) <= signed < size // 2:
        return POISON
    return POISON if "nuw" in made.flags and not 0 <= unsigned < size else unsigned % size


def refines(source: Function, target: Function) -> bool:
    """Whether the target does only what the source may do, for every input."""
    for given in inputs(source):
        allowed = outcomes(source, given)
        if UNDEFINED in allowed:
            continue
        if not all(_is_covered(found, allowed) for found in outcomes(target, given)):
            return False
    return True


def _is_covered(found: Values | str, allowed: set[Values | str]) -> bool:
    if isinstance(found, str):
        return False
    if POISON in found:
        return any(POISON in one for one in allowed)
    return any(POISON in one or (not isinstance(one, str) and found <= one) for one in allowed)
