"""One round of the game on terms: a concrete step, an abstract run that answers it, what must hold after it.

Everything is over the reduced state before the round and the concrete step's choices.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from sa.automata.automaton import Edge, Label
from sa.automata.ranges import within
from sa.game import board as boards
from sa.game.board import Board, Pair
from sa.game.runs import Run
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Challenge(Struct, frozen=True, eq=False):
    """A concrete edge as Spoiler's step: what enables it, and every concrete variable's value after it."""

    number: int
    edge: Edge
    enabled: tuple[Term, ...]
    after: Mapping[Var, Term]

    @property
    def choices(self) -> tuple[Var, ...]:
        return tuple(c.var for c in self.edge.choices)

    @property
    def label(self) -> Label | None:
        return self.edge.label


def challenge(board: Board, number: int, edge: Edge) -> Challenge:
    """The challenge of a concrete edge; not enabled at all where its `enabled` contains `false`."""
    after = dict(edge.updates)
    inv = substitute(board.concrete.locations[edge.target].inv, after)
    ranges = build.land(*(within(c) for c in edge.choices))
    return Challenge(number, edge, build.conjoined((edge.guard, inv, ranges)), after)


class Round(Struct, frozen=True, eq=False):
    """A challenge answered by a run: the pair it leads to and what must hold for the answer to count.

    `updates` gives the board's variables after the round; `required` are the run's conditions, ι and the
    invariants afterwards, `links` among them ι's solved equations. Lemmas of the target come on top, through
    `updates`.
    """

    challenge: Challenge
    run: Run
    target: Pair
    updates: Mapping[Var, Term]
    required: tuple[Term, ...]
    links: tuple[Term, ...]
    _memo: dict[int, Term] = field(default_factory=dict)

    def before(self, number: int, lemma: Term) -> Term:
        """A lemma of the target (remembered by its number) as a condition on the state before the round."""
        found = self._memo.get(number)
        if found is None:
            found = self._memo[number] = substitute(lemma, self.updates)
        return found


def play_round(board: Board, step: Challenge, run: Run) -> Round:
    """The round in which `run` answers `step`."""
    target = (step.edge.target, run.location)
    updates = dict(step.after)
    updates.update((v, value) for v, value in run.values.items() if v not in board.links and value is not v)
    links = tuple(build.eq(run.values[v], substitute(t, updates)) for v, t in board.links.items())
    after = (substitute(b, updates) for b in boards.base(board, target))
    required = build.conjoined((*run.condition, *links, *after))
    return Round(step, run, target, updates, required, links)
