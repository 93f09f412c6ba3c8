"""Declarations of a file other than threads: they fill the file's scope, in the order of the text."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Kind, Variable
from sa.automata.program import Axiom
from sa.base.diagnostic import Diagnostic, error
from sa.base.source import Span
from sa.language import syntax
from sa.language.elaborate.context import AXIOM, CONSTANT, FORMULA, Context, complain, within
from sa.language.elaborate.declared import declare_variables
from sa.language.elaborate.expressions import boolean, domain_of, translate
from sa.language.elaborate.locals import initial_state, initial_value
from sa.language.elaborate.types import Domain
from sa.language.names import (
    BrokenSymbol,
    ConditionSymbol,
    FunctionSymbol,
    MacroSymbol,
    ModuleSymbol,
    ProcedureSymbol,
    Scope,
    TermSymbol,
    TypeSymbol,
    declare,
    find,
    mentioned,
)
from sa.lowering.draft import origin
from sa.terms import build
from sa.terms.interval import Interval
from sa.terms.sort import EnumSort
from sa.terms.term import Bool, Function, Int, Member, Term, Var, sort_of


class Declared(Struct, frozen=True):
    """What the declarations of a file amount to. `init` are the conjuncts of its initial states."""

    context: Context
    variables: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    axioms: list[Axiom] = field(default_factory=list)
    init: list[Term] = field(default_factory=list)
    globals: dict[str, syntax.Global] = field(default_factory=dict)


class Imported(Struct, frozen=True):
    """What a file gets from another one: names behind the alias, and what these names speak of."""

    names: ModuleSymbol
    parameters: tuple[Variable, ...]
    functions: tuple[Function, ...]
    axioms: tuple[Axiom, ...]


def collect(module: syntax.Module, imports: Mapping[str, Imported], problems: list[Diagnostic]) -> Declared:
    """Read the declarations. `imports` has what stands behind the aliases of imported files."""
    ranges = dict[Var, Interval]()
    declared = Declared(Context(Scope(), FORMULA, problems, ranges))
    for declaration in module.declarations:
        if isinstance(declaration, syntax.Import):
            _import(declaration, imports, declared)
        else:
            _declare(declaration, declared)
    # Bodies come last: they may use what is declared behind them.
    for declaration in module.declarations:
        if isinstance(declaration, syntax.FunctionDeclaration):
            _check_body(declaration, declared)
        elif isinstance(declaration, syntax.Define):
            _check_macro(declaration, declared)
        elif isinstance(declaration, syntax.AxiomDeclaration):
            formula = boolean(declaration.formula, replace(declared.context, mode=AXIOM))
            if formula is not None:
                declared.axioms.append(Axiom(formula, origin(declaration.span)))
        elif isinstance(declaration, syntax.Init):
            initially = boolean(declaration.formula, declared.context)
            if initially is not None:
                declared.init.append(initially)
    return declared


def _import(declaration: syntax.Import, imports: Mapping[str, Imported], declared: Declared) -> None:
    alias, context = declaration.alias, declared.context
    imported = imports.get(alias.name)
    if imported is None:
        complain(context, "SA108", "this text cannot import files", declaration.span)
        declare(context.scope, alias, BrokenSymbol(), context.problems)
        return
    declare(context.scope, alias, imported.names, context.problems)
    declared.variables.extend(imported.parameters)
    context.ranges.update({v.var: (v.low, v.high) for v in imported.parameters})
    declared.functions.extend(f for f in imported.functions if f not in declared.functions)
    declared.axioms.extend(a for a in imported.axioms if a not in declared.axioms)


def _declare(declaration: syntax.Declaration, declared: Declared) -> None:
    match declaration:
        case syntax.Const():
            _const(declaration, declared.context)
        case syntax.Param(names, written):
            groups = declare_variables(names, written, Kind.PARAM, False, declared.context)
            declared.variables.extend(v for group in groups for v in group)
        case syntax.Global():
            _global(declaration, declared)
        case syntax.Enumeration():
            _enumeration(declaration, declared.context)
        case syntax.Define(name):
            declare(
                declared.context.scope,
                name,
                MacroSymbol(declaration, declared.context.scope),
                declared.context.problems,
            )
        case syntax.Procedure(name):
            symbol = ProcedureSymbol(declaration, declared.context.scope)
            declare(declared.context.scope, name, symbol, declared.context.problems)
        case syntax.FunctionDeclaration():
            _function(declaration, declared)
        case syntax.AutomatonDeclaration(_, _, items):
            for item in items:
                if isinstance(item, syntax.Global):
                    _shared_global(item, declared)
        case _:
            pass


def _const(declaration: syntax.Const, context: Context) -> None:
    value = translate(declaration.value, replace(context, mode=CONSTANT))
    domain = None if declaration.type is None else domain_of(declaration.type, context)
    if value is not None and not isinstance(value, Int | Bool | Member):
        complain(context, "SA204", "this is not a constant", declaration.value.span)
        value = None
    if value is not None and isinstance(domain, Domain) and not _has(value, domain):
        shown = f"{domain.low}..{domain.high}" if domain.low is not None else domain.sort.name
        complain(context, "SA201", f"the constant is not of type {shown}", declaration.value.span)
    symbol = BrokenSymbol() if value is None else TermSymbol(value)
    declare(context.scope, declaration.name, symbol, context.problems)


def _has(value: Term, domain: Domain) -> bool:
    if sort_of(value) != domain.sort:
        return False
    low, high = domain.low, domain.high
    return not isinstance(value, Int) or low is None or high is None or low <= value.value <= high


def _global(declaration: syntax.Global, declared: Declared) -> None:
    context = declared.context
    value = initial_value(declaration, context)
    groups = declare_variables(declaration.names, declaration.type, Kind.GLOBAL, declaration.ghost, context)
    variables = tuple(v for group in groups for v in group)
    if any(isinstance(context.scope.symbols.get(n.name), ConditionSymbol) for n in declaration.names):
        if declaration.value is not None:
            complain(context, "SA208", "a condition variable has no value", declaration.span)
        return
    names = {n.name for n in declaration.names}
    again = len(names) < len(declaration.names) or not names.isdisjoint(declared.globals)
    for name in declaration.names:
        declared.globals.setdefault(name.name, declaration)
    # Looking for each is slow where there are thousands.
    declared.variables.extend(v for v in variables if not again or v not in declared.variables)
    declared.init.extend(initial_state(declaration, value, variables, context))


def _shared_global(declaration: syntax.Global, declared: Declared) -> None:
    """A global in an automaton is one of the file; others may declare it in the same way again."""
    again = [n for n in declaration.names if n.name in declared.globals]
    new = tuple(n for n in declaration.names if n.name not in declared.globals)
    for name in again:
        first = declared.globals[name.name]
        same = replace(first, names=()) == replace(declaration, names=())
        if not same:
            message = f"`{name.name}` is declared twice, and not in the same way"
            complain(declared.context, "SA102", message, name.span, "declare it once, outside of the automata")
    if new:
        _global(replace(declaration, names=new), declared)


def _enumeration(declaration: syntax.Enumeration, context: Context) -> None:
    sort = EnumSort(declaration.name.name, tuple(c.name for c in declaration.constructors))
    declare(context.scope, declaration.name, TypeSymbol(sort), context.problems)
    for index, constructor in enumerate(declaration.constructors):
        member = build.constant(index, sort)
        declare(context.scope, constructor, TermSymbol(member), context.problems)


def _function(declaration: syntax.FunctionDeclaration, declared: Declared) -> None:
    context = declared.context
    domains = [domain_of(p.type, context) for p in declaration.parameters]
    result = domain_of(declaration.result, context)
    sorts = tuple(d.sort for d in domains if isinstance(d, Domain) and d.is_sort)
    if not isinstance(result, Domain) or not result.is_sort or len(sorts) < len(domains):
        if result is not None and None not in domains:
            hint = "say what is known of the values in an axiom"
            complain(context, "SA208", "a function takes and gives int, bool or enumerations", declaration.span, hint)
        declare(context.scope, declaration.name, BrokenSymbol(), context.problems)
        return
    names = tuple(p.name.name if p.name else "_" for p in declaration.parameters)
    if declaration.body is not None and any(p.name is None for p in declaration.parameters):
        complain(context, "SA203", "a function with a body needs names for its parameters", declaration.span)
    function = Function(declaration.name.name, sorts, result.sort)
    symbol = FunctionSymbol(function, names, declaration.body, context.scope)
    declare(context.scope, declaration.name, symbol, context.problems)
    if declaration.body is None and function not in declared.functions:
        declared.functions.append(function)


def _check_body(declaration: syntax.FunctionDeclaration, declared: Declared) -> None:
    """A body is of its function's type, whether the function is used or not."""
    symbol = find(declared.context.scope, declaration.name.name)
    if declaration.body is None or not isinstance(symbol, FunctionSymbol) or symbol.body is not declaration.body:
        return
    scope = Scope(declared.context.scope)
    for parameter, sort in zip(declaration.parameters, symbol.function.arguments, strict=True):
        if parameter.name is not None:
            value = TermSymbol(build.variable(parameter.name.name, sort))
            declare(scope, parameter.name, value, declared.context.problems)
    context = replace(within(declared.context, scope), mode=CONSTANT, expanding=(symbol.function.name,))
    term = translate(declaration.body, context)
    if term is not None and sort_of(term) != symbol.function.result:
        message = f"the body is of type {sort_of(term).name}, but the function gives {symbol.function.result.name}"
        complain(declared.context, "SA201", message, declaration.body.span)


