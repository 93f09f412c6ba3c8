"""The name and version of the solver."""

from __future__ import annotations

import z3


def solver_version() -> str:
    """The solver's name and version."""
    return f"z3 {z3.get_version_string()}"
