"""The variables of an abstract value in their order, and how finely operations may look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from sa.terms.interval import Interval, sort_range
from sa.terms.term import Var


class Precision(Struct, frozen=True):
    """Budgets of one operation. Past them results are coarser, never wrong.

    A range of at most `points` numbers is looked at number by number where a relation between variables matters;
    `steps` bounds the pairs of node and partial result, `groups` the partial results kept apart at one node, and
    `cases` the conditions that are split on.
    """

    points: int = 8
    steps: int = 20_000
    groups: int = 32
    cases: int = 256


_USUAL = Precision()


@dataclass(frozen=True, slots=True)
class Frame:
    """Variables in the order of the diagrams, first ones on top. The caller chooses: flags first, counters last."""

    variables: tuple[Var, ...]
    precision: Precision = _USUAL
    levels: Mapping[Var, int] = field(init=False, repr=False, compare=False)
    ranges: tuple[Interval, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", {v: i for i, v in enumerate(self.variables)})
        object.__setattr__(self, "ranges", tuple(sort_range(v.sort) for v in self.variables))
