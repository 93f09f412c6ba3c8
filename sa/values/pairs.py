"""The game on concrete states: pairs that are numbered, Spoiler's steps with the answers to them, who has lost."""

from __future__ import annotations

from msgspec import Struct, field

from sa.certificates.goal import Goal
from sa.explicit.machine import Machine, Stride
from sa.values.answers import Ends, Following
from sa.values.first import First

#: An abstract state that is looked at is cheaper than a step, and an initial value even more so.
STATES_PER_STEP = 2
LOOKS_PER_STEP = 5


class Pair(Struct, eq=False):
    """A pair of states in the game. Once it is lost, `stride` says by which step, in `rank` steps at most.

    `thread` is the concrete thread that moved last on the cheapest way there, if that is known.
    """

    concrete: int
    abstract: int
    cost: int
    thread: int | None = None
    is_start: bool = False
    stride: Stride | None = None
    rank: int = 0
    waiting: list[Turn] = field(default_factory=list)


class Turn(Struct, eq=False):
    """A step of Spoiler's and Duplicator's answers to it; those before `place` are lost."""

    pair: Pair
    stride: Stride
    ends: Ends
    place: int = 0


class Game(Struct, eq=False):
    """What is known of a game. `work` counts steps made, and what was looked at for them.

    `partial`: some initial states, steps or answers were not looked at, so that nothing is proved when no pair is lost.
    `guessing`: answers that nobody looks at count as none. Then nothing is refuted either, but what is left is a
    strategy on the values that were looked at. And threads take long turns: a step of another one than before costs
    more. At the locations of `first` these threads alone are stepped, if they can be.
    """

    goal: Goal
    concrete: Machine
    abstract: Machine
    following: Following
    guessing: bool = False
    first: First = ()
    pairs: dict[tuple[int, int], Pair] = field(default_factory=dict)
    heap: list[tuple[int, int, Pair]] = field(default_factory=list)
    steps: int = 0
    looks: int = 0
    partial: bool = False

    @property
    def work(self) -> int:
        return self.steps + self.following.looks // STATES_PER_STEP + self.looks // LOOKS_PER_STEP
