"""Obligations about component steps: Definition 6, conditions 2.b and 2.c."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Edge
from sa.certificates.relation import AbstractPath
from sa.checker.claim import Claim, related
from sa.checker.obligation import Case, Obligation
from sa.checker.path import Run, run, step
from sa.checker.side import renamed
from sa.terms.build import eq
from sa.terms.term import Term


def steps(made: Claim, concrete: str, abstract: str) -> Iterator[Obligation]:
    """Wherever Ψ holds and an edge can be taken, one of the answers is possible and ends in Ψ."""
    for number, edge in made.concrete.outgoing[concrete]:
        taken = step(made.concrete, edge)
        paths = made.answers[concrete, abstract, number]
        where = f"({concrete}, {abstract}), edge {number} to {edge.target}"
        yield Obligation("step", where, taken.conditions, _answers(made, edge, taken, abstract, paths))


def _answers(made: Claim, edge: Edge, taken: Run, abstract: str, paths: Sequence[AbstractPath]) -> Iterator[Case]:
    # A function, so that each obligation keeps its own edge however late its cases are made.
    for path in paths:
        yield _answer(made, edge, taken, abstract, path)


def _answer(made: Claim, edge: Edge, taken: Run, abstract: str, path: AbstractPath) -> Case:
    reply = run(made.abstract, abstract, [made.goal.abstract.edges[i] for i in path.edges], path.turns)
    reached = renamed(related(made, edge.target, reply.end), {**taken.after, **reply.after})
    body = (*_same_values(taken, reply), *reply.conditions, *reached)
    given = dict(path.witnesses)
    left = tuple(c for c in reply.choices if c not in given)
    return Case(left, renamed(body, given))


def _same_values(taken: Run, reply: Run) -> Iterator[Term]:
    if taken.label is not None and reply.label is not None:
        pairs = zip(taken.label.values, reply.label.values, strict=True)
        yield from (eq(shown, answered) for shown, answered in pairs)
