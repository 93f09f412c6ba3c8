"""Engines in several processes at once: the same answers as in one, sooner where a later engine has them.

Of claims each process asks all engines. The first one asks them in their order and knows what it would know alone, so
whatever settles a claim in one process settles it here. The others begin further on in the order. What one of them has
settled the others need not be asked about any more. A process that dies takes nothing along that was found before, and
the others go on. Of `refine` there are two, one of which looks for plays first (`found_together`).
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Event, Report
from sa.base.clock import clock
from sa.base.limits import LimitReached, count
from sa.base.source import Source
from sa.base.verdict import Reason
from sa.certificates.run import Bad
from sa.checker.ruling import Accepted
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.options import Options
from sa.engines.outcome import Found
from sa.engines.runner import Judge, Progress, Reports, Ruled, run
from sa.engines.tried import Diary, Tried
from sa.processes.forked import CAN_FORK
from sa.processes.streams import Over, Said, side_by_side
from sa.question.asked import Asked

#: What results have in common with the question: compared by identity, or large.
_KEPT = (Source, Automaton)

#: Seconds between two events of an engine that are told to another process.
_SELDOM = 0.2


class _Heard(Struct, frozen=True):
    """What an engine of another process is at; no event where its turn begins."""

    engine: str
    event: Event | None


_Told: TypeAlias = Progress | _Heard


class _Ended(Struct, frozen=True):
    """What a process has found of a question of `refine`, which engines it asked for it, and the work it has done."""

    found: Found
    turns: tuple[Tried, ...]
    units: float


def run_together(
    portfolio: Sequence[Turn[ClaimEngine]],
    asked: Asked,
    budget: Budget,
    judge: Judge,
    reports: Reports,
    over: Callable[[Bad], bool],
    jobs: int,
) -> Iterator[Progress]:
    """As `run`, with so many processes; in one where the system cannot fork. Raises LimitReached."""
    if not CAN_FORK:
        yield from run(portfolio, asked, budget, judge, reports, over)
        return
    flags = mmap.mmap(-1, max(1, len(asked.bads)))
    places = {bad: place for place, bad in enumerate(asked.bads)}
    streams = [
        partial(_asked_by, orders, asked, budget, judge, lambda bad: flags[places[bad]] != 0, number == 0)
        for number, orders in enumerate(_orders(portfolio, jobs))
    ]
    heard, ended = dict[str, Report](), dict[int, Reason | None]()
    for said in side_by_side(streams, asked, _KEPT):
        if isinstance(said, Over):
            ended[said.stream] = said.reason
            if said.stream == 0:
                # One process would have come to this too; what goes wrong further on is no reason to have no answer.
                said.heed()
            if said.stream == 0 and said.reason is None:
                # All was tried that one process tries.
                return
            continue
        found = said.result
        if isinstance(found, _Heard):
            _tell(heard, reports, found)
            continue
        if isinstance(found, Ruled) and isinstance(found.ruling, Accepted):
            if all(flags[places[bad]] for bad in found.settled.bads):
                continue
            for bad in found.settled.bads:
                flags[places[bad]] = 1
        if isinstance(found, Tried):
            count(budget.bounds, found.units)
        yield found
        for bad, place in places.items():
            flags[place] |= over(bad)
        if all(flags[place] for place in places.values()):
            return
    if (reason := ended.get(0)) is not None:
        raise LimitReached(reason)


def _orders(portfolio: Sequence[Turn[ClaimEngine]], jobs: int) -> Iterator[Sequence[Turn[ClaimEngine]]]:
    """The order of each process: every one begins elsewhere, and comes to the first engines last."""
    number = min(jobs, len(portfolio))
    for place in range(number):
        first = place * len(portfolio) // number
        yield (*portfolio[first:], *portfolio[:first])


def _asked_by(
    portfolio: Sequence[Turn[ClaimEngine]],
    asked: Asked,
    budget: Budget,
    judge: Judge,
    over: Callable[[Bad], bool],
    first: bool,
    say: Callable[[_Told], None],
) -> None:
    """Have the engines asked in one process; the first process also tells what they are at. Raises LimitReached."""
    for found in run(portfolio, asked, budget, judge, _telling(say) if first else None, over):
        say(found)


def _telling(say: Callable[[_Heard], None]) -> Reports:
    """Reports that are for another process: not each event is told."""

    def reports(engine: str) -> Report:
        told = 0.0
        say(_Heard(engine, None))

        def report(event: Event) -> None:
            nonlocal told
            if clock() >= told + _SELDOM:
                told = clock()
                say(_Heard(engine, event))

        return report

    return reports


def found_together(decide: Callable[[Options], Found], options: Options, shared: object) -> Found:
    """The answer to a question of `refine`, found by `decide` in two processes where there are several `jobs`.

    The second one looks for plays first. The first one that knows is heard; an answer that nobody has is the first
    process', which knows what it would know alone. `shared` is what both know. Raises LimitReached, InputError.
    """
    if options.jobs < 2 or not CAN_FORK:
        return decide(options)
    streams = [partial(_found_by, decide, options, first) for first in (True, False)]
    heard, ended = dict[str, Report](), dict[int, Reason | None]()
    for said in side_by_side(streams, shared, _KEPT):
        match said:
            case Over(stream, reason):
                ended[stream] = reason
                if stream == 0:
                    said.heed()
            case Said(result=_Heard() as event) if options.reports is not None:
                _tell(heard, options.reports, event)
            case Said(stream, _Ended(found, turns, units)) if stream == 0 or found.is_answer:
                options.diary.turns.extend(turns)
                count(options.limits, units)
                return found
            case _:
                pass
    raise LimitReached(ended.get(0) or Reason.CRASHED)


def _found_by(
    decide: Callable[[Options], Found], options: Options, first: bool, say: Callable[[_Heard | _Ended], None]
) -> None:
    """Decide in one process; the first one also tells what engines are at. Raises LimitReached, InputError."""
    reports = _telling(say) if first and options.reports is not None else None
    own, done = replace(options, reports=reports, plays_first=not first, diary=Diary()), options.limits.work.done
    found = decide(own)
    say(_Ended(found, tuple(own.diary.turns), own.limits.work.done - done))


def _tell(heard: dict[str, Report], reports: Reports, found: _Heard) -> None:
    if found.event is None or found.engine not in heard:
        heard[found.engine] = reports(found.engine)
    if found.event is not None:
        heard[found.engine](found.event)
