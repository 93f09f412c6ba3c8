"""Refinement blocks: they wait until the two programs are known, then their formulas get a meaning.

Formulas name the variables of the two sides `conc.x` and `abs.x`, parameters are plain. A local is
named without its thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sa.automata.automaton import Kind, Origin, Variable
from sa.automata.program import Formula, Pairing, Program, Refinement, Related
from sa.base.diagnostic import Diagnostic, error
from sa.language import syntax
from sa.language.elaborate.context import FORMULA, RELY, Context, complain
from sa.language.elaborate.draft import origin
from sa.language.elaborate.exports import visible_elsewhere
from sa.language.elaborate.expressions import boolean, constant_integer, relation
from sa.language.intervals import Interval
from sa.language.names import (
    ArraySymbol,
    HiddenSymbol,
    Scope,
    Symbol,
    TermSymbol,
    TypeSymbol,
    VariableSymbol,
    did_you_mean,
    find,
)
from sa.terms import build
from sa.terms.substitute import prefixed
from sa.terms.term import Term, Var

_ELEMENT = re.compile(r"(.+)\[(\d+)\]$")


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A refinement block as it stands in a file. The paths are as written, relative to the file."""

    name: str
    abstract: str | None
    concrete: str | None
    written: syntax.RefinementBlock
    scope: Scope
    origin: Origin


def elaborate_refinement(
    block: Block, abstract: Program, concrete: Program
) -> tuple[Refinement, tuple[Diagnostic, ...]]:
    """The block's meaning for two programs, and what is wrong with it; with errors it must not be used."""
    written, problems = block.written, list[Diagnostic]()
    base = Scope(None, _outside_names(block.scope))
    _enumerations(base, (abstract, concrete))
    both, ranges = Scope(base), dict[Var, Interval]()
    for program, prefix in ((abstract, "abs"), (concrete, "conc")):
        _side(program, prefix, both, ranges, problems, block)
    plain = Scope(base)
    _plain(plain, ranges, (abstract, concrete))
    formulas = Context(both, FORMULA, problems, ranges)
    relies = [relation(r.relation, Context(plain, RELY, problems, ranges)) for r in written.rely]
    related = None
    if written.relate is not None:
        terms = [_related(e, formulas) for e in written.relate]
        related = tuple(Related(t, origin(e.span)) for t, e in zip(terms, written.relate, strict=True) if t is not None)
    return (
        Refinement(
            block.name,
            block.abstract,
            block.concrete,
            related,
            _formulas(written.pre, formulas),
            _formulas(written.inv, formulas),
            tuple(Formula(t, origin(r.span)) for t, r in zip(relies, written.rely, strict=True) if t is not None),
            _pairings(written, formulas),
            written.choose_init,
            written.silent_exit,
            written.expect,
            block.origin,
        ),
        tuple(dict.fromkeys(problems)),
    )


def _formulas(expressions: tuple[syntax.Expression, ...], context: Context) -> tuple[Formula, ...]:
    terms = [boolean(e, context) for e in expressions]
    return tuple(Formula(t, origin(e.span)) for t, e in zip(terms, expressions, strict=True) if t is not None)


def _outside_names(scope: Scope) -> dict[str, Symbol]:
    return {name: visible_elsewhere(symbol) for name, symbol in scope.symbols.items()}


def _enumerations(scope: Scope, programs: tuple[Program, ...]) -> None:
    """The enumerations that the programs' variables have are known here."""
    for program in programs:
        for variable in _variables(program):
            sort = variable.var.sort
            if sort.constructors:
                scope.symbols.setdefault(sort.name, TypeSymbol(sort))
                for index, constructor in enumerate(sort.constructors):
                    scope.symbols.setdefault(constructor, TermSymbol(build.constant(index, sort)))


def _variables(program: Program) -> list[Variable]:
    return [*program.variables, *(v for t in program.threads for v in t.variables if v.kind is Kind.LOCAL)]


def _side(
    program: Program,
    prefix: str,
    scope: Scope,
    ranges: dict[Var, Interval],
    problems: list[Diagnostic],
    block: Block,
) -> None:
    """Enter the variables of one side: `prefix.x`, and parameters as they are."""
    renamed = dict[str, Variable]()
    for variable in _variables(program):
        if variable.kind is Kind.PARAM:
            _parameter(variable, scope, ranges, problems, block)
            continue
        qualified = replace(variable, var=prefixed(variable.var, prefix))
        name = qualified.var.name
        known = renamed.setdefault(name, qualified)
        if known.var is not qualified.var:
            scope.symbols[name] = HiddenSymbol("threads declare it with different types")
        elif (known.low, known.high) != (qualified.low, qualified.high):
            renamed[name] = replace(known, low=None, high=None)
    for name, symbol in _grouped(renamed).items():
        scope.symbols.setdefault(name, symbol)
    ranges.update({v.var: (v.low, v.high) for v in renamed.values()})


