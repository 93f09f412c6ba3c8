"""Which names the formulas of a proof script may use: those of the programs they are about, and the script's own."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind
from sa.language.elaborate.program import Elaborated
from sa.language.elaborate.sides import Side, enumerations, grouped, of_several
from sa.language.names import (
    BrokenSymbol,
    FunctionSymbol,
    HiddenSymbol,
    Scope,
    Symbol,
    TermSymbol,
    TypeSymbol,
    VariableSymbol,
    find,
)
from sa.terms.interval import Interval
from sa.terms.substitute import local_of
from sa.terms.term import Var


def over(scope: Scope, names: Mapping[str, Symbol], aliases: tuple[str, ...]) -> Scope:
    """The script's names with those of programs on top. What means two things cannot be used."""
    own = dict(names)
    for name, symbol in names.items():
        # What stands behind the alias of a side is what the side is about.
        known = None if name.partition(".")[0] in aliases else find(scope, name)
        if known is not None and not _same(known, symbol):
            where = " and ".join(f"`{a}`" for a in aliases)
            own[name] = HiddenSymbol(f"it means one thing in this file and another in {where}; rename one of them")
    return Scope(scope, own)


def _same(first: Symbol, second: Symbol) -> bool:
    match first, second:
        case VariableSymbol(mine), VariableSymbol(theirs):
            return mine.var is theirs.var and mine.kind is theirs.kind
        case TermSymbol(mine), TermSymbol(theirs):
            return mine is theirs
        case TypeSymbol(mine), TypeSymbol(theirs):
            return mine == theirs
        case FunctionSymbol(mine, _, None), FunctionSymbol(theirs, _, None):
            return mine == theirs
        case _:
            # What is broken was reported, and is not reported again.
            return isinstance(second, BrokenSymbol)


def names_about(sides: tuple[Side, Side], scopes: tuple[Scope, Scope]) -> dict[str, Symbol]:
    """What formulas about two programs may name plainly beside parameters: enumerations of variables, functions."""
    functions = {
        name: symbol
        for scope in scopes
        for name, symbol in scope.symbols.items()
        if isinstance(symbol, FunctionSymbol) and symbol.body is None
    }
    return functions | enumerations(v for side in sides for v in side.variables)


def invariant_names(
    program: Elaborated, threads: tuple[Automaton, ...]
) -> tuple[dict[str, Symbol], dict[Var, Interval]]:
    """The names of a program as its own text uses them, with the locals of some threads, and ranges.

    A local is `T.x`, or `x` where no other of these threads has one of that name; the variables are those of the
    product of the threads.
    """
    names, owners = dict(program.scope.symbols), dict[str, list[str]]()
    variables = list(program.program.variables)
    for thread in threads:
        local = [v for v in thread.variables if v.kind is Kind.LOCAL]
        if len(threads) > 1:
            meant = {v.var.name: replace(v, var=local_of(v.var, thread.name)) for v in local}
        else:
            meant = {v.var.name: v for v in local}
        variables.extend(meant.values())
        for name, symbol in grouped(meant).items():
            names[f"{thread.name}.{name}"] = names[name] = symbol
            owners.setdefault(name, []).append(thread.name)
    for name, having in owners.items():
        if len(having) > 1:
            written = next((f"`{t}.{name}`" for t in having if "[" not in t), "a claim about one thread")
            names[name] = HiddenSymbol(f"several of these threads have a local of this name; write {written}")
    known = {t.name for t in threads}
    for owner, name in program.program.several:
        if owner in known:
            names[f"{owner}.{name}"] = names[name] = of_several(owner, name)
    return names, {v.var: (v.low, v.high) for v in variables}
