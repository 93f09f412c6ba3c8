"""What of an answer about C is so only because of signed overflow: plays of functions, threads that cannot go on.

Numbers of functions pass the bounds of their types on both sides, so that a play may do so. The claim is about runs
that do not. It is asked again with overflow undefined: where that is proved, the play counts for nothing.
"""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import Limits, allot
from sa.base.verdict import Reason, Unknown, Verdict
from sa.conditions.vacuity import vacuity
from sa.engines.options import Options
from sa.engines.outcome import Outcome, combined
from sa.engines.refine import refine
from sa.frontends.c.functions import load_functions
from sa.frontends.flow.compared import Compared
from sa.frontends.load import load_open, load_program
from sa.frontends.reading import Reading

_PASSES = "the play needs signed arithmetic to overflow; with `--overflow check` the answer is PROVED"

#: Units for the second question.
UNITS = 10_000_000


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
    soon = replace(options, limits=allot(options.limits, UNITS))
    again = refine(checked.abstract.program, checked.concrete.program, checked.block, soon)
    if again.verdict is not Verdict.PROVED:
        return outcome, True
    unknown = Unknown(Reason.UNDEFINED, _PASSES)
    results = tuple(
        r if r.play is None else replace(r, verdict=Verdict.UNKNOWN, play=None, loss=None, unknown=unknown)
        for r in outcome.results
    )
    return replace(outcome, results=results, verdict=combined(results)), False


def may_overflow(paths: tuple[str, ...], reading: Reading) -> bool:
    """Whether a step of one of the functions may pass the bounds of its signed type, where it is assumed not to.

    Raises InputError.
    """
    if reading.overflow != "assume":
        return False
    passing, checked = (load_open(paths, r) for r in (reading, replace(reading, overflow="check")))
    return [_steps_of(f.program) for f in passing] != [_steps_of(f.program) for f in checked]


def told_of_overflow(
    warnings: tuple[Diagnostic, ...], path: str, reading: Reading, bounds: Limits
) -> tuple[Diagnostic, ...]:
    """The warnings; that a thread blocks only because overflow is taken not to happen is said.

    Raises InputError, LimitReached.
    """
    blocked = {d for d in warnings if d.code == "SA505"}
    if not blocked or reading.overflow != "assume":
        return warnings
    checked = load_program(path, families=True, reading=replace(reading, overflow="check")).program
    still = {_place(d) for d in vacuity((checked,), bounds) if d.code == "SA505"}
    return tuple(_of_overflow(d) if d in blocked and _place(d) not in still else d for d in warnings)


def _place(found: Diagnostic) -> tuple[str, int, int] | None:
    """Where it is: the same text that is read twice is two sources."""
    return None if found.span is None else (found.span.source.name, found.span.start, found.span.end)


def _of_overflow(blocked: Diagnostic) -> Diagnostic:
    why = f"{blocked.message}: signed arithmetic overflows on every path from here, and is assumed not to"
    return replace(blocked, message=why, hint="`--overflow check` claims that nothing overflows")


def _steps(made: Compared) -> list[tuple[object, ...]]:
    """The steps of both functions, without their places in the text."""
    return [step for side in (made.abstract, made.concrete) for step in _steps_of(side.program)]


def _steps_of(program: Program) -> list[tuple[object, ...]]:
    return [(e.source, e.target, e.label, e.guard, e.updates) for t in program.threads for e in t.edges]
