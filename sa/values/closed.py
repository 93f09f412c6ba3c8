"""A game that was looked at to its end: the pairs that are not lost, as evidence. And whether it ever ends."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from sa.automata.ranges import is_large
from sa.certificates.pairs import SideStates
from sa.explicit.machine import Machine
from sa.terms.sort import number
from sa.values.pairs import Game
from sa.values.search_bounds import Closed


def closed(game: Game) -> Closed:
    """The pairs of a game in which no pair is left to be looked at."""
    won = [(d.concrete, d.abstract) for d in game.pairs.values() if d.stride is None]
    first, concrete = _states(game.concrete, (c for c, _ in won))
    second, abstract = _states(game.abstract, (a for _, a in won))
    width = len(second)
    return Closed(concrete, abstract, frozenset(first[c] * width + second[a] for c, a in won))


def _states(m: Machine, used: Iterable[int]) -> tuple[dict[int, int], SideStates]:
    """The states in use: what their numbers become, and the list of them."""
    order = dict.fromkeys(used)
    known = [[i for i, v in enumerate(m.order) if v in kept] for kept in m.kept]
    states = tuple((m.places[s], tuple(m.rows[s][i] for i in known[m.places[s]])) for s in order)
    return {s: i for i, s in enumerate(order)}, SideStates(m.kept, states)


def grows(m: Machine) -> bool:
    """Whether large numbers are further out among later states than among the first ones.

    Numbers that are not further out than what the program compares with may just have come late.
    """
    early, low, high = len(m.rows) // 4, min(m.pool), max(m.pool)
    for i, v in enumerate(m.automaton.variables):
        if is_large(v) and early:
            values = [number(row[i]) for row in m.rows]
            first = list(islice(values, early))
            if min(values) < min(low, *first) or max(values) > max(high, *first):
                return True
    return False
