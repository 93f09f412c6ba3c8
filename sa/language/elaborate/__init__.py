"""Surface syntax to programs: names are resolved, types checked, statements become edges."""

from sa.language.elaborate.blocks import Block, elaborate_refinement
from sa.language.elaborate.program import Elaborated, elaborate, program
from sa.language.elaborate.script import ElaboratedScript, elaborate_script, has_steps

__all__ = [
    "Block",
    "Elaborated",
    "ElaboratedScript",
    "elaborate",
    "elaborate_refinement",
    "elaborate_script",
    "has_steps",
    "program",
]
