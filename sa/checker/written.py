"""Obligations that written invariants cut no steps (THEORY section 1): without them the automaton has the same runs.

An invariant of a location must hold initially, after every edge whose guard allows it, and after every environment step
within the ranges of the variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Automaton, Kind
from sa.certificates.threads import Annotated
from sa.checker.obligation import Case, Obligation
from sa.checker.side import environment, invariant, renamed, side, within
from sa.checker.threads import apart
from sa.terms.build import conjoined, conjuncts
from sa.terms.substitute import substitute


def uncut(automaton: Automaton, closed: bool) -> Iterator[Obligation]:
    """Of an automaton in its environment; `closed` says that the environment changes nothing."""
    s = side(automaton)
    name = "written invariant"
    yield Obligation(name, automaton.name, conjuncts(automaton.init), (Case((), invariant(s, automaton.initial)),))
    for edge in automaton.edges:
        taken = conjoined((*invariant(s, edge.source), edge.guard, *(within(c) for c in edge.choices)))
        landed = renamed(invariant(s, edge.target), dict(edge.updates))
        yield Obligation(name, f"{automaton.name}, {edge.source} -> {edge.target}", taken, (Case((), landed),))
    ranges = [substitute(within(v), s.after) for v in automaton.variables if v.kind is Kind.GLOBAL]
    for place in () if closed else s.locations:
        here = invariant(s, place)
        moved = conjoined((*here, *environment(s, place), *ranges))
        yield Obligation(name, f"{automaton.name}, {place}", moved, (Case((), renamed(here, s.after)),))


def implied(threads: Sequence[Annotated]) -> Iterator[Obligation]:
    """Annotated invariants, which are shown to be true, imply the written ones, so that these never matter."""
    for made in threads:
        for written, place in zip(made.thread.locations, made.automaton.locations, strict=True):
            where = f"{made.thread.name}, {written.name}"
            yield Obligation("written invariant", where, conjuncts(place.inv), (Case((), conjuncts(written.inv)),))


def uncut_together(threads: Sequence[Automaton]) -> Iterator[Obligation]:
    """Of threads that run by themselves: no step that a guard allows is kept from happening by an invariant."""
    separate = tuple(map(apart, threads))
    for mover in separate:
        at = {q.name: conjoined((q.inv, *(within(v) for v in mover.variables))) for q in mover.locations}
        for edge in mover.edges:
            updates = dict(edge.updates)
            taken = conjoined((*at[edge.source], edge.guard, *(within(c) for c in edge.choices)))
            where = f"{mover.name}, {edge.source} -> {edge.target}"
            landed = renamed(at[edge.target], updates)
            yield Obligation("written invariant", where, taken, (Case((), landed),))
            for other in separate:
                if other is not mover:
                    for place in other.locations:
                        due = tuple(f for f in conjuncts(place.inv) if not f.free.isdisjoint(updates))
                        if due:
                            known = conjoined((*taken, place.inv))
                            yield Obligation("written invariant", where, known, (Case((), renamed(due, updates)),))
