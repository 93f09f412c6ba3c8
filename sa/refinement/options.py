"""What a caller may ask of `refine` beyond the two programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sa.base.limits import Limits


class Cache(Protocol):
    """Texts by key, kept from one run to the next. Neither method raises."""

    def read(self, key: str) -> str | None:
        """The text of a key, None where there is none."""

    def write(self, key: str, text: str) -> None:
        """Keep a text, if possible."""


@dataclass(frozen=True, slots=True)
class Options:
    """`whole` asks for the game on the two products; `jobs` changes time only, `seed` only which proof is found.

    Evidence that was found before is taken from the `cache`, and put there.
    """

    limits: Limits
    seed: int = 0
    jobs: int = 1
    whole: bool = False
    cache: Cache | None = None
