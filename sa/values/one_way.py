"""Abstract states that can no longer match: a number only grows, and is too large already.

Silent loops give infinitely many answers. Where ι equates a number of each side and no abstract step makes the abstract
one smaller, every answer through a larger one ends outside of ι: these states are left out, and the rest is
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
from sa.terms.evaluate import evaluate
from sa.terms.sort import Value, number
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Term, Var


class OneWay(Struct, frozen=True):
    """ι equates a number of the concrete side and one of the abstract side, variables or sums, and abstract steps only
    make the latter larger, or only smaller.
    """

    concrete: Term
    abstract: Term
    grows: bool


def one_way(goal: Goal, session: Session) -> tuple[OneWay, ...]:
    """The abstract numbers that only move one way. Raises LimitReached."""
    links = [link for c in build.conjuncts(iota_of(goal)) if (link := _link(goal, c)) is not None]
    written = {v for e in goal.abstract.edges for v, t in e.updates if t is not v}
    return tuple(
        OneWay(concrete, abstract, grows)
        for concrete, abstract in links
        if not abstract.free.isdisjoint(written)
        for grows in (True, False)
        if _never_back(goal.abstract, abstract, grows, session)
    )


def _link(goal: Goal, formula: Term) -> tuple[Term, Term] | None:
    """The sum over concrete variables and the one over abstract variables that a formula says are equal."""
    if not isinstance(formula, IsZero):
        return None
    own, others = ({v.var for v in a.variables} for a in (goal.concrete, goal.abstract))
    const, parts = build.linear_parts(formula.total)
    theirs = {t: c for t, c in parts.items() if t.free.isdisjoint(own)}
    mine = {t: c for t, c in parts.items() if t not in theirs}
    if not theirs or not mine or not all(t.free <= own for t in mine) or not all(t.free <= others for t in theirs):
        return None
    first, second = build.linear(const, mine), build.linear(0, theirs)
    # The sign is that which leaves a single variable as it is.
    return (build.scale(-1, first), second) if next(iter(theirs.values())) > 0 else (first, build.scale(-1, second))


def _never_back(automaton: Automaton, total: Term, grows: bool, session: Session) -> bool:
    inv = {q.name: q.inv for q in automaton.locations}
    for edge in automaton.edges:
        after = substitute(total, dict(edge.updates))
        kept = build.le(total, after) if grows else build.le(after, total)
        known = (inv[edge.source], edge.guard, *(within(c) for c in edge.choices))
        if kept is not build.TRUE and not session.implied(kept, (k for k in known if k is not build.TRUE)):
            return False
    return True


def beyond(ways: Sequence[OneWay], after: Mapping[Var, Value]) -> Term:
    """The abstract states that are past the concrete state after a step."""
    found = list[Term]()
    for way in ways:
        target = build.integer(number(evaluate(way.concrete, after)))
        found.append(build.lt(target, way.abstract) if way.grows else build.lt(way.abstract, target))
    return build.lor(*found)
