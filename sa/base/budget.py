"""What an engine may use, and how it says what it is doing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct, field

from sa.base.limits import Limits

T = TypeVar("T")


class Budget(Struct, frozen=True):
    """The limits of one engine: its share of what is left. `seed` changes only which evidence is found."""

    bounds: Limits
    seed: int = 0


class Event(Struct, frozen=True):
    """What an engine is at: a phase in words, and counts of what it has done so far (pairs, lemmas, states, …)."""

    phase: str
    counts: Mapping[str, int] = field(default_factory=dict)


Report: TypeAlias = Callable[[Event], None]


def unheard(event: Event) -> None:
    """A report that nobody listens to."""


class Shared(Struct, eq=False):
    """Results that several engines use for one question, each made once. Whoever asks the question owns it."""

    made: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made under this key; made now if it was not. Raises what `make` raises, and keeps nothing then."""
        if key not in self.made:
            self.made[key] = make()
        found: T = self.made[key]
        return found
