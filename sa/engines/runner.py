"""Asks the engines of a portfolio in turn, each for what is still open and within its share of the time.

All evidence goes to the judge at once. What the judge does not accept stays open, and the next engine is asked; an
engine that runs out of its share, or meets what it does not support, leaves what was settled as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.base.budget import Budget, Report, unheard
from sa.base.limits import LimitReached, Limits, Unsupported, remaining, share
from sa.base.verdict import Reason
from sa.checker.ruling import Accepted, Ruling
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.verification import Tried
from sa.question.asked import Asked, Note, Settled


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


def run(
    portfolio: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, judge: Judge, reports: Reports | None = None
) -> Iterator[Progress]:
    """What becomes of the question, as soon as it is known.

    Raises LimitReached where the limits of the whole are reached: what was settled before stands.
    """
    open_ = asked.bads
    for turn in portfolio:
        if not open_:
            return
        name, started = turn.engine.name, perf_counter()
        ended: Reason | None = None
        own = Budget(share(budget.bounds, turn.share), budget.seed)
        report = unheard if reports is None else reports(name)
        try:
            for found in turn.engine.decide(replace(asked, bads=open_), own, report):
                if isinstance(found, Note):
                    yield found
                    continue
                begun = perf_counter()
                ruling = judge(found)
                if isinstance(ruling, Accepted):
                    open_ = tuple(b for b in open_ if b not in found.bads)
                yield Ruled(name, found, ruling, perf_counter() - begun)
                if not open_:
                    break
        except Unsupported as problem:
            ended = problem.reason
        except LimitReached as limit:
            if not _is_own(limit, own.bounds, budget.bounds):
                raise
            ended = limit.reason
        yield Tried(name, perf_counter() - started, ended)


def _is_own(limit: LimitReached, own: Limits, whole: Limits) -> bool:
    """Whether a limit is only that of the engine's share: time is left for others."""
    return limit.reason is Reason.TIMEOUT and own.deadline != whole.deadline and remaining(whole) != 0.0
