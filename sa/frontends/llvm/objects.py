"""Memory that a function accesses: variables of the module, and what its parameters point to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.base.source import Span
from sa.frontends.flow.graph import ANY, Cell, Object, Storage
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.analysis import Facts, globals_in
from sa.frontends.llvm.body import cell_range, key_of, poison_of
from sa.frontends.llvm.constants import INTERPOSABLE, aligned, alignment, all_known, first_values, is_constant
from sa.frontends.llvm.layout import POINTER, NoLayout, Place, Scalar, place_of, scalars, size_of
from sa.frontends.llvm.resolved import is_resolved
from sa.frontends.llvm.shapes import Shape, bytes_of, cut, padded, parts, rows_of, touched
from sa.terms import build
from sa.terms.term import Term

#: What else is said of a variable that changes nothing here.
_HARMLESS = frozenset({
    "dso_local", "dso_preemptable", "internal", "private", "unnamed_addr", "local_unnamed_addr", "weak_odr",
    "linkonce_odr", "hidden", "protected", "default",
})  # fmt: skip


class Access(Struct, frozen=True):
    """An access of memory: by which pointer and where, how many bits, how it is aligned."""

    pointer: s.Operand
    place: Place
    bits: int
    align: int
    writes: bool
    atomic: bool
    span: Span


def accesses(module: s.Module, function: s.Function, facts: Facts) -> Iterator[Access]:
    """The accesses of objects that are known, but for those of allocas that are variables. Raises InputError."""
    for line in (line for b in function.blocks for line in b.lines):
        match line.instruction:
            case s.Load(kind, pointer, _, order, align):
                found, writes, atomic = kind, False, order is not None
            case s.Store(s.Typed(kind), pointer, _, order, align):
                found, writes, atomic = kind, True, order is not None
            case s.Update(_, _, pointer, s.Typed(kind), _, align) | s.Exchange(
                _, _, pointer, s.Typed(kind), _, _, _, align
            ):
                found, writes, atomic = kind, True, True
            case _:
                continue
        if isinstance(pointer, s.Local) and pointer.name in facts.slots:
            continue
        if not is_resolved(pointer, facts, module):
            continue
        bits = found.bits if isinstance(found, s.IntType) else POINTER if isinstance(found, s.PointerType) else 0
        try:
            place = place_of(pointer, facts.moves, module)
        except NoLayout:
            hint = "an address is that of a variable or parameter, constant distances, and one index"
            raise s.refused("SA745", "this address is not accepted", line.span, hint) from None
        if isinstance(place.base, s.Local) and place.base.name in facts.distant:
            hint = "an access is at a distance that is the same whichever pointer is chosen"
            raise s.refused(
                "SA745", "an access through a pointer at several distances is not accepted", line.span, hint
            )
        yield Access(pointer, place, bits, align, writes, atomic, line.span)


def shared(module: s.Module, function: s.Function, facts: Facts) -> list[Access]:
    """The accesses of what others may access, too, by the variables and parameters that they may be of."""
    return [a for a in _rooted(accesses(module, function, facts), facts) if not _is_own(a, facts)]


def _is_own(access: Access, facts: Facts) -> bool:
    return isinstance(access.place.base, s.Local) and access.place.base.name in facts.own


def _rooted(found: Iterable[Access], facts: Facts) -> list[Access]:
    made = list[Access]()
    for access in found:
        base = access.place.base
        own: frozenset[s.Operand] = frozenset((base,))
        roots = own
        if isinstance(base, s.Local):
            roots = facts.roots.get(base.name, own if base.name in facts.own else frozenset())
        made += (replace(access, place=replace(access.place, base=root)) for root in roots)
    return made


def meeting(found: Sequence[Access]) -> frozenset[s.Operand]:
    """The pointers of atomic accesses that may find what plain accesses have written, which may be poison."""
    plain = [a for a in found if not a.atomic]
    return frozenset(a.pointer for a in found if a.atomic and any(_may_meet(a, other) for other in plain))


def _may_meet(one: Access, other: Access) -> bool:
    if one.place.base != other.place.base:
        # A parameter may point to what another one does, or to a variable.
        return isinstance(one.place.base, s.Local) or isinstance(other.place.base, s.Local)
    if one.place.index is not None or other.place.index is not None:
        return True
    starts = one.place.offset, other.place.offset
    return starts[0] < starts[1] + bytes_of(other.bits) and starts[1] < starts[0] + bytes_of(one.bits)


def _shape_of(base: s.Operand, kind: s.Type, module: s.Module, accessed: Sequence[Access]) -> Shape:
    """The cells of memory of a type that is so accessed. Raises NoLayout."""
    size = size_of(kind, module)[0]
    own = [a for a in accessed if a.place.base == base]
    reached = [part for a in own for part in parts(a.place, a.bits, size)]
    whole = padded(Shape(tuple(scalars(kind, module)), size), reached)
    others = (a for a in own if touched(a.place, a.bits, whole) is None)
    return cut(whole, (part for a in others for part in parts(a.place, a.bits, size)))


def shapes(module: s.Module, found: Sequence[Access], all_: Sequence[Access]) -> Mapping[str, Shape]:
    """The variables of the module that are accessed, with cells for `all_` accesses of both functions.

    Raises InputError for those that are not accepted.
    """
    made = dict[str, Shape]()
    for access in found:
        if not isinstance(access.place.base, s.Global):
            continue
        variable = module.variables.get(access.place.base.name)
        if variable is None:
            raise s.refused("SA745", f"`@{access.place.base.name}` is not accepted as a variable", access.span, _KINDS)
        try:
            own = made[variable.name] = _shape_of(access.place.base, variable.type, module, all_)
        except NoLayout:
            message = f"the type of `@{variable.name}` is not accepted"
            raise s.refused("SA745", message, access.span, _KINDS) from None
        if touched(access.place, access.bits, own) is None:
            message = f"this access of `@{variable.name}` matches none of its integers"
            raise s.refused("SA745", message, access.span, "access it by its own type")
        if is_constant(variable) and not all_known(variable, own, module):
            message = f"the first value of `@{variable.name}` is not accepted"
            raise s.refused(
                "SA745", message, variable.span, "constants are integers, `null`, and arrays and structures of these"
            )
        known = touched(access.place, access.bits, own)
        bounded = known is not None and known.count and access.place.index is None
        if not bounded and not INTERPOSABLE.isdisjoint(variable.words):
            message = f"how large `@{variable.name}` is, which another module defines, is not known"
            raise s.refused("SA745", message, access.span, "define it in this module")
        if other := sorted(set(variable.words) - _HARMLESS - INTERPOSABLE):
            message = f"`@{variable.name}` is `{other[0]}`, which is not accepted"
            raise s.refused("SA745", message, access.span, "use an ordinary variable")
    return made


_KINDS = "variables are integers of 8, 16, 32 or 64 bits, and arrays and structures of these"


def own_shapes(module: s.Module, function: s.Function, facts: Facts) -> Mapping[str, Shape]:
    """The cells of the function's own memory. Raises InputError for accesses that are not accepted."""
    found, made = (
        [a for a in _rooted(accesses(module, function, facts), facts) if _is_own(a, facts)],
        dict[str, Shape](),
    )
    for name, line in facts.own.items():
        assert isinstance(line.instruction, s.Alloca)
        kind, least = line.instruction.type, line.instruction.align
        try:
            made[name] = _shape_of(s.Local(name), kind, module, found)
        except NoLayout:
            raise s.refused("SA745", f"the type of `%{name}` is not accepted", line.span, _KINDS) from None
        for access in (a for a in found if a.place.base == s.Local(name)):
            if touched(access.place, access.bits, made[name]) is None:
                message = f"this access of `%{name}` matches none of its integers"
                raise s.refused("SA745", message, access.span, "access it by its own type")
            if access.align > aligned(access.place, least or size_of(kind, module)[1]):
                message = f"this access of `%{name}` asks for more alignment than there is"
                raise s.refused("SA745", message, access.span, "align the memory so")
    return made


