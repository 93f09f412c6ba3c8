"""What a refinement may have to preserve beside visible actions."""

from __future__ import annotations

from enum import Enum


class Kept(Enum):
    """That runs end, or that nobody is stuck."""

    TERMINATION = "termination"
    PROGRESS = "progress"
