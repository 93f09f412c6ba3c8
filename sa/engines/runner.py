"""Asks the engines of a portfolio in turn, each for what is still open and within its share of the work.

All evidence goes to the judge at once. What the judge does not accept stays open, and the next engine is asked; an
engine that runs out of its share, or meets what it does not support, leaves what was settled as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sa.base.budget import Budget, Event, Report, unheard
from sa.base.clock import clock
from sa.base.limits import LimitReached, Limits, Unsupported, allot, is_over, share
from sa.base.verdict import Reason
from sa.certificates.run import Bad
from sa.checker.ruling import Accepted, Ruling
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.tried import Tried
from sa.question.asked import Asked, Note, Open, Refuted, Settled


class Ruled(Struct, frozen=True):
    """Evidence of an engine with the checker's ruling; `checking` is the time that took, in seconds."""

    engine: str
    settled: Settled
    ruling: Ruling
    checking: float


class RoundOver(Struct, frozen=True):
    """All engines of a round have been asked: other questions about the same program may have their turn."""


Progress: TypeAlias = Ruled | Note | Open | Tried | RoundOver
Judge: TypeAlias = Callable[[Settled], Ruling]
#: A report for each engine, by its name.
Reports: TypeAlias = Callable[[str], Report]


#: Units of the rounds in which engines are asked: each has its share of them, whatever the others have used. So what is
#: settled with few units is settled before anybody has had many. In the last round each engine ends by itself.
ROUNDS = (*(2_000_000 << n for n in range(8)), inf)


#: Once a claim is refuted, the answer to the whole question is known. The other claims have as many units again as it
#: took until then, but so many at least.
AFTER_A_RUN = 3_000_000


_HURRIED = "after the first violation the other claims are tried for as much work again, or a little more"


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

    A run into something bad that `refutes` a claim leaves less work for the others.

    Raises LimitReached where the limits of the whole are reached: what was settled before stands.
    """
    open_, begun, refuted = list(asked.bads), budget.bounds.work.done, False
    waiting = tuple(portfolio)
    for number, units in enumerate(ROUNDS):
        again = list[Turn[ClaimEngine]]()
        for turn in waiting:
            if turn.since > number:
                again.append(turn)
                continue
            open_ = [b for b in open_ if not over(b)]
            if not open_:
                return
            # Where something else limits the work, it is a share of what is left of that.
            bounds = allot(share(budget.bounds, turn.share), turn.share * units)
            cuts, cut = bounds.work.cuts, False
            for said in _asked(turn.engine, asked, open_, budget, bounds, judge, reports, over):
                if not refuted and _is_run(said, refutes):
                    refuted, left = True, max(AFTER_A_RUN, budget.bounds.work.done - begun)
                    budget = replace(budget, bounds=allot(budget.bounds, left))
                    yield Note(_HURRIED)
                cut = isinstance(said, Tried) and said.ended is Reason.WORK
                yield said
            # An engine may end by itself when a part of its share is used up.
            if cut or budget.bounds.work.cuts > cuts:
                again.append(turn)
        waiting = tuple(again)
        if not waiting:
            return
        yield RoundOver()


def _is_run(said: Progress, refutes: Callable[[Bad], bool]) -> bool:
    """Whether it is an accepted run into something bad that refutes a claim."""
    match said:
        case Ruled(settled=Refuted(bad), ruling=Accepted()):
            return refutes(bad)
        case _:
            return False


def _asked(
    engine: ClaimEngine,
    asked: Asked,
    open_: list[Bad],
    budget: Budget,
    bounds: Limits,
    judge: Judge,
    reports: Reports | None,
    over: Callable[[Bad], bool],
) -> Iterator[Progress]:
    """What one engine says within its bounds, until nothing is open: what is settled is taken from there.

    Raises LimitReached where the limits of the whole are reached.
    """
    bads = tuple(open_)
    started, ended, last = clock(), None, list[Event]()
    done = bounds.work.done
    heard = unheard if reports is None else reports(engine.name)

    def report(event: Event) -> None:
        last[:] = [event]
        heard(event)

    try:
        for found in engine.decide(replace(asked, bads=bads), Budget(bounds, budget.seed), report):
            if isinstance(found, Note | Open):
                yield found
                continue
            begun = clock()
            ruling = judge(found)
            if isinstance(ruling, Accepted):
                open_[:] = [b for b in open_ if b not in found.bads]
            yield Ruled(engine.name, found, ruling, clock() - begun)
            if all(map(over, open_)):
                break
    except Unsupported as problem:
        ended = problem.reason
    except RecursionError:
        # Formulas that are nested too deeply for the functions that go through them: this engine's bound.
        ended = Reason.BOUND
    except LimitReached as limit:
        if not _is_own(limit, budget.bounds):
            raise
        ended = limit.reason
    spent = round(bounds.work.done - done)
    yield Tried(engine.name, clock() - started, spent, ended, bads, last[0] if last else None)


def _is_own(limit: LimitReached, whole: Limits) -> bool:
    """Whether a limit is only that of the engine's share: work is left for others."""
    return limit.reason is Reason.WORK and not is_over(whole)
