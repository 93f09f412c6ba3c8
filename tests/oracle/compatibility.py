"""Compatibility, composition and invariants by enumeration (paper, Definitions 2 to 5; THEORY sections 1 and 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, Origin, Variable, variables_of
from sa.terms.build import land
from sa.terms.substitute import local_of, primed, substitute
from sa.terms.term import Term, Var
from tests.oracle.explicit import (
    Explicit,
    State,
    Step,
    all_states,
    closure,
    component_steps,
    environment_steps,
    initial_states,
    reachable,
)
from tests.oracle.formula import predicate


class Clash(Struct, frozen=True):
    """A step of one automaton at a state of the other whose environment does not allow it."""

    mover: str
    before: State
    step: Step
    other: str
    disturbed: State


def incompatibility(x1: Explicit, x2: Explicit) -> Clash | None:
    """Why Definition 2 fails, or None: over all states that satisfy the invariants, reachable or not.

    Raises ValueError where globals or parameters differ, Unbounded and Unevaluable.
    """
    return _clash(x1, x2) or _clash(x2, x1)


def _clash(mover: Explicit, other: Explicit) -> Clash | None:
    shared = {v: i for i, v in enumerate(other.order[: other.visible])}
    if set(shared) != set(mover.order[: mover.visible]):
        raise ValueError("the automata do not have the same globals and parameters")
    places = [shared[v] for v in mover.order[: mover.visible]]
    others: dict[tuple[object, ...], list[State]] = {}
    for t in all_states(other):
        others.setdefault(tuple(t.row[i] for i in places), []).append(t)
    for s in all_states(mover):
        for step in component_steps(mover, s):
            for t in others.get(s.row[: mover.visible], []):
                row = list(t.row)
                for place, value in zip(places, step.after.row, strict=False):
                    row[place] = value
                if State(t.location, tuple(row)) not in environment_steps(other, t):
                    return Clash(mover.automaton.name, s, step, other.automaton.name, t)
    return None


def strong_violation(x: Explicit, invariant: Term) -> State | None:
    """A reachable state where the formula is false (Definition 4), or None. Raises Unbounded and Unevaluable."""
    keeps = predicate(invariant, x.order)
    return next((s for s in sorted(reachable(x)) if not keeps(s.row)), None)


def weak_violation(x: Explicit, invariant: Term) -> State | None:
    """A state where the formula is false on a run whose environment steps preserve it (Definition 5), or None."""
    keeps = predicate(invariant, x.order)

    def successors(s: State) -> list[State]:
        kept = [t for t in environment_steps(x, s) if keeps(t.row) or not keeps(s.row)]
        return [*kept, *(step.after for step in component_steps(x, s))]

    return next((s for s in sorted(closure(initial_states(x), successors)) if not keeps(s.row)), None)


def composition(automata: Sequence[Automaton]) -> Automaton:
    """The parallel composition (Definition 3), the locals of the others staying as they are in a step.

    Locations are named `p|q`. Locals must differ in name (`own_locals`) and globals agree in their ranges:
    ValueError otherwise. An undeclared environment stays undeclared only where nobody declares one.
    """
    variables: dict[Var, Variable] = {}
    for automaton in automata:
        for v in automaton.variables:
            known = variables.setdefault(v.var, v)
            if (known.kind, known.low, known.high) != (v.kind, v.low, v.high):
                raise ValueError(f"two threads disagree on {v.var.name}")
    owners = Counter(v for a in automata for v in variables_of(a, Kind.LOCAL))
    if twice := [v.name for v, count in owners.items() if count > 1]:
        raise ValueError(f"two threads have a local variable {twice[0]}")
    places = list(product(*(a.locations for a in automata)))
    edges = [
        replace(edge, source=_name(place), target=_name((*place[:i], target, *place[i + 1 :])))
        for place in places
        for i, a in enumerate(automata)
        for edge in a.edges
        for target in a.locations
        if edge.source == place[i].name and edge.target == target.name
    ]
    return Automaton(
        "||".join(a.name for a in automata),
        tuple(variables.values()),
        tuple(Location(_name(p), land(*(q.inv for q in p)), _common([q.env for q in p]), Origin(None)) for p in places),
        "|".join(a.initial for a in automata),
        land(*(a.init for a in automata)),
        tuple(edges),
        Origin(None),
    )


def _name(place: Sequence[Location]) -> str:
    return "|".join(q.name for q in place)


def _common(environments: Sequence[Term | None]) -> Term | None:
    declared = [env for env in environments if env is not None]
    return land(*declared) if declared else None


def own_locals(automaton: Automaton) -> Automaton:
    """The automaton with each local `l` renamed to `Name.l`."""
    names: dict[Var, Term] = {v: local_of(v, automaton.name) for v in variables_of(automaton, Kind.LOCAL)}
    names.update({primed(v): primed(local_of(v, automaton.name)) for v in variables_of(automaton, Kind.LOCAL)})

    def var(v: Var) -> Var:
        return local_of(v, automaton.name) if v in names else v

    def location(q: Location) -> Location:
        return replace(q, inv=substitute(q.inv, names), env=None if q.env is None else substitute(q.env, names))

    def edge(e: Edge) -> Edge:
        label = e.label and replace(e.label, values=tuple(substitute(t, names) for t in e.label.values))
        updates = tuple((var(v), substitute(t, names)) for v, t in e.updates)
        return replace(e, label=label, guard=substitute(e.guard, names), updates=updates)

    return replace(
        automaton,
        variables=tuple(replace(v, var=var(v.var)) for v in automaton.variables),
        locations=tuple(location(q) for q in automaton.locations),
        init=substitute(automaton.init, names),
        edges=tuple(edge(e) for e in automaton.edges),
    )
