"""Engines in several processes at once: the same answers as in one, sooner where a later engine has them.

Each process asks all engines. The first one asks them in their order and knows what it would know alone, so whatever
settles a claim in one process settles it here. The others begin further on in the order. What one of them has settled
the others need not be asked about any more. A process that dies takes nothing along that was found before, and the
others go on.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import monotonic
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Event, Report, unheard
from sa.base.limits import LimitReached
from sa.base.source import Source
from sa.base.verdict import Reason
from sa.certificates.run import Bad
from sa.checker.ruling import Accepted
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.runner import Judge, Progress, Reports, Ruled, run
from sa.processes.forked import CAN_FORK
from sa.processes.streams import Over, side_by_side
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


def run_together(
    portfolio: Sequence[Turn[ClaimEngine]],
    asked: Asked,
    budget: Budget,
    judge: Judge,
    reports: Reports,
    jobs: int,
) -> Iterator[Progress]:
    """As `run`, with so many processes; in one where the system cannot fork. Raises LimitReached."""
    if not CAN_FORK:
        yield from run(portfolio, asked, budget, judge, reports)
        return
    over = mmap.mmap(-1, max(1, len(asked.bads)))
    places = {bad: place for place, bad in enumerate(asked.bads)}
    streams = [
        partial(_asked_by, orders, asked, budget, judge, lambda bad: over[places[bad]] != 0, number == 0)
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
            if all(over[places[bad]] for bad in found.settled.bads):
                continue
            for bad in found.settled.bads:
                over[places[bad]] = 1
        yield found
        if all(over[place] for place in places.values()):
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

    def reports(engine: str) -> Report:
        if not first:
            return unheard
        told = 0.0
        say(_Heard(engine, None))

        def report(event: Event) -> None:
            nonlocal told
            if monotonic() >= told + _SELDOM:
                told = monotonic()
                say(_Heard(engine, event))

        return report

    for found in run(portfolio, asked, budget, judge, reports, over):
        say(found)


def _tell(heard: dict[str, Report], reports: Reports, found: _Heard) -> None:
    if found.event is None or found.engine not in heard:
        heard[found.engine] = reports(found.engine)
    if found.event is not None:
        heard[found.engine](found.event)
