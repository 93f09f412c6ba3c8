"""Who waits where, at the end of a run into a deadlock."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sa.automata.automaton import Automaton
from sa.certificates.run import Snapshot
from sa.report.quoted import in_a_row, quoted


def waiting(threads: Sequence[Automaton], last: Snapshot) -> tuple[str, ...]:
    """The threads that could still take steps if others let them, with the places where they wait."""
    places = dict[str, list[str]]()
    for name, place in _waiting(threads, last):
        places.setdefault(place, []).append(name)
    return tuple(f"{in_a_row(names)} {'waits' if len(names) == 1 else 'wait'} at {p}" for p, names in places.items())


def stuck(threads: Sequence[Automaton], last: Snapshot) -> str:
    """The same in one sentence; empty where no thread waits."""
    first, *others = waiting(threads, last) or ("",)
    return ", ".join((first, *(re.sub(r" waits? at ", " at ", told, count=1) for told in others)))


def _waiting(threads: Sequence[Automaton], last: Snapshot) -> Iterator[tuple[str, str]]:
    for place, thread in enumerate(threads):
        here = last.threads[thread.name].location
        started = {v.var for v in thread.variables if v.internal}
        if place and here == thread.initial and any(e.guard.free & started for e in thread.edges if e.source == here):
            # It was never created.
            continue
        # A step that joins statements begins with the first line that it passes.
        spans = (s for e in thread.edges if e.source == here for s in (*e.origin.passed[:1], e.origin.span))
        span = next((s for s in spans if s is not None), None)
        if span is not None:
            yield thread.name, quoted(span)
