"""A proof about a thread that waits for ever (THEORY section 7): what it shows is true and says little.

The relation of a proof contains every state that a pair of locations can be in, and environments lead to
no others. Where no step of the concrete location is possible in any of these states, the thread stays there.
Locations that no state at all lets go on are found without a proof (`obligations.vacuity`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sa.automata.automaton import Edge, Location, edges_from, location_of
from sa.base.diagnostic import Diagnostic, warning
from sa.certificates.goal import Goal, iota_of
from sa.certificates.pairs import Simulation, StatePairs
from sa.certificates.relation import PairRelation
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.compile import predicate
from sa.terms.sort import Value
from sa.terms.term import Term


def blocked(session: Session, goal: Goal, relation: Simulation) -> Iterator[Diagnostic]:
    """A warning for each concrete location from which, by the relation, no step is ever possible.

    Raises LimitReached.
    """
    outgoing = edges_from(goal.concrete)
    if isinstance(relation, StatePairs):
        yield from _stuck(goal, relation)
        return
    at = dict[str, list[PairRelation]]()
    for pair in relation.pairs:
        at.setdefault(pair.concrete, []).append(pair)
    for place in goal.concrete.locations:
        going = build.lor(*(e.guard for e in outgoing[place.name]))
        pairs = at.get(place.name)
        # Without choices in the guards some test often goes on in every state: nothing is asked then.
        if not pairs or going in (build.TRUE, build.FALSE):
            continue
        states = [[place.inv, location_of(goal.abstract, p.abstract).inv, iota_of(goal), *p.lemmas] for p in pairs]
        if any(_possible(session, [*state, going]) is not False for state in states):
            continue
        # A pair that no state is in says nothing about waiting.
        if any(_possible(session, state) for state in states):
            yield _waits(place, outgoing[place.name])


def _possible(session: Session, formulas: Iterable[Term]) -> bool | None:
    """Whether some state satisfies all formulas; None where that is not settled."""
    reply = session.check(f for f in formulas if f is not build.TRUE)
    return None if not isinstance(reply, Sat | Unsat) else isinstance(reply, Sat)


def _stuck(goal: Goal, made: StatePairs) -> Iterator[Diagnostic]:
    """The same for listed states."""
    outgoing, listed = edges_from(goal.concrete), dict[int, list[tuple[Value, ...]]]()
    for at, row in made.concrete.states:
        listed.setdefault(at, []).append(row)
    for number, place in enumerate(goal.concrete.locations):
        rows, edges = listed.get(number), outgoing[place.name]
        if not rows or not edges or any(e.choices for e in edges):
            continue
        known = [v.var for v in goal.concrete.variables if v.var in made.concrete.kept[number]]
        goes_on = predicate(build.lor(*(e.guard for e in edges)), known)
        if not any(map(goes_on, rows)):
            yield _waits(place, edges)


def _waits(place: Location, edges: Sequence[Edge]) -> Diagnostic:
    hint = "the proof is trivial from here on: this thread takes no step, while the abstract thread may"
    message = "in no run is any step taken after this point"
    return warning("SA509", message, edges[0].origin.span or place.origin.span, hint)
