"""Memory that a function accesses: variables of the module, and what its parameters point to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Origin
from sa.base.source import Span
from sa.frontends.flow.graph import Cell, Object, Storage
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.body import cell_range, key_of, poison_of
from sa.frontends.llvm.values import as_canonical
from sa.terms import build
from sa.terms.term import Term

#: Linkage by which another definition may take the place of this one, or be merged with it.
_INTERPOSABLE = frozenset(
    {"weak", "linkonce", "common", "extern_weak", "external", "available_externally", "appending"}
)

#: What else is said of a variable that changes nothing here.
_HARMLESS = frozenset({
    "dso_local", "dso_preemptable", "internal", "private", "unnamed_addr", "local_unnamed_addr", "weak_odr",
    "linkonce_odr", "hidden", "protected", "default",
})  # fmt: skip


class Access(Struct, frozen=True):
    """An access of memory by its pointer: how many bits, how it is aligned, and where."""

    pointer: s.Operand
    bits: int
    align: int
    writes: bool
    atomic: bool
    span: Span


def accesses(function: s.Function, slots: Mapping[str, s.Type]) -> Iterator[Access]:
    """The accesses of a function other than those of allocas that are variables."""
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
        if isinstance(pointer, s.Local) and pointer.name in slots:
            continue
        bits = found.bits if isinstance(found, s.IntType) else 0
        yield Access(pointer, bits, align, writes, atomic, line.span)


def variables(module: s.Module, found: Sequence[Access]) -> tuple[Object, ...]:
    """The variables of the module that are accessed. Raises InputError for those that are not accepted."""
    objects = dict[str, Object]()
    for access in found:
        if not isinstance(access.pointer, s.Global):
            continue
        name = access.pointer.name
        variable = module.variables.get(name)
        if variable is None:
            raise s.refused("SA745", f"`@{name}` is not accepted as a variable", access.span, _SCALARS)
        objects[name] = _variable(variable, access)
    return tuple(objects.values())


_SCALARS = "variables are integers of 8, 16, 32 or 64 bits"


def _variable(variable: s.GlobalVariable, access: Access) -> Object:
    kind, words = variable.type, set(variable.words)
    if not isinstance(kind, s.IntType) or kind.bits not in (8, 16, 32, 64):
        raise s.refused("SA745", f"the type of `@{variable.name}` is not accepted", access.span, _SCALARS)
    if kind.bits != access.bits:
        message = f"`@{variable.name}` is accessed by another type than its own"
        raise s.refused("SA745", message, access.span, "access it as a whole")
    if other := sorted(words - _HARMLESS - _INTERPOSABLE):
        message = f"`@{variable.name}` is `{other[0]}`, which is not accepted"
        raise s.refused("SA745", message, access.span, "use an ordinary variable")
    if access.align > max(variable.align, kind.bits // 8):
        message = f"`@{variable.name}` is not known to be aligned as this access says"
        raise s.refused("SA745", message, access.span, f"give the variable `align {access.align}`")
    first = None
    known = variable.constant and words.isdisjoint(_INTERPOSABLE)
    if known and isinstance(variable.first, s.Number | s.Zero):
        number = variable.first.value if isinstance(variable.first, s.Number) else 0
        first = build.integer(as_canonical(number, kind.bits))
    cell = _cell("", kind.bits, first)
    return Object(variable.name, (cell,), Storage.STATIC, Origin(variable.span), kept=variable.constant)


def _cell(path: str, bits: int, first: Term | None = None) -> Cell:
    return Cell(path, cell_range(bits), key_of(bits), first, poison=poison_of(bits))


def pointed(name: str, found: Sequence[Access], where: Origin) -> Object | None:
    """What a parameter points to, by the accesses through it. Raises InputError where they differ."""
    if not found:
        return None
    bits = found[0].bits
    for access in found:
        if access.bits != bits or bits not in (8, 16, 32, 64):
            message = "accesses of several widths through one parameter are not accepted"
            raise s.refused("SA745", message, access.span, _SCALARS)
        if access.align != bits // 8:
            message = f"an access of {bits // 8} bytes that is aligned to {access.align} is not accepted"
            raise s.refused("SA745", message, access.span, f"align it to {bits // 8}")
    return Object(f"*{name}", (_cell("", bits),), Storage.STATIC, where)


def of_one_width(found: Sequence[Access], given: Mapping[int, Object]) -> None:
    """Raises InputError where a parameter may point to a part of what is accessed by another width."""
    widths = {o.cells[0].key for o in given.values()}
    for access in found:
        if widths and widths != {key_of(access.bits)}:
            message = "accesses of several widths, one of them through a parameter, are not accepted: they may overlap"
            raise s.refused("SA745", message, access.span, "use one width, or variables of the module only")
