"""An automaton over other variable names: both sides of a refinement, threads side by side."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Label, Variable
from sa.terms.substitute import local_of, primed, sided, substitution
from sa.terms.term import Term, Var


def renamed(automaton: Automaton, rename: Callable[[Variable], Var]) -> Automaton:
    """The automaton with every variable and choice renamed; `rename` must be injective and keep sorts."""
    names: dict[Var, Term] = {}
    for variable in (*automaton.variables, *(c for e in automaton.edges for c in e.choices)):
        new = rename(variable)
        names[variable.var], names[primed(variable.var)] = new, primed(new)

    # Most variables keep their names, and large terms are in many places.
    term = substitution({v: t for v, t in names.items() if t is not v})

    def var(v: Variable) -> Variable:
        return replace(v, var=rename(v))

    # A step of one of several threads is in many edges.
    done = dict[tuple[tuple[Var, Term], ...], tuple[tuple[Var, Term], ...]]()

    def edge(e: Edge) -> Edge:
        label = None if e.label is None else Label(e.label.action, tuple(term(t) for t in e.label.values))
        updates = done.get(e.updates)
        if updates is None:
            updates = done[e.updates] = tuple((_var(names[v]), term(t)) for v, t in e.updates)
        choices = tuple(var(c) for c in e.choices) if e.choices else ()
        return replace(e, label=label, guard=term(e.guard), updates=updates, choices=choices)

    return replace(
        automaton,
        variables=tuple(var(v) for v in automaton.variables),
        locations=tuple(
            replace(q, inv=term(q.inv), env=None if q.env is None else term(q.env)) for q in automaton.locations
        ),
        init=term(automaton.init),
        edges=tuple(edge(e) for e in automaton.edges),
    )


def _var(term: Term) -> Var:
    assert isinstance(term, Var)
    return term


def own_local(thread: str, local: Var) -> Var:
    """The name of a thread's local beside other threads."""
    return local_of(local, thread)


def apart(thread: Automaton) -> Automaton:
    """The thread with its locals and choices named after it, so that no two threads share a name."""
    return renamed(thread, lambda v: own_local(thread.name, v.var) if v.kind is Kind.LOCAL else v.var)


def on_side(automaton: Automaton, side: str) -> Automaton:
    """The automaton with all variables but the parameters named `side.x`."""
    return renamed(automaton, lambda v: v.var if v.kind is Kind.PARAM else sided(v.var, side))
