"""Examples of Duplicator's answers: what she does on small values in a game that was looked at for a while."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.trace import Configuration
from sa.base.limits import Limits
from sa.certificates.goal import Goal
from sa.terms.sort import Value
from sa.terms.term import Var
from sa.values.pairs import Game, Pair, Turn
from sa.values.search import guessed
from sa.values.search_bounds import Sought


class Example(Struct, frozen=True, eq=False):
    """A concrete step that has an answer in a state of both sides, choices included; where it leads by its number."""

    state: Mapping[Var, Value]
    after: int


class Examples(Struct, frozen=True, eq=False):
    """Examples by the locations before a step and the number of its edge, and the game that they are from."""

    game: Game
    given: Mapping[tuple[str, str, int], Sequence[Example]]

    def is_lost(self, example: Example, end: Configuration) -> bool | None:
        """Whether an abstract state loses as an answer to an example; None where the game does not know."""
        m = self.game.abstract
        place = next(i for i, q in enumerate(m.automaton.locations) if q.name == end.location)
        number = m.looks(place, tuple(end.values[v] for v in m.order))
        pair = self.game.pairs.get((example.after, number))
        return None if pair is None else pair.stride is not None


def examples(goal: Goal, bounds: Limits, sought: Sought) -> Examples | None:
    """How steps are answered where no answer is known to lose, pairs near the start first; None if none is known.

    Raises LimitReached.
    """
    game = guessed(goal, bounds, sought)
    if game is None:
        return None
    found = dict[tuple[str, str, int], list[Example]]()
    numbers = {id(edge): n for n, edge in enumerate(goal.concrete.edges)}
    for turn in _played(game):
        first, second = _configurations(game, turn.pair)
        picked = zip((c.var for c in turn.stride.edge.choices), turn.stride.picked, strict=True)
        example = Example({**first.values, **second.values, **dict(picked)}, turn.stride.after)
        found.setdefault((first.location, second.location, numbers[id(turn.stride.edge)]), []).append(example)
    return Examples(game, found)


def _configurations(game: Game, pair: Pair) -> tuple[Configuration, Configuration]:
    return game.concrete.configuration(pair.concrete), game.abstract.configuration(pair.abstract)


def _played(game: Game) -> Iterator[Turn]:
    """The steps that the answers lead to, breadth first."""
    answered = dict[int, list[tuple[Turn, Pair]]]()
    for target in game.pairs.values():
        for turn in target.waiting if target.stride is None else ():
            answered.setdefault(id(turn.pair), []).append((turn, target))
    pending = [pair for pair in game.pairs.values() if pair.is_start and pair.stride is None]
    met = {id(pair) for pair in pending}
    for pair in pending:
        for turn, target in answered.get(id(pair), ()):
            yield turn
            if id(target) not in met:
                met.add(id(target))
                pending.append(target)
