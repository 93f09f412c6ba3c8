"""Steps that may win: those that do where Duplicator has a few of infinitely many answers.

Such a game may be lost although the goal holds, so nothing follows from it. It tells what to try.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct, field

from sa.automata.trace import Configuration, Move
from sa.explicit.live_variables import everything
from sa.explicit.machine import Machine, machine
from sa.terms import build
from sa.terms.term import Var
from sa.values.opening import real_start
from sa.values.pairs import Game, Pair

if TYPE_CHECKING:
    from sa.plays.symbolic_state_sets import Front


class Guess(Struct, eq=False):
    """Initial states of both sides that Spoiler takes, and his steps."""

    first: Configuration
    second: Configuration
    game: Game
    concrete: Machine
    lost: dict[int, list[Pair]] = field(default_factory=dict)

    def choose(self, here: Configuration, location: str, against: Front) -> Iterator[Move]:
        """Steps from a concrete state that win against abstract states like those of a front, the longest play first.

        Raises Unevaluable.
        """
        game = self.game
        number = self.concrete.number(_place(self.concrete, here), tuple(here.values[v] for v in self.concrete.order))
        looks = game.concrete.looks(self.concrete.places[number], self.concrete.rows[number])
        pairs = [p for p in self._lost_at(looks) if self._may_be(p.abstract, location, against)]
        for pair in sorted(pairs, key=lambda p: -p.rank):
            stride = pair.stride
            assert stride is not None
            for real in self.concrete.steps(number).strides:
                if real.edge is stride.edge and real.picked == stride.picked:
                    picked = dict(zip((c.var for c in real.edge.choices), real.picked, strict=True))
                    yield Move(real.edge, picked, self.concrete.configuration(real.after))

    def _lost_at(self, concrete: int) -> list[Pair]:
        if not self.lost:
            for pair in self.game.pairs.values():
                if pair.stride is not None:
                    self.lost.setdefault(pair.concrete, []).append(pair)
        return self.lost.get(concrete, [])

    def _may_be(self, abstract: int, location: str, against: Front) -> bool:
        m = self.game.abstract
        place, row = m.places[abstract], m.rows[abstract]
        if m.automaton.locations[place].name != location:
            return False
        kept: frozenset[Var] = m.kept[place]
        return all(
            v not in kept or bool(t.free) or t is build.constant(x, v.sort)
            for v, t, x in zip(m.order, against.values, row, strict=True)
        )


def guess(game: Game, lost: Pair) -> Guess | None:
    """The guess that a lost pair makes; None if no initial states look like it. Raises Unevaluable."""
    start = real_start(game.goal, (game.concrete, game.abstract), (lost.concrete, lost.abstract))
    if start is None:
        return None
    m = game.concrete
    concrete = machine(m.automaton, m.pool, everything(m.automaton), m.few)
    number = concrete.number(m.places[lost.concrete], start[0])
    second = Configuration(game.goal.abstract.initial, dict(zip(game.abstract.order, start[1], strict=True)))
    return Guess(concrete.configuration(number), second, game, concrete)


def _place(m: Machine, here: Configuration) -> int:
    return next(i for i, q in enumerate(m.automaton.locations) if q.name == here.location)
