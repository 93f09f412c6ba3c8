"""The clock, for those who tell how long something took.

Nothing is decided by it: what may be done is counted in units of work (`limits.py`).
"""

from __future__ import annotations

import time


def clock() -> float:
    """Seconds since some moment, which never go back."""
    return time.perf_counter()
