"""Joint locations: what a claim is where threads are at some, and how they are told."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from sa.automata.automaton import Automaton
from sa.terms.build import boolean, conjuncts, eq, implies, integer, lor, variable
from sa.terms.name import at_place
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: A location of each of some threads.
Places = Mapping[str, str]


def settled(claim: Term, places: Places) -> Term:
    """A claim where these threads are at these locations."""
    spoken = [(v, v.name.thread, v.name.place) for v in claim.free]
    known: dict[Var, Term] = {v: boolean(places[t] == q) for v, t, q in spoken if q and t and t in places}
    return substitute(claim, known)


def at_one_location(thread: Automaton, spoken: Container[Var]) -> Iterator[Term]:
    """That a thread is at one location; of locations that nobody speaks of nothing need be said.

    A number that says which one takes as many formulas as there are locations; pairs of them would take its square.
    """
    places = [v for q in thread.locations if (v := variable(at_place(thread.name, q.name), BOOL)) in spoken]
    which = variable(at_place(thread.name, ""), INT)
    yield from (implies(place, eq(which, integer(n))) for n, place in enumerate(places))
    if len(places) == len(thread.locations):
        yield lor(*places)


def written_of(thread: Automaton) -> Iterator[Term]:
    """What is written of a thread's locations; what is written of all of them is said of none."""
    said = {q.name: conjuncts(q.inv) for q in thread.locations}
    everywhere = frozenset.intersection(*map(frozenset, said.values()))
    yield from (c for c in said[thread.initial] if c in everywhere)
    for place, formulas in said.items():
        at = variable(at_place(thread.name, place), BOOL)
        yield from (implies(at, c) for c in formulas if c not in everywhere)


def in_words(places: Places) -> str:
    """Joint locations for messages."""
    return ", ".join(f"{thread} at {place}" for thread, place in places.items())
