"""Which variables belong to control: they have few values, which only control, constants and conditions decide.

A scheduler's variables, flags and locks are such; what is computed is data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum

from sa.automata.automaton import Kind, Variable
from sa.automata.ranges import within
from sa.explicit.transition_system import Arc, Whole
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.sort import BOOL, INT, ArraySort, EnumSort, Value, finite_values
from sa.terms.term import Bool, Int, Ite, Member, Term, Var

#: A range with more values is data, and so are variables that may start in more ways than this together.
FEW, STARTS = 16, 64

#: Values of the control variables; a parameter is a value of its own, of which nothing is known.
Values = Mapping[Var, Value | Var]


class Reach(Enum):
    """How much is control, beside locations: all that can be, what has no arithmetic in it, nothing."""

    NAMED = "finite variables, and those that are set to parameters"
    ALL = "finite variables"
    DECLARED = "variables that are declared to be finite"
    SELECTED = "variables that are set to constants"
    NONE = "locations alone"


def control(w: Whole, session: Session, reach: Reach) -> tuple[tuple[Var, ...], tuple[Values, ...]]:
    """The control variables, and the values that they may start with. Raises LimitReached."""
    left = {v.var: v for v in w.variables if reach is not Reach.NONE and not isinstance(v.var.sort, ArraySort)}
    if reach is Reach.DECLARED:
        left = {v: x for v, x in left.items() if values_of(x) is not None}
    rigid = frozenset(v.var for v in w.variables if v.kind is Kind.PARAM) if reach is Reach.NAMED else frozenset()
    begun = _begun(w, rigid)
    while True:
        left = _closed(w, left, reach, rigid)
        starts = _starts(w, session, left, begun)
        if isinstance(starts, tuple):
            return tuple(left), starts
        left = {v: x for v, x in left.items() if v not in starts}


def _begun(w: Whole, rigid: frozenset[Var]) -> dict[Var, Var]:
    """By variable the parameter that it begins as."""
    said = (solution(f, f.free - rigid) for f in build.conjuncts(w.init))
    return {s[0]: s[1] for s in said if s is not None and isinstance(s[1], Var) and s[1] in rigid}


def _closed(w: Whole, offered: Mapping[Var, Variable], reach: Reach, rigid: frozenset[Var]) -> dict[Var, Variable]:
    """The largest part of the variables whose values only the part itself decides."""
    left = dict(offered)
    arcs = [a for by_place in w.arcs for here in by_place for a in here]
    falling = True
    while falling:
        fallen = {
            v
            for a in arcs
            for v, term in a.updates.items()
            if v in left and not _decided(left[v], term, a, left, reach, rigid)
        }
        falling = bool(fallen)
        left = {v: x for v, x in left.items() if v not in fallen}
    return left


def _decided(
    variable: Variable, term: Term, arc: Arc, left: Mapping[Var, Variable], reach: Reach, rigid: frozenset[Var]
) -> bool:
    match term:
        case Int() | Bool() | Member():
            return True
        case Var() if term in left or term in rigid:
            return True
        case Ite(_, positive, negative):
            return all(_decided(variable, t, arc, left, reach, rigid) for t in (positive, negative))
        case _ if values_of(variable) is None:
            return False
        case Var() if any(c.var is term for c in arc.choices):
            return True
        case _:
            # A step that decides something, as a compare-and-swap does, is two steps. An enumeration cannot be data of
            # Horn clauses.
            finest = reach in (Reach.NAMED, Reach.ALL, Reach.DECLARED)
            known = finest and term.free <= left.keys() | {c.var for c in arc.choices}
            tested = finest and variable.var.sort == BOOL
            return known or tested or isinstance(variable.var.sort, EnumSort)


def values_of(variable: Variable) -> Sequence[Value] | None:
    """The values of a variable that has few; None for others."""
    if variable.var.sort != INT:
        return None if isinstance(variable.var.sort, ArraySort) else finite_values(variable.var.sort)
    low, high = variable.low, variable.high
    return range(low, high + 1) if low is not None and high is not None and high - low < FEW else None


def _starts(
    w: Whole, session: Session, left: Mapping[Var, Variable], begun: Mapping[Var, Var]
) -> tuple[Values, ...] | frozenset[Var]:
    """All values that the variables may start with together, or variables that have too many."""
    start = (w.init, *(within(v) for v in w.variables))
    with session.assuming(start):
        first = session.check(())
        if isinstance(first, Unsat):
            return ()
        if not isinstance(first, Sat):
            return frozenset(left) or ({},)
        named = {v: begun[v] for v in left if v in begun}
        given = {v: value_of(v, first.values.get(v, 0)) for v in left if v not in named}
        free = [v for v, x in given.items() if not session.implied(build.eq(v, x), ())]
        endless = frozenset(v for v in free if values_of(left[v]) is None)
        if endless:
            return endless
        found = list[Values]()
        told: list[Term] = []
        while isinstance(answer := session.check(told), Sat):
            here = {v: answer.values.get(v, first.values.get(v, 0)) for v in given}
            found.append({**here, **named})
            told.append(build.lnot(build.land(*(build.eq(v, value_of(v, here[v])) for v in free))))
            if len(found) > STARTS:
                return frozenset(free)
        return tuple(found) if isinstance(answer, Unsat) else frozenset(free) or frozenset(left)


def value_of(var: Var, value: Value | Var) -> Term:
    """A value of a control variable as a term."""
    return value if isinstance(value, Var) else build.constant(value, var.sort)


def cases(term: Term, variable: Variable) -> Iterator[tuple[Term, Value | Var]]:
    """The values that a term may have, each with its condition. They exclude each other, but that two parameters may be
    the same number.
    """
    if isinstance(term, Int | Bool):
        yield build.TRUE, term.value
        return
    found = dict[Value | Var, Term]()
    for condition, value in _cases(term, variable):
        if condition is not build.FALSE:
            found[value] = build.lor(found.get(value, build.FALSE), condition)
    yield from ((condition, value) for value, condition in found.items())


def _cases(term: Term, variable: Variable) -> Iterable[tuple[Term, Value | Var]]:
    match term:
        case Var() if values_of(variable) is None:
            yield build.TRUE, term
        case Int(value) | Bool(value):
            yield build.TRUE, value
        case Member(_, index):
            yield build.TRUE, index
        case Ite(condition, positive, negative):
            for side, chosen in ((condition, positive), (build.lnot(condition), negative)):
                yield from ((build.land(side, c), x) for c, x in _cases(chosen, variable))
        case _:
            values = values_of(variable)
            assert values is not None
            yield from ((build.eq(term, value_of(variable.var, x)), x) for x in values)
