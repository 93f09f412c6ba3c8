"""Threads that take turns only so many times: long runs among few states, since most mistakes need few switches."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Variable
from sa.terms import build
from sa.terms.name import Name
from sa.terms.sort import INT
from sa.terms.term import Term

_TURN, _SWITCHES = (build.variable(Name(base, stage="schedule"), INT) for base in ("turn", "switches"))


def switching(threads: tuple[Automaton, ...], most: int) -> tuple[Automaton, ...]:
    """The threads with at most so many switches from one to another; whose turn it is first is open.

    Edges keep their order.
    """
    count = len(threads)
    variables = Variable(_TURN, Kind.GLOBAL, 0, count - 1), Variable(_SWITCHES, Kind.GLOBAL, 0, most)
    begin = build.eq(_SWITCHES, build.ZERO)
    return tuple(
        replace(
            thread,
            variables=(*thread.variables, *variables),
            init=build.land(thread.init, begin) if i == 0 else thread.init,
            edges=tuple(_in_turn(e, build.integer(i), most) for e in thread.edges),
        )
        for i, thread in enumerate(threads)
    )


def _in_turn(edge: Edge, own: Term, most: int) -> Edge:
    goes_on = build.eq(_TURN, own)
    more = build.ite(goes_on, _SWITCHES, build.add(_SWITCHES, build.integer(1)))
    return replace(
        edge,
        guard=build.land(edge.guard, build.lor(goes_on, build.lt(_SWITCHES, build.integer(most)))),
        updates=(*edge.updates, (_TURN, own), (_SWITCHES, more)),
    )
