"""Why the solver stopped without an answer. z3 says "canceled" of a limit of ours and of Ctrl-C alike."""

from __future__ import annotations

import z3
from z3 import z3core

from sa.base.limits import LimitReached, Limits, check_memory, check_time, remaining
from sa.base.verdict import Reason


def milliseconds_left(bounds: Limits) -> int | None:
    """The solver's own time limit: it ends just after ours, so that whoever looks at the clock sees why."""
    seconds = remaining(bounds)
    return None if seconds is None else int(seconds * 1000) + 2


def resources(solver: z3.Solver) -> int:
    """What the solver has spent so far, in its own units."""
    statistics, context = solver.statistics(), solver.ctx.ref()
    # It is among the last ones, and to read them all takes longer than many a question.
    for index in reversed(range(len(statistics))):
        if z3core.Z3_stats_get_key(context, statistics.stats, index) == "rlimit count":
            return int(z3core.Z3_stats_get_uint_value(context, statistics.stats, index))
    return 0


def check_stopped(why: str, spent: int, rlimit: int, bounds: Limits) -> None:
    """Raise LimitReached if the solver was stopped from outside, and not by its own resource limit (0: it has none).

    z3 catches Ctrl-C itself while it works, so no one else hears of it.
    """
    if "cancel" in why or "interrupt" in why:
        check_time(bounds)
        check_memory(bounds)
        if not rlimit or spent < rlimit:
            raise LimitReached(Reason.INTERRUPTED)
