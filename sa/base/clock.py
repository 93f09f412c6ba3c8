"""The clock, for those who tell how long something took.

Nothing is decided by it: what may be done is counted in units of work (`limits.py`).
"""

from __future__ import annotations

import time


def clock() -> float:
    """Seconds since some moment, which never go back."""
    return time.perf_counter()


def time_of_day() -> str:
    """The time of day for people: hours, minutes and seconds."""
    return time.strftime("%H:%M:%S")


def pause(seconds: float) -> None:
    """Do nothing for so many seconds."""
    time.sleep(seconds)
