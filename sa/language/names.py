"""Names and what they stand for: scopes as chains of tables, without shadowing."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TypeAlias

from msgspec import Struct, field

from sa.automata.automaton import Variable
from sa.base.diagnostic import Diagnostic, Label, error
from sa.base.source import Span
from sa.language import syntax
from sa.language.habits import CALLS, MEMBERS, VALUES
from sa.terms.sort import Sort
from sa.terms.term import Function, Term


class VariableSymbol(Struct, frozen=True):
    """A variable or parameter."""

    variable: Variable


class ArraySymbol(Struct, frozen=True):
    """An array: its elements are variables of their own."""

    elements: tuple[Variable, ...]


class SequenceSymbol(Struct, frozen=True):
    """A sequence: its elements and its length are variables of their own."""

    elements: tuple[Variable, ...]
    length: Variable


class TermSymbol(Struct, frozen=True):
    """A name for a value: constants, constructors, arguments of macros."""

    term: Term


class MacroSymbol(Struct, frozen=True):
    """A `define`, typed where it is used; its free names are those of its file."""

    definition: syntax.Define
    scope: Scope


class FunctionSymbol(Struct, frozen=True):
    """A function; with a body it is replaced by it."""

    function: Function
    parameters: tuple[str, ...]
    body: syntax.Expression | None
    scope: Scope


class ProcedureSymbol(Struct, frozen=True):
    """A procedure; its free names are those of its file."""

    procedure: syntax.Procedure
    scope: Scope


class TypeSymbol(Struct, frozen=True):
    """An enumeration."""

    sort: Sort


class ModuleSymbol(Struct, frozen=True):
    """An imported file: its names are reached through a dot."""

    scope: Scope


class HiddenSymbol(Struct, frozen=True):
    """A name of an imported file that cannot be used here, and why."""

    why: str


class ConditionSymbol(Struct, frozen=True):
    """A condition variable: a name without a value."""


class BrokenSymbol(Struct, frozen=True):
    """A declaration with an error of its own: uses of it are not reported again."""


Symbol: TypeAlias = (
    VariableSymbol
    | ArraySymbol
    | SequenceSymbol
    | TermSymbol
    | MacroSymbol
    | FunctionSymbol
    | ProcedureSymbol
    | TypeSymbol
    | ModuleSymbol
    | HiddenSymbol
    | ConditionSymbol
    | BrokenSymbol
)


class Scope(Struct, frozen=True, eq=False):
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


def is_of_file(scope: Scope, name: str) -> bool:
    """Whether a name stands for the same wherever the file uses it: not for the index of a family, or a counter."""
    table = next((t for t in _chain(scope) if name in t.symbols), None)
    return table is None or table.parent is None


def mentioned(expression: syntax.Expression) -> Iterator[tuple[str, Span]]:
    """The names that an expression mentions, with their places."""
    match expression:
        case syntax.Name(name, _, span):
            yield name, span
        case syntax.Index(name, index, _, span):
            yield name, span
            yield from mentioned(index)
        case syntax.Apply(name, arguments, span):
            yield name, span
            for argument in arguments:
                yield from mentioned(argument)
        case syntax.Chain(operands):
            for operand in operands:
                yield from mentioned(operand)
        case syntax.Compare(_, left, right):
            yield from mentioned(left)
            yield from mentioned(right)
        case syntax.Conditional(condition, positive, negative):
            for part in (condition, positive, negative):
                yield from mentioned(part)
        case syntax.Unary(_, body) | syntax.Old(body) | syntax.Quantified(_, _, body):
            yield from mentioned(body)
        case _:
            pass


def unknown(scope: Scope, name: str, span: Span, what: str = "name") -> Diagnostic:
    """The message for a name that stands for nothing, with the nearest one that does."""
    known = list(_visible(scope))
    hint = (
        (CALLS if what in ("procedure", "function") else VALUES).get(name)
        or MEMBERS.get(name.rpartition(".")[2] if "." in name else "")
        or _of_thread(name, known)
        or _inside(name, known)
        or did_you_mean(name, known)
    )
    return error("SA101", f"unknown {what} `{name}`", span, hint)


def _of_thread(name: str, known: list[str]) -> str | None:
    """A hint for `T.x` where both sides of a refinement are spoken of, and the locals of all their threads."""
    local = name.rpartition(".")[2]
    inside = local != name and {f"conc.{local}", f"abs.{local}"} & {*known}
    return f"a local is named without its thread: `{local}`, or `conc.{local}` for one side" if inside else None


def _inside(name: str, known: list[str]) -> str | None:
    """A hint for the local of a thread, which other places name with it."""
    owned = next((n for n in known if n.endswith(f".{name}")), None)
    return None if owned is None else f"did you mean `{owned}`?"


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
