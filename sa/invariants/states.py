"""All states of a closed program with few of them, as joint invariants: sets of states are unions of boxes."""

from __future__ import annotations

from typing import TypeAlias

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.domains.boxes import Boxes
from sa.domains.diagram import join_all
from sa.domains.frame import Frame
from sa.domains.quantify import box_of
from sa.domains.store import Node
from sa.invariants.explicit import NotFound, search
from sa.invariants.whole import whole
from sa.terms.sort import ArraySort, number
from sa.terms.term import Term

#: Formulas by joint location, those that are reached.
Joints: TypeAlias = tuple[tuple[tuple[str, ...], Term], ...]


def states_of(threads: tuple[Automaton, ...], budget: int, bounds: Limits) -> Joints | None:
    """The states that the threads can reach by themselves, if `budget` steps are enough to see them all.

    Raises LimitReached.
    """
    nothing = Bad(None, None)
    w = whole(threads, nothing)
    found = search(w, nothing, budget, bounds)
    if not isinstance(found, NotFound) or not found.complete:
        return None
    if any(isinstance(v.var.sort, ArraySort) for v in w.variables):
        return None
    domain = Boxes(Frame(tuple(v.var for v in w.variables)))
    by_place = dict[tuple[int, ...], list[Node]]()
    for row in found.states:
        place, values = row[: len(threads)], row[len(threads) :]
        box = {level: (number(value), number(value)) for level, value in enumerate(values)}
        by_place.setdefault(tuple(map(number, place)), []).append(box_of(domain.store, box))
    names = [[q.name for q in t.locations] for t in threads]
    return tuple(
        (tuple(names[i][number] for i, number in enumerate(place)), domain.to_formula(join_all(domain.store, nodes)))
        for place, nodes in by_place.items()
    )
