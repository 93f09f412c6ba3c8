"""A run of an automaton along given edges, as terms over the state before it (weakest precondition of a path)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sa.automata.automaton import Edge, Label, Variable
from sa.checker.side import Side, invariant, within
from sa.terms.build import conjuncts, land, variable
from sa.terms.name import staged
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


@dataclass(frozen=True, slots=True)
class Run:
    """The run is possible where `conditions` hold for some values of `choices`; `after` gives what changed.

    The conditions are all guards, the ranges of choices and `Inv` at every location entered. `label` is
    the one visible action, if there is one.
    """

    conditions: tuple[Term, ...]
    after: Mapping[Var, Term]
    label: Label | None
    choices: tuple[Var, ...]
    end: str


def step(automaton: Side, edge: Edge) -> Run:
    """The run along one edge, whose choices keep their names."""
    return _run(automaton, edge.source, (edge,), lambda choice, _: choice.var)


def run(automaton: Side, start: str, edges: Sequence[Edge]) -> Run:
    """The run along connected edges of which at most one is visible; choices are named as in `at_position`."""
    return _run(automaton, start, edges, at_position)


def _run(automaton: Side, start: str, edges: Sequence[Edge], name: Callable[[Variable, int], Var]) -> Run:
    values: dict[Var, Term] = {}
    conditions: list[Term] = []
    choices: list[Var] = []
    label, end = None, start
    for position, edge in enumerate(edges):
        chosen = {c.var: name(c, position) for c in edge.choices}
        scope = {**values, **chosen}
        choices.extend(chosen.values())
        conditions.extend(substitute(within(c), chosen) for c in edge.choices)
        conditions.append(substitute(edge.guard, scope))
        if edge.label is not None:
            label = Label(edge.label.action, tuple(substitute(v, scope) for v in edge.label.values))
        values.update({v: substitute(t, scope) for v, t in edge.updates})
        conditions.extend(substitute(inv, values) for inv in invariant(automaton, edge.target))
        end = edge.target
    return Run(conjuncts(land(*conditions)), values, label, tuple(choices), end)


def at_position(choice: Variable, position: int) -> Var:
    """The name `choice@position` of a choice of the edge at this position of a path, counted from 0."""
    return variable(staged(choice.var.name, position), choice.var.sort)
