"""What the solver may use for a question, what it has used, and why it stopped without an answer.

Its work is counted in its own resources (`rlimit`), which are the same on every machine. It knows of the clock only so
that it ends when the run does.
"""

from __future__ import annotations

from math import inf

import z3
from msgspec import Struct
from z3 import z3core

from sa.base.limits import LimitReached, Limits, check_limits, check_memory, count, remaining, seconds_left
from sa.base.verdict import Reason

#: Resources of the solver in a unit of work: of SMT, and of SAT, which counts smaller steps.
A_UNIT, A_UNIT_OF_SAT = 2, 6

#: Units of each term that a solver has not seen before: to make it, and to write it down for the solver.
TERM = 100

#: The milliseconds by which the solver's own limit of time may be longer than ours.
LONGER = 40


class Gauge(Struct):
    """The limits of one solver, set where they have changed (to set one takes as long as many a question), and its
    resources as they were read last. So many of them are a `unit`.
    """

    solver: z3.Solver | z3.Fixedpoint
    unit: int = A_UNIT
    read: int = 0
    rlimit: int | None = None
    milliseconds: int | None = None

    def allow(self, bounds: Limits, rlimit: int) -> None:
        """Let the next question use so many resources, or what is left of the share, and no more than the time."""
        most = _resources_left(bounds, rlimit, self.unit)
        if most != self.rlimit:
            self.solver.set("rlimit", most)
            self.rlimit = most
        seconds, before = seconds_left(bounds), self.milliseconds
        if seconds is None:
            return
        # It ends just after our own limit, so that whoever looks at the clock sees why.
        left = int(seconds * 1000) + 2
        if before is None or not 0 <= before - left <= LONGER:
            self.solver.set("timeout", left)
            self.milliseconds = left

    def count(self, bounds: Limits) -> int:
        """The resources that were used since the last time, which are counted as work."""
        now = resources(self.solver)
        # The solver counts with 32 bits.
        spent, self.read = (now - self.read) % (1 << 32), now
        count(bounds, spent / self.unit)
        return spent


def _resources_left(bounds: Limits, rlimit: int, unit: int) -> int:
    """The given limit; a power of two if less is left of the share, so that it is set seldom."""
    left = remaining(bounds)
    if left is None or left == inf or (rlimit and left * unit >= rlimit):
        return rlimit
    return min(1 << int(left * unit).bit_length(), rlimit or (1 << 32) - 1)


def resources(solver: z3.Solver | z3.Fixedpoint) -> int:
    """What the solver has spent so far, in its own units."""
    statistics, context = solver.statistics(), solver.ctx.ref()
    # It is among the last ones, and to read them all takes longer than many a question.
    for index in reversed(range(len(statistics))):
        if z3core.Z3_stats_get_key(context, statistics.stats, index) == "rlimit count":
            return int(z3core.Z3_stats_get_uint_value(context, statistics.stats, index))
    return 0


def check_stopped(why: str, spent: int, rlimit: int, bounds: Limits) -> None:
    """Raise LimitReached if the solver was stopped from outside, and not by its own resource limit (0: it has none).

    z3 says "canceled" of a limit of ours and of Ctrl-C alike, and catches Ctrl-C itself while it works, so no one else
    hears of it.
    """
    if "cancel" in why or "interrupt" in why:
        check_limits(bounds)
        check_memory(bounds)
        if not rlimit or spent < rlimit:
            raise LimitReached(Reason.INTERRUPTED)
