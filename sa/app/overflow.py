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
from sa.frontends.load import load_functions
from sa.frontends.reading import Reading

_PASSES = "the play passes the bounds of a signed type: with `--overflow check` the answer is PROVED"
_OPEN = (
    "whether the play needs that signed arithmetic overflows was not decided: `--overflow check` takes it for undefined"
)

#: Seconds of processor time for the second question.
SECONDS = 10.0


def without_overflow(
    outcome: Outcome, number: int, paths: tuple[str, str], reading: Reading, options: Options
) -> Outcome:
    """The outcome about function `number` of two files, without plays that need an overflow. Raises InputError."""
    if outcome.verdict is not Verdict.REFUTED or reading.overflow != "assume":
        return outcome
    passing = load_functions(paths, reading)[number]
    try:
        checked = load_functions(paths, replace(reading, overflow="check"))[number]
    except InputError:
        return replace(outcome, notes=(*outcome.notes, _OPEN))
    if (passing.abstract.program, passing.concrete.program) == (checked.abstract.program, checked.concrete.program):
        return outcome
    soon = replace(options, limits=Pace().soon(options.limits, SECONDS))
    again = refine(checked.abstract.program, checked.concrete.program, checked.block, soon)
    match again.verdict:
        case Verdict.REFUTED:
            return outcome
        case Verdict.UNKNOWN:
            return replace(outcome, notes=(*outcome.notes, _OPEN))
        case Verdict.PROVED:
            unknown = Unknown(Reason.BOUND, _PASSES)
            results = tuple(
                r if r.play is None else replace(r, verdict=Verdict.UNKNOWN, play=None, loss=None, unknown=unknown)
                for r in outcome.results
            )
            return replace(outcome, results=results, verdict=combined(results))
