"""Which function builds which rule of `grammar/sa.lark`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any

from sa.base.source import Source
from sa.language.reading import claims, declarations, expressions, statements
from sa.language.reading.children import Children, item

_SPECIAL: Mapping[str, Callable[[Source, Children], Any]] = {
    "type": expressions.type_,
    "global": declarations.global_,
    **dict.fromkeys(("cas", "fetch_add", "exchange"), statements.operation),
    **dict.fromkeys(
        ("location_inv", "location_env", "abstract", "concrete", "relate", "pre", "inv", "choose_init"),
        item,
    ),
}


# Lark binds the functions when it makes a parser, which takes ten times as long as reading a small file: so they find
# their source here, and one parser serves all files.
_SOURCE: ContextVar[Source] = ContextVar("source")


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """Within it, what the functions build is of this source."""
    token = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(token)


def builder() -> SimpleNamespace:
    """The functions as Lark wants them: attributes named like the rules, called with the children."""
    rules = dict[str, Callable[[Source, Children], Any]]()
    for room in (expressions, statements, declarations, claims):
        own = {n: f for n, f in vars(room).items() if getattr(f, "__module__", "") == room.__name__}
        rules.update({n: f for n, f in own.items() if not n.startswith("_")})
    rules.update(_SPECIAL)
    return SimpleNamespace(**{name: _of_source(function) for name, function in rules.items()})


def _of_source(function: Callable[[Source, Children], Any]) -> Callable[[Children], Any]:
    return lambda children: function(_SOURCE.get(), children)
