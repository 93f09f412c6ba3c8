"""Types of two files: a structure is another object in each."""

from __future__ import annotations

from collections.abc import Mapping

from sa.frontends.c.body import object_of
from sa.frontends.c.types import Array, CType, Function, Int, Pointer, Struct, cell_count
from sa.frontends.flow.graph import Object, Procedure, Storage

#: An object that a parameter points to has no more scalars than this.
_MOST = 64


def alike(one: CType | None, other: CType | None, within: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Whether types of two files are the same; structures `within` which this is asked are taken to be."""
    match one, other:
        case Pointer(), Pointer():
            same = (one.atomic, one.volatile) == (other.atomic, other.volatile)
            return same and alike(one.to, other.to, within)
        case Array(), Array():
            return one.size == other.size and alike(one.of, other.of, within)
        case Function(), Function():
            return (
                one.variadic == other.variadic
                and alike(one.result, other.result, within)
                and _all(one.parameters, other.parameters, within)
            )
        case Struct(), Struct():
            if (id(one), id(other)) in within:
                return True
            inside = within | {(id(one), id(other))}
            # Structures without a tag are told apart by numbers, which mean nothing in another file.
            tags = (t if not t.startswith("?") else "" for t in (one.tag, other.tag))
            same = next(tags) == next(tags) and (one.opaque, one.gaps) == (other.opaque, other.gaps)
            return same and all(
                _named(a, b, inside) for a, b in ((one.fields, other.fields), (one.members, other.members))
            )
        case _:
            return one == other


def _all(one: tuple[CType, ...] | None, other: tuple[CType, ...] | None, within: frozenset[tuple[int, int]]) -> bool:
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and all(alike(a, b, within) for a, b in zip(one, other, strict=True))


def _named(
    one: tuple[tuple[str, CType], ...] | None,
    other: tuple[tuple[str, CType], ...] | None,
    within: frozenset[tuple[int, int]],
) -> bool:
    if one is None or other is None:
        return one is other
    names = [n for n, _ in one] == [n for n, _ in other]
    return names and all(alike(a, b, within) for (_, a), (_, b) in zip(one, other, strict=True))


def given(called: Procedure, kind: Function, start: str) -> Mapping[int, Object]:
    """By their numbers, the objects that pointer parameters of a function may be followed to; names begin so.

    Characters are not among them, for pointers to them may point into anything.
    """
    found = dict[int, Object]()
    for number, (var, own) in enumerate(zip(called.parameters, kind.parameters or (), strict=False)):
        to = own.to if isinstance(own, Pointer) else None
        if to is not None and _is_followed(to):
            name = f"{start}{var.name.removeprefix('__')}"
            found[number] = object_of(name, to, Storage.STATIC, called.origin, None)
    return found


def _is_followed(to: CType) -> bool:
    match to:
        case Int(bits=bits):
            return bits != 8 and not to.atomic and not to.volatile
        case Struct(fields=fields):
            return fields is not None and to.members is None and not to.opaque and 0 < cell_count(to) <= _MOST
        case _:
            return False
