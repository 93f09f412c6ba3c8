"""Names of a file as they are seen from outside of its program: without what changes."""

from __future__ import annotations

from sa.automata.automaton import Kind
from sa.language import names


def visible_elsewhere(symbol: names.Symbol) -> names.Symbol:
    """A symbol as another file, or a refinement between two, sees it."""
    if isinstance(symbol, names.ProcedureSymbol):
        return names.HiddenSymbol("procedures belong to one program")
    if isinstance(symbol, names.MacroSymbol) and _depends_on_state(symbol):
        return names.HiddenSymbol("it depends on variables of its own program")
    return (
        names.HiddenSymbol("variables belong to one program; in a refinement write `conc.` or `abs.` before them")
        if _changes(symbol)
        else symbol
    )


def _changes(symbol: names.Symbol | None) -> bool:
    match symbol:
        case names.VariableSymbol(variable):
            return variable.kind is not Kind.PARAM
        case names.ArraySymbol(elements) | names.SequenceSymbol(elements):
            return elements[0].kind is not Kind.PARAM
        case _:
            return False


def _depends_on_state(symbol: names.MacroSymbol) -> bool:
    pending, seen = [symbol], set[str]()
    while pending:
        macro = pending.pop()
        own = {p.name for p in macro.definition.parameters}
        for name, _ in names.mentioned(macro.definition.body):
            inner = names.find(macro.scope, name)
            if name not in own and _changes(inner):
                return True
            if isinstance(inner, names.MacroSymbol) and name not in seen:
                seen.add(name)
                pending.append(inner)
    return False
