"""The order in which threads take turns: who waits for others comes after them, so that fewer rounds do."""

from __future__ import annotations

from sa.automata.components import reachable
from sa.explicit.system import System
from sa.terms.term import Var


def likely_order(s: System) -> tuple[int, ...]:
    """The threads, next always one that asks for the fewest variables which others of those that are left write.

    What a thread asks for is what it tests before its first step that others notice. Where that decides nothing the
    threads stay in their order. `docs/BOUNDED.md` has what was measured.
    """
    asks = [_asked_first(s, thread) for thread in range(len(s.threads))]
    writes = [{v for here in acts for act in here for v in act.updates} for acts in s.acts]
    left, order = list(range(len(s.threads))), list[int]()
    while left:
        others = {i: set[Var]().union(*(writes[j] for j in left if j != i)) for i in left}
        following = min(left, key=lambda i: len(asks[i] & others[i]))
        order.append(following)
        left.remove(following)
    return tuple(order)


def _asked_first(s: System, thread: int) -> set[Var]:
    """The variables in conditions of steps that come before anything that others notice."""
    acts = s.acts[thread]

    def unnoticed(place: int) -> list[int]:
        return [a.arc.target for a in acts[place] if not a.bads and s.shared.isdisjoint(a.updates)]

    places = reachable((s.start[thread],), unnoticed)
    return set[Var]().union(*(act.condition.free for place in places for act in acts[place]))
