"""All abstract answers from a state as terms over the choices made, where choices have infinitely many values.

Choices of few values are enumerated all the same. Conditions on choices that no value of the end depends on
are forgotten once the solver did not exclude them, and choices are renumbered, so that a silent loop which
chooses again comes back to a front seen before. Forgetting only adds answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Edge
from sa.automata.ranges import count_of
from sa.certificates.play import Beyond, Silent
from sa.checker.answers import NotEnumerable, domain
from sa.checker.obligation import solved
from sa.checker.side import Side, invariant, within
from sa.checker.solvers import witnessed
from sa.smt.session import Unsat
from sa.smt.solver import Solver
from sa.terms.build import FALSE, TRUE, constant, eq, land, lnot, variable
from sa.terms.name import staged
from sa.terms.sort import INT
from sa.terms.substitute import primed, substitute
from sa.terms.term import Bool, Term, Var, sort_of

#: What silent steps lead to, as a play says it.
Silence: TypeAlias = Sequence[Silent]

#: How many fronts are looked at for one set of answers.
FRONTS = 500
#: The most values of an edge's choices that are enumerated.
FEW = 64


class Front(Struct, frozen=True):
    """The states `values` at a location, for all choices that satisfy the conditions. `answered`: σ was shown."""

    location: str
    answered: bool
    values: tuple[Term, ...]
    conditions: tuple[Term, ...]


class Query(Struct, frozen=True):
    """What is asked for: `shown` is the action with the sorts and terms that it shows, None for a silent step.

    `rigid` variables stand for themselves: the answers are those from all states that satisfy `given`. What comes after
    states that are `beyond` is left out.
    """

    shown: tuple[str, tuple[str, ...], tuple[Term, ...]] | None
    rigid: frozenset[Var] = frozenset()
    given: tuple[Term, ...] = ()
    beyond: Sequence[Beyond] = ()


def fronts(session: Solver, s: Side, first: Front, query: Query, silent: Silence = ()) -> Iterator[Front]:
    """The ends of all answers from a front. Raises NotEnumerable and LimitReached."""
    if silent:
        yield from _through(session, s, first, query, silent)
        return
    variables = tuple(v.var for v in s.automaton.variables)
    seen, pending = {first}, [first]
    while pending:
        here = pending.pop()
        if here.answered:
            yield here
        for _, edge in () if _is_beyond(session, variables, here, query) else s.outgoing[here.location]:
            for picked in _picks(edge):
                after = _along(session, s, variables, here, edge, picked, query)
                if after is not None and after not in seen:
                    seen.add(after)
                    pending.append(after)
        if len(seen) > FRONTS:
            raise NotEnumerable("too many states")


def _is_beyond(session: Solver, variables: Sequence[Var], here: Front, query: Query) -> bool:
    """Whether all states of a front are beyond."""
    zones = [b.states for b in query.beyond if b.location == here.location]
    past = substitute(land(*zones) if zones else FALSE, dict(zip(variables, here.values, strict=True)))
    if isinstance(past, Bool):
        return past is TRUE
    formulas = (*query.given, *here.conditions, lnot(past))
    is_past = isinstance(session.check(formulas), Unsat)
    return is_past and witnessed(session, "states beyond", here.location, lambda: formulas) is None


def _through(session: Solver, s: Side, first: Front, query: Query, silent: Silence) -> Iterator[Front]:
    """The ends with silent steps taken at once, as `silent` says what they lead to."""
    variables = tuple(v.var for v in s.automaton.variables)
    for here in _jumps(s, variables, first, query, silent):
        if here.answered:
            yield here
            continue
        for _, edge in s.outgoing[here.location]:
            for picked in _picks(edge) if edge.label is not None else ():
                after = _along(session, s, variables, here, edge, picked, query)
                if after is not None:
                    yield from _jumps(s, variables, after, query, silent)


def _jumps(s: Side, variables: Sequence[Var], here: Front, query: Query, silent: Silence) -> Iterator[Front]:
    told = [said for said in silent if said.source == here.location]
    if not told:
        raise NotEnumerable(f"there is no relation for silent steps from {here.location}")
    known = _choices_in(here, query)
    moved = [v for v in variables if v not in s.params]
    fresh: dict[Var, Term] = {v: _choice(len(known) + i, v) for i, v in enumerate(moved)}
    before = dict(zip(variables, here.values, strict=True))
    for said in told:
        after = {**before, **fresh}
        scope: dict[Var, Term] = {**before, **{primed(v): t for v, t in fresh.items()}}
        conditions = [*here.conditions, substitute(said.relation, scope)]
        conditions += (substitute(inv, after) for inv in invariant(s, said.target))
        unknowns = known.union(v for t in fresh.values() for v in t.free)
        names, rest = solved(conditions, unknowns)
        values = [substitute(after[v], names) for v in variables]
        yield _renumbered(said.target, here.answered, values, rest, query)


def _choices_in(here: Front, query: Query) -> frozenset[Var]:
    return frozenset[Var]().union(*(t.free for t in (*here.values, *here.conditions))) - query.rigid


def _picks(edge: Edge) -> Iterator[dict[Var, Term]]:
    """The values of those choices that have few."""
    few = [c for c in edge.choices if (n := count_of(c)) is not None and (c.var.sort != INT or n <= FEW)]
    if prod(len(domain(c)) for c in few) > FEW:
        few = []
    for row in product(*(domain(c) for c in few)):
        yield {c.var: constant(x, c.var.sort) for c, x in zip(few, row, strict=True)}


def _along(
    session: Solver,
    s: Side,
    variables: Sequence[Var],
    here: Front,
    edge: Edge,
    picked: Mapping[Var, Term],
    query: Query,
) -> Front | None:
    known = _choices_in(here, query)
    fresh = {c.var: _choice(len(known) + i, c.var) for i, c in enumerate(edge.choices) if c.var not in picked}
    chosen: dict[Var, Term] = {**picked, **fresh}
    scope: dict[Var, Term] = {**dict(zip(variables, here.values, strict=True)), **chosen}
    conditions = [*here.conditions, *(substitute(within(c), chosen) for c in edge.choices)]
    conditions.append(substitute(edge.guard, scope))
    if edge.label is not None:
        sorts = tuple(sort_of(v).name for v in edge.label.values)
        if here.answered or query.shown is None or query.shown[:2] != (edge.label.action, sorts):
            return None
        pairs = zip(edge.label.values, query.shown[2], strict=True)
        conditions += (eq(substitute(v, scope), x) for v, x in pairs)
    after: dict[Var, Term] = {**scope, **{v: substitute(t, scope) for v, t in edge.updates}}
    conditions += (substitute(inv, after) for inv in invariant(s, edge.target))
    names, rest = solved(conditions, known.union(fresh.values()))
    is_impossible = FALSE in rest or (rest and isinstance(session.check((*query.given, *rest)), Unsat))
    # A witness who is not convinced gets an answer more.
    whole = (*query.given, *conditions)
    if is_impossible and witnessed(session, "impossible answer", edge.source, lambda: whole) is None:
        return None
    values = [substitute(after[v], names) for v in variables]
    return _renumbered(edge.target, here.answered or edge.label is not None, values, rest, query)


def _choice(number: int, like: Var) -> Var:
    return variable(staged("choice", number), like.sort)


def _renumbered(
    location: str, answered: bool, values: Sequence[Term], conditions: Sequence[Term], query: Query
) -> Front:
    live = dict.fromkeys(v for t in values for v in sorted(t.free - query.rigid, key=lambda v: v.key))
    kept: dict[Term, None] = dict.fromkeys(c for c in conditions if c.free <= query.rigid)
    while more := [c for c in conditions if c not in kept and not c.free.isdisjoint(live)]:
        kept.update(dict.fromkeys(more))
        live.update(dict.fromkeys(v for c in more for v in sorted(c.free - query.rigid, key=lambda v: v.key)))
    names: dict[Var, Term] = {v: _choice(i, v) for i, v in enumerate(live)}
    ordered = sorted({substitute(c, names) for c in kept}, key=lambda c: c.key)
    return Front(location, answered, tuple(substitute(v, names) for v in values), tuple(ordered))
