"""Searches where steps that do nothing are left out (`game.idle`), and their relations with these steps put in again.

What is said of a place is said of each of its locations; steps within a place are answered by staying, and answers
pass such steps where they have to. The checker sees only that. Plays are left to searches of the goal itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from sa.base.budget import Budget, Report
from sa.base.limits import LimitReached, share, spend
from sa.certificates.goal import Goal
from sa.certificates.relation import AbstractPath, EdgeAnswer, PairRelation, Relation, Turns
from sa.game.board import Pair
from sa.game.idle_steps import Merged, merged, route
from sa.question.asked import GoalAsked, Related
from sa.refinement.deciders import Answer, by_relation, by_search, search_beside
from sa.simulation.endings import Tactics
from sa.terms.build import variable
from sa.terms.name import staged
from sa.terms.term import Term, Var

#: Where no relation is found the goal itself is searched as well: what is left of its locations must be little beside
#: it, and the search of some length.
MOST, LEAST = 2 / 3, 100

#: The part of the time that the search without idle steps has.
FIRST = 0.7


class Shortened(Struct, frozen=True, eq=False):
    """A goal about two sides with their idle steps left out."""

    goal: Goal
    concrete: Merged
    abstract: Merged


class _NoWay(Exception):
    """An answer of a place is none of a location in it."""


def by_short_search(tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Answer]:
    """`by_search`, first with idle steps left out where that leaves much less. Raises LimitReached."""
    goal, tried = asked.goal, asked.shared.made
    short = None if ("idle in vain", goal) in tried else asked.shared.once(("idle", goal), lambda: shortened(goal))
    if short is not None:
        part = replace(budget, bounds=share(budget.bounds, FIRST))
        found, once_more = None, False
        # Its share is not all: what it does not find, the search of the goal itself may.
        try:
            found = _found(tactics, short, asked, part, report)
        except LimitReached:
            once_more = ("idle cut short", goal) not in tried
            tried["idle cut short", goal] = True
        # Once in vain is enough: what is lost is lost for all. What was cut short goes on once more; a relation that
        # takes longer is found without this.
        if not once_more:
            tried["idle in vain", goal] = True
        if found is not None:
            yield found
            return
        spend(budget.bounds, 300)
    yield from by_search(tactics, asked, budget, report)


def _found(tactics: Tactics, short: Shortened, asked: GoalAsked, budget: Budget, report: Report) -> Related | None:
    """A relation of the goal, by one of the shorter sides. Raises LimitReached."""
    for answer in by_relation(tactics, search_beside(asked, short.goal, budget), budget, report):
        if isinstance(answer.evidence, Relation):
            whole = lengthened(short, asked.goal, answer.evidence)
            return None if whole is None else Related(whole, answer.effort)
    return None


def shortened(goal: Goal) -> Shortened | None:
    """The goal without idle steps; None where others move, or where too much is left."""
    if not goal.closed or len(goal.concrete.locations) < LEAST:
        return None
    first = merged(goal.concrete)
    if first is None or len(first.automaton.locations) > MOST * len(goal.concrete.locations):
        return None
    second = merged(goal.abstract) or _as_it_is(goal)
    return Shortened(replace(goal, concrete=first.automaton, abstract=second.automaton), first, second)


def _as_it_is(goal: Goal) -> Merged:
    numbers = range(len(goal.abstract.edges))
    places = {q.name: q.name for q in goal.abstract.locations}
    return Merged(goal.abstract, places, tuple(numbers), tuple((n,) for n in numbers), {})


def lengthened(short: Shortened, goal: Goal, relation: Relation) -> Relation | None:
    """What a relation of the shorter sides says of the goal itself, from its start on; None where it says nothing."""
    said = {(p.concrete, p.abstract): p.lemmas for p in relation.pairs}
    given = {(a.concrete, a.abstract, a.edge): a.answers for a in relation.answers}
    outgoing = dict[str, list[int]]()
    for number, edge in enumerate(goal.concrete.edges):
        outgoing.setdefault(edge.source, []).append(number)
    start = goal.concrete.initial, goal.abstract.initial
    met, pending, answers = {start: None}, [start], list[EdgeAnswer]()
    try:
        while pending:
            here = pending.pop()
            place = _place(short, here)
            if place not in said:
                return None
            for number in outgoing.get(here[0], ()):
                step = short.concrete.number[number]
                paths = (
                    (AbstractPath(()),)
                    if step is None
                    else tuple(_longer(short, goal, here[1], path) for path in given[(*place, step)])
                )
                answers.append(EdgeAnswer(*here, number, paths))
                for path in paths:
                    end = goal.abstract.edges[path.edges[-1]].target if path.edges else here[1]
                    there = goal.concrete.edges[number].target, end
                    if there not in met:
                        met[there] = None
                        pending.append(there)
    except _NoWay:
        return None
    # Nobody but the threads moves: the environment of a closed goal is its own closure.
    still = {q.name: q.env for q in goal.abstract.locations if q.env is not None}
    return Relation(
        tuple(PairRelation(*pair, said[_place(short, pair)]) for pair in met),
        tuple(answers),
        tuple((name, still[name]) for name in dict.fromkeys(name for _, name in met)),
        relation.openings,
    )


def _place(short: Shortened, pair: Pair) -> Pair:
    return short.concrete.place[pair[0]], short.abstract.place[pair[1]]


def _longer(short: Shortened, goal: Goal, start: str, path: AbstractPath) -> AbstractPath:
    """A path of the shorter abstract side as one of the side itself. Raises _NoWay."""
    side, here = short.abstract, start
    edges, names, turns = list[int](), dict[Var, Var](), list[Turns]()
    for position in range(len(path.edges) + 1):
        for made in path.turns:
            if made.position == position:
                begun = _to(side, goal, here, made.cycle[0])
                here = goal.abstract.edges[begun[-1]].source
                edges += begun[:-1]
                turns.append(replace(made, position=len(edges), cycle=_around(side, goal, here, made.cycle)))
        if position < len(path.edges):
            edges += _to(side, goal, here, path.edges[position])
            taken = goal.abstract.edges[edges[-1]]
            here = taken.target
            for choice in taken.choices:
                before, after = (staged(choice.var.name, n) for n in (position, len(edges) - 1))
                names[variable(before, choice.var.sort)] = variable(after, choice.var.sort)
    witnesses: tuple[tuple[Var, Term], ...] = tuple((names[v], t) for v, t in path.witnesses)
    return AbstractPath(tuple(edges), witnesses, tuple(turns))


def _to(side: Merged, goal: Goal, here: str, step: int) -> tuple[int, ...]:
    """One of the edges that a step stands for, behind the idle ones that lead to it. Raises _NoWay."""
    for number in side.edges[step]:
        way = route(side, here, goal.abstract.edges[number].source)
        if way is not None:
            return (*way, number)
    raise _NoWay


def _around(side: Merged, goal: Goal, here: str, cycle: tuple[int, ...]) -> tuple[int, ...]:
    """A cycle from a location and back to it. Raises _NoWay."""
    edges, there = list[int](), here
    for step in cycle:
        edges += _to(side, goal, there, step)
        there = goal.abstract.edges[edges[-1]].target
    back = route(side, there, here)
    if back is None:
        raise _NoWay
    return (*edges, *back)
