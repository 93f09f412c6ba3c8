"""Formulas that are available at a location: on every way there they became true, and no step of the thread since made
them false. This is the analysis of available expressions, with guards and assignments as what makes formulas true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.automata.dataflow import forward
from sa.terms import build
from sa.terms.cases import decided
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Bool, Not, Or, Term, Var, has_quantifiers

#: What is true at each location.
Available = Mapping[str, Set[Term]]


def available(thread: Automaton, about: Set[Var], lost: Mapping[str, Set[Term]]) -> Available:
    """The formulas at each location that a step leads to; `lost` are those that do not hold there.

    Of formulas over shared variables only those are looked at that mention one of `about`.

    It is the greatest solution, so what holds around a loop is found if it holds at its entry.
    """
    shared = frozenset(variables_of(thread, Kind.GLOBAL))

    def wanted(formula: Term) -> bool:
        return formula.free.isdisjoint(shared) or not formula.free.isdisjoint(about)

    leaving = dict[str, list[tuple[str, Set[Term], Set[Var]]]]()
    written_invariants = {q.name: q.inv for q in thread.locations}
    for edge in thread.edges:
        became = frozenset(f for f in _became(edge, written_invariants[edge.source]) if wanted(f))
        leaving.setdefault(edge.source, []).append((edge.target, became, frozenset(v for v, _ in edge.updates)))

    def held(place: str, formulas: Set[Term]) -> frozenset[Term]:
        return frozenset(formulas - lost.get(place, frozenset()))

    def follow(place: str, here: frozenset[Term]) -> Iterator[tuple[str, frozenset[Term]]]:
        for target, became, written in leaving.get(place, ()):
            yield target, held(target, became | {f for f in here if f.free.isdisjoint(written)})

    start = held(thread.initial, {f for f in _told((thread.init,), frozenset()) if wanted(f)})
    found = forward({thread.initial: start}, follow, frozenset.intersection)
    return {q.name: found[q.name] for q in thread.locations if q.name in found}


def _became(edge: Edge, invariant: Term) -> Iterator[Term]:
    """What is known after a step because of the step: its guard, as far as it is still true, and what was assigned.

    Of a number that is moved by a constant it is known what its guard and the invariant say of where it was: a binary
    semaphore is zero once it has been waited for.
    """
    edge = replace(edge, updates=tuple((v, _under(edge.guard, t)) for v, t in edge.updates))
    written = frozenset(v for v, _ in edge.updates)
    choices = frozenset(c.var for c in edge.choices)
    # A variable that is overwritten may have been copied by the same step.
    copies: dict[Var, Term] = {t: v for v, t in edge.updates if isinstance(t, Var) and t in written}
    moved = {v: w for v, w in copies.items() if v is not w}
    lost = (written - moved.keys()) | choices
    for formula in _told((edge.guard,), lost):
        yield substitute(formula, moved)
    by = dict(_moved_by(edge))
    before = {v: build.sub(v, build.constant(n, v.sort)) for v, n in by.items() if v not in moved}
    for var, value in edge.updates:
        # What was drawn from a counter is less than it, and stays so when others draw.
        if isinstance(value, Var) and value is not var and by.get(value, 0) > 0:
            yield build.lt(var, value)
    for formula in _told((edge.guard, invariant), (written | choices) - before.keys()):
        if not formula.free.isdisjoint(before):
            yield substitute(formula, before)
    for var, value in edge.updates:
        if value.free.isdisjoint(lost) and not (isinstance(value, Var) and moved.get(value) is var):
            after = substitute(value, moved)
            if var not in after.free:
                yield build.eq(var, after)


def _under(guard: Term, value: Term) -> Term:
    """The value where the guard is true: of an attempt that took a lock, what it has put there."""
    for condition in build.conjuncts(guard):
        if isinstance(condition, Not):
            value = decided(value, condition.body, False)
        else:
            value = decided(value, condition, True)
    return value


def _moved_by(edge: Edge) -> Iterator[tuple[Var, int]]:
    """The numbers to which a step adds a constant, and which."""
    for var, value in edge.updates:
        if var.sort == INT and var in value.free:
            constant, parts = build.linear_parts(value)
            if parts == {var: 1}:
                yield var, constant


def _told(formulas: Iterable[Term], lost: Set[Var]) -> Iterator[Term]:
    for formula in build.conjoined(formulas):
        if not isinstance(formula, Bool | Or) and not has_quantifiers(formula) and formula.free.isdisjoint(lost):
            yield formula
