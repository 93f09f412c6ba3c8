"""Automata as readable text: locations with their invariants and environments, edges under them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Automaton, Edge, Kind, Label, Location, Variable, edges_from
from sa.automata.ranges import without_ranges
from sa.report.formulas import wholes_of
from sa.report.screen import FAINT, PLACE, STRONG, Screen, render
from sa.report.text import Text
from sa.terms.build import TRUE, conjuncts
from sa.terms.printer import show
from sa.terms.term import Term


def show_automata(automata: tuple[Automaton, ...], screen: Screen) -> str:
    """All automata, an empty line between them."""
    lines = list[Text]()
    for automaton in automata:
        if lines:
            lines.append(Text())
        lines.extend(_automaton(automaton, screen.width))
    return render(screen, lines)


def _automaton(automaton: Automaton, width: int) -> Iterator[Text]:
    yield Text.assemble(("automaton ", FAINT), (automaton.name, STRONG))
    for kind in Kind:
        names = list(_declarations([v for v in automaton.variables if v.kind is kind]))
        if names:
            yield Text.assemble((f"  {kind.value:<7}", FAINT), ", ".join(names))
    yield from _clauses("init", without_ranges(automaton.init, automaton.variables), "  ")
    environments = {location.env for location in automaton.locations}
    (everywhere,) = environments if len(environments) == 1 else (None,)
    if everywhere is not None:
        yield from _clauses("env", everywhere, "  ")
    by_source = edges_from(automaton)
    for location in automaton.locations:
        yield Text()
        yield from _location(location, automaton, everywhere)
        for edge in by_source[location.name]:
            yield from _edge(edge, width)


def _declarations(variables: Sequence[Variable]) -> Iterator[str]:
    """Variables with their types; a sequence is one of them."""
    wholes = wholes_of(variables)
    by_name = {v.var: v for v in variables}
    for variable in variables:
        whole = wholes.get(variable.var)
        if whole is None:
            yield _declared(variable)
        elif variable.sequence:
            element = _type(by_name[whole.elements[0]]) if whole.elements else "int"
            yield f"{whole.name} : seq<{element}, {len(whole.elements)}>"


def _declared(variable: Variable) -> str:
    return f"{variable.var.name} : {_type(variable)}"


def _type(variable: Variable) -> str:
    return variable.var.sort.name if variable.low is None else f"{variable.low}..{variable.high}"


def _location(location: Location, automaton: Automaton, everywhere: Term | None) -> Iterator[Text]:
    initial = location.name == automaton.initial
    yield Text.assemble("  ", (location.name, STRONG), ("  initial" if initial else "", FAINT))
    # Ranges stand with the declarations.
    inv = without_ranges(location.inv, automaton.variables)
    if inv is not TRUE:
        yield from _clauses("inv", inv, "    ")
    if location.env is not None and location.env is not everywhere:
        yield from _clauses("env", location.env, "    ")


def _clauses(word: str, formula: Term, indent: str) -> Iterator[Text]:
    """A formula, a line for each conjunct."""
    for number, part in enumerate(conjuncts(formula) or (formula,)):
        yield Text.assemble((f"{indent}{'&&' if number else word:<5}", FAINT), show(part))


def _edge(edge: Edge, width: int) -> Iterator[Text]:
    line = Text.assemble(("    → ", FAINT), (edge.target, STRONG))
    if edge.label is not None:
        line.append(f"  @{show_label(edge.label)}", PLACE)
    if edge.guard is not TRUE:
        line.append("  when ", FAINT).append(show(edge.guard))
    if edge.choices:
        line.append("  choose ", FAINT).append(", ".join(_declared(c) for c in edge.choices))
    updates = [f"{variable.name} := {show(term)};" for variable, term in edge.updates]
    together = f"  {{ {' '.join(updates)} }}" if updates else ""
    if line.cell_len + len(together) <= width:
        yield line.append(together)
        return
    yield line
    for update in updates:
        yield Text(" " * 8 + update)


def show_label(label: Label) -> str:
    """A label as `print(x + 1)`."""
    return f"{label.action}({', '.join(show(v) for v in label.values)})" if label.values else label.action
