"""`sacheck`: compositional refinement of concurrent threads over infinite data.

The commands as functions are in `sa.api`; `sa.refine` and the others are imported from there when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "1.0.0"

if TYPE_CHECKING:
    from sa.api import *  # noqa: F403

#: What `sa.api` has.
_OFFERED = frozenset(
    {
        "Answer",
        "Asked",
        "File",
        "InputError",
        "Reason",
        "Verdict",
        "batch",
        "certify",
        "generate",
        "load",
        "prove",
        "refine",
        "verify",
        "weakest_rely",
    }
)


def __getattr__(name: str) -> Any:
    """Commands do not pay for what only programs use (PEP 562)."""
    if name in _OFFERED:
        from sa import api

        return getattr(api, name)
    raise AttributeError(f"module 'sa' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_OFFERED})
