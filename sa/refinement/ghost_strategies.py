"""In which of several ways ghosts follow abstract variables."""

from __future__ import annotations

from enum import Enum


class Ways(Enum):
    """The likeliest way, the others, or all of them."""

    FIRST = "first"
    OTHERS = "others"
    ALL = "all"
