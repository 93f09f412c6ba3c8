"""Plays of functions of C that may lose only where signed arithmetic overflows.

Numbers pass the bounds of their types on both sides, so that a play may do so. The claim is about runs that do not. It
is asked again with overflow undefined: where that is proved, the play counts for nothing.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.base.diagnostic import InputError
from sa.base.limits import Pace
from sa.base.verdict import Reason, Unknown, Verdict
from sa.engines.options import Options
from sa.engines.outcome import Outcome, combined
from sa.engines.refine import refine
from sa.frontends.c.functions import Compared, load_functions
from sa.frontends.reading import Reading

_PASSES = "numbers of the play pass the bounds of a signed type, and with `--overflow check` the answer is PROVED"

#: Seconds of processor time for the second question.
SECONDS = 10.0


def without_overflow(
    outcome: Outcome, number: int, paths: tuple[str, str], reading: Reading, options: Options
) -> tuple[Outcome, bool]:
    """The outcome about function `number` of two files without plays that need an overflow.

    Also whether there may be any left. Raises InputError, LimitReached.
    """
    passing = load_functions(paths, reading)[number]
    try:
        checked = load_functions(paths, replace(reading, overflow="check"))[number]
    except InputError:
        return outcome, True
    if _steps(passing) == _steps(checked):
        return outcome, False
    soon = replace(options, limits=Pace().soon(options.limits, SECONDS))
    again = refine(checked.abstract.program, checked.concrete.program, checked.block, soon)
    if again.verdict is not Verdict.PROVED:
        return outcome, True
    unknown = Unknown(Reason.BOUND, _PASSES)
    results = tuple(
        r if r.play is None else replace(r, verdict=Verdict.UNKNOWN, play=None, loss=None, unknown=unknown)
        for r in outcome.results
    )
    return replace(outcome, results=results, verdict=combined(results)), False


def _steps(made: Compared) -> list[tuple[object, ...]]:
    """The steps of both functions, without their places in the text."""
    threads = (*made.abstract.program.threads, *made.concrete.program.threads)
    return [(e.source, e.target, e.label, e.guard, e.updates) for t in threads for e in t.edges]
