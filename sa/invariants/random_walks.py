"""Random runs of a closed program: states that can be reached, for whoever looks for what they have in common.

Which thread moves is decided by an order of the threads, the first that can move does. How often the order changes
differs from run to run, so that in some of them a thread waits for very long, and in others all take turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import FAIL, Variable
from sa.automata.ranges import values_of
from sa.base.limits import Limits, spend
from sa.explicit.transition_system import Arc, Whole
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.compile import Row, compiled, predicate
from sa.terms.evaluate import Unevaluable
from sa.terms.sort import INT, ArraySort, Value, default_value
from sa.terms.term import Var

#: Values that loose variables begin with and choices take; in some runs they begin larger.
SMALL, LARGE = 6, 30

#: How often the order of the threads is a new one, and how often who has moved becomes the last in it.
_HABITS = ((1.0, 0.0), (0.5, 0.1), (0.05, 0.1), (0.01, 0.5), (0.05, 0.02))


class Move(Struct, frozen=True, eq=False):
    """An edge as functions of a row; of choices the row has values at its end."""

    arc: Arc
    guard: Callable[[Row], bool]
    updates: tuple[tuple[int, Callable[[Row], Value]], ...]


#: Edges by thread and place.
Moves: TypeAlias = tuple[tuple[tuple[Move, ...], ...], ...]


def moves_of(w: Whole) -> Moves:
    """The edges by thread and place."""
    return tuple(tuple(tuple(_move(a, w.order) for a in here) for here in thread) for thread in w.arcs)


def walks(w: Whole, random: Random, bounds: Limits, runs: int, steps: int) -> Iterator[list[Row]]:
    """The states of some runs of at most so many steps. Raises LimitReached."""
    moves, session = moves_of(w), Session(bounds)
    only = _only_start(w, session)
    for run in range(runs):
        spend(bounds, 220)
        row = only or start(w, session, random)
        if row is None:
            return
        yield walk(moves, row, random, run, steps)


def walk(moves: Moves, row: Row, random: Random, habit: int, steps: int) -> list[Row]:
    """The states of a run of at most so many steps from one of them, which is the first."""
    found = [row]
    renewed, last = _HABITS[habit % len(_HABITS)]
    order = random.sample(range(len(moves)), len(moves))
    for _ in range(steps):
        if random.random() < renewed:
            random.shuffle(order)
        for place, thread in enumerate(order):
            after = step(moves[thread][_place(row, thread)], row, random)
            if after is not None:
                if random.random() < last:
                    order.append(order.pop(place))
                break
        else:
            break
        row = after
        found.append(row)
    return found


def _only_start(w: Whole, session: Session) -> Row | None:
    """The initial state, if there is one only."""
    found = session.check((w.init,))
    if not isinstance(found, Sat) or any(isinstance(v.var.sort, ArraySort) for v in w.variables):
        return None
    values = {v.var: found.values.get(v.var, default_value(v.var.sort)) for v in w.variables}
    others = build.lor(*(build.lnot(build.eq(v, build.constant(x, v.sort))) for v, x in values.items()))
    return (*w.start, *values.values()) if isinstance(session.check((w.init, others)), Unsat) else None


def _place(row: Row, thread: int) -> int:
    place = row[thread]
    assert isinstance(place, int)
    return place


def start(w: Whole, session: Session, random: Random) -> Row | None:
    """An initial state, loose variables small where they may be."""
    known, most = [w.init], random.choice((SMALL, SMALL, LARGE))
    for variable in w.variables:
        if variable.var.sort != INT:
            continue
        wish = build.eq(variable.var, build.integer(random.randrange(most)))
        if isinstance(session.check((*known, wish)), Sat):
            known.append(wish)
    found = session.check(known)
    if not isinstance(found, Sat):
        return None
    first: Mapping[Var, Value] = found.values
    return (*w.start, *(first.get(v.var, default_value(v.var.sort)) for v in w.variables))


def _move(arc: Arc, order: Sequence[Var]) -> Move:
    names = (*order, *(c.var for c in arc.choices))
    updates = tuple((order.index(v), compiled(e, names)) for v, e in arc.updates.items())
    return Move(arc, predicate(arc.guard, names), updates)


def step(moves: Sequence[Move], row: Row, random: Random) -> Row | None:
    """The state behind a random edge that is possible; None where there is none."""
    for move in random.sample(moves, len(moves)) if len(moves) > 1 else moves:
        if move.arc.edge.label is not None and move.arc.edge.label.action == FAIL:
            continue
        full = (*row, *(_chosen(c, random) for c in move.arc.choices)) if move.arc.choices else row
        after = taken(move, full, len(row))
        if after is not None:
            return after
    return None


def taken(move: Move, full: Row, size: int) -> Row | None:
    """The state behind an edge, of so many entries; None where it is not possible."""
    try:
        if not move.guard(full):
            return None
        after = list(full[:size])
        for index, value in move.updates:
            after[index] = value(full)
    except Unevaluable:
        return None
    after[move.arc.thread] = move.arc.target
    return tuple(after)


def _chosen(choice: Variable, random: Random) -> Value:
    values = values_of(choice)
    if isinstance(choice.var.sort, ArraySort):
        return default_value(choice.var.sort)
    match values:
        case None:
            return random.randrange(SMALL)
        case range():
            # There may be more of them than a sequence can count.
            return random.randrange(values.start, values.stop)
        case _:
            return random.choice(values)
