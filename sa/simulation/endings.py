"""How a search goes and how it ends."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from sa.base.verdict import Reason
from sa.game.runs import Bounds
from sa.simulation.state import Lemma
from sa.terms.evaluate import State


class Answered(Struct, frozen=True):
    """Every step has its answers: the pairs are a weak simulation, for the checker to confirm."""


class Lost(Struct, frozen=True):
    """An initial state is excluded by a lemma of the initial pair."""

    state: State
    lemma: Lemma


class LostChoices(Struct, frozen=True):
    """With `choose init`: a concrete initial state all of whose partners break ι or are excluded by lemmas."""

    state: State


class Stuck(Struct, frozen=True):
    """The search gave up."""

    reason: Reason
    detail: str


Ending: TypeAlias = Answered | Lost | LostChoices | Stuck
Loss: TypeAlias = Lost | LostChoices


class Patience(Enum):
    """How long a search stays with the answers that it chose when they lead to a lost state.

    GIVEN: for good, and where there are none the step is lost. FIXED: for good, if there are any.
    FULL: the state before is to blame, unless another answer is good for more than this one state by accident.
    SOME: it is to blame if a chosen answer could be given there at all. NONE: other answers are looked for first.
    """

    GIVEN = 4
    FIXED = 3
    FULL = 2
    SOME = 1
    NONE = 0


class Tactics(Struct, frozen=True):
    """How to search: how many lemmas may be learned, how far answers are explored, and the patience.

    For each pair that the search has met there may be `each` more lemmas: blame travels along a program. It may use
    what is `known` of either side alone; one that is `late` prefers to stay where it is until a step asks for more.
    With `anywhere` shared variables may have any values at any pair, whatever the goal's environments do: what is found
    is where Duplicator wins in these, over all states that some environment leads to.
    """

    name: str
    lemmas: int
    each: int
    bounds: Bounds
    patience: Patience
    known: bool = False
    late: bool = False
    anywhere: bool = False


class GaveUp(Exception):
    """Raised inside the search where it cannot go on; becomes Stuck."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.ending = Stuck(reason, detail)