def _parameter(
    variable: Variable, scope: Scope, ranges: dict[Var, Interval], problems: list[Diagnostic], block: Block
) -> None:
    name = variable.var.name
    known = scope.symbols.setdefault(name, VariableSymbol(variable))
    if isinstance(known, VariableSymbol) and known.variable.var is not variable.var:
        message = f"the parameter `{name}` has different types on the two sides"
        problems.append(error("SA451", message, block.origin.span, "a parameter is the same value on both sides"))
    ranges[variable.var] = (variable.low, variable.high)


def _grouped(variables: dict[str, Variable]) -> dict[str, Symbol]:
    """Variables as symbols; those named like the elements of an array are one."""
    symbols, arrays = dict[str, Symbol](), dict[str, list[Variable]]()
    for name, variable in variables.items():
        element = _ELEMENT.match(name)
        if element is None:
            symbols[name] = VariableSymbol(variable)
        else:
            arrays.setdefault(element.group(1), []).append(variable)
    return symbols | {name: ArraySymbol(tuple(elements)) for name, elements in arrays.items()}


def _plain(scope: Scope, ranges: dict[Var, Interval], programs: tuple[Program, ...]) -> None:
    """Globals by their plain names, for relies, which hold for both sides."""
    shared = {v.var.name: v for p in programs for v in p.variables}
    scope.symbols.update(_grouped(shared))
    local = {v.var.name: v for p in programs for v in _variables(p) if v.kind is Kind.LOCAL}
    for name, symbol in _grouped({n: v for n, v in local.items() if n not in shared}).items():
        scope.symbols.setdefault(name, symbol)
    ranges.update({v.var: (v.low, v.high) for v in shared.values()})


def _related(expression: syntax.Expression, context: Context) -> Term | None:
    """A bare name relates what both sides call so; anything else is a formula."""
    if not isinstance(expression, syntax.Name | syntax.Index) or "." in expression.name:
        return boolean(expression, context)
    name = expression.name
    sides = [find(context.scope, f"{prefix}.{name}") for prefix in ("conc", "abs")]
    for symbol, side in zip(sides, ("concrete", "abstract"), strict=True):
        if symbol is None:
            hint = did_you_mean(name, [n.partition(".")[2] for n in context.scope.symbols])
            if isinstance(find(context.scope, name), VariableSymbol):
                hint = "a parameter is the same on both sides anyway"
            complain(context, "SA452", f"the {side} side has no variable `{name}`", expression.span, hint)
            return None
    if isinstance(expression, syntax.Name) and all(isinstance(s, ArraySymbol) for s in sides):
        return _related_arrays(expression, sides, context)
    left, right = (replace(expression, name=f"{prefix}.{name}") for prefix in ("conc", "abs"))
    return boolean(syntax.Compare("==", left, right, expression.span), context)


def _related_arrays(expression: syntax.Name, sides: list[Symbol | None], context: Context) -> Term | None:
    concrete, abstract = (s.elements for s in sides if isinstance(s, ArraySymbol))
    if [v.var.sort for v in concrete] != [v.var.sort for v in abstract]:
        message = f"the arrays `{expression.name}` differ in size or type"
        complain(context, "SA453", message, expression.span)
        return None
    return build.land(*(build.eq(c.var, a.var) for c, a in zip(concrete, abstract, strict=True)))


def _pairings(written: syntax.RefinementBlock, context: Context) -> tuple[Pairing, ...]:
    result = list[Pairing]()
    for pair in written.pairs:
        concrete, abstract = _thread_name(pair.concrete, context), _thread_name(pair.abstract, context)
        if concrete is not None and abstract is not None:
            result.append(Pairing(concrete, abstract, origin(pair.span)))
    return tuple(result)


def _thread_name(name: syntax.ThreadName, context: Context) -> str | None:
    if name.index is None:
        return name.name
    index = constant_integer(name.index, context)
    return None if index is None else f"{name.name}[{index}]"
