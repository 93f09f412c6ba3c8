"""All abstract answers from a state as terms over the choices made, where choices have infinitely many values.

Choices of few values are enumerated all the same. Conditions on choices that no value of the end depends on
are forgotten once the solver did not exclude them, and choices are renumbered, so that a silent loop which
chooses again comes back to a front seen before. Forgetting only adds answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from msgspec import Struct

from sa.automata.automaton import Edge
from sa.automata.ranges import count_of
from sa.automata.trace import Configuration
from sa.checker.answers import NotEnumerable, domain
from sa.checker.legal import Action, constants
from sa.checker.obligation import solved
from sa.checker.side import Side, invariant, within
from sa.checker.solvers import witnessed
from sa.smt.session import Unsat
from sa.smt.solver import Solver
from sa.terms.build import FALSE, constant, eq, variable
from sa.terms.name import staged
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, sort_of

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


def fronts(session: Solver, s: Side, start: Configuration, action: Action) -> Iterator[Front]:
    """The ends of all answers to an action. Raises NotEnumerable and LimitReached."""
    variables = tuple(v.var for v in s.automaton.variables)
    first = Front(start.location, action is None, tuple(constants(start.values, variables).values()), ())
    seen, pending = {first}, [first]
    while pending:
        here = pending.pop()
        if here.answered:
            yield here
        for _, edge in s.outgoing[here.location]:
            for picked in _picks(edge):
                after = _along(session, s, variables, here, edge, picked, action)
                if after is not None and after not in seen:
                    seen.add(after)
                    pending.append(after)
        if len(seen) > FRONTS:
            raise NotEnumerable("too many states")


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
    action: Action,
) -> Front | None:
    known = frozenset[Var]().union(*(t.free for t in (*here.values, *here.conditions)))
    fresh = {c.var: _choice(len(known) + i, c.var) for i, c in enumerate(edge.choices) if c.var not in picked}
    chosen: dict[Var, Term] = {**picked, **fresh}
    scope: dict[Var, Term] = {**dict(zip(variables, here.values, strict=True)), **chosen}
    conditions = [*here.conditions, *(substitute(within(c), chosen) for c in edge.choices)]
    conditions.append(substitute(edge.guard, scope))
    if edge.label is not None:
        sorts = tuple(sort_of(v).name for v in edge.label.values)
        if here.answered or action is None or action[:2] != (edge.label.action, sorts):
            return None
        pairs = zip(edge.label.values, action[2], strict=True)
        conditions += (eq(substitute(v, scope), constant(x, sort_of(v))) for v, x in pairs)
    after: dict[Var, Term] = {**scope, **{v: substitute(t, scope) for v, t in edge.updates}}
    conditions += (substitute(inv, after) for inv in invariant(s, edge.target))
    names, rest = solved(conditions, known.union(fresh.values()))
    is_impossible = FALSE in rest or (rest and isinstance(session.check(rest), Unsat))
    # A witness who is not convinced gets an answer more.
    if is_impossible and witnessed(session, "impossible answer", edge.source, lambda: conditions) is None:
        return None
    values = [substitute(after[v], names) for v in variables]
    return _renumbered(edge.target, here.answered or edge.label is not None, values, rest)


def _choice(number: int, like: Var) -> Var:
    return variable(staged("choice", number), like.sort)


def _renumbered(location: str, answered: bool, values: Sequence[Term], conditions: Sequence[Term]) -> Front:
    live = dict.fromkeys(v for t in values for v in sorted(t.free, key=lambda v: v.key))
    kept: dict[Term, None] = {}
    while more := [c for c in conditions if c not in kept and not c.free.isdisjoint(live)]:
        kept.update(dict.fromkeys(more))
        live.update(dict.fromkeys(v for c in more for v in sorted(c.free, key=lambda v: v.key)))
    names: dict[Var, Term] = {v: _choice(i, v) for i, v in enumerate(live)}
    ordered = sorted({substitute(c, names) for c in kept}, key=lambda c: c.key)
    return Front(location, answered, tuple(substitute(v, names) for v in values), tuple(ordered))
