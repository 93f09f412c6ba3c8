"""The runs within bounds in parts, by where the first turn of a thread ends: a process for each part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.base.budget import Budget, Report, unheard
from sa.base.limits import LimitReached
from sa.base.source import Source
from sa.base.verdict import Reason
from sa.bounded.search import Coverage, Reached
from sa.bounded.stages import Before, in_stages
from sa.bounded.wanted import Wanted
from sa.explicit.system import System
from sa.processes.forked import CAN_FORK
from sa.processes.streams import Over, side_by_side


def in_parts(
    s: System, wanted: Wanted, budget: Budget, open_: set[int], report: Report
) -> Iterator[Reached | Coverage]:
    """As `in_stages`, by several processes, which have a part of the runs each; what all of them covered is covered."""
    if not CAN_FORK:
        yield from in_stages(s, wanted, budget, open_, report, Before())
        return
    streams = [partial(_part, s, wanted, budget, open_, (number, wanted.jobs)) for number in range(wanted.jobs)]
    covered, ended = dict[int, Coverage](), list[Reason]()
    for said in side_by_side(streams, (s.threads, s.bads), (Source, Automaton)):
        if isinstance(said, Over):
            said.heed()
            ended += [said.reason] if said.reason is not None else []
        elif isinstance(said.result, Reached):
            yield said.result
        else:
            covered[said.stream] = said.result
            if len(covered) == wanted.jobs:
                yield by_all(tuple(covered.values()))
    if ended:
        raise LimitReached(ended[0])


def by_all(parts: Sequence[Coverage]) -> Coverage:
    """What all parts covered: as many rounds, unwindings and bits as each of them at least."""
    if all(part.complete for part in parts):
        return max(parts, key=lambda part: part.rounds)
    open_ = [part for part in parts if not part.complete]
    widths = [part.width for part in open_ if part.width is not None]
    return replace(
        open_[0],
        rounds=min(part.rounds for part in open_),
        unwind=min(part.unwind for part in open_),
        closed=min(part.closed for part in open_),
        width=min(widths, default=None),
        narrow=any(part.narrow for part in open_),
    )


def _part(
    s: System,
    wanted: Wanted,
    budget: Budget,
    open_: set[int],
    part: tuple[int, int],
    say: Callable[[Reached | Coverage], None],
) -> None:
    for found in in_stages(s, wanted, budget, open_, unheard, Before(), part):
        say(found)
