"""Reads of shared variables in front of a statement: the expression part of `split`."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.base.source import Span
from sa.language import syntax
from sa.language.names import ArraySymbol, MacroSymbol, Scope, VariableSymbol, find
from sa.terms import build
from sa.terms.sort import ArraySort, BoolSort, EnumSort, IntSort, Sort

#: Macros of one statement beyond this number stay as they are.
MAX_MACROS = 1000


class Splitting(Struct):
    """What is known while a thread is split: the file's names, and the locals that were added, by type."""

    scope: Scope
    taken: frozenset[str]
    added: dict[str, syntax.Statement] = field(default_factory=dict)
    by_type: dict[syntax.Type, list[str]] = field(default_factory=dict)


class Reads(Struct):
    """The reads in front of one statement."""

    statements: list[syntax.Statement] = field(default_factory=list)
    macros: int = 0
    used: set[str] = field(default_factory=set)


def rebuilt(
    expression: syntax.Expression, change: Callable[[syntax.Expression], syntax.Expression]
) -> syntax.Expression:
    """The expression with its direct parts changed."""
    match expression:
        case syntax.Index(_, index):
            return replace(expression, index=change(index))
        case syntax.Chain(operands):
            return replace(expression, operands=tuple(change(e) for e in operands))
        case syntax.Compare(_, left, right):
            return replace(expression, left=change(left), right=change(right))
        case syntax.Unary(_, operand):
            return replace(expression, operand=change(operand))
        case syntax.Conditional(condition, positive, negative, span):
            return syntax.Conditional(change(condition), change(positive), change(negative), span)
        case syntax.Apply(_, arguments):
            return replace(expression, arguments=tuple(change(e) for e in arguments))
        case _:
            return expression


def read(expression: syntax.Expression, reads: Reads, splitting: Splitting) -> syntax.Expression:
    """The expression with locals for what is shared; the reads of them are added. Macros are put in."""
    match expression:
        case syntax.Name(name) | syntax.Apply(name) if reads.macros < MAX_MACROS and _is_macro(name, splitting):
            reads.macros += 1
            return read(_expanded(expression, splitting), reads, splitting)
        case syntax.Name(name) if is_shared(name, splitting):
            return _load(expression, reads, splitting)
        case syntax.Index(name) if is_shared(name, splitting):
            return _load(read_index(expression, reads, splitting), reads, splitting)
        case _:
            return rebuilt(expression, lambda part: read(part, reads, splitting))


def _is_macro(name: str, splitting: Splitting) -> bool:
    """Whether a name stands for an expression whose parts can be read one by one: what is quantified stays as it is."""
    symbol = find(splitting.scope, name)
    return isinstance(symbol, MacroSymbol) and not _is_quantified(symbol.definition.body)


def _is_quantified(expression: syntax.Expression) -> bool:
    found = list[bool]()

    def look(part: syntax.Expression) -> syntax.Expression:
        found.append(isinstance(part, syntax.Quantified))
        return rebuilt(part, look)

    look(expression)
    return any(found)


def _expanded(expression: syntax.Name | syntax.Apply, splitting: Splitting) -> syntax.Expression:
    symbol = find(splitting.scope, expression.name)
    assert isinstance(symbol, MacroSymbol)
    given = expression.arguments if isinstance(expression, syntax.Apply) else ()
    arguments = dict(zip((p.name for p in symbol.definition.parameters), given, strict=False))

    def put_in(part: syntax.Expression) -> syntax.Expression:
        if isinstance(part, syntax.Name) and part.name in arguments:
            return arguments[part.name]
        return rebuilt(part, put_in)

    return put_in(symbol.definition.body)


def read_index(place: syntax.Place, reads: Reads, splitting: Splitting) -> syntax.Place:
    """A place whose index was read before."""
    if isinstance(place, syntax.Index):
        return replace(place, index=read(place.index, reads, splitting))
    return place


def read_label(label: syntax.Label | None, reads: Reads, splitting: Splitting) -> syntax.Label | None:
    """A label whose values were read before."""
    if label is None:
        return None
    return replace(label, values=tuple(read(v, reads, splitting) for v in label.values))


def _load(place: syntax.Place, reads: Reads, splitting: Splitting) -> syntax.Name:
    local = temporary(place, reads, splitting)
    reads.statements.append(plain(syntax.Assign((local,), (place,), place.span), place.span))
    return local


