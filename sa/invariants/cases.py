"""A step as one for each outcome of the conditions that its updates depend on: each may add something known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import rebuild, substitute
from sa.terms.term import Bool, Forall, Int, Ite, Not, Term, Var, children, subterms

#: Steps that one becomes at most.
MOST = 16


#: Variables that have only two values, with these.
TwoValued: TypeAlias = Mapping[Var, tuple[int, int]]


def two_valued(threads: Sequence[Automaton], begun: Mapping[Var, Term]) -> TwoValued:
    """Variables with two values: those of their range, or the first one, if it is known, and what steps make them."""
    every = (v for t in threads for v in t.variables)
    ranged = {v.var: (v.low, v.high) for v in every if v.low is not None and v.high == v.low + 1}
    found = dict[Var, set[int]]()
    for var, term in ((v, t) for thread in threads for e in thread.edges for v, t in e.updates):
        first = begun.get(var)
        values = found.setdefault(var, {first.value} if isinstance(first, Int) else set())
        values.update((int(term.value),) if isinstance(term, Int | Bool) else (0, 1, 2))
    return {**{v: (min(x), max(x)) for v, x in found.items() if len(x) == 2}, **ranged}


def cases(edge: Edge, two: TwoValued) -> tuple[Edge, ...]:
    """The step once for each outcome; as it is where these are too many. A number read from a variable with two values
    has two outcomes, too.
    """
    found = list[Edge]()
    waiting = [edge]
    # Each condition makes one more outcome at least.
    if len(dict.fromkeys(_conditions(edge))) >= MOST:
        return (edge,)
    while waiting:
        if len(found) + len(waiting) > MOST:
            return (edge,)
        one = waiting.pop()
        condition = next(_conditions(one), None)
        read = next((v for u, t in one.updates if len(t.free) == 1 for v in t.free if v in two and v is not u), None)
        if condition is not None:
            waiting += (_settled(e, two) for e in _where(one, condition))
        elif read is not None and read.sort == INT:
            waiting += _reading(one, read, two[read])
        else:
            found.append(one)
    return tuple(found)


def _conditions(edge: Edge) -> Iterator[Term]:
    """What an update chooses by, and what a truth value becomes that is no constant."""
    for var, term in edge.updates:
        if var.sort == BOOL:
            if not isinstance(term, Bool):
                yield term
        else:
            yield from (t.condition for t in subterms((term,)) if isinstance(t, Ite))


def _where(edge: Edge, condition: Term) -> Iterator[Edge]:
    for value in (build.TRUE, build.FALSE):
        guard = build.land(edge.guard, condition if value is build.TRUE else build.lnot(condition))
        if guard is not build.FALSE:
            resolved = _resolving(condition, value)
            updates = tuple((v, resolved(t)) for v, t in edge.updates)
            yield replace(edge, guard=guard, updates=updates)


def _settled(edge: Edge, two: TwoValued) -> Edge:
    """The step with the values in its updates that its guard gives to other variables."""
    known = dict[Var, Term]()
    for formula in build.conjuncts(edge.guard):
        said = solution(formula, formula.free) if len(formula.free) == 1 else None
        if said is not None and isinstance(said[1], Int | Bool):
            known[said[0]] = said[1]
        elif isinstance(formula, Not) and len(formula.free) == 1:
            (var,) = formula.free
            left = [x for x in two.get(var, ()) if substitute(formula, {var: build.integer(x)}) is build.TRUE]
            known |= {var: build.integer(left[0])} if len(left) == 1 and var.sort == INT else {}
    updates = ((v, substitute(t, {u: x for u, x in known.items() if u is not v})) for v, t in edge.updates)
    return replace(edge, updates=tuple(updates))


def _reading(edge: Edge, var: Var, values: tuple[int, int]) -> Iterator[Edge]:
    for value in map(build.integer, values):
        guard = build.land(edge.guard, build.eq(var, value))
        if guard is not build.FALSE:
            updates = tuple((v, t if v is var else substitute(t, {var: value})) for v, t in edge.updates)
            yield replace(edge, guard=guard, updates=updates)


def _resolving(condition: Term, value: Term) -> Callable[[Term], Term]:
    """Terms without a condition whose value is known. What became of a subterm is remembered: terms share them."""
    memo: dict[Term, Term] = {condition: value, build.lnot(condition): build.lnot(value)}

    def go(term: Term) -> Term:
        if isinstance(term, Forall) or not children(term):
            return memo.get(term, term)
        found = memo.get(term)
        if found is None:
            found = memo[term] = rebuild(term, go)
        return found

    return go
