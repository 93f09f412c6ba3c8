"""A goal about threads in environments as a closed one, in which steps of the environment are visible actions.

It refutes and never proves: the abstract environment may set the globals to whatever the concrete one sets them to.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Label, Origin, Variable
from sa.certificates.goal import Goal, iota_of
from sa.checker.side import identity, side
from sa.terms.build import TRUE, conjuncts, eq, land, variable
from sa.terms.name import staged
from sa.terms.substitute import primed, substitute, unsided
from sa.terms.term import Term, Var

#: No name that a program can have.
SURROUNDINGS = "?environment"


def with_surroundings(goal: Goal) -> Goal | None:
    """The closed goal; None where ι does not say that each abstract global equals the concrete one of its name."""
    first, second = ([v for v in s.variables if v.kind is Kind.GLOBAL] for s in (goal.concrete, goal.abstract))
    by_name = {unsided(v.var): v for v in first}
    related = set(conjuncts(iota_of(goal)))
    if any((own := by_name.get(unsided(v.var))) is None or eq(own.var, v.var) not in related for v in second):
        return None
    shown = [by_name[unsided(v.var)] for v in second]
    return replace(
        goal,
        concrete=_open(goal.concrete, first, shown, relied=True),
        abstract=_open(goal.abstract, second, second, relied=False),
        closed=True,
    )


def _open(automaton: Automaton, shared: list[Variable], shown: list[Variable], relied: bool) -> Automaton:
    """The automaton with a visible step of the environment at each location, as it is `relied` on or any."""
    why = Origin(None, "a step of the environment")
    after: dict[Var, Term] = {v.var: variable(staged(v.var.name, "environment"), v.var.sort) for v in shared}
    choices = tuple(replace(v, var=_var(after[v.var]), kind=Kind.LOCAL) for v in shared)
    label = Label(SURROUNDINGS, tuple(after[v.var] for v in shown))
    new = {primed(v): t for v, t in after.items()}
    steps = (
        Edge(
            q.name,
            q.name,
            label,
            substitute(q.env or TRUE, new) if relied else TRUE,
            tuple(after.items()),
            choices,
            why,
        )
        for q in automaton.locations
    )
    still = land(*identity(side(automaton)))
    places = tuple(replace(q, env=still) for q in automaton.locations)
    return replace(automaton, locations=places, edges=(*automaton.edges, *steps)) if shared else automaton


def _var(term: Term) -> Var:
    assert isinstance(term, Var)
    return term
