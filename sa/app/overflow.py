"""Signed overflow, which C leaves undefined, in answers about two programs and in what is said of threads that block.

An overflow of the first program permits everything that the second one does from there; one that only the second
program has refutes. That is asked first. Where it is not decided, numbers pass the bounds of their types on both sides,
and the answer says that overflow was not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, assert_never

from msgspec.structs import replace

from sa.app.refine import Question, RefineRequest, parts
from sa.automata.automaton import Edge, Fault
from sa.automata.program import Program
from sa.automata.trace import Move
from sa.base.caveat import Caveat, Said, unchecked
from sa.base.diagnostic import Diagnostic, InputError
from sa.base.limits import Limits, allot
from sa.base.verdict import Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import (
    Broken,
    BrokenAtStart,
    Chosen,
    EnvironmentMove,
    Interpreted,
    Loss,
    Play,
    Position,
    Region,
    Step,
    Uncovered,
    following,
)
from sa.conditions.vacuity import vacuity
from sa.engines.outcome import Outcome
from sa.frontends.load import load_open, load_program
from sa.frontends.reading import NO_BOUNDS, NO_OVERFLOW, Reading

#: What answers a question about two programs, and the question that the answer is of.
Asking: TypeAlias = Callable[[Question, RefineRequest], tuple[Outcome, Question]]

#: Units for the question in which overflow is undefined, where the other one may have to be asked: of functions alone,
#: where an answer to that one counts for less, and of whole programs.
UNITS, OF_PROGRAMS = 2_000_000, 3_000_000

#: What to do where overflow is not meant to be undefined.
OTHERWISE = "signed overflow is undefined in C; with `--overflow wrap` numbers wrap around in both files"

NOT_COMPARED = unchecked("overflow", "signed overflow that only the second file has", "--overflow check")


def with_overflow(wanted: Question, number: int, request: RefineRequest, answered: Asking) -> tuple[Outcome, Question]:
    """The answer to a question about C, the one of this `number` about its files. Raises LimitReached."""
    checked = where_undefined(request, number)
    if checked is None:
        outcome, question = answered(wanted, request)
        return outcome, replace(question, said=without_overflow(outcome, question.said))
    numbers = [*_steps_of(wanted.concrete), *_steps_of(wanted.abstract)]
    if numbers == [*_steps_of(checked.concrete), *_steps_of(checked.abstract)]:
        outcome, question = answered(wanted, request)
        # Nothing overflows.
        return outcome, replace(question, said=_assuming(question.said, ()))
    alone = wanted.claim is not None
    limits = allot(request.options.limits, UNITS if alone else OF_PROGRAMS)
    outcome, question = answered(checked, replace(request, options=replace(request.options, limits=limits)))
    refuted = outcome.verdict is Verdict.REFUTED and (alone or _by_overflow(outcome))
    if outcome.verdict is Verdict.PROVED or refuted:
        if _by_overflow(outcome):
            outcome = replace(outcome, notes=(*outcome.notes, OTHERWISE))
        return outcome, replace(question, reading=replace(request.reading, overflow="check"))
    outcome, question = answered(wanted, request)
    return outcome, replace(question, said=without_overflow(outcome, question.said))


def where_undefined(request: RefineRequest, number: int) -> Question | None:
    """The question of this number about files of C in which signed overflow is undefined, if that is accepted."""
    reading = replace(request.reading, overflow="check")
    try:
        again = parts(request.paths, request.split, reading, families=True)[number]
    except InputError:
        return None
    return again if isinstance(again, Question) else None


def without_overflow(outcome: Outcome, said: Said) -> Said:
    """What is said of an answer for which numbers passed the bounds of their types."""
    if outcome.verdict is Verdict.REFUTED:
        return _assuming(said, (NO_BOUNDS,))
    assumes = any(a in (NO_OVERFLOW, NO_BOUNDS) for a in said.assumptions)
    return Said(said.assumptions, (*said.not_checked, NOT_COMPARED)) if assumes else said


def _assuming(said: Said, instead: tuple[Caveat, ...]) -> Said:
    """The same with other assumptions about overflow, where there are any."""
    kept = tuple(a for a in said.assumptions if a not in (NO_OVERFLOW, NO_BOUNDS))
    return said if len(kept) == len(said.assumptions) else Said((*kept, *instead), said.not_checked)


def _by_overflow(outcome: Outcome) -> bool:
    """Whether each play ends where the second program overflows and the first one does not."""
    ends = [
        e for r in outcome.results if r.loss is Loss.BEHAVIOUR and r.play is not None for e in _ends(r.play, r.goal)
    ]
    return bool(ends) and all(
        e is not None and e.failure is not None and e.failure.fault is Fault.OVERFLOW for e in ends
    )


def _ends(play: Play | Broken | Region, goal: Goal) -> Iterator[Edge | None]:
    """The last steps of the second program in a play; None where it ends in another way."""
    match play:
        case Interpreted(play=meant):
            yield from _ends(meant, goal)
        case Chosen(openings=further) | Region(then=(_, *_) as further):
            for then in further:
                yield from _ends(then, goal)
        case Region(edge=number):
            yield goal.concrete.edges[number]
        case Position(move=Step(move=Move(edge=edge), replies=(), others=())):
            yield edge
        case Position(move=Step(others=others)):
            for then in (*following(play), *others):
                yield from _ends(then, goal)
        case Position(move=EnvironmentMove(then=later)):
            yield from _ends(later, goal)
        case Position() | Uncovered() | BrokenAtStart() | Broken():
            yield None
        case _:
            assert_never(play)


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


def _steps_of(program: Program) -> list[tuple[object, ...]]:
    return [(e.source, e.target, e.label, e.guard, e.updates) for t in program.threads for e in t.edges]