def _check_macro(declaration: syntax.Define, declared: Declared) -> None:
    """A macro is typed where it is used; that it does not use itself is seen here."""
    circle = _circle(declaration, declared.context.scope)
    if circle is not None:
        path, span = circle
        text = " uses ".join(f"`{n}`" for n in path)
        complain(declared.context, "SA106", f"`{declaration.name.name}` is defined by itself: {text}", span)
        declared.context.scope.symbols[declaration.name.name] = BrokenSymbol()


def _circle(declaration: syntax.Define, scope: Scope) -> tuple[tuple[str, ...], Span] | None:
    """A way from a macro back to itself, with the last use on it."""
    start = declaration.name.name
    pending: list[tuple[syntax.Define, tuple[str, ...]]] = [(declaration, (start,))]
    seen = {start}
    while pending:
        definition, path = pending.pop()
        for name, span in mentioned(definition.body):
            if name == start:
                return (*path, name), span
            symbol = find(scope, name)
            if isinstance(symbol, MacroSymbol) and name not in seen:
                seen.add(name)
                pending.append((symbol.definition, (*path, name)))
    return None


def declared_variables(declared: Declared) -> tuple[Variable, ...]:
    """Parameters and globals, each once, in declared order. A parameter of an imported file and one of
    this file with the same name are one.
    """
    result = dict[str, Variable]()
    for variable in declared.variables:
        known = result.setdefault(variable.var.name, variable)
        if (known.var, known.low, known.high, known.kind) != (variable.var, variable.low, variable.high, variable.kind):
            where = variable.origin.span or known.origin.span
            message = f"`{variable.var.name}` is also a parameter of an imported file, of another type"
            declared.context.problems.append(error("SA102", message, where, "rename one of them"))
    for function in declared.functions:
        if sum(f.name == function.name for f in declared.functions) > 1:
            message = f"the function `{function.name}` is also declared by an imported file, with other types"
            declared.context.problems.append(error("SA102", message, None, "rename one of them"))
    return tuple(result.values())
