"""Declared variables: parameters, globals and locals, arrays as their elements."""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import Kind, Origin, Variable
from sa.language import syntax
from sa.language.elaborate.context import Context, complain
from sa.language.elaborate.expressions import domain_of
from sa.language.elaborate.types import ArrayOf, Domain, Nothing, SequenceOf
from sa.language.names import (
    ArraySymbol,
    BrokenSymbol,
    ConditionSymbol,
    Scope,
    SequenceSymbol,
    Symbol,
    VariableSymbol,
    declare,
)
from sa.terms import build
from sa.terms.name import element, named
from sa.terms.name import length as named_length
from sa.terms.sort import INT
from sa.terms.term import Var


def declare_variables(
    names: tuple[syntax.Identifier, ...],
    written: syntax.Type,
    kind: Kind,
    ghost: bool,
    context: Context,
    called: dict[str, str] | None = None,
    chosen: bool = False,
) -> list[tuple[Variable, ...]]:
    """Declare names in the context's scope; the variables for each of them.

    `called` gives the names of the automaton's variables where they are not those in the text. Only what a step may
    choose, and no automaton has for long, may be named as choices are.
    """
    domain = domain_of(written, context)
    result = list[tuple[Variable, ...]]()
    for name in names:
        if named(name.name).choice is not None and not chosen:
            hint = "only a `local` in the block of an edge has such a name"
            complain(context, "SA105", f"`{name.name}` is the name of a choice", name.span, hint)
        if domain is None:
            declare(context.scope, name, BrokenSymbol(), context.problems)
            continue
        if isinstance(domain, Nothing):
            if kind is not Kind.GLOBAL or ghost:
                hint = "declare it outside of the threads: `global c : condition;`"
                complain(context, "SA208", "a condition variable is a global", name.span, hint)
            declare(context.scope, name, ConditionSymbol(), context.problems)
            continue
        own = (called or {}).get(name.name, name.name)
        variables = make_variables(own, domain, kind, ghost, Origin(name.span, f"{kind.value} {name.name}"))
        if not declare(context.scope, name, _symbol(variables, domain), context.problems):
            continue
        if isinstance(domain, SequenceOf):
            length = syntax.Identifier(named_length(name.name), name.span)
            declare(context.scope, length, VariableSymbol(variables[-1]), context.problems)
        result.append(variables)
        for variable in variables:
            context.ranges[variable.var] = (variable.low, variable.high)
    return result


def _symbol(variables: tuple[Variable, ...], domain: Domain | ArrayOf | SequenceOf) -> Symbol:
    match domain:
        case ArrayOf():
            return ArraySymbol(variables)
        case SequenceOf():
            return SequenceSymbol(variables[:-1], variables[-1])
        case _:
            return VariableSymbol(variables[0])


def make_variables(
    name: str, domain: Domain | ArrayOf | SequenceOf, kind: Kind, ghost: bool, origin: Origin
) -> tuple[Variable, ...]:
    """The variable of a name, or an array's elements `name[0]`, `name[1]`, …; behind those of a sequence its length."""
    if isinstance(domain, SequenceOf):
        elements = make_variables(name, ArrayOf(domain.element, domain.size), kind, ghost, origin)
        size = build.variable(named_length(name), INT)
        return (*elements, Variable(size, kind, 0, domain.size, origin, ghost, sequence=True))
    if isinstance(domain, ArrayOf):
        names = [element(name, i) for i in range(domain.size)]
        domain = domain.element
    else:
        names = [named(name)]
    low, high = domain.low, domain.high
    return tuple(Variable(build.variable(n, domain.sort), kind, low, high, origin, ghost) for n in names)


def variables_in(scope: Scope) -> Iterator[Var]:
    """The variables that were declared in this table."""
    for symbol in scope.symbols.values():
        match symbol:
            case VariableSymbol(variable):
                yield variable.var
            case ArraySymbol(elements):
                yield from (e.var for e in elements)
            case SequenceSymbol(elements, length):
                yield from (v.var for v in (*elements, length))
            case _:
                pass


def visible_variables(scope: Scope) -> Iterator[Var]:
    """The variables that were declared in this table, or in one around it."""
    table: Scope | None = scope
    while table is not None:
        yield from variables_in(table)
        table = table.parent


def free_name(name: str, taken: frozenset[str]) -> str:
    """A name for a variable that is none of the `taken` ones: the one in the text, if it is free."""
    own, number = name, 1
    while own in taken or element(own, 0) in taken:
        number += 1
        own = f"{name}_{number}"
    return own
