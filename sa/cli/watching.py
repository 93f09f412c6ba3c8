"""What engines tell while they work: as lines of JSON in a file, as progress on a terminal, as a table at the end."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, TextIO, assert_never

from msgspec import Struct, field

from sa.base.budget import Event, Report, unheard
from sa.base.clock import clock
from sa.base.diagnostic import InputError, error
from sa.base.meter import Part, metered
from sa.cli.asked import ASKED, Asked
from sa.cli.options import Watching
from sa.cli.progress import progress_line

if TYPE_CHECKING:
    from sa.engines.runner import Reports

#: Seconds before progress is shown, and between two looks at it.
_PATIENCE, _AGAIN = 1.0, 0.25

#: What clears the line that the cursor is in, on any terminal of today.
_CLEAR = "\r\x1b[2K"
_STDERR = 2


class _Seen(Struct):
    """What was told last, and how long each engine and phase took so far."""

    started: float
    engine: str = ""
    event: Event = field(default_factory=lambda: Event(""))
    since: float = 0.0
    seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    solver: dict[tuple[str, str], float] = field(default_factory=dict)
    obligations: dict[str, tuple[int, float]] = field(default_factory=dict)

    def note(self, engine: str, event: Event) -> None:
        now = clock() - self.started
        self.close(now)
        self.engine, self.event, self.since = engine, event, now

    def close(self, now: float) -> None:
        if self.engine:
            key = (self.engine, self.event.phase)
            self.seconds[key] = self.seconds.get(key, 0.0) + now - self.since

    def meter(self, part: Part, kind: str, seconds: float) -> None:
        """The solver's time belongs to the phase of the moment; obligations are counted by what they are about."""
        match part:
            case Part.SOLVER:
                key = (self.engine, self.event.phase)
                self.solver[key] = self.solver.get(key, 0.0) + seconds
            case Part.OBLIGATION:
                count, spent = self.obligations.get(kind, (0, 0.0))
                self.obligations[kind] = count + 1, spent + seconds
            case _:
                assert_never(part)


class Watch(Struct, frozen=True):
    """`reports` are for the engines, None where nobody wants to see anything. Who writes an answer holds the `line`,
    in which `progress` may stand.
    """

    reports: Reports | None
    line: threading.Lock = field(default_factory=threading.Lock)
    progress: bool = False

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Within it no progress is shown: for what is written to the same terminal."""
        with self.line:
            if self.progress and sys.stderr.isatty():
                _draw("")
            yield


@contextmanager
def watched(wanted: Watching, told: Callable[[], str] = str) -> Iterator[Watch]:
    """Watch engines that work inside; `told` says at any moment what is decided so far.

    Raises InputError for a file that cannot be written.
    """
    asked = ASKED.get()
    if wanted == Watching():
        yield Watch(None if asked is None else partial(_noted, asked))
        return
    seen, over = _Seen(clock()), threading.Event()
    file = None if wanted.trace is None else _opened(wanted.trace)

    def reports(engine: str) -> Report:
        if asked is not None:
            asked.note(engine)

        def report(event: Event) -> None:
            seen.note(engine, event)
            if file is not None:
                _write(file, seen.since, engine, event)

        report(Event("begins"))
        return report

    watch = Watch(reports, progress=wanted.progress)
    ticker = (
        threading.Thread(target=_show_progress, args=(seen, watch, over, told), daemon=True)
        if wanted.progress
        else None
    )
    if ticker is not None:
        ticker.start()
    try:
        with metered(seen.meter) if wanted.profile else nullcontext():
            yield watch
    finally:
        over.set()
        if ticker is not None:
            ticker.join()
        seen.close(clock() - seen.started)
        if file is not None:
            _write(file, clock() - seen.started, "", Event("the end"))
            file.close()
        if wanted.profile:
            sys.stderr.write(_profile(seen))


def _noted(asked: Asked, engine: str) -> Report:
    """Only which engines were asked is kept."""
    asked.note(engine)
    return unheard


def _opened(path: str) -> TextIO:
    from sa.app.replace_file import append_to

    try:
        return append_to(path)
    except OSError as problem:
        message = f"cannot write `{path}`: {problem.strerror}"
        raise InputError((error("SA903", message, None, "name a file that can be written"),)) from None


def _write(file: TextIO, seconds: float, engine: str, event: Event) -> None:
    """One line for each event, whole and at once, so that it can be followed while the work goes on."""
    entry = {"seconds": round(seconds, 6), "engine": engine, "phase": event.phase, **event.counts}
    file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    file.flush()


def _show_progress(seen: _Seen, watch: Watch, over: threading.Event, told: Callable[[], str]) -> None:
    """One line on standard error that is written again and again, and gone at the end."""
    if over.wait(_PATIENCE):
        return
    while True:
        with watch.line:
            _draw(progress_line(_said(told), seen.event, clock() - seen.started))
        if over.wait(_AGAIN):
            break
    with watch.aside():
        pass


def _said(told: Callable[[], str]) -> str:
    """What a command says of itself while it works on that: perhaps nothing, just now."""
    try:
        return told()
    except RuntimeError:
        return ""


def _draw(line: str) -> None:
    """Put a line in the place of the one that the terminal's cursor is in.

    Not through the streams, which replace what a terminal would obey.
    """
    with suppress(OSError):
        os.write(_STDERR, (_CLEAR + line).encode("utf-8", "replace"))


def _profile(seen: _Seen) -> str:
    """Where the time went: by engine and phase, the solver's part of it, and by kind of obligation; longest first."""
    engines = sorted(seen.seconds.items(), key=lambda entry: -entry[1])
    lines = [f"{spent:9.3f} s  {seen.solver.get(key, 0.0):9.3f} s  {key[0]}: {key[1]}" for key, spent in engines]
    text = "time of the engines with the checking of their evidence, and how much of it is the solver's:\n"
    text += "".join(f"{line}\n" for line in lines)
    if outside := sum(spent for key, spent in seen.solver.items() if key not in seen.seconds):
        text += f"             {outside:9.3f} s  outside of engines\n"
    if seen.obligations:
        text += "time of the checker by kind of obligation, and how many there were:\n"
        kinds = sorted(seen.obligations.items(), key=lambda entry: -entry[1][1])
        text += "".join(f"{spent:9.3f} s  {count:9,}    {kind}\n" for kind, (count, spent) in kinds)
    return text