def own_objects(shapes: Mapping[str, Shape], facts: Facts, module: s.Module) -> tuple[Object, ...]:
    """The objects of the function's own memory."""
    made = list[Object]()
    for name, shape in shapes.items():
        line = facts.own[name]
        assert isinstance(line.instruction, s.Alloca)
        rows = tuple(rows_of(line.instruction.type, shape, module))
        cells = tuple(_cell(x.path, x.bits) for x in shape.scalars)
        origin = Origin(line.span, line.text)
        made.append(Object(f"%{name}", cells, Storage.AUTO, origin, told=f"%{name}", middling=rows))
    return tuple(made)


def by_address(module: s.Module, found: Sequence[Access]) -> bool:
    """Whether it depends on an address whether an access is aligned."""
    groups = dict[s.Operand, list[Access]]()
    for access in found:
        groups.setdefault(access.place.base, []).append(access)
    return any(
        any(a.align > alignment(a.place, module.variables[base.name], module) for a in own)
        if isinstance(base, s.Global) and base.name in module.variables
        else not are_aligned(own) or (len(groups) > 1 and len({a.align for a in own}) > 1)
        for base, own in groups.items()
    )


def variables(module: s.Module, found: Mapping[str, Shape], whole: Collection[str]) -> tuple[Object, ...]:
    """The objects of variables; arrays in those that are `whole` are kept whole."""
    objects = {name: _object(module.variables[name], shape, module) for name, shape in found.items()}
    return tuple(
        replace(made, rows=tuple(rows_of(module.variables[name].type, found[name], module))) if name in whole else made
        for name, made in objects.items()
    )


