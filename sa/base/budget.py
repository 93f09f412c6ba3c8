"""What an engine may use, and how it says what it is doing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from sa.base.limits import Limits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one engine: its share of what is left. `seed` changes only which evidence is found."""

    bounds: Limits
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """What an engine is at: a phase in words, and counts of what it has done so far (pairs, lemmas, states, …)."""

    phase: str
    counts: Mapping[str, int] = field(default_factory=dict)


Report: TypeAlias = Callable[[Event], None]


def unheard(event: Event) -> None:
    """A report that nobody listens to."""


@dataclass(slots=True, eq=False)
class Shared:
    """Results that several engines use for one question, each made once. Whoever asks the question owns it."""

    made: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made under this key; made now if it was not. Raises what `make` raises, and keeps nothing then."""
        if key not in self.made:
            self.made[key] = make()
        found: T = self.made[key]
        return found
