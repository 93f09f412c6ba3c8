"""Pointers that are given to others, or returned: what is said of them, and what others see."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from sa.frontends.flow.graph import Range
from sa.frontends.llvm import syntax as s
from sa.frontends.llvm.body import POISON, UNDEF, Body, Leaf, Value, bits_of, canonical, chosen, refused, undefined
from sa.frontends.llvm.integers import wrapped
from sa.frontends.llvm.layout import POINTER
from sa.frontends.llvm.memory import shown
from sa.frontends.llvm.values import Pointer, address_of, bounds_of, pointer, typed
from sa.terms import build
from sa.terms.term import Term


def asked(body: Body, at: Pointer, words: Iterable[str], what: str) -> Pointer:
    """A pointer as what is said of it leaves it: poison, or undefined behaviour (LangRef, Parameter Attributes)."""
    said = list(words)
    wrong = at.poison
    for word in said:
        number = int(found[1]) if (found := re.search(r"\((\d+)\)", word)) is not None else 0
        match word.partition("(")[0]:
            case "nonnull":
                wrong = build.lor(wrong, is_null(body, at))
            case "align":
                wrong = build.lor(wrong, build.ne(build.mod(address_of(body, at), number), build.ZERO))
            case "dereferenceable":
                _is_there(body, at, number, build.FALSE, what)
            case "dereferenceable_or_null":
                _is_there(body, at, number, is_null(body, at), what)
            case _:
                continue
    if not any(word.startswith(("noundef", "dereferenceable")) for word in said):
        return replace(at, poison=wrong)
    undefined(body, build.lor(wrong, at.undef), what)
    return replace(at, poison=build.FALSE, undef=build.FALSE)


def is_null(body: Body, at: Pointer) -> Term:
    """That a pointer is null."""
    if at.offset is build.ZERO:
        return build.eq(at.token, build.ZERO)
    return build.eq(address_of(body, at), build.ZERO)


def _is_there(body: Body, at: Pointer, size: int, unless: Term, what: str) -> None:
    """So many bytes can be accessed, or the behaviour is undefined."""
    if size >= 2**32:
        raise refused(body, "`dereferenceable` of 2^32 bytes or more", "leave it out in both files")
    bounds, start = bounds_of(body, at), wrapped(at.offset, POINTER, body.registers)
    least = build.le(build.scale(-1, bounds.before), start)
    extent = body.extents.get(at.base)
    if extent is not None and extent.start is not None:
        least = build.land(least, build.eq(extent.start, build.ZERO))
    inside = build.land(least, build.le(build.add(start, build.integer(size)), bounds.behind))
    undefined(body, build.lor(at.poison, at.undef, build.lnot(build.lor(inside, unless))), what)


def as_shown(body: Body, at: Pointer) -> tuple[Term, Term]:
    """What others see of a pointer: its token, and how many bytes it is moved."""
    token, offset = at.token, wrapped(at.offset, POINTER, body.registers)
    if at.undef is not build.FALSE:
        # Each pointer is one that is not moved. The first function may give a moved one as well.
        far = chosen(body, Range(*canonical(POINTER))) if body.unit.source else build.ZERO
        token = build.ite(at.undef, chosen(body, Range(*canonical(POINTER))), token)
        offset = build.ite(at.undef, far, offset)
    if at.poison is build.FALSE:
        return token, offset
    any_ = chosen(body, Range(*canonical(POINTER))) if body.unit.source else build.ZERO
    return shown(body, Value(token, at.poison), POINTER), build.ite(at.poison, any_, offset)


def seen(body: Body, value: s.Typed) -> tuple[Term, ...]:
    """What others see of a value of which nothing is said."""
    if isinstance(value.type, s.PointerType):
        return as_shown(body, pointer(body, value.operand))
    bits = bits_of(value.type, body)
    known = body.known.get(value.operand.name) if isinstance(value.operand, s.Local) else None
    if not isinstance(known, Leaf):
        return (shown(body, typed(body, value), bits),)
    found = build.ite(build.eq(known.kind, build.integer(UNDEF)), chosen(body, Range(*canonical(bits))), known.var)
    return (shown(body, Value(found, build.eq(known.kind, build.integer(POISON))), bits),)
