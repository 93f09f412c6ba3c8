"""Surface syntax to programs: names are resolved, types checked, statements become edges."""

from sa.language.elaborate.blocks import Block, elaborate_refinement
from sa.language.elaborate.program import Elaborated, elaborate, program

__all__ = [
    "Block",
    "Elaborated",
    "elaborate",
    "elaborate_refinement",
    "program",
]
