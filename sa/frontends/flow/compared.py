"""What a front end makes of a function of two files."""

from __future__ import annotations

from msgspec import Struct

from sa.automata.program import Refinement
from sa.base.diagnostic import InputError
from sa.language.loaded import Loaded


class Compared(Struct, frozen=True):
    """The programs of a function of two files, and how they are related.

    Two functions that are the `same` need no comparison.
    """

    name: str
    abstract: Loaded
    concrete: Loaded
    block: Refinement
    same: bool = False


class Refused(Struct, frozen=True):
    """A function of two files that is not accepted, and why."""

    name: str
    why: InputError
