"""What an access asks of the memory that it is of: that it is there, and aligned, and not left on the way."""

from __future__ import annotations

from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.body import Body, refused, undefined
from sa.frontends.llvm.constants import INTERPOSABLE, alignment
from sa.frontends.llvm.integers import outside
from sa.frontends.llvm.layout import Place, passed
from sa.frontends.llvm.objects import begin_of
from sa.frontends.llvm.shapes import bytes_of
from sa.frontends.llvm.values import address_of
from sa.frontends.llvm.values import pointer as pointed
from sa.terms import build
from sa.terms.term import Term


def is_aligned(body: Body, pointer: s.Operand, place: Place, align: int) -> None:
    """An access that is not aligned as it says is undefined, where that is not known."""
    base = place.base
    variable = body.unit.module.variables.get(base.name) if isinstance(base, s.Global) else None
    shape = body.shapes.get(base)
    known = 1 if shape is None else shape.align
    if variable is not None:
        known = alignment(place, variable, body.unit.module)
    if align > known and body.bounds:
        at = address_of(body, pointed(body, pointer))
        undefined(body, build.ne(build.mod(at, align), build.ZERO), "an access that is not aligned")


def extends(body: Body, place: Place, bits: int, align: int) -> None:
    """What a parameter points to must be there where it is accessed, and aligned as an access says."""
    roots = body.facts.roots.get(place.base.name, frozenset()) if isinstance(place.base, s.Local) else frozenset()
    start, end = begin_of(place), place.offset + bytes_of(bits)
    for root in (root for root in roots if root in body.extents):
        extent, shape = body.extents[root], body.shapes[root]
        if extent.start is not None:
            before = build.lt(build.integer(shape.starts.index(start)), extent.start)
            undefined(body, before, "an access before what a parameter points to")
        if end > shape.ends[0] and (extent.end is not None or root in body.bounds):
            there, least = (
                (body.bounds[root].behind, end) if extent.end is None else (extent.end, shape.ends.index(end))
            )
            undefined(body, build.lt(there, build.integer(least)), "an access behind what a parameter points to")
        if extent.align is not None and align > shape.align:
            less = build.lt(extent.align, build.integer(shape.aligns.index(align)))
            undefined(body, less, "an access that is not aligned")


def stays(
    body: Body, pointer: s.Operand, place: Place, numbers: tuple[int, int], index: Term | None, bits: int
) -> None:
    """A pointer that leaves its object on the way is poison (LangRef, `inbounds`), and an access by it undefined.

    The index, if there is one, is between two numbers. Raises InputError where the object is not known.
    """
    size = _size(body, place.base)
    end = place.offset + bytes_of(bits) if size is None else size
    for way in passed(pointer, body.facts.moves, body.unit.module):
        first, last = (way.offset + way.stride * (0 if way.index is None else n) for n in numbers)
        if first >= 0 and last <= end:
            continue
        if size is None or (way.index is not None and index is None):
            raise refused(body, "a pointer that is moved further than it is accessed", "move it in one step")
        here = (
            build.integer(way.offset)
            if index is None or way.index is None
            else build.add(build.integer(way.offset), build.scale(way.stride, index))
        )
        undefined(body, outside(here, 0, size, body.registers), "a pointer that has left its object")


def _size(body: Body, base: s.Operand) -> int | None:
    """How large what a pointer leads to is; None where that is not known, or not one size."""
    roots = body.facts.roots.get(base.name, frozenset((base,))) if isinstance(base, s.Local) else frozenset((base,))
    sizes = {body.shapes[root].size if _is_sized(body, root) else None for root in roots}
    return sizes.pop() if len(sizes) == 1 else None


def _is_sized(body: Body, root: s.Operand) -> bool:
    if isinstance(root, s.Global):
        variable = body.unit.module.variables.get(root.name)
        return root in body.shapes and variable is not None and INTERPOSABLE.isdisjoint(variable.words)
    return isinstance(root, s.Local) and root.name in body.facts.own and root in body.shapes
