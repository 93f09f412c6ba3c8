"""Small functions on integers: how they are written, made at random, and changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

ARITHMETIC = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem")
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
FLAGS = {
    **dict.fromkeys(("add", "sub", "mul", "shl"), ("nsw", "nuw")),
    **dict.fromkeys(("lshr", "ashr", "udiv", "sdiv"), ("exact",)),
    "or": ("disjoint",),
    "zext": ("nneg",),
    "trunc": ("nsw", "nuw"),
    "icmp": ("samesign",),
}
CALLS = ("smax", "smin", "umax", "umin", "abs")


@dataclass(frozen=True)
class Operand:
    """A register by its name, a number, `undef` or `poison`."""

    width: int
    text: str


@dataclass(frozen=True)
class Instruction:
    """An instruction without effects, `freeze` among them; an `icmp` has a predicate."""

    name: str
    op: str
    width: int
    operands: tuple[Operand, ...]
    flags: tuple[str, ...] = ()
    predicate: str = ""


@dataclass(frozen=True)
class Function:
    """A function: perhaps a branch in the middle, whose sides meet in a `phi`.

    Without a `test` only `before` and `behind` are there.
    """

    parameters: tuple[tuple[str, int, bool], ...]
    before: tuple[Instruction, ...]
    test: Operand | None
    sides: tuple[tuple[Instruction, ...], tuple[Instruction, ...]]
    phi: tuple[str, int, Operand, Operand] | None
    behind: tuple[Instruction, ...]
    result: Operand
    defined: bool


def text_of(function: Function) -> str:
    """The function as text of LLVM IR."""
    given = ", ".join(f"i{w} {'noundef ' if d else ''}{n}" for n, w, d in function.parameters)
    lines = [f"define {'noundef ' if function.defined else ''}i{function.result.width} @f({given}) {{"]
    lines += [_line(i) for i in function.before]
    if function.test is not None and function.phi is not None:
        lines.append(f"  br i1 {function.test.text}, label %left, label %right")
        for label, side in zip(("left", "right"), function.sides, strict=True):
            lines += [f"{label}:", *map(_line, side), "  br label %join"]
        name, width, one, two = function.phi
        lines += ["join:", f"  {name} = phi i{width} [ {one.text}, %left ], [ {two.text}, %right ]"]
    lines += [*map(_line, function.behind), f"  ret i{function.result.width} {function.result.text}", "}"]
    declared = {
        f"declare i{i.width} @llvm.{i.op}.i{i.width}({_types(i)})" for i in instructions(function) if i.op in CALLS
    }
    return "\n".join([*sorted(declared), *lines, ""])


def _types(made: Instruction) -> str:
    return f"i{made.width}, {'i1' if made.op == 'abs' else f'i{made.width}'}"


def instructions(function: Function) -> tuple[Instruction, ...]:
    """All instructions of a function."""
    return (*function.before, *function.sides[0], *function.sides[1], *function.behind)


def _line(made: Instruction) -> str:
    a, *others = made.operands
    flags = "".join(f"{f} " for f in made.flags)
    match made.op:
        case "icmp":
            return f"  {made.name} = icmp {flags}{made.predicate} i{a.width} {a.text}, {others[0].text}"
        case "select":
            return f"  {made.name} = select i1 {a.text}, i{made.width} {others[0].text}, i{made.width} {others[1].text}"
        case "freeze":
            return f"  {made.name} = freeze i{made.width} {a.text}"
        case "zext" | "sext" | "trunc":
            return f"  {made.name} = {made.op} {flags}i{a.width} {a.text} to i{made.width}"
        case "abs":
            said = "true" if made.flags else "false"
            return f"  {made.name} = call i{made.width} @llvm.abs.i{made.width}(i{made.width} {a.text}, i1 {said})"
        case op if op in CALLS:
            given = f"i{made.width} {a.text}, i{made.width} {others[0].text}"
            return f"  {made.name} = call i{made.width} @llvm.{op}.i{made.width}({given})"
        case _:
            return f"  {made.name} = {made.op} {flags}i{made.width} {a.text}, {others[0].text}"


@dataclass
class _Work:
    random: Random
    known: list[Operand]
    count: int = 0


def random_function(random: Random) -> Function:
    """A function of two parameters and a few instructions."""
    widths = [random.choice((1, 2, 3)) for _ in range(2)]
    parameters = tuple((f"%{n}", w, random.random() < 0.5) for n, w in zip("xy", widths, strict=True))
    work = _Work(random, [Operand(w, n) for n, w, _ in parameters])
    before = _some(work, random.randrange(1, 4))
    test, phi, sides = None, None, ((), ())
    tests = [o for o in work.known if o.width == 1]
    if tests and random.random() < 0.4:
        test = random.choice(tests)
        outside = list(work.known)
        left = _some(work, random.randrange(2))
        one = random.choice(work.known)
        work.known = list(outside)
        right = _some(work, random.randrange(2))
        two = random.choice([o for o in work.known if o.width == one.width] or [_constant(one.width, work)])
        work.known, sides = outside, (left, right)
        phi = ("%p", one.width, one, two)
        work.known.append(Operand(one.width, "%p"))
    behind = _some(work, random.randrange(2))
    return Function(parameters, before, test, sides, phi, behind, work.known[-1], random.random() < 0.2)


def _some(work: _Work, count: int) -> tuple[Instruction, ...]:
    return tuple(_instruction(work) for _ in range(count))


def _instruction(work: _Work) -> Instruction:
    random = work.random
    work.count += 1
    name, a = f"%v{work.count}", random.choice(work.known)
    kinds = ("arithmetic",) * 5 + ("icmp",) * 3 + ("select", "freeze", "cast", "call")
    match random.choice(kinds):
        case "arithmetic":
            op = random.choice(ARITHMETIC)
            made = Instruction(name, op, a.width, (a, _operand(a.width, work)), _flags(op, random))
        case "icmp":
            flags = _flags("icmp", random) if random.random() < 0.3 else ()
            made = Instruction(name, "icmp", 1, (a, _operand(a.width, work)), flags, random.choice(PREDICATES))
        case "select":
            condition = _operand(1, work)
            made = Instruction(name, "select", a.width, (condition, a, _operand(a.width, work)))
        case "freeze":
            made = Instruction(name, "freeze", a.width, (a,))
        case "cast":
            wide = a.width < 3
            op = random.choice(("zext", "sext")) if wide else "trunc"
            made = Instruction(name, op, a.width + 1 if wide else random.choice((1, 2)), (a,), _flags(op, random))
        case _:
            op = random.choice(CALLS)
            operands = (a,) if op == "abs" else (a, _operand(a.width, work))
            made = Instruction(name, op, a.width, operands, ("true",) if op == "abs" and random.random() < 0.5 else ())
    work.known.append(Operand(made.width, name))
    return made


def _flags(op: str, random: Random) -> tuple[str, ...]:
    return tuple(f for f in FLAGS.get(op, ()) if random.random() < 0.3)


def _operand(width: int, work: _Work) -> Operand:
    known = [o for o in work.known if o.width == width]
    return work.random.choice(known) if known and work.random.random() < 0.6 else _constant(width, work)


def _constant(width: int, work: _Work) -> Operand:
    if work.random.random() < 0.08:
        return Operand(width, work.random.choice(("undef", "poison")))
    value = work.random.randrange(2**width)
    return Operand(width, ("false", "true")[value] if width == 1 else str(value))


def changed(function: Function, random: Random) -> Function:
    """A function with something else in one place: sometimes it means the same."""
    places = [i for i in instructions(function) if i.op != "freeze"]
    if not places or random.random() < 0.1:
        return replace(function, defined=not function.defined)
    old = random.choice(places)
    new = _other(old, random)
    swap = {old: new}

    def of(part: tuple[Instruction, ...]) -> tuple[Instruction, ...]:
        return tuple(swap.get(i, i) for i in part)

    sides = of(function.sides[0]), of(function.sides[1])
    return replace(function, before=of(function.before), sides=sides, behind=of(function.behind))


def _other(old: Instruction, random: Random) -> Instruction:
    work = _Work(random, [])
    choices = [replace(old, operands=tuple(reversed(old.operands)))] if len(old.operands) == 2 else []
    if FLAGS.get(old.op):
        choices += [replace(old, flags=()), replace(old, flags=FLAGS[old.op])]
    if old.op == "icmp":
        choices.append(replace(old, predicate=random.choice(PREDICATES), flags=()))
    if old.op in ARITHMETIC:
        choices.append(replace(old, op=random.choice(ARITHMETIC), flags=()))
    if old.op == "select" and old.width == 1:
        choices.append(replace(old, op=random.choice(("and", "or")), operands=old.operands[:2]))
    if old.op == "select":
        choices.append(replace(old, operands=(old.operands[0], old.operands[2], old.operands[1])))
    if len(old.operands) == 2:
        choices.append(replace(old, operands=(old.operands[0], _constant(old.operands[1].width, work))))
    if old.op in ("zext", "sext"):
        choices.append(replace(old, op="sext" if old.op == "zext" else "zext", flags=()))
    return random.choice(choices or [old])
