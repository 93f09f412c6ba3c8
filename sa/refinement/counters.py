"""Equations between numbers of the two sides that hold wherever a short search comes: candidates for a relation."""

from __future__ import annotations

from contextlib import suppress

from sa.automata.automaton import Kind, variables_of
from sa.base.limits import LimitReached, Limits
from sa.certificates.goal import Goal
from sa.domains import affine
from sa.game.board import lay_out
from sa.simulation.algorithm_2_search import Search
from sa.simulation.endings import Tactics
from sa.smt.session import Session
from sa.terms.term import Term, Var


def counters(goal: Goal, bounds: Limits, tactics: Tactics) -> tuple[Term, ...]:
    """Affine equations over globals of both sides that are true wherever a search with these tactics has come.

    A limit that is reached ends the search, and what is known then counts: nothing here needs to be true.
    """
    search = Search(lay_out(goal), Session(bounds, tuple(a.formula for a in goal.axioms)), tactics)
    with suppress(LimitReached):
        search.run()
    sides = [frozenset(variables_of(a, Kind.GLOBAL)) for a in (goal.concrete, goal.abstract)]
    rigid = frozenset(v for a in (goal.concrete, goal.abstract) for v in variables_of(a, Kind.PARAM))
    kept = rigid.union(*sides)
    common: affine.Space | None = None
    for space in (s.facts for s in search.pairs.values() if s.facts is not None):
        shared = affine.forget(space, [v for v in _mentioned(space) if v not in kept])
        common = shared if common is None else affine.join(common, shared)
    equations = () if common is None else affine.formulas(common)
    return tuple(t for t in equations if all(not t.free.isdisjoint(side) for side in sides))


def _mentioned(space: affine.Space) -> frozenset[Var]:
    return frozenset(v for row in space.values() for c in row if c is not None for v in c.free)
