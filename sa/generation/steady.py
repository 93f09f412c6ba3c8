"""Closures made fit for invariants: in a coarse environment an invariant of boxes need not be stable.

What an invariant says of shared variables, and the closure does not keep, is conjoined to the environment of that
location as something that holds afterwards: that is reflexive and transitive where the invariant holds, and true of all
that the others do there. Where a lost part speaks of locals too, the exact relation takes the closure's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, variables_of
from sa.automata.ranges import within
from sa.smt.session import Session
from sa.terms import build
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


def steady(session: Session, closures: Sequence[Automaton], exact: Sequence[Automaton]) -> tuple[Automaton, ...]:
    """The threads in closures in which their invariants are stable, or in exact environments. Raises LimitReached."""
    return tuple(_steady(session, coarse) or fine for coarse, fine in zip(closures, exact, strict=True))


def _steady(session: Session, thread: Automaton) -> Automaton | None:
    places = [_kept(session, thread, place) for place in thread.locations]
    found = tuple(p for p in places if p is not None)
    return replace(thread, locations=found) if len(found) == len(places) else None


def _kept(session: Session, thread: Automaton, place: Location) -> Location | None:
    assert place.env is not None
    after: Mapping[Var, Term] = {v: primed(v) for v in variables_of(thread, Kind.GLOBAL)}
    own = frozenset(variables_of(thread, Kind.LOCAL))
    ranges = tuple(substitute(within(v), after) for v in thread.variables if v.var in after)
    lost = [
        c
        for c in build.conjuncts(place.inv)
        if not c.free.isdisjoint(after) and not session.implied(substitute(c, after), (place.inv, place.env, *ranges))
    ]
    if any(not c.free.isdisjoint(own) for c in lost):
        return None
    return replace(place, env=build.land(place.env, *(substitute(c, after) for c in lost)))
