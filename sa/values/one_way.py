"""Abstract states that can no longer match: a number only grows, and is too large already.

Silent loops give infinitely many answers. Where ι equates a concrete and an abstract number and no abstract step makes
the latter smaller, every answer through a larger one ends outside of ι: these states are left out, and the rest is
often finite. That a number only moves one way is shown by the solver, here and again by the checker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.ranges import within
from sa.certificates.goal import Goal, iota_of
from sa.smt.session import Session
from sa.terms import build
from sa.terms.sort import INT, Value, number
from sa.terms.term import IsZero, Term, Var


class OneWay(Struct, frozen=True):
    """ι equates the two variables, and abstract steps only make the abstract one larger, or only smaller."""

    concrete: Var
    abstract: Var
    grows: bool


def one_way(goal: Goal, session: Session) -> tuple[OneWay, ...]:
    """The abstract numbers that only move one way. Raises LimitReached."""
    links = [link for c in build.conjuncts(iota_of(goal)) if (link := _link(goal, c)) is not None]
    written = {v for e in goal.abstract.edges for v, t in e.updates if t is not v}
    return tuple(
        OneWay(concrete, abstract, grows)
        for concrete, abstract in links
        if abstract in written
        for grows in (True, False)
        if _never_back(goal.abstract, abstract, grows, session)
    )


def _link(goal: Goal, formula: Term) -> tuple[Var, Var] | None:
    """The concrete and the abstract number that a formula says are equal."""
    if not isinstance(formula, IsZero) or len(formula.free) != 2:
        return None
    own = {v.var for v in goal.concrete.variables}
    first, second = sorted(formula.free, key=lambda v: v not in own)
    is_link = first in own and second not in own and first.sort == second.sort == INT
    return (first, second) if is_link and formula is build.eq(first, second) else None


def _never_back(automaton: Automaton, var: Var, grows: bool, session: Session) -> bool:
    inv = {q.name: q.inv for q in automaton.locations}
    for edge in automaton.edges:
        after = dict(edge.updates).get(var, var)
        kept = build.le(var, after) if grows else build.le(after, var)
        known = (inv[edge.source], edge.guard, *(within(c) for c in edge.choices))
        if kept is not build.TRUE and not session.implied(kept, (k for k in known if k is not build.TRUE)):
            return False
    return True


def beyond(ways: Sequence[OneWay], after: Mapping[Var, Value]) -> Term:
    """The abstract states that are past the concrete state after a step."""
    found = list[Term]()
    for way in ways:
        target = build.integer(number(after[way.concrete]))
        found.append(build.lt(target, way.abstract) if way.grows else build.lt(way.abstract, target))
    return build.lor(*found)
