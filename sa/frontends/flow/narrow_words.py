"""Ranges of words that are taken apart into bits: a word of which four bits are used ranges over sixteen values.

Interval analysis without regard to the order of steps. What it finds is a guess only: `kept` keeps of it what the start
and each step keep to for reasons of ranges alone, as `wraps.ranged` does with the ranges of types. Operations on bits
are then written for as many bits as the words have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Variable
from sa.frontends.flow.graph import Range
from sa.frontends.flow.naming import Named
from sa.frontends.flow.spans import told_by
from sa.terms import build, interval
from sa.terms.bounds import Ranges, interval_of
from sa.terms.interval import Interval
from sa.terms.sort import INT
from sa.terms.term import Div, Mod, Term, Var, subterms

#: A variable of the automaton with this number, or of all.
_Place: TypeAlias = tuple[int, Var]

_SHARED = -1

#: Words of at most so many values are short already.
_SHORT = 1 << 8

#: Greater numbers are taken to be any.
_LARGEST = 1 << 64

#: So often ranges shrink in the end.
_SHRINKING = 2


def with_narrow_words(
    automata: Sequence[Automaton], first: Mapping[Var, Term], names: Named
) -> tuple[list[Automaton], Named]:
    """The automata, and the shared variables, with narrower ranges of words that steps take apart into bits."""
    declared = {(_SHARED, v.var): Range(v.low, v.high) for v in names.shared}
    declared |= {(n, v.var): Range(v.low, v.high) for n, a in enumerate(automata) for v in a.variables}
    asked = _needed(automata, {p for p in declared if _is_word(p, declared[p], automata)})
    if not asked:
        return list(automata), names
    start = _at_first(automata, first, declared)
    found = _reached(automata, {p: start[p] if p in asked else r for p, r in declared.items()}, asked)
    guessed = {p: Range(*found[p]) for p in asked if _is_narrower(found[p], declared[p])}
    ranges = {**declared, **_kept(automata, start, declared, guessed)}

    def narrowed(number: int, variables: tuple[Variable, ...]) -> tuple[Variable, ...]:
        now = (ranges[number, v.var] for v in variables)
        return tuple(replace(v, low=r.low, high=r.high) for v, r in zip(variables, now, strict=True))

    made = [replace(a, variables=narrowed(n, a.variables)) for n, a in enumerate(automata)]
    return made, replace(names, shared=narrowed(_SHARED, names.shared))


def _is_word(place: _Place, declared: Range, automata: Sequence[Automaton]) -> bool:
    """Whether a step divides the number, which has many values, to see its digits."""
    number, var = place
    if var.sort != INT or declared.low != 0 or declared.high is None or declared.high < _SHORT:
        return False
    there = automata if number == _SHARED else automata[number : number + 1]
    parts = subterms(t for a in there for e in a.edges for t in _terms(e))
    return any(isinstance(t, Div | Mod) and var in t.dividend.free for t in parts)


def _needed(automata: Sequence[Automaton], words: set[_Place]) -> set[_Place]:
    """The words, and all variables that they are computed from."""
    found, pending = set[_Place](), words
    while pending:
        found |= pending
        pending = {
            (number if v in own else _SHARED, v)
            for number, automaton in enumerate(automata)
            for own in (frozenset(v.var for v in automaton.variables),)
            for edge in automaton.edges
            for var, term in edge.updates
            if (number if var in own else _SHARED, var) in pending
            for v in term.free - {c.var for c in edge.choices}
            if v.sort == INT
        } - found
    return found


def _terms(edge: Edge) -> Iterator[Term]:
    yield edge.guard
    yield from (t for _, t in edge.updates)


def _at_first(
    automata: Sequence[Automaton], first: Mapping[Var, Term], declared: Mapping[_Place, Range]
) -> dict[_Place, Interval]:
    """What variables may be at the start."""
    found: dict[_Place, Interval] = {
        (n, v): interval_of(first[v], {}, {}) if v in first else r for (n, v), r in declared.items()
    }
    for number, automaton in enumerate(automata):
        own = {v.var: declared[number, v.var] for v in automaton.variables}
        told = told_by(build.conjuncts(automaton.init), own) or own
        found |= {(number, v): told[v] for v in own}
    return found


def _reached(
    automata: Sequence[Automaton], start: Mapping[_Place, Interval], asked: Collection[_Place]
) -> Mapping[_Place, Interval]:
    """What those variables may be after any steps, whatever the others are: bounds grow to powers of two, less one.

    In the end they shrink to what steps give, where that is less.
    """
    found, changed = dict(start), True
    while changed:
        changed = False
        for place, values in _given(automata, found):
            if place in asked and (grown := interval.hull(found[place], values)) != found[place]:
                found[place] = _power(grown)
                changed = True
    for _ in range(_SHRINKING):
        least = {p: start[p] for p in asked}
        for place, values in _given(automata, found):
            if place in asked:
                least[place] = interval.hull(least[place], values)
        found |= least
    return found


def _given(automata: Sequence[Automaton], ranges: Mapping[_Place, Interval]) -> Iterator[tuple[_Place, Interval]]:
    """The values that steps give to variables; `ranges` may change between them."""
    for number, automaton in enumerate(automata):
        for edge in automaton.edges:
            yield from _after(number, edge, ranges)


def _after(number: int, edge: Edge, ranges: Mapping[_Place, Interval]) -> Iterator[tuple[_Place, Interval]]:
    """The values that a step gives to variables."""
    known: Ranges = {v: r for (n, v), r in ranges.items() if n in (number, _SHARED)}
    told = told_by(build.conjuncts(edge.guard), {**known, **{c.var: (c.low, c.high) for c in edge.choices}})
    if told is not None:
        seen = dict[Term, Interval]()
        for var, term in edge.updates:
            place = (number, var) if (number, var) in ranges else (_SHARED, var)
            yield place, interval_of(term, told, seen)


def _power(values: Interval) -> Interval:
    """An interval with these values, of which there are finitely many: bounds are powers of two, less one."""
    low, high = values
    if low is None or high is None:
        return None, None
    lowest = 0 if low >= 0 else -(1 << (-low).bit_length())
    highest = 0 if high <= 0 else (1 << high.bit_length()) - 1
    return (None, None) if max(-lowest, highest) > _LARGEST else (lowest, highest)


def _is_narrower(one: Interval, other: Interval) -> bool:
    return one != other and interval.hull(one, other) == other


def _kept(
    automata: Sequence[Automaton],
    start: Mapping[_Place, Interval],
    declared: Mapping[_Place, Range],
    guessed: Mapping[_Place, Range],
) -> Mapping[_Place, Range]:
    """Those of the guessed ranges that the start and each step keep to."""
    kept = {p: r for p, r in guessed.items() if interval.hull(start[p], r) == r}
    while left := {
        place
        for place, values in _given(automata, {**declared, **kept})
        if place in kept and interval.hull(values, kept[place]) != kept[place]
    }:
        kept = {p: r for p, r in kept.items() if p not in left}
    return kept
