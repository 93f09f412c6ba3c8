"""Concrete runs that may have no abstract one: where Duplicator loses against a few of infinitely many answers.

Such a game may be lost although the goal holds, so nothing follows from it. It tells which runs to look at: those along
which every answer that was looked at is lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.trace import Configuration, Move
from sa.explicit.kept import everything
from sa.explicit.machine import Stride, machine
from sa.values.opening import real_start
from sa.values.pairs import Game, Pair

#: How many runs are looked for, how many steps are tried for them, and how long they may be.
RUNS, TRIES, LENGTH = 6, 4000, 120

Run = tuple[Configuration, Configuration, tuple[Move, ...]]


def runs(game: Game, lost: Pair) -> Iterator[Run]:
    """Runs from a lost pair, with the initial states of both sides. Raises Unevaluable."""
    start = real_start(game.goal, (game.concrete, game.abstract), (lost.concrete, lost.abstract))
    if start is None:
        return
    m = game.concrete
    concrete = machine(m.automaton, m.pool, everything(m.automaton), m.few)
    goal, number = game.goal, concrete.number(game.concrete.places[lost.concrete], start[0])
    values = dict(zip(game.abstract.order, start[1], strict=True))
    first, second = concrete.configuration(number), Configuration(goal.abstract.initial, values)
    for found, strides in enumerate(_strides(game, lost)):
        moves, here = list[Move](), number
        for stride in strides:
            real = next(s for s in concrete.steps(here).strides if s.edge is stride.edge and s.picked == stride.picked)
            picked = dict(zip((c.var for c in real.edge.choices), real.picked, strict=True))
            moves.append(Move(real.edge, picked, concrete.configuration(real.after)))
            here = real.after
        yield first, second, tuple(moves)
        if found + 1 >= RUNS:
            return


def _strides(game: Game, lost: Pair) -> Iterator[tuple[Stride, ...]]:
    """Steps that leave none of the answers that were looked at; what wins against most of them comes first."""
    pending: list[tuple[int, frozenset[int], tuple[Stride, ...]]] = [(lost.concrete, frozenset((lost.abstract,)), ())]
    seen, tries = set[tuple[int, frozenset[int]]](), 0
    while pending and tries < TRIES:
        concrete, matching, run = pending.pop()
        tries += 1
        if not matching:
            yield run
            continue
        if (concrete, matching) in seen or len(run) >= LENGTH:
            continue
        seen.add((concrete, matching))
        pairs = sorted((p for a in matching if (p := game.pairs.get((concrete, a))) is not None), key=lambda p: p.rank)
        strides = {id(p.stride): p.stride for p in pairs if p.stride is not None}
        for stride in strides.values():
            after = frozenset(
                end for a in matching for end in game.following.first(a, stride.action, stride.after).every()
            )
            pending.append((stride.after, after, (*run, stride)))
