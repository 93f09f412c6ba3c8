"""What became of engines that were asked: kept for those who want to know why there is no answer."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.budget import Event, Report
from sa.base.clock import clock
from sa.base.limits import Work
from sa.base.verdict import Reason
from sa.certificates.run import Bad


class Tried(Struct, frozen=True):
    """An engine was asked about something: the seconds and the units of work it took, and why it ended early, if so.

    Engines of `verify` were asked about `bads`, those of `refine` about the `goal` of this name. `last` is what it said
    last: what it was at, and how far it had come; `stuck` says in words why it had no answer, where it knew. `found`:
    it had evidence, whatever became of that.
    """

    engine: str
    seconds: float
    units: int
    ended: Reason | None
    bads: tuple[Bad, ...] = ()
    last: Event | None = None
    goal: str = ""
    stuck: str = ""
    found: bool = False


class Trying(Struct):
    """An engine while it works on a goal."""

    engine: str
    goal: str
    began: float
    done: float
    last: Event | None = None
    ended: Reason | None = None
    stuck: str = ""
    found: bool = False

    def hears(self, report: Report) -> Report:
        """A report that is remembered, and passed on."""

        def heard(event: Event) -> None:
            self.last = event
            report(event)

        return heard


class Diary(Struct, eq=False):
    """The engines of `refine` as they were asked. Whoever asks the question owns it."""

    turns: list[Tried] = field(default_factory=list)

    def begin(self, engine: str, goal: str, work: Work) -> Trying:
        """An engine begins to work on a goal, when so much work is done."""
        return Trying(engine, goal, clock(), work.done)

    def end(self, trying: Trying, work: Work) -> None:
        """It is over, when so much work is done."""
        seconds, units = clock() - trying.began, round(work.done - trying.done)
        told = Tried(
            trying.engine, seconds, units, trying.ended, (), trying.last, trying.goal, trying.stuck, trying.found
        )
        self.turns.append(told)


def each_once(turns: Iterable[Tried]) -> tuple[Tried, ...]:
    """Each engine once for a goal: as it was asked last, and the time and work of all its turns."""
    found = dict[tuple[str, str], Tried]()
    for tried in turns:
        key = tried.goal, tried.engine
        before = found.pop(key, None)
        if before is not None:
            tried = replace(tried, seconds=tried.seconds + before.seconds, units=tried.units + before.units)
        found[key] = tried
    return tuple(found.values())
