"""A proof about a thread that waits for ever (THEORY section 7): what it shows is true and says little.

The relation of a proof contains every state that a pair of locations can be in, and environments lead to
no others. Where no step of a thread is possible in any of these states, it stays where it is, whatever others do.
Locations that no state at all lets go on are found without a proof (`obligations.vacuity`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from msgspec import Struct

from sa.automata.automaton import Edge, Location, composed, edges_from, location_of
from sa.base.diagnostic import Diagnostic, warning
from sa.certificates.goal import Goal, iota_of
from sa.certificates.pairs import Simulation, StatePairs
from sa.certificates.relation import PairRelation, Relation
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.compile import predicate
from sa.terms.sort import Value
from sa.terms.term import Term, Var


class _Point(Struct, frozen=True):
    """Where one thread is, with the locations of the goal at which it is there, and its own edges from each of them."""

    at: tuple[tuple[Location, tuple[Edge, ...]], ...]

    @property
    def first(self) -> Edge:
        """An edge that the thread waits for."""
        return next(e for _, edges in self.at for e in edges)


def blocked(session: Session, goal: Goal, relation: Simulation) -> Iterator[Diagnostic]:
    """A warning for each point of a concrete thread from which, by the relation, it never makes a step.

    Raises LimitReached.
    """
    waiting = _waiting(goal, relation) if isinstance(relation, StatePairs) else _related(session, goal, relation)
    yield from (_waits(point) for point in waiting)


def _points(goal: Goal) -> Iterator[_Point]:
    """The points of all threads that have edges from there. Of several threads one may go on while another waits."""
    threads, outgoing = composed(goal.concrete), edges_from(goal.concrete)
    found = dict[tuple[int, str], list[tuple[Location, tuple[Edge, ...]]]]()
    for place in goal.concrete.locations:
        for number, part in enumerate(place.parts if len(threads) > 1 else (place.name,)):
            own = tuple(e for e in outgoing[place.name] if len(threads) == 1 or e.thread == threads[number])
            found.setdefault((number, part), []).append((place, own))
    yield from (_Point(tuple(at)) for at in found.values() if any(edges for _, edges in at))


def _related(session: Session, goal: Goal, relation: Relation) -> Iterator[_Point]:
    pairs = dict[str, list[PairRelation]]()
    for pair in relation.pairs:
        pairs.setdefault(pair.concrete, []).append(pair)
    for point in _points(goal):
        going = [(place, build.lor(*(e.guard for e in edges))) for place, edges in point.at if place.name in pairs]
        # Without choices in the guards some test often goes on in every state: nothing is asked then.
        if any(g is build.TRUE for _, g in going) or all(g is build.FALSE for _, g in going):
            continue
        states = [(g, _state(goal, place, p)) for place, g in going for p in pairs[place.name]]
        if any(_possible(session, [*state, g]) is not False for g, state in states if g is not build.FALSE):
            continue
        # A pair that no state is in says nothing about waiting.
        if any(_possible(session, state) for _, state in states):
            yield point


def _state(goal: Goal, place: Location, pair: PairRelation) -> list[Term]:
    return [place.inv, location_of(goal.abstract, pair.abstract).inv, iota_of(goal), *pair.lemmas]


def _possible(session: Session, formulas: Iterable[Term]) -> bool | None:
    """Whether some state satisfies all formulas; None where that is not settled."""
    reply = session.check(f for f in formulas if f is not build.TRUE)
    return None if not isinstance(reply, Sat | Unsat) else isinstance(reply, Sat)


def _waiting(goal: Goal, made: StatePairs) -> Iterator[_Point]:
    """The same for listed states."""
    listed = dict[str, list[tuple[Value, ...]]]()
    kept = {q.name: made.concrete.kept[number] for number, q in enumerate(goal.concrete.locations)}
    for at, row in made.concrete.states:
        listed.setdefault(goal.concrete.locations[at].name, []).append(row)
    for point in _points(goal):
        met = [(place, edges) for place, edges in point.at if place.name in listed]
        if not any(edges for _, edges in met) or any(e.choices for _, edges in met for e in edges):
            continue
        if not any(_goes_on(goal, kept[q.name], edges, listed[q.name]) for q, edges in met):
            yield point


def _goes_on(goal: Goal, kept: Container[Var], edges: Sequence[Edge], rows: Sequence[tuple[Value, ...]]) -> bool:
    known = [v.var for v in goal.concrete.variables if v.var in kept]
    return any(map(predicate(build.lor(*(e.guard for e in edges)), known), rows))


def _waits(point: _Point) -> Diagnostic:
    hint = "the proof is trivial from here on: this thread takes no step, while the abstract thread may"
    place = point.at[0][0]
    message = "this thread never takes a step from here"
    return warning("SA509", message, point.first.origin.span or place.origin.span, hint)
