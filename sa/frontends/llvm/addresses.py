"""Where pointers point, as numbers: both functions are given the same ones, such as there may be in a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from sa.frontends.flow.actions import Show
from sa.frontends.flow.graph import Begin, End, Havoc, Range, base
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import globals_in
from sa.frontends.llvm.body import Body, Bounds, Extent, Leaf, Plain, emit, register, undefined
from sa.frontends.llvm.constants import INTERPOSABLE
from sa.frontends.llvm.integers import outside
from sa.frontends.llvm.layout import NoLayout, size_of
from sa.terms import build
from sa.terms.term import Term, Var

#: Variables with these words may be at the address of another one.
_MERGED = frozenset({"unnamed_addr", "weak", "weak_odr", "linkonce", "linkonce_odr", "common"})

#: Addresses are less than this, and objects smaller than half of it.
_END = 2**64


class Numbers(Struct, frozen=True):
    """The parameters, by number, and variables whose addresses both functions are given.

    Perhaps they are `given` none. Perhaps they are given the `bounds` of objects, too; of variables if these are
    `open`: no module tells theirs.
    """

    parameters: tuple[int, ...] = ()
    variables: tuple[str, ...] = ()
    open: frozenset[str] = frozenset()
    bounds: bool = False
    given: bool = False


class _Home(Struct, frozen=True):
    """What points somewhere: its token, where that is, what it is accessed as there, and how that is aligned."""

    operand: s.Operand
    token: Term
    bounds: Bounds
    size: int
    align: int


def numbered(body: Body, numbers: Numbers) -> Iterator[Var]:
    """Registers for addresses and bounds, which are parameters beside those that are written. Raises InputError."""
    for operand in _operands(body, numbers):
        name = f"%{operand.name}" if isinstance(operand, s.Local) else f"@{operand.name}"
        address = register(body, f"address.{name}", Range(0, _END - 1), f"address of {name}")
        yield address
        before: Term = build.ZERO
        behind: Term = build.integer(_size(body.unit.module, operand.name) or 0)
        if numbers.bounds and (isinstance(operand, s.Local) or operand.name in numbers.open):
            if isinstance(operand, s.Local):
                before = register(body, f"before.{name}", Range(0, _END // 2 - 1), f"bytes before {name}")
                yield before
            behind = register(body, f"behind.{name}", Range(0, _END // 2 - 1), f"bytes behind {name}")
            yield behind
        body.bounds[operand] = Bounds(address, before, behind)
    if numbers.given:
        body.bounds[s.Null()] = Bounds(build.ZERO, build.ZERO, build.ZERO)


def placed(body: Body, line: s.Line) -> None:
    """Where a pointer points that a load, a call or a number gives: the environment tells both functions."""
    match line.instruction:
        case s.Load(s.PointerType(), pointer) if not (
            isinstance(pointer, s.Local) and pointer.name in body.facts.slots
        ):
            pass
        case s.Call(s.PointerType()) | s.Cast("inttoptr"):
            pass
        case _:
            return
    name = line.result or ""
    known = body.known.get(name)
    if not isinstance(known, Plain | Leaf):
        return
    emit(body, Begin())
    made = [register(body, f"{kind}.%{name}", Range(0, most), f"{told} %{name}") for kind, most, told in _TOLD]
    for var in made:
        emit(body, Havoc(var, body.registers[var].range))
    emit(body, Show("placed", tuple(made)))
    emit(body, End())
    bounds = Bounds(*made)
    body.strangers[s.Local(name)] = bounds
    possible = _alone(body, _Home(s.Local(name), known.var, bounds, 0, 1))
    undefined(body, build.lnot(build.land(*possible)), "an address that nothing has")


#: What is told of where a pointer points.
_TOLD = (
    ("address", _END - 1, "address of"),
    ("before", _END // 2 - 1, "bytes before"),
    ("behind", _END // 2 - 1, "bytes behind"),
)


def extended(body: Body, numbers: Numbers) -> Iterator[Var]:
    """Registers for what is there of what parameters point to, where accesses ask for several things."""
    for number, parameter in enumerate(body.function.signature.parameters):
        operand, name = s.Local(name_of(parameter, number)), f"%{name_of(parameter, number)}"
        shape = body.shapes.get(operand)
        if shape is None:
            continue
        kinds = (
            ("start", shape.starts, True),
            ("end", shape.ends, not numbers.bounds),
            ("align", shape.aligns, not numbers.given),
        )
        made = [
            register(body, f"{kind}.{name}", Range(0, len(asked) - 1), f"{kind} of what {name} points to")
            if wanted and len(asked) > 1
            else None
            for kind, asked, wanted in kinds
        ]
        yield from (var for var in made if var is not None)
        body.extents[operand] = Extent(*made)


def _operands(body: Body, numbers: Numbers) -> Iterator[s.Local | s.Global]:
    parameters = body.function.signature.parameters
    yield from (s.Local(name_of(parameters[number], number)) for number in numbers.parameters)
    yield from map(s.Global, numbers.variables)


def name_of(parameter: s.Argument, number: int) -> str:
    """The name of a parameter without the percent sign."""
    return parameter.operand.name if isinstance(parameter.operand, s.Local) else str(number)


def _size(module: s.Module, name: str) -> int | None:
    """How large a variable is, if this module alone says so."""
    variable = module.variables.get(name)
    if variable is None or not INTERPOSABLE.isdisjoint(variable.words):
        return None
    try:
        return size_of(variable.type, module)[0]
    except NoLayout:
        return None


def restrained(body: Body, numbers: Numbers) -> None:
    """Addresses that no program has are excluded: what a function does with them is undefined."""
    known = body.unit.module.variables
    homes = [_home(body, o) for o in _operands(body, numbers) if isinstance(o, s.Local) or o.name in known]
    holds = [f for home in homes for f in _alone(body, home)]
    holds += [f for one, two in combinations(homes, 2) for f in _together(body, one, two)]
    undefined(body, build.lnot(build.land(*holds)), "addresses that nothing has")


def _home(body: Body, operand: s.Operand) -> _Home:
    shape = body.shapes.get(operand)
    if isinstance(operand, s.Global):
        variable = body.unit.module.variables[operand.name]
        try:
            size, align = size_of(variable.type, body.unit.module)
        except NoLayout:
            size, align = 0, 1
        return _Home(operand, base(operand.name), body.bounds[operand], size, variable.align or align)
    assert isinstance(operand, s.Local)
    token = build.variable(f"%{operand.name}")
    return _Home(operand, token, body.bounds[operand], *((0, 1) if shape is None else (shape.ends[0], shape.align)))


def _alone(body: Body, home: _Home) -> Iterator[Term]:
    """What is so of one address: null is 0, and no object is at 0 or goes beyond the end of all addresses."""
    address, before, behind = home.bounds.address, home.bounds.before, home.bounds.behind
    yield build.lnot(outside(build.add(address, behind), 0, _END - 1, body.registers))
    if isinstance(home.operand, s.Global):
        yield build.lt(build.ZERO, address)
        yield build.eq(build.mod(address, home.align), build.ZERO)
        yield build.lnot(outside(build.add(address, build.integer(home.size)), 0, _END - 1, body.registers))
        if not isinstance(behind, Var):
            return
        yield build.le(build.integer(home.size), behind)
        return
    null = build.eq(home.token, build.ZERO)
    yield build.lor(null, build.lt(before, address))
    yield _same(null, build.eq(address, build.ZERO))
    yield build.lor(build.lnot(null), build.eq(before, build.ZERO))
    if not home.size:
        yield build.lor(build.lnot(null), build.eq(behind, build.ZERO))
        return
    # Pointers to nothing are not positive.
    nothing = build.le(home.token, build.ZERO)
    yield build.lor(nothing, build.eq(build.mod(address, home.align), build.ZERO))
    if isinstance(behind, Var):
        # What is aligned and large enough leads somewhere.
        aligned = build.eq(build.mod(address, home.align), build.ZERO)
        yield build.lor(build.lnot(nothing), build.lnot(aligned), build.lt(behind, build.integer(home.size)))
        yield build.lor(nothing, build.le(build.integer(home.size), behind))


def _together(body: Body, one: _Home, two: _Home) -> Iterator[Term]:
    """Equal pointers have equal addresses, and objects are apart (LangRef, Pointer Aliasing Rules)."""
    same = build.eq(one.token, two.token)
    ends = one.bounds, two.bounds
    alike = build.land(
        build.eq(ends[0].address, ends[1].address),
        *(build.eq(x, y) for x, y in ((ends[0].before, ends[1].before), (ends[0].behind, ends[1].behind))),
    )
    named = [h for h in (one, two) if isinstance(h.operand, s.Global)]
    if len(named) < 2:
        yield build.lor(build.lnot(same), alike)
    if not one.size or not two.size or (any(_may_be_merged(body, h.operand) for h in named) and len(named) == 2):
        return
    apart = build.lor(
        build.le(build.add(ends[0].address, build.integer(one.size)), ends[1].address),
        build.le(build.add(ends[1].address, build.integer(two.size)), ends[0].address),
    )
    somewhere = (build.lt(build.ZERO, h.token) for h in (one, two))
    inside = _is_inside(body, *((two, one) if named == [one] else (one, two))) if len(named) == 1 else same
    yield build.lor(apart, inside, *(build.lnot(f) for f in somewhere)) if len(named) < 2 else apart


def _is_inside(body: Body, pointer: _Home, variable: _Home) -> Term:
    """That a parameter points into a variable, whose parts follow one another."""
    shape = body.shapes.get(variable.operand)
    count = 1 if shape is None else len(shape.scalars)
    end = build.add(variable.token, build.integer(count))
    return build.land(build.le(variable.token, pointer.token), build.lt(pointer.token, end))


def _may_be_merged(body: Body, operand: s.Operand) -> bool:
    words = body.unit.module.variables[operand.name].words if isinstance(operand, s.Global) else ()
    # Another module's definition may make one variable an alias of another one.
    return not _MERGED.isdisjoint(words)


def _same(one: Term, two: Term) -> Term:
    return build.lor(build.land(one, two), build.land(build.lnot(one), build.lnot(two)))


def numbers_of(functions: Sequence[tuple[s.Function, s.Module]], bounds: bool) -> Numbers:
    """What both functions are given addresses of: their pointer parameters, and the variables that they speak of."""
    parameters = functions[0][0].signature.parameters
    pointers = tuple(number for number, p in enumerate(parameters) if isinstance(p.type, s.PointerType))
    lines = [line.instruction for function, _ in functions for block in function.blocks for line in block.lines]
    spoken = {name.name for name in globals_in(*lines)}
    names = tuple(sorted(n for n in spoken if any(n in module.variables for _, module in functions)))
    open_ = frozenset(n for n in names if any(_size(module, n) is None for _, module in functions))
    return Numbers(pointers, names, open_, bounds, True)
