"""Which function builds which rule of `grammar/sa.lark`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

from sa.base.source import Source
from sa.language.reading import claims, declarations, expressions, statements
from sa.language.reading.children import Children, item

_SPECIAL: Mapping[str, Callable[[Source, Children], Any]] = {
    "type": expressions.type_,
    "global": declarations.global_,
    "cas": statements.primitive,
    "fetch_add": statements.primitive,
    **dict.fromkeys(
        ("location_inv", "location_env", "abstract", "concrete", "relate", "pre", "inv", "choose_init"),
        item,
    ),
}


def builder(source: Source) -> SimpleNamespace:
    """The functions as Lark wants them: attributes named like the rules, called with the children."""
    rules = dict[str, Callable[[Source, Children], Any]]()
    for room in (expressions, statements, declarations, claims):
        own = {n: f for n, f in vars(room).items() if getattr(f, "__module__", "") == room.__name__}
        rules.update({n: f for n, f in own.items() if not n.startswith("_")})
    rules.update(_SPECIAL)
    return SimpleNamespace(**{name: partial(function, source) for name, function in rules.items()})
