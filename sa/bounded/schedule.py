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


def faults(schedule: Schedule, s: System) -> tuple[Diagnostic, ...]:
    """The threads of a schedule that are not there, and turns that cannot end where it says."""
    threads = {t.name: i for i, t in enumerate(s.threads)}
    hint = f"the threads are {', '.join(threads)}" if threads else "schedules are for a fixed number of threads"
    found = list[Diagnostic]()
    for turn in dict.fromkeys(turn for turns in schedule for turn in turns):
        if turn.thread not in threads:
            found.append(error("SA914", f"there is no thread `{turn.thread}` for the schedule", None, hint))
        elif turn.lines is not None:
            here = threads[turn.thread]
            lines = set[int]().union(*(_lines(s, here, place) for place in range(len(s.acts[here]))))
            if lines.isdisjoint(range(turn.lines[0], turn.lines[1] + 1)):
                found.append(_no_such_end(turn.thread, turn.lines, sorted(lines - {END})))
    return tuple(found)


def _no_such_end(thread: str, lines: tuple[int, int], there: Sequence[int]) -> Diagnostic:
    first, last = lines
    where = f"lines {first} to {last}" if first != last else f"line {first}"
    problem = f"`{thread}` never ends" if first == END else f"`{thread}` has no step on {where}"
    return error("SA914", f"{problem}, as the schedule asks", None, f"its steps are on lines {_in_words(there)}")


def _in_words(lines: Sequence[int]) -> str:
    """Line numbers, in ranges where there are several in a row."""
    starts = [line for line in lines if line - 1 not in lines]
    ends = [line for line in lines if line + 1 not in lines]
    return ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True))


def has_lines(schedule: Schedule) -> bool:
    """Whether a schedule says of some turn where it ends."""
    return any(turn.lines is not None for turns in schedule for turn in turns)


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
