"""Bounds that a user names; apart from what looks for runs within them, which few questions need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from sa.bounded.schedule import Schedule


class Wanted(Struct, frozen=True):
    """Bounds that a user names: so many rounds, each loop so many times. None: they grow.

    With a `schedule` there are as many rounds as it has. With several `jobs` so many processes look at a part of the
    runs each. `stages` is how often bounds grow, at most; None: for as long as there is time, with more effort where
    the solver gave up, and with numbers of any size. `effort` is what the solver may spend on a question of the first
    stage; the next ones have twice as much, up to 16 times as much. Where all runs were covered it asks for all states,
    unless it is a look `by_the_way`.
    """

    rounds: int | None = None
    unwind: int | None = None
    schedule: Schedule = ()
    jobs: int = 1
    stages: int | None = 5
    effort: int = 1_000_000
    by_the_way: bool = False
