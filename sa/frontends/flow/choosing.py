"""Choices of an edge: where only its guard speaks of one, and some value will do, there is nothing to choose."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sa.automata.automaton import Edge, Variable
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.evaluate import holds
from sa.terms.sort import INT, Value, default_value
from sa.terms.term import And, IsZero, Le, Not, Or, Term


def without_idle_choices(edge: Edge) -> Edge:
    """The edge without choices for which a value is found that meets all that the guard says of them alone."""
    for choice in edge.choices:
        values = () if edge.label is None else edge.label.values
        if any(choice.var in t.free for _, t in edge.updates) or any(choice.var in t.free for t in values):
            continue
        about = [c for c in build.conjuncts(edge.guard) if choice.var in c.free]
        if any(c.free != {choice.var} for c in about):
            continue
        if any(all(holds(c, {choice.var: value}) for c in about) for value in _candidates(choice, about)):
            rest = (c for c in build.conjuncts(edge.guard) if choice.var not in c.free)
            others = tuple(c for c in edge.choices if c is not choice)
            edge = replace(edge, guard=build.land(*rest), choices=others)
    return edge


def narrowed(edge: Edge) -> Edge:
    """The edge with ranges of its choices that have no value which its guard excludes by a constant bound."""
    return replace(edge, choices=tuple(_bounded(c, edge.guard) for c in edge.choices))


def _bounded(choice: Variable, guard: Term) -> Variable:
    low, high = choice.low, choice.high
    for formula in build.conjuncts(guard):
        if not isinstance(formula, Le) or formula.free != {choice.var}:
            continue
        const, parts = linear_parts(formula.total)
        factor = parts.get(choice.var)
        if factor is None or len(parts) > 1:
            continue
        if factor > 0:
            high = -const // factor if high is None else min(high, -const // factor)
        else:
            low = -(const // factor) if low is None else max(low, -(const // factor))
    if low is not None and high is not None and low > high:
        return choice
    return replace(choice, low=low, high=high)


def _candidates(choice: Variable, about: list[Term]) -> Iterator[Value]:
    """Values in the range of a choice near to where conditions about it change."""
    if choice.var.sort != INT:
        yield default_value(choice.var.sort)
        return
    found = [0, 1, *(b for b in (choice.low, choice.high) if b is not None)]
    found += [root + step for c in about for root in _roots(c) for step in (-1, 0, 1)]
    for value in dict.fromkeys(found):
        if (choice.low is None or choice.low <= value) and (choice.high is None or value <= choice.high):
            yield value


def _roots(formula: Term) -> Iterator[int]:
    match formula:
        case And(args) | Or(args):
            for arg in args:
                yield from _roots(arg)
        case Not(body):
            yield from _roots(body)
        case IsZero(total) | Le(total):
            const, parts = linear_parts(total)
            for factor in parts.values():
                yield -const // factor
        case _:
            return
