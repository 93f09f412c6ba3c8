"""How much is done to know what holds where two threads or copies meet."""

from __future__ import annotations

from enum import Enum


class Effort(Enum):
    """What joint invariants may be made of: numbers of copies alone, places in arrays, or all that steps need too.

    ELEMENTS is PLACES, with what holds of all elements of arrays in the facts of each thread. CLAIMS is NEEDS, for what
    is claimed, with as few copies as show it.
    """

    NUMBERS = "numbers"
    PLACES = "places"
    ELEMENTS = "elements"
    NEEDS = "needs"
    CLAIMS = "claims"
