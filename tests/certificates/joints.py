"""All states of a small program as invariants of joint locations: sets of states are unions of boxes."""

from __future__ import annotations

from sa.automata.automaton import Automaton
from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.domains.boxes import Boxes
from sa.domains.diagram import join_all
from sa.domains.frame import Frame
from sa.domains.quantify import box_of
from sa.domains.store import Node
from sa.explicit.search import Effort, search
from sa.explicit.system import system
from sa.terms.term import Term


def joints_of(threads: tuple[Automaton, ...], bads: tuple[Bad, ...]) -> tuple[tuple[tuple[str, ...], Term], ...]:
    """Formulas by joint location, those that are reached, as far as it matters to what is bad."""
    s = system(threads, bads)
    found = search(s, Effort(10_000, 100, reduced=False), Limits())
    assert found.complete
    order, slots = tuple(s.variables), found.layout.slots
    domain = Boxes(Frame(order))
    by_place = dict[tuple[int, ...], list[Node]]()
    for state in found.reached:
        place = tuple(state >> slots[c].shift & slots[c].mask for c in s.counters)
        kept = s.shared.union(*(k[i] for k, i in zip(s.kept, place, strict=True)))
        values = {v: (state >> slots[v].shift & slots[v].mask) + slots[v].low for v in kept}
        box = {level: (values[v], values[v]) for level, v in enumerate(order) if v in kept}
        by_place.setdefault(place, []).append(box_of(domain.store, box))
    names = [[q.name for q in t.locations] for t in threads]
    return tuple(
        (tuple(names[i][number] for i, number in enumerate(place)), domain.to_formula(join_all(domain.store, nodes)))
        for place, nodes in by_place.items()
    )
