"""Short ways to elaborate a text, and to say what came out."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Origin, Variable
from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic, InputError
from sa.base.source import Source, span_text
from sa.language.elaborate import Elaborated, elaborate, program
from sa.language.parser import parse
from sa.terms.printer import show

NOWHERE = Origin(None)


def elaborated(text: str) -> Elaborated:
    """The meaning of a text."""
    return elaborate(parse(Source("test.sa", text)), {})


def program_of(text: str, split: bool = False) -> Program:
    """The program of a text."""
    return program(Source("test.sa", text), split)


def thread_of(text: str) -> Automaton:
    """The only thread of a text."""
    (thread,) = program_of(text).threads
    return thread


def problems_of(text: str) -> tuple[Diagnostic, ...]:
    """What is wrong with a text: errors, or else warnings and lints."""
    try:
        result = elaborated(text)
    except InputError as wrong:
        return wrong.diagnostics
    return (*result.warnings, *result.lints)


def complaints(text: str) -> list[tuple[str, str]]:
    """The codes of what is wrong, with the text that each points to."""
    return [(d.code, span_text(d.span) if d.span else "") for d in problems_of(text)]


def arrows(automaton: Automaton) -> list[str]:
    """The edges as the automaton form writes them."""
    return [arrow(edge) for edge in automaton.edges]


def arrow(edge: Edge) -> str:
    """An edge as `a -> b @label when guard { x := e }`."""
    text = f"{edge.source} -> {edge.target}"
    if edge.label is not None:
        values = ", ".join(show(v) for v in edge.label.values)
        text += f" @{edge.label.action}" + (f"({values})" if values else "")
    if show(edge.guard) != "true":
        text += f" when {show(edge.guard)}"
    if edge.updates:
        text += f" {{ {', '.join(v.name for v, _ in edge.updates)} := {', '.join(show(t) for _, t in edge.updates)} }}"
    return text


def without_origins(automaton: Automaton) -> Automaton:
    """The automaton with all origins alike, to compare what comes from different texts."""
    return replace(
        automaton,
        origin=NOWHERE,
        variables=tuple(_bare(v) for v in automaton.variables),
        locations=tuple(replace(place, origin=NOWHERE) for place in automaton.locations),
        edges=tuple(
            replace(e, origin=NOWHERE, failure=None, choices=tuple(_bare(c) for c in e.choices))
            for e in automaton.edges
        ),
    )


def _bare(variable: Variable) -> Variable:
    return replace(variable, origin=NOWHERE, sequence=False, internal=False)
