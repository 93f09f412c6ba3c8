"""Names of a file as they are seen from outside of its program: without what changes."""

from __future__ import annotations

from sa.automata.automaton import Kind
from sa.language.elaborate.declarations import mentioned
from sa.language.names import ArraySymbol, HiddenSymbol, MacroSymbol, Symbol, VariableSymbol, find


def visible_elsewhere(name: str, symbol: Symbol) -> Symbol:
    """A symbol as another file, or a refinement between two, sees it."""
    if isinstance(symbol, MacroSymbol) and _depends_on_state(symbol, (name,)):
        return HiddenSymbol("it depends on variables of its own program")
    return (
        HiddenSymbol("variables belong to one program; in a refinement write `conc.` or `abs.` before them")
        if _changes(symbol)
        else symbol
    )


def _changes(symbol: Symbol | None) -> bool:
    match symbol:
        case VariableSymbol(variable):
            return variable.kind is not Kind.PARAM
        case ArraySymbol(elements):
            return elements[0].kind is not Kind.PARAM
        case _:
            return False


def _depends_on_state(symbol: MacroSymbol, seen: tuple[str, ...]) -> bool:
    own = {p.name for p in symbol.definition.parameters}
    for name, _ in mentioned(symbol.definition.body):
        inner = find(symbol.scope, name)
        if name not in own and _changes(inner):
            return True
        if isinstance(inner, MacroSymbol) and name not in seen and _depends_on_state(inner, (*seen, name)):
            return True
    return False
