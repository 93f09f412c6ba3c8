"""Edges as the ranges of their variables and their guards let one write them: what does not wrap around is a sum."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from sa.automata.automaton import Edge, Label
from sa.frontends.flow.choosing import narrowed
from sa.frontends.flow.graph import Range
from sa.frontends.flow.spans import told_by
from sa.terms import build
from sa.terms.bounds import Ranges, interval_of
from sa.terms.build import linear_parts
from sa.terms.interval import Interval
from sa.terms.substitute import rebuild
from sa.terms.term import Bool, Div, Forall, Int, IsZero, Le, Member, Mod, Term, Var


def without_wraps(edge: Edge, ranges: Mapping[Var, Range]) -> Edge:
    """The same step, without comparisons and remainders that the ranges and linear conditions of its guard decide.

    Conditions that bounds are drawn from stay as they are, so that nothing is shown by itself.
    """
    known = {**ranges, **{c.var: Range(c.low, c.high) for c in edge.choices}}
    fixed, others = list[Term](), list[Term]()
    for part in build.conjuncts(edge.guard):
        bounding = isinstance(part, Le | IsZero) and all(isinstance(p, Var) for p in linear_parts(part.total)[1])
        (fixed if bounding else others).append(part)
    before = told_by(fixed, known)
    if before is None:
        return edge
    go = _deciding(before)
    guard = build.land(*fixed, *map(go, others))
    after = told_by(build.conjuncts(guard), known)
    if after is None:
        return replace(edge, guard=guard)
    go = _deciding(after)
    label = edge.label
    if label is not None:
        label = Label(label.action, tuple(map(go, label.values)))
    updates = tuple((v, value) for v, t in edge.updates if (value := go(t)) is not v)
    return narrowed(replace(edge, label=label, guard=guard, updates=updates))


def _deciding(known: Ranges) -> Callable[[Term], Term]:
    """What rewrites terms to equal ones where variables are within their ranges."""
    memo, seen = dict[Term, Term](), dict[Term, Interval]()

    def go(term: Term) -> Term:
        found = memo.get(term)
        if found is None:
            found = memo[term] = made(term)
        return found

    def made(term: Term) -> Term:
        match term:
            case Var() | Int() | Bool() | Member() | Forall():
                return term
            case Le(total) | IsZero(total):
                low, high = interval_of(total, known, seen)
                if high is not None and (high < 0 or (high == 0 and isinstance(term, Le))):
                    return build.boolean(isinstance(term, Le))
                if low is not None and low > 0:
                    return build.FALSE
            case Mod(dividend, divisor) | Div(dividend, divisor):
                low, high = interval_of(dividend, known, seen)
                if low is not None and high is not None and low // divisor == high // divisor:
                    turns = build.integer(low // divisor)
                    return turns if isinstance(term, Div) else build.sub(go(dividend), build.scale(divisor, turns))
        return rebuild(term, go)

    return go