def chosen_from(found: Sequence[Access]) -> frozenset[str]:
    """The variables with plain accesses by an index, and no atomic ones."""
    bases = [(a.place.base.name, a) for a in found if isinstance(a.place.base, s.Global)]
    return frozenset(n for n, a in bases if a.place.index is not None) - {n for n, a in bases if a.atomic}


def named(module: s.Module, function: s.Function, all_: Sequence[Access]) -> Mapping[str, Shape]:
    """The variables whose addresses are handed on, or kept."""
    names = {
        operand.name
        for line in (line for b in function.blocks for line in b.lines)
        for operand in globals_in(line.instruction)
        if operand.name in module.variables
    }
    return {name: _shape(module.variables[name], module, all_) for name in sorted(names)}


def _shape(variable: s.GlobalVariable, module: s.Module, all_: Sequence[Access]) -> Shape:
    try:
        return _shape_of(s.Global(variable.name), variable.type, module, all_)
    except NoLayout:
        return Shape((Scalar(0, "", 0),), 0)


def _object(variable: s.GlobalVariable, shape: Shape, module: s.Module) -> Object:
    values = first_values(variable, module, shape) if is_constant(variable) else {}
    cells = (_cell(x.path, x.bits, values.get(x.offset)) for x in shape.scalars)
    return Object(variable.name, tuple(cells), Storage.STATIC, Origin(variable.span), kept=variable.constant)


def _cell(path: str, bits: int, value: int | None = None) -> Cell:
    if not bits:
        return Cell(path, ANY, "none")
    first: Term | None = None if value is None else build.integer(value)
    return Cell(path, cell_range(bits), key_of(bits), first, poison=poison_of(bits))


def pointed(found: Sequence[Access]) -> Shape | None:
    """What a parameter points to, by the accesses through it. Raises InputError where that is not accepted."""
    places = dict[int, int]()
    for access in found:
        if access.place.index is not None or not access.bits or access.place.offset < 0:
            message = "through a parameter, an address with an index, or of another type, is not accepted"
            raise s.refused("SA745", message, access.span, "parameters point to integers at constant distances")
        offset, size = access.place.offset, bytes_of(access.bits)
        places[offset] = max(places.get(offset, 0), size)
    if not places:
        return None
    parts_ = {(a.place.offset, a.place.offset + bytes_of(a.bits)) for a in found}
    pointers = {a.place.offset for a in found if a.bits == POINTER}
    for start, end in parts_:
        if any(start < p + 8 and p < end and (start, end) != (p, p + 8) for p in pointers):
            raise s.refused("SA745", "an access of part of a pointer is not accepted", found[0].span, _KINDS)
    if any(a.bits != POINTER and a.place.offset in pointers for a in found):
        message = "memory that is accessed both as an integer and as a pointer is not accepted"
        raise s.refused("SA745", message, found[0].span, _KINDS)
    ends = sorted({end for part in parts_ for end in part})
    cells = [(o, e) for o, e in pairwise(ends) if any(start <= o and e <= end for start, end in parts_)]
    alone = [o for o, _ in cells] == [0]
    made = (Scalar(o, "" if alone else f"+{o}", POINTER if o in pointers else 8 * (e - o)) for o, e in cells)
    aligns = sorted({a.align for a in found}) if are_aligned(found) else [1]
    starts = sorted({begin_of(a.place) for a in found})
    needed = sorted({a.place.offset + bytes_of(a.bits) for a in found})
    return Shape(tuple(made), ends[-1], aligns[0], tuple(aligns), tuple(starts), tuple(needed))


def begin_of(place: Place) -> int:
    """From where on the bytes must be there that an access needs: `inbounds` needs those of its base, too."""
    return 0 if place.inbounds else place.offset


def are_aligned(found: Sequence[Access]) -> bool:
    """Whether each access through a pointer is aligned as it says if the pointer is."""
    return all(a.align > 0 and a.place.offset % a.align == 0 for a in found)


def object_of(name: str, shape: Shape, where: Origin) -> Object:
    """The object that a parameter points to."""
    return Object(f"*{name}", tuple(_cell(x.path, x.bits) for x in shape.scalars), Storage.STATIC, where)


def apart(found: Sequence[Access], given: Sequence[Shape], numbers: bool) -> None:
    """Raises InputError where what a parameter points to may overlap other things in part.

    Perhaps their addresses are `numbers`.
    """
    if not given:
        return
    single = all(len(shape.scalars) == 1 and shape.scalars[0].offset == 0 for shape in given)
    widths = {access.bits for access in found}
    # What is not aligned to its size may overlap others in part.
    wide = all(access.align >= bytes_of(access.bits) for access in found)
    alike = numbers or all(len(shape.aligns) == 1 for shape in given)
    if single and len(widths) == 1 and wide and alike:
        return
    through = len(given) == 1 and not any(isinstance(access.place.base, s.Global) for access in found)
    if not through:
        message = "accesses through parameters that may overlap others in part are not accepted"
        hint = "use one width, or one parameter and no variables of the module"
        raise s.refused("SA745", message, found[0].span, hint)