def keep(value: syntax.Expression, place: syntax.Place, reads: Reads, splitting: Splitting) -> syntax.Expression:
    """A value for a shared place that is needed after other variables were written."""
    if isinstance(value, syntax.Integer | syntax.Boolean):
        return value
    local = temporary(place, reads, splitting)
    reads.statements.append(plain(syntax.Assign((local,), (value,), value.span), value.span))
    return local


def temporary(place: syntax.Place, reads: Reads, splitting: Splitting) -> syntax.Name:
    """A local of the type of a shared place that the statement does not use yet."""
    variable = _variable_of(place.name, splitting)
    assert variable is not None
    variable = _element_of(variable) if isinstance(place, syntax.Index) else variable
    written = _type_of(variable, place.span)
    known = splitting.by_type.setdefault(written, [])
    name = next((n for n in known if n not in reads.used), None)
    if name is None:
        number = len(splitting.added) + 1
        while f"read{number}" in splitting.taken or f"read{number}" in splitting.added:
            number += 1
        name = f"read{number}"
        known.append(name)
        identifier = syntax.Identifier(name, place.span)
        declaration = syntax.Local((identifier,), written, _first_value(variable, place.span), False, place.span)
        splitting.added[name] = plain(declaration, place.span)
    reads.used.add(name)
    return syntax.Name(name, 0, place.span)


def plain(action: syntax.Action, span: Span) -> syntax.Statement:
    """A statement without name or label."""
    return syntax.Statement(action, None, None, span)


def is_shared(name: str, splitting: Splitting) -> bool:
    """Whether a name is that of a global that the program itself uses."""
    variable = _variable_of(name, splitting)
    return variable is not None and variable.kind is Kind.GLOBAL and not variable.ghost


def _variable_of(name: str, splitting: Splitting) -> Variable | None:
    match find(splitting.scope, name):
        case VariableSymbol(variable):
            return variable
        case ArraySymbol(elements):
            return elements[0]
        case _:
            return None


def _element_of(variable: Variable) -> Variable:
    """A variable like an element of one that may be an array."""
    sort = variable.var.sort
    return replace(variable, var=build.variable("", sort.element)) if isinstance(sort, ArraySort) else variable


def _type_of(variable: Variable, span: Span) -> syntax.Type:
    if isinstance(variable.var.sort, ArraySort):
        return syntax.ArrayType(syntax.NamedType(variable.var.sort.element.name, span), None, span)
    if variable.low is None or variable.high is None:
        return syntax.NamedType(variable.var.sort.name, span)
    return syntax.RangeType(_literal(variable.low, span), _literal(variable.high, span), span)


def _literal(value: int, span: Span) -> syntax.Expression:
    positive = syntax.Integer(abs(value), span)
    return positive if value >= 0 else syntax.Unary("-", positive, span)


def _first_value(variable: Variable, span: Span) -> syntax.Expression:
    """Some value of the variable's type; it is never read."""
    return _some_value(variable.var.sort, variable.low or 0, span)


def _some_value(sort: Sort, number: int, span: Span) -> syntax.Expression:
    match sort:
        case BoolSort():
            return syntax.Boolean(False, span)
        case IntSort():
            return _literal(number, span)
        case EnumSort(_, constructors):
            return syntax.Name(constructors[0], 0, span)
        case ArraySort(_, element):
            return _some_value(element, 0, span)
        case _:
            assert_never(sort)


def reads_under_condition(expression: syntax.Expression, conditional: bool, splitting: Splitting) -> bool:
    """Whether an element of a shared array is read only if some condition holds."""
    match expression:
        case syntax.Index(name, index):
            if conditional and not isinstance(index, syntax.Integer) and is_shared(name, splitting):
                return True
            return reads_under_condition(index, conditional, splitting)
        case syntax.Chain(operands, operators):
            inner = conditional or operators[0] in ("&&", "||", "==>")
            return any(reads_under_condition(e, inner, splitting) for e in operands)
        case syntax.Compare(_, left, right):
            return any(reads_under_condition(e, conditional, splitting) for e in (left, right))
        case syntax.Unary(_, operand):
            return reads_under_condition(operand, conditional, splitting)
        case syntax.Conditional(condition, positive, negative):
            branches = any(reads_under_condition(e, True, splitting) for e in (positive, negative))
            return branches or reads_under_condition(condition, conditional, splitting)
        case syntax.Apply(_, arguments):
            return any(reads_under_condition(e, True, splitting) for e in arguments)
        case _:
            return False
