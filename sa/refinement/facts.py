"""What is true of each side alone, location by location: bounds from tests, signs, parities (Houdini).

A step or an answer leads to states of the side where they hold again, so Ψ may say them from the start: lemmas that are
learned backwards need not find out that a counter never exceeds its bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.base.budget import Shared
from sa.base.limits import LimitReached, share, spend
from sa.certificates.goal import Goal
from sa.game.board import Board
from sa.invariants.congruences import remainders
from sa.invariants.houdini import candidates, taking
from sa.invariants.weak import inductive
from sa.invariants.zone_propagation import Others, differences
from sa.refinement.equations import equations
from sa.simulation.state import Facts
from sa.smt.session import Session
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.substitute import substitute
from sa.terms.term import Le, Or, Term, Var

#: Larger automata are not looked at, and so many resources of the solver are spent on one question.
EDGES, RLIMIT = 300, 500_000

#: The part of the time that is left for equations.
PART = 0.5

#: The most candidates at a location.
OFFERED = 60


def facts(session: Session, board: Board) -> Facts:
    """Formulas that hold at the locations of either side in every state of a game. Raises LimitReached."""
    goal = board.goal
    first, second = (_of(session, side, own) for side, own in looked_at(goal))
    still = Others.STILL if goal.closed else None
    return (
        _both(first, differences(goal.concrete, still or Others.DECLARED, session.bounds)),
        _both(second, differences(goal.abstract, still or Others.ANYTHING, session.bounds)),
    )


def both(first: Facts, second: Facts) -> Facts:
    """What both say, of either side."""
    return _both(first[0], second[0]), _both(first[1], second[1])


def with_equations(session: Session, goal: Goal, known: Facts, shared: Shared) -> Facts:
    """The same with equations between what loops compute, if they are found in a part of the time.

    Raises LimitReached.
    """
    part, found = session.again(RLIMIT), list(known)
    part.bounds = share(session.bounds, PART)
    with suppress(LimitReached):
        for number, (side, own) in enumerate(looked_at(goal)):
            if len(side.edges) <= EDGES:
                more = shared.once(("equations", side, own), partial(equations, part, side, own, known[number]))
                found[number] = _both(known[number], more)
    spend(session.bounds, 5000)
    return found[0], found[1]


def looked_at(goal: Goal) -> tuple[tuple[Automaton, frozenset[Var]], tuple[Automaton, frozenset[Var]]]:
    """Either side, and the variables of which something is said."""
    concrete, abstract = (frozenset(v.var for v in side.variables) for side in (goal.concrete, goal.abstract))
    # What the abstract environment does in sequence may be over-approximated: nothing is said of what it changes.
    shared = () if goal.closed else variables_of(goal.abstract, Kind.GLOBAL)
    return (goal.concrete, concrete), (goal.abstract, abstract.difference(shared))


def _both(first: Mapping[str, tuple[Term, ...]], second: Mapping[str, tuple[Term, ...]]) -> dict[str, tuple[Term, ...]]:
    """What both say by location."""
    places = dict.fromkeys((*first, *second))
    return {place: _telling(build.land(*first.get(place, ()), *second.get(place, ()))) for place in places}


def _of(session: Session, automaton: Automaton, own: frozenset[Var]) -> dict[str, tuple[Term, ...]]:
    if len(automaton.edges) > EDGES:
        return {}
    likely = (*_stored(automaton), *remainders((automaton,)), *candidates(automaton, {}), *_used_up(automaton))
    offered = dict.fromkeys(likely)
    visible = [f for f in offered if f.free <= own][:OFFERED]
    at_each = dict.fromkeys((q.name for q in automaton.locations), visible)
    return {q: _telling(f) for q, f in inductive(session.again(RLIMIT), automaton, at_each, {}).items()}


def _telling(formula: Term) -> tuple[Term, ...]:
    """The conjuncts that do not follow from another one of them by their form."""
    known = build.conjuncts(formula)
    return tuple(k for k in known if not any(_is_weaker(k, other) for other in known if other is not k))


def _is_weaker(formula: Term, other: Term) -> bool:
    if isinstance(formula, Or):
        return any(f is other or _is_weaker(f, other) for f in formula.args)
    if not isinstance(formula, Le) or not isinstance(other, Le):
        return False
    mine, theirs = build.linear_parts(formula.total), build.linear_parts(other.total)
    return mine[1] == theirs[1] and mine[0] < theirs[0]


def _used_up(automaton: Automaton) -> Iterator[Term]:
    """What is left of a test's strict bound after the step that uses it up, or where no step was made yet."""
    own = frozenset(v.var for v in automaton.variables)
    begun = dict(filter(None, (solution(c, own) for c in build.conjuncts(automaton.init))))
    moved = {v for e in automaton.edges for v, t in e.updates if t is not v}
    for formula in dict.fromkeys(c for e in automaton.edges for c in build.conjuncts(e.guard)):
        if isinstance(formula, Le):
            weaker = build.le(formula.total, build.ONE)
            yield weaker
            first = (build.eq(v, begun[v]) for v in sorted(formula.free & moved, key=lambda v: v.key) if v in begun)
            yield from (build.lor(weaker, f) for f in first)


def _stored(automaton: Automaton) -> Iterator[Term]:
    """What a step says of a value that it stores: a product, say, or what it asks of a choice, such as a quotient."""
    for edge in automaton.edges:
        choices, changed = {c.var for c in edge.choices}, {v for v, _ in edge.updates}
        asked = build.conjoined(taking(edge))
        for variable, value in edge.updates:
            about = [build.eq(variable, value)]
            if isinstance(value, Var) and value in choices:
                about = [substitute(c, {value: variable}) for c in asked if value in c.free]
            yield from (f for f in about if f.free.isdisjoint(choices) and changed & f.free == {variable})
