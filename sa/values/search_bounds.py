"""How long a game on concrete states is looked at, and what a game that was looked at to its end comes to."""

from __future__ import annotations

from msgspec import Struct

from sa.certificates.pairs import SideStates

#: A range with at most so many values is tried as a whole.
FEW = 16

#: How many abstract states are looked at for one set of answers.
STATES = 2000


class Sought(Struct, frozen=True):
    """How long is searched: so many steps. Ranges of at most `few` values are tried as a whole.

    For others at most `pool` values are tried. For one set of answers at most `states` are looked at. `all_or_nothing`:
    it is given up when something cannot be looked at, or when numbers without a range go on growing. `plays`: only
    plays are wanted, so threads go first whose steps nobody else notices.
    """

    steps: int
    few: int = FEW
    states: int = STATES
    all_or_nothing: bool = False
    pool: int = 32
    plays: bool = False


class Closed(Struct, frozen=True, eq=False):
    """The states of both sides, and the pairs of them that are not lost: a weak simulation."""

    concrete: SideStates
    abstract: SideStates
    pairs: frozenset[int]
