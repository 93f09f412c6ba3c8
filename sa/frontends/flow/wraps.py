"""Edges as the ranges of their variables and their guards let one write them: what does not wrap around is a sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Label, Variable
from sa.frontends.flow.choosing import narrowed
from sa.frontends.flow.digits import by_digits
from sa.frontends.flow.graph import ANY, Range
from sa.frontends.flow.naming import Named
from sa.frontends.flow.spans import told_by
from sa.frontends.flow.standing import is_bounding, standing
from sa.terms import build
from sa.terms.bounds import Ranges, interval_of
from sa.terms.interval import Interval
from sa.terms.substitute import rebuild
from sa.terms.term import Bool, Div, Forall, Int, IsZero, Le, Member, Mod, Term, Var, subterms


def ranged(automata: list[Automaton], first: Mapping[Var, Term], names: Named) -> tuple[list[Automaton], Named]:
    """Ranges are kept where every step and the start keep to them for reasons of ranges alone; others are dropped."""
    while True:
        shared = {v.var: Range(v.low, v.high) for v in names.shared}
        gone = set[Var]()
        for automaton in automata:
            own = {v.var: Range(v.low, v.high) for v in automaton.variables}
            for edge in automaton.edges:
                known = shared | own | {c.var: Range(c.low, c.high) for c in edge.choices}
                told = told_by(build.conjuncts(edge.guard), known)
                if told is not None:
                    gone |= {v for v, term in edge.updates if not _keeps(known.get(v, ANY), term, told)}
        gone |= {v for v, term in first.items() if not _keeps(shared.get(v, ANY), term, {})}
        if not gone:
            return [_without_wraps(a, shared) for a in automata], names

        def freed(variables: tuple[Variable, ...], gone: set[Var] = gone) -> tuple[Variable, ...]:
            return tuple(replace(v, low=None, high=None) if v.var in gone else v for v in variables)

        automata = [replace(a, variables=freed(a.variables)) for a in automata]
        names = replace(names, shared=freed(names.shared))


def _without_wraps(automaton: Automaton, shared: Mapping[Var, Range]) -> Automaton:
    known = {**shared, **{v.var: Range(v.low, v.high) for v in automaton.variables}}
    edges = tuple(without_wraps(e, known, ()) for e in automaton.edges)
    if not any(map(may_wrap, edges)):
        return replace(automaton, edges=edges)
    at = standing(automaton, known)
    informed = tuple(without_wraps(e, known, at[e.source]) for e in automaton.edges)
    if informed == edges:
        return replace(automaton, edges=edges)
    # What the steps need is said where they begin.
    locations = tuple(replace(q, inv=build.land(q.inv, *at[q.name])) for q in automaton.locations)
    return replace(automaton, edges=informed, locations=locations)


def _keeps(range_: Range, term: Term, known: Ranges) -> bool:
    if range_.low is None or range_.high is None:
        return True
    low, high = interval_of(term, known, {})
    return low is not None and high is not None and range_.low <= low and high <= range_.high


def without_wraps(edge: Edge, ranges: Mapping[Var, Range], said: Iterable[Term]) -> Edge:
    """The same step, without comparisons and remainders that ranges and linear conditions decide.

    The conditions are those of the guard, and those that hold where the step begins. Those of the guard that bounds are
    drawn from stay as they are, so that nothing is shown by itself.
    """
    if not may_wrap(edge):
        return narrowed(edge)
    known = {**ranges, **{c.var: Range(c.low, c.high) for c in edge.choices}}
    fixed, others = list[Term](), list[Term]()
    for part in build.conjuncts(edge.guard):
        (fixed if is_bounding(part) else others).append(part)
    before = told_by((*said, *fixed), known)
    if before is None:
        return edge
    go = _deciding(before)
    guard = build.land(*fixed, *map(go, others))
    after = told_by((*said, *build.conjuncts(guard)), known)
    if after is None:
        return replace(edge, guard=guard)
    go = _deciding(after)
    label = edge.label
    if label is not None:
        label = Label(label.action, tuple(map(go, label.values)))
    updates = tuple((v, value) for v, t in edge.updates if (value := go(t)) is not v)
    return narrowed(replace(edge, label=label, guard=guard, updates=updates))


def may_wrap(edge: Edge) -> bool:
    """Whether anything in a step could be decided."""
    values = () if edge.label is None else edge.label.values
    guards = (part for part in build.conjuncts(edge.guard) if not is_bounding(part))
    return any(
        isinstance(t, Le | IsZero | Mod | Div) for t in subterms((*guards, *values, *(t for _, t in edge.updates)))
    )


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
            case _:
                pass
        found = rebuild(term, go)
        told = by_digits(found, known, seen)
        return found if told is found else go(told)

    return go
