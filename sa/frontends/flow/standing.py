"""Conditions on a thread's own variables that hold at its locations: what tests said, and no step undid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sa.automata.automaton import Automaton, Edge
from sa.frontends.flow.graph import Range
from sa.frontends.flow.spans import told_by
from sa.terms import build
from sa.terms.bounds import truth_of
from sa.terms.build import linear_parts
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import Forall, IsZero, Le, Not, Term, Var, children

#: So many conditions at most: each is looked at on each edge.
MOST = 64


def is_bounding(term: Term) -> bool:
    """Whether a condition compares a linear sum of variables with a number."""
    match term:
        case Le(total) | IsZero(total) | Not(IsZero(total)):
            return all(isinstance(part, Var) for part in linear_parts(total)[1])
        case _:
            return False


def standing(automaton: Automaton, ranges: Mapping[Var, Range]) -> Mapping[str, tuple[Term, ...]]:
    """Linear conditions by location: the greatest set of which each holds after each step to the location.

    Only the thread itself changes its own variables, and conditions speak of nothing else. `ranges` are those of all
    variables. The candidates are what guards say of the values that the step gives.
    """
    own = frozenset(v.var for v in automaton.variables)
    offered = tuple(dict.fromkeys(c for e in automaton.edges for c in _said(e, own)))[:MOST]
    at = {q.name: () if q.name == automaton.initial else offered for q in automaton.locations}
    changed = bool(offered)
    while changed:
        changed = False
        for edge in automaton.edges:
            kept = _kept(edge, at[edge.source], at[edge.target], ranges)
            changed = changed or len(kept) < len(at[edge.target])
            at[edge.target] = kept
    return at


def _said(edge: Edge, own: frozenset[Var]) -> Iterator[Term]:
    """What the guard says of the state after the step."""
    values = {value: var for var, value in edge.updates if value.free}
    after = dict(edge.updates)

    def told(term: Term) -> Term:
        var = values.get(term)
        if var is None:
            return rebuild(term, told) if children(term) and not isinstance(term, Forall) else term
        return var

    for part in build.conjuncts(edge.guard):
        said = told(part)
        if is_bounding(said) and said.free <= own and substitute(said, after) is part:
            yield said


def _kept(
    edge: Edge, before: tuple[Term, ...], after: tuple[Term, ...], ranges: Mapping[Var, Range]
) -> tuple[Term, ...]:
    """Those of the conditions that hold after the step if those before it hold."""
    if not after:
        return after
    updates = dict(edge.updates)
    wanted = {c: substitute(c, updates) for c in after}
    given = {*build.conjuncts(edge.guard), *before}
    if all(term in given for term in wanted.values()):
        return after
    choices = {c.var: Range(c.low, c.high) for c in edge.choices}
    known = told_by(given, {**ranges, **choices})
    if known is None:
        return after
    return tuple(c for c, term in wanted.items() if term in given or truth_of(term, known) is True)
