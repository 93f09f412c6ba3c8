"""Asks the engines of a portfolio in turn, each for what is still open and within its share of the time.

All evidence goes to the judge at once. What the judge does not accept stays open, and the next engine is asked; an
engine that runs out of its share, or meets what it does not support, leaves what was settled as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic, perf_counter
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.base.budget import Budget, Event, Report, unheard
from sa.base.limits import LimitReached, Limits, Pace, Unsupported, remaining, share
from sa.base.verdict import Reason
from sa.certificates.run import Bad
from sa.checker.ruling import Accepted, Ruling
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.tried import Tried
from sa.question.asked import Asked, Note, Refuted, Settled


class Ruled(Struct, frozen=True):
    """Evidence of an engine with the checker's ruling; `checking` is the time that took, in seconds."""

    engine: str
    settled: Settled
    ruling: Ruling
    checking: float


Progress: TypeAlias = Ruled | Note | Tried
Judge: TypeAlias = Callable[[Settled], Ruling]
#: A report for each engine, by its name.
Reports: TypeAlias = Callable[[str], Report]


#: Where there is no time limit, the seconds of processor time that an engine may take in each round. In the last one it
#: ends by itself, so that which answers there are does not depend on the clock; earlier ones keep a long search
#: from going first.
ROUNDS = (15.0, 120.0, None)


#: Once a claim is refuted, the answer to the whole question is known. The other claims have as much time again as it
#: took until then, but so many seconds at least.
AFTER_A_RUN = 10.0


def _still_open(bad: Bad) -> bool:
    return False


def _refutes(bad: Bad) -> bool:
    return True


def run(
    portfolio: Sequence[Turn[ClaimEngine]],
    asked: Asked,
    budget: Budget,
    judge: Judge,
    reports: Reports | None = None,
    over: Callable[[Bad], bool] = _still_open,
    refutes: Callable[[Bad], bool] = _refutes,
) -> Iterator[Progress]:
    """What becomes of the question, as soon as it is known; no engine is asked about what is `over`.

    A run into something bad that `refutes` a claim leaves less time for the others.

    Raises LimitReached where the limits of the whole are reached: what was settled before stands.
    """
    open_, begun, refuted = list(asked.bads), perf_counter(), False
    waiting, pace = tuple(portfolio), Pace()
    for seconds in ROUNDS if budget.bounds.deadline is None else (None,):
        again = list[Turn[ClaimEngine]]()
        for turn in waiting:
            open_ = [b for b in open_ if not over(b)]
            if not open_:
                return
            bounds = share(budget.bounds, turn.share) if seconds is None else pace.soon(budget.bounds, seconds)
            ended: Reason | None = None
            for said in _asked(turn.engine, asked, tuple(open_), budget, bounds, judge, reports):
                if isinstance(said, Ruled) and isinstance(said.ruling, Accepted):
                    open_ = [b for b in open_ if b not in said.settled.bads]
                    if not refuted and isinstance(said.settled, Refuted) and refutes(said.settled.bad):
                        refuted, seconds_left = True, max(AFTER_A_RUN, perf_counter() - begun)
                        budget, note = _hurried(budget, seconds_left)
                        yield from note
                if isinstance(said, Tried):
                    ended = said.ended
                yield said
                if all(map(over, open_)):
                    break
            if ended is Reason.TIMEOUT:
                again.append(turn)
        waiting = tuple(again)


def _hurried(budget: Budget, seconds: float) -> tuple[Budget, Iterable[Note]]:
    """The budget with so many seconds left, if it has a limit of time and more are left; and what there is to say."""
    left = remaining(budget.bounds)
    if left is None or left <= seconds:
        return budget, ()
    bounds = replace(budget.bounds, deadline=monotonic() + seconds)
    said = Note(f"one claim is refuted; the others were tried for {seconds:.0f} more seconds")
    return replace(budget, bounds=bounds), (said,)


def _asked(
    engine: ClaimEngine,
    asked: Asked,
    open_: tuple[Bad, ...],
    budget: Budget,
    bounds: Limits,
    judge: Judge,
    reports: Reports | None,
) -> Iterator[Progress]:
    """What one engine says within its bounds. Raises LimitReached where those of the whole are reached."""
    started, ended, last = perf_counter(), None, list[Event]()
    heard = unheard if reports is None else reports(engine.name)

    def report(event: Event) -> None:
        last[:] = [event]
        heard(event)

    try:
        for found in engine.decide(replace(asked, bads=open_), Budget(bounds, budget.seed), report):
            if isinstance(found, Note):
                yield found
                continue
            begun = perf_counter()
            ruling = judge(found)
            yield Ruled(engine.name, found, ruling, perf_counter() - begun)
    except Unsupported as problem:
        ended = problem.reason
    except RecursionError:
        # Formulas that are nested too deeply for the functions that go through them: this engine's bound.
        ended = Reason.BOUND
    except LimitReached as limit:
        if not _is_own(limit, bounds, budget.bounds):
            raise
        ended = limit.reason
    yield Tried(engine.name, perf_counter() - started, ended, open_, last[0] if last else None)


def _is_own(limit: LimitReached, own: Limits, whole: Limits) -> bool:
    """Whether a limit is only that of the engine's share: time is left for others."""
    return limit.reason is Reason.TIMEOUT and own.deadline != whole.deadline and remaining(whole) != 0.0
