"""How much is done to know what holds where two threads or copies meet."""

from __future__ import annotations

from enum import Enum


class Effort(Enum):
    """What joint invariants may be made of: numbers of copies alone, places in arrays, or all that steps need too.

    With places also what holds of all elements of arrays may be looked for.
    """

    NUMBERS = "numbers"
    PLACES = "places"
    ELEMENTS = "elements"
    NEEDS = "needs"
