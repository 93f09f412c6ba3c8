"""What is going on, in one line of a terminal and in the terms of who waits."""

from __future__ import annotations

import shutil
from collections.abc import Sized

from sa.base.budget import Event

#: The counts of engines that say something to a user, in this order: one of them, and several.
UNITS = {
    "pairs": ("pair of locations", "pairs of locations"),
    "lemmas": ("lemma", "lemmas"),
    "points": ("control point", "control points"),
    "states": ("state", "states"),
    "steps deep": ("step deep", "steps deep"),
    "runs": ("run", "runs"),
    "rounds": ("round", "rounds"),
    "unwindings": ("unwinding", "unwindings"),
    "copies": ("copy of a thread", "copies of a thread"),
    "candidates": ("candidate invariant", "candidate invariants"),
    "formulas": ("candidate invariant", "candidate invariants"),
    "equations": ("equation", "equations"),
}


def progress_line(told: str, event: Event, seconds: float) -> str:
    """What is decided so far, if a command can tell, and how far the search has come."""
    counts = (
        f"{event.counts[name]:,} {UNITS[name][event.counts[name] != 1]}" for name in UNITS if name in event.counts
    )
    parts = [part for part in (told, *counts) if part] or ["reading" if not event.phase else "searching"]
    return f"{seconds:5.1f} s  {', '.join(parts)}"[: shutil.get_terminal_size((80, 24)).columns - 1]


def decided_of(decided: int, asked: int, what: str) -> str:
    """How many of what is asked about are decided."""
    return f"{decided} of {asked} {what}{'' if asked == 1 else 's'} decided"


def answered_of(done: Sized, asked: int) -> str:
    """How many of many questions are answered."""
    return f"{len(done)} of {asked} question{'' if asked == 1 else 's'} answered"
