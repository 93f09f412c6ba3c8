"""Joint locations: what a claim is where threads are at some, and how they are told."""

from __future__ import annotations

from collections.abc import Mapping

from sa.terms.build import boolean
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: A location of each of some threads.
Places = Mapping[str, str]


def settled(claim: Term, places: Places) -> Term:
    """A claim where these threads are at these locations."""
    spoken = [(v, v.name.thread, v.name.place) for v in claim.free]
    known: dict[Var, Term] = {v: boolean(places[t] == q) for v, t, q in spoken if q and t and t in places}
    return substitute(claim, known)


def in_words(places: Places) -> str:
    """Joint locations for messages."""
    return ", ".join(f"{thread} at {place}" for thread, place in places.items())
