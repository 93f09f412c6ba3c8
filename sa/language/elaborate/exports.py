"""Names of a file as they are seen from outside of its program: without what changes."""

from __future__ import annotations

from sa.automata.automaton import Kind
from sa.language.names import (
    ArraySymbol,
    HiddenSymbol,
    MacroSymbol,
    ProcedureSymbol,
    SequenceSymbol,
    Symbol,
    VariableSymbol,
    find,
    mentioned,
)


def visible_elsewhere(symbol: Symbol) -> Symbol:
    """A symbol as another file, or a refinement between two, sees it."""
    if isinstance(symbol, ProcedureSymbol):
        return HiddenSymbol("procedures belong to one program")
    if isinstance(symbol, MacroSymbol) and _depends_on_state(symbol):
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
        case ArraySymbol(elements) | SequenceSymbol(elements):
            return elements[0].kind is not Kind.PARAM
        case _:
            return False


def _depends_on_state(symbol: MacroSymbol) -> bool:
    pending, seen = [symbol], set[str]()
    while pending:
        macro = pending.pop()
        own = {p.name for p in macro.definition.parameters}
        for name, _ in mentioned(macro.definition.body):
            inner = find(macro.scope, name)
            if name not in own and _changes(inner):
                return True
            if isinstance(inner, MacroSymbol) and name not in seen:
                seen.add(name)
                pending.append(inner)
    return False
