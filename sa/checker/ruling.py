"""What the checker says of a piece of evidence. Only `Accepted` lets a verdict be given."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Accepted(Struct, frozen=True):
    """Every obligation holds."""


class Rejected(Struct, frozen=True):
    """The obligation of this name fails, or could not be shown: why, and at which place of the evidence."""

    obligation: str
    why: str
    where: str = ""


class Undecided(Struct, frozen=True):
    """The solver could not say whether the obligation holds. As good as rejected."""

    obligation: str
    why: str
    where: str = ""


Failure: TypeAlias = Rejected | Undecided
Ruling: TypeAlias = Accepted | Failure


def failing(failure: Failure | None) -> tuple[Failure, ...]:
    """The failure if there is one, for those who collect failures."""
    return () if failure is None else (failure,)
