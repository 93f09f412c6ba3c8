"""The first thread behind its first step: until it creates a thread it moves alone."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Int, Term, Var


def begun_with(main: Automaton, first: dict[Var, Term]) -> tuple[Automaton, dict[Var, Term]]:
    """The first thread behind its first step, if that has no choice and does nothing but assign constants."""
    leaving = [e for e in main.edges if e.source == main.initial]
    if len(leaving) != 1 or any(e.target == main.initial for e in main.edges if e is not leaving[0]):
        return main, first
    edge = leaving[0]
    again = edge.target == main.initial
    own = {v.var for v in main.variables}
    values = {v: substitute(t, {**first, **_own_first(main)}) for v, t in edge.updates}
    if edge.guard is not build.TRUE or edge.label is not None or not all(isinstance(t, Int) for t in values.values()):
        return main, first
    init = [c for c in build.conjuncts(main.init) if not c.free & values.keys()]
    init += [build.eq(v, t) for v, t in values.items() if v in own]
    started = replace(
        main,
        initial=edge.target,
        edges=main.edges if again else tuple(e for e in main.edges if e is not edge),
        locations=main.locations if again else tuple(q for q in main.locations if q.name != edge.source),
        init=build.land(*init),
    )
    return started, {**first, **values}


def _own_first(main: Automaton) -> dict[Var, Term]:
    """The first values of the thread's own variables, where they are constants."""
    known = dict[Var, Term]()
    for variable in (v for v in main.variables if v.var.sort == INT):
        for value in (0, variable.low or 0, 1):
            if build.eq(variable.var, build.integer(value)) in build.conjuncts(main.init):
                known[variable.var] = build.integer(value)
    return known
