"""Sets of abstract states that match a concrete run so far, as numbers, with a memory.

On few values the same few sets come again and again, so that to follow a run costs no more than to make it.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct, field

from sa.explicit.machine import Action, Stride
from sa.values.answers import Following

#: The abstract states that match a run.
Front: TypeAlias = frozenset[int]


class Followers(Struct, eq=False):
    """What is known of the states that follow; sets of more than `most` are not followed."""

    following: Following
    most: int
    _after: dict[tuple[Front, Action, int], Front] = field(default_factory=dict)

    def after(self, front: Front, stride: Stride) -> Front | None:
        """The first ends of all answers to a step; None if they are too many. Raises Unevaluable."""
        key = front, stride.action, self.following.looks_like(stride.after)
        found = self._after.get(key)
        if found is None:
            ends = (self.following.first(state, stride.action, stride.after).every() for state in front)
            found = self._after[key] = frozenset(end for several in ends for end in several)
        return found if len(found) <= self.most else None
