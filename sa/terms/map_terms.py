"""All terms in data: looked at, and changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sa.terms.term import Term

T = TypeVar("T")


def everywhere(thing: T, change: Callable[[Term], Term]) -> T:
    """The data with all terms in it changed."""
    if isinstance(thing, Term):
        return change(thing)  # type: ignore[return-value]  # terms for terms
    if isinstance(thing, tuple):
        return tuple(everywhere(part, change) for part in thing)  # type: ignore[return-value]
    if isinstance(thing, Struct):
        return replace(thing, **{n: everywhere(getattr(thing, n), change) for n in thing.__struct_fields__})
    return thing


def terms_in(thing: object) -> Iterator[Term]:
    """The terms in data."""
    if isinstance(thing, Term):
        yield thing
    elif isinstance(thing, tuple):
        for part in thing:
            yield from terms_in(part)
    elif isinstance(thing, Struct):
        for name in thing.__struct_fields__:
            yield from terms_in(getattr(thing, name))
