"""Schedules that a user names: which threads have a turn in each round, and where their turns end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.base.diagnostic import Diagnostic, error
from sa.base.source import position
from sa.bounded.dag import Dag
from sa.explicit.system import System

#: The line of a thread that is over.
END = 0


class Turn(Struct, frozen=True):
    """A thread's turn; if `lines` are given it ends where the thread's next step is on one of these, from 1."""

    thread: str
    lines: tuple[int, int] | None = None


#: The turns of each round. A round without any is one in which all threads have theirs.
Schedule: TypeAlias = tuple[tuple[Turn, ...], ...]

#: Where each thread's turn in a round may end, by threads and points; None where that is not said.
Ends: TypeAlias = Mapping[int, frozenset[int] | None]

_TURN = re.compile(r"(?P<thread>[^@\s]+)(@(?:(?P<end>end)|(?P<first>\d+)(-(?P<last>\d+))?))?")


def read_schedule(text: str) -> Schedule:
    """Rounds apart by `:`, turns in them by `,`: `A,B:B@12-14:*`. Raises ValueError with what is wrong."""
    return tuple(() if pool.strip() == "*" else tuple(map(_turn, pool.split(","))) for pool in text.split(":"))


def _turn(text: str) -> Turn:
    found = _TURN.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"`{text.strip()}` is no turn: a thread, or a thread with lines as in `A@12-14` or `A@end`")
    if found["end"]:
        return Turn(found["thread"], (END, END))
    if found["first"] is None:
        return Turn(found["thread"])
    first = int(found["first"])
    last = int(found["last"] or first)
    if not 1 <= first <= last:
        raise ValueError(f"`{text.strip()}` has no lines")
    return Turn(found["thread"], (first, last))


def unknown_threads(schedule: Schedule, names: Sequence[str]) -> tuple[Diagnostic, ...]:
    """What is wrong with the threads of a schedule."""
    found = dict.fromkeys(turn.thread for turns in schedule for turn in turns if turn.thread not in names)
    hint = f"the threads are {', '.join(names)}" if names else "schedules are for a fixed number of threads"
    return tuple(error("SA914", f"there is no thread `{name}` for the schedule", None, hint) for name in found)


def ends_in(schedule: Schedule, number: int, s: System, dags: Sequence[Dag]) -> Ends:
    """The turns of a round, counted from 1; all threads have one where the schedule does not say."""
    turns = schedule[number - 1] if number <= len(schedule) else ()
    threads = {t.name: i for i, t in enumerate(s.threads)}
    if not turns:
        return dict.fromkeys(threads.values())
    found = dict[int, frozenset[int] | None]()
    for turn in turns:
        thread = threads[turn.thread]
        here = None if turn.lines is None else _points(s, thread, dags[thread], turn.lines)
        before = found.get(thread, frozenset())
        found[thread] = None if here is None or before is None else before | here
    return found


def _points(s: System, thread: int, dag: Dag, lines: tuple[int, int]) -> frozenset[int]:
    """The points at which the next step is on one of the lines."""
    first, last = lines
    return frozenset(
        p for p, place in enumerate(dag.places) if any(first <= line <= last for line in _lines(s, thread, place))
    )


def _lines(s: System, thread: int, place: int) -> set[int]:
    spans = [act.arc.edge.origin.span for act in s.acts[thread][place]]
    return {position(span.source, span.start).line for span in spans if span is not None} if spans else {END}


def part_of(number: int, count: int, dags: Sequence[Dag]) -> Ends:
    """One of so many parts of all runs, by where the first turn of the largest thread ends: each run is in one."""
    largest = max(range(len(dags)), key=lambda i: len(dags[i].places))
    points = len(dags[largest].places)
    return {largest: frozenset(range(number * points // count, (number + 1) * points // count))}
