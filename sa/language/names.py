"""Names and what they stand for: scopes as chains of tables, without shadowing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeAlias

from sa.automata.automaton import Variable
from sa.base.diagnostic import Diagnostic, Label, error
from sa.base.source import Span
from sa.language import syntax
from sa.terms.sort import Sort
from sa.terms.term import Function, Term


@dataclass(frozen=True, slots=True)
class VariableSymbol:
    """A variable or parameter."""

    variable: Variable


@dataclass(frozen=True, slots=True)
class ArraySymbol:
    """An array: its elements are variables of their own."""

    elements: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class TermSymbol:
    """A name for a value: constants, constructors, arguments of macros."""

    term: Term


@dataclass(frozen=True, slots=True)
class MacroSymbol:
    """A `define`, typed where it is used; its free names are those of its file."""

    definition: syntax.Define
    scope: Scope


@dataclass(frozen=True, slots=True)
class FunctionSymbol:
    """A function; with a body it is replaced by it."""

    function: Function
    parameters: tuple[str, ...]
    body: syntax.Expression | None
    scope: Scope


@dataclass(frozen=True, slots=True)
class TypeSymbol:
    """An enumeration."""

    sort: Sort


@dataclass(frozen=True, slots=True)
class ModuleSymbol:
    """An imported file: its names are reached through a dot."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class HiddenSymbol:
    """A name of an imported file that cannot be used here, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class BrokenSymbol:
    """A declaration with an error of its own: uses of it are not reported again."""


Symbol: TypeAlias = (
    VariableSymbol
    | ArraySymbol
    | TermSymbol
    | MacroSymbol
    | FunctionSymbol
    | TypeSymbol
    | ModuleSymbol
    | HiddenSymbol
    | BrokenSymbol
)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """A table of names on top of another one. Filled while its block is read, never changed afterwards."""

    parent: Scope | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)


def find(scope: Scope, name: str) -> Symbol | None:
    """What a name stands for; dotted names lead through imported files."""
    for table in _chain(scope):
        if name in table.symbols:
            return table.symbols[name]
    first, _, rest = name.partition(".")
    if not rest:
        return None
    module = find(scope, first)
    return find(module.scope, rest) if isinstance(module, ModuleSymbol) else None


def declare(scope: Scope, name: syntax.Identifier, symbol: Symbol, problems: list[Diagnostic]) -> bool:
    """Enter a name; names do not shadow others, and the first declaration stays. Whether it was new."""
    for table in _chain(scope):
        if name.name in table.symbols:
            first = table.places.get(name.name)
            labels = (Label(first, "the first one is here"),) if first else ()
            problems.append(
                error("SA102", f"`{name.name}` is declared twice", name.span, "names do not shadow", labels)
            )
            return False
    scope.symbols[name.name] = symbol
    scope.places[name.name] = name.span
    return True


def unknown(scope: Scope, name: str, span: Span, what: str = "name") -> Diagnostic:
    """The message for a name that stands for nothing, with the nearest one that does."""
    return error("SA101", f"unknown {what} `{name}`", span, did_you_mean(name, _visible(scope)))


def did_you_mean(name: str, known: Iterator[str] | list[str]) -> str | None:
    """A hint with the known name that is most like this one, if any is."""
    near = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else None


def _chain(scope: Scope) -> Iterator[Scope]:
    table: Scope | None = scope
    while table is not None:
        yield table
        table = table.parent


def _visible(scope: Scope) -> Iterator[str]:
    for table in _chain(scope):
        for name, symbol in table.symbols.items():
            yield name
            if isinstance(symbol, ModuleSymbol):
                yield from (f"{name}.{inner}" for inner in symbol.scope.symbols)
