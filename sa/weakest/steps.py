"""The environment steps that lead out of a region, by location of the side that has the variables (paper, `Env(q)`).

A step of shared variables from g to g' is excluded at a location if for some values of everything else there, (g, …) is
in the region and (g', …) is not. What is left is reflexive and transitive, and the region is closed under it. The
concrete variables, and those abstract ones that ι does not determine, move one after the other, which gives the two
sides an environment each: from the region into the region and again into the region.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.ranges import within
from sa.base.limits import LimitReached, spend
from sa.base.verdict import Reason
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.implicant import implicant
from sa.terms.project import project
from sa.terms.sort import default_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var
from sa.weakest.region import Place, Region

#: Steps that are excluded together: literals over shared variables of one side and their primes.
Class: TypeAlias = tuple[Term, ...]

#: How many classes there may be at a location before all changes of what the region speaks of are excluded.
MOST = 60


class Way(Struct, frozen=True):
    """One side's part of an environment: which variables move, within which ranges they stay."""

    moving: tuple[Var, ...]
    ranges: tuple[Term, ...]


class Steps(Struct, frozen=True):
    """The excluded steps at a location; all that are excluded must be, if they are `exact`."""

    classes: tuple[Class, ...]
    exact: bool


def concrete_way(region: Region) -> Way:
    """The concrete shared variables."""
    return _way(region.board.goal.concrete, region.board.concrete.globals)


def abstract_way(region: Region) -> Way:
    """The abstract shared variables that ι does not determine."""
    board = region.board
    return _way(board.goal.abstract, tuple(v for v in board.abstract.globals if v not in board.links))


def _way(automaton: Automaton, moving: tuple[Var, ...]) -> Way:
    known = {v.var: v for v in automaton.variables}
    return Way(moving, tuple(r for v in moving for r in build.conjuncts(within(known[v]))))


def excluded(region: Region, way: Way, side: int) -> dict[str, Steps]:
    """The excluded steps by location of a side, 0 concrete and 1 abstract. Raises LimitReached."""
    found = dict[str, Steps]()
    for name in dict.fromkeys(place.pair[side] for place in region.places):
        places = [p for p in region.places if p.pair[side] == name]
        found[name] = _at(region, way, places) if way.moving else Steps((), True)
    return found


def _at(region: Region, way: Way, places: Sequence[Place]) -> Steps:
    classes = list[Class]()
    for place in places:
        spend(region.session.bounds, 500)
        if not _collect(region, way, place, classes):
            said = frozenset[Var]().union(*(f.free for p in places for f in p.states))
            return Steps(tuple((build.lnot(build.eq(primed(v), v)),) for v in way.moving if v in said), False)
    return Steps(tuple(classes), True)


def _collect(region: Region, way: Way, place: Place, classes: list[Class]) -> bool:
    """Add the classes of a pair of locations that are new; False if there are too many."""
    after: dict[Var, Term] = {v: primed(v) for v in way.moving}
    bad = build.lor(*(build.lnot(s) for s in _wanted(region, place, after)))
    ranges = tuple(substitute(r, after) for r in way.ranges)
    others = [v for v in region.board.variables if v not in after and v not in _rigid(region)]
    known = (*place.states, *ranges, bad)
    names = (*region.board.variables, *map(primed, way.moving))
    while True:
        reply = region.session.check((*known, *(build.lnot(build.land(*c)) for c in classes)))
        if isinstance(reply, Unsat):
            return True
        if not isinstance(reply, Sat):
            raise LimitReached(Reason.SOLVER)
        if len(classes) >= MOST:
            return False
        model = {v: reply.values.get(v, default_value(v.sort)) for v in names}
        literals, _ = project(implicant((*place.states, bad), model), others, model)
        classes.append(_without(region.session, literals, (*way.ranges, *ranges)))


def _wanted(region: Region, place: Place, after: Mapping[Var, Term]) -> list[Term]:
    """What must hold after a step: the region, and that abstract locals need not follow, for they cannot."""
    board = region.board
    same = (board.links[v] for v in board.abstract.locals if v in board.links)
    still = [build.eq(substitute(t, after), t) for t in same]
    states = [substitute(s, after) for s in place.states]
    return [
        w
        for w in (*still, *(s for s, old in zip(states, place.states, strict=True) if s is not old))
        if w is not build.TRUE
    ]


def _rigid(region: Region) -> frozenset[Var]:
    board = region.board
    own = (*board.concrete.globals, *board.concrete.locals, *board.abstract.globals, *board.abstract.locals)
    return frozenset(board.variables) - frozenset(own)


def _without(session: Session, literals: Sequence[Term], known: Sequence[Term]) -> Class:
    """The literals that do not follow from declared ranges."""
    return tuple(c for c in literals if not session.implied(c, known))
