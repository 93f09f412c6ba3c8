"""Searches in which the abstract threads rest only where they have to.

A silent step of a thread that reads and writes nothing but its own locals can wait until the thread's next step: nobody
sees whether it was made, and what it chooses is chosen later (THEORY section 4). So no answer need end behind such
steps alone. Where these are all that lead to a location, it is passed, and the steps from it are made with those
before. Of several threads that leaves one joint location for many. What is found is a relation of the goal itself, with
answers step by step; the checker sees only that, and plays are left to searches of the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location
from sa.automata.automaton import composed as threads_of
from sa.base.budget import Budget, Report
from sa.base.limits import Limits
from sa.certificates.goal import Goal, iota_of
from sa.certificates.reduced import Phase
from sa.certificates.relation import AbstractPath, Relation, Turns
from sa.question.asked import GoalAsked, Related
from sa.refinement.deciders import search_beside
from sa.simulation.state import give, given
from sa.terms.build import land, variable
from sa.terms.name import staged
from sa.terms.term import Term, Var
from sa.transform.blocks import composed

#: An abstract step that was written, by its number: the names of its choices, and those that they have in the block.
_Part: TypeAlias = tuple[int, tuple[tuple[Var, Var], ...]]


class Resting(Struct, frozen=True, eq=False):
    """A goal whose abstract steps are blocks, and the written steps of each of these."""

    goal: Goal
    parts: tuple[tuple[_Part, ...], ...]


def by_resting(
    engine: Callable[[GoalAsked, Budget, Report], Iterator[Related]], asked: GoalAsked, budget: Budget, report: Report
) -> Iterator[Related]:
    """The engine's relation with answers that rest only where they have to. Raises LimitReached."""
    rest = asked.shared.once(("resting", asked.goal), lambda: resting(asked.goal, budget.bounds))
    if rest is not None:
        give(asked.shared, rest.goal, (given(asked.shared, asked.goal)[0], {}))
        for answer in engine(search_beside(asked, rest.goal, budget), budget, report):
            if isinstance(answer.evidence, Relation):
                yield Related(as_written(rest, answer.evidence), answer.effort)
                return


def resting(goal: Goal, bounds: Limits) -> Resting | None:
    """The goal with fewer places to rest; None where others move, or where none is passed. Raises LimitReached."""
    side = goal.abstract
    if not goal.closed or goal.choose_init:
        return None
    places = {q.name: q for q in side.locations}
    passed = _passed(side, places, iota_of(goal).free)
    behind = {q.name: [n for n, p in enumerate(_parts(q)) if p in passed[n]] for q in side.locations}
    if not any(behind.values()):
        return None
    numbers, number_of = dict[Edge, int](), _numbers_of_threads(side)
    for number, edge in enumerate(side.edges):
        waiting = behind[edge.source]
        if not waiting:
            numbers.setdefault(edge, number)
        elif waiting == [number_of(edge)]:
            numbers.setdefault(replace(edge, guard=land(places[edge.source].inv, edge.guard)), number)
    phases = {name: Phase.BEFORE if waiting else Phase.CUT for name, waiting in behind.items()}
    made = composed(replace(side, edges=tuple(numbers)), phases, bounds, shown=True)
    edges = (replace(e, thread=p[0].edge.thread) for e, p in zip(made.thread.edges, made.parts, strict=True))
    parts = tuple(tuple((numbers[p.edge], p.choices) for p in its) for its in made.parts)
    return Resting(replace(goal, abstract=replace(made.thread, edges=tuple(edges))), parts)


def _numbers_of_threads(side: Automaton) -> Callable[[Edge], int]:
    """Which of the threads makes a step."""
    names = {name: number for number, name in enumerate(threads_of(side))}
    return lambda edge: 0 if edge.thread is None or len(names) == 1 else names[edge.thread]


def _parts(place: Location) -> tuple[str, ...]:
    return place.parts or (place.name,)


def _passed(side: Automaton, places: Mapping[str, Location], said: frozenset[Var]) -> list[frozenset[str]]:
    """Of each thread the places that are passed: no cycle of them, and never more steps than before."""
    own = frozenset(
        v.var for v in side.variables if v.kind is Kind.PARAM or (v.kind is Kind.LOCAL and v.var not in said)
    )
    initial, number_of = _parts(places[side.initial]), _numbers_of_threads(side)
    steps: list[dict[tuple[object, ...], tuple[str, str, bool]]] = [{} for _ in initial]
    for edge in side.edges:
        moving = number_of(edge)
        before, after = (_parts(places[name])[moving] for name in (edge.source, edge.target))
        key = (before, after, edge.guard, edge.label, edge.updates, edge.choices)
        steps[moving][key] = before, after, _is_own(edge, own)
    return [_left_out(list(its.values()), start) for its, start in zip(steps, initial, strict=True)]


def _is_own(edge: Edge, own: frozenset[Var]) -> bool:
    """Whether a step can wait for the next one: it is silent, and neither reads nor writes what is not the thread's."""
    used = edge.guard.free.union(*({v} | t.free for v, t in edge.updates)) - {c.var for c in edge.choices}
    return edge.label is None and edge.failure is None and used <= own


def _left_out(steps: list[tuple[str, str, bool]], initial: str) -> frozenset[str]:
    found = set[str]()
    shared = {initial, *(after for _, after, own in steps if not own)}
    ways = [(before, after) for before, after, _ in steps]
    for place in dict.fromkeys(after for _, after in ways):
        into, out = [b for b, a in ways if a == place], [a for b, a in ways if b == place]
        if place in shared or place in out or min(len(into), len(out)) > 1:
            continue
        found.add(place)
        ways = [w for w in ways if place not in w] + [(b, a) for b in into for a in out]
    return frozenset(found)


def as_written(rest: Resting, relation: Relation) -> Relation:
    """A relation of the goal with fewer places to rest as one of the goal itself."""
    answers = (replace(a, answers=tuple(_longer(rest, path) for path in a.answers)) for a in relation.answers)
    return replace(relation, answers=tuple(answers))


def _longer(rest: Resting, path: AbstractPath) -> AbstractPath:
    edges, names, starts = list[int](), dict[Var, Var](), list[int]()
    for position, block in enumerate(path.edges):
        starts.append(len(edges))
        for number, choices in rest.parts[block]:
            for written, own in choices:
                before, after = staged(own.name, position), staged(written.name, len(edges))
                names[variable(before, own.sort)] = variable(after, written.sort)
            edges.append(number)
    starts.append(len(edges))
    turns = (
        replace(t, position=starts[t.position], cycle=tuple(n for b in t.cycle for n, _ in rest.parts[b]))
        for t in path.turns
    )
    witnesses: tuple[tuple[Var, Term], ...] = tuple((names[v], t) for v, t in path.witnesses)
    return AbstractPath(tuple(edges), witnesses, tuple[Turns, ...](turns))
