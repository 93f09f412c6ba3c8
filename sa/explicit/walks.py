"""Random runs through the packed states of a system: long ones of many threads, of which a search sees the beginnings.

Which thread moves is decided by an order of the threads, the first that can move does, as in probabilistic concurrency
testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010). How often the order changes differs from run to
run: in some of them a thread waits for very long, in others all take turns, and one may go before all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random

from msgspec import Struct

from sa.base.budget import Event, Report, unheard
from sa.base.limits import Limits, check_limits, count, spend
from sa.explicit.layout import WIDTHS, TooWide
from sa.explicit.moves import moves_of
from sa.explicit.search import A_STATE, Effort, Search, Work, begun, found_by, note_bad, starts_of
from sa.explicit.system import System


class Habit(Struct, frozen=True):
    """How a run chooses: how often the order is a new one, how often who has moved becomes the last in it, and whether
    a thread goes before all others whenever it can.
    """

    renewed: float
    last: float
    leads: bool = False


HABITS = (
    Habit(1.0, 0.0),
    Habit(0.0, 1.0, leads=True),
    Habit(0.0, 1.0),
    Habit(0.3, 0.1),
    Habit(0.0, 0.9, leads=True),
    Habit(0.05, 0.5),
    Habit(0.02, 0.05),
)

#: So many initial states. Ranges with at most four values are tried as a whole; of other numbers a few values are.
STARTS = 1_000
EFFORT = Effort(STARTS, 4, reduced=False, beam=1)

#: So many runs for each habit and thread, of at most so many steps each.
RUNS, STEPS = 4, 4_000

#: Steps between two looks at the limits.
BETWEEN_LOOKS = 64


def walked(s: System, seed: int, bounds: Limits, report: Report = unheard) -> Iterator[Search]:
    """What random runs have found, each time that something bad is; it is never all there is. Raises LimitReached."""
    work, dice = begun(s, EFFORT, bounds, dict.fromkeys(s.variables, WIDTHS[-1])), Random(seed)
    work.making.exact = False
    starts = [state for state, _ in zip(starts_of(work), range(STARTS), strict=False)]
    known, runs = 0, RUNS * len(HABITS) * len(s.threads) if starts else 0
    for run in range(runs):
        if not work.open:
            break
        spend(bounds, A_STATE)
        report(Event("random runs", {"runs": run}))
        habit, first = HABITS[run % len(HABITS)], run // len(HABITS) % len(s.threads)
        # A run may go on in numbers that have no room.
        with suppress(TooWide):
            _walk(work, dice.choice(starts), habit, first, dice)
        if len(work.bad) > known:
            known = len(work.bad)
            yield found_by(work)


def _walk(work: Work, state: int, habit: Habit, first: int, dice: Random) -> None:
    """A run from a state; its states and what is bad in them are noted."""
    order = dice.sample(range(len(work.making.system.threads)), len(work.making.system.threads))
    if habit.leads:
        order.insert(0, order.pop(order.index(first)))
    kept = 1 if habit.leads else 0
    for taken in range(1, STEPS + 1):
        if dice.random() < habit.renewed:
            order[kept:] = dice.sample(order[kept:], len(order) - kept)
        place, after = next(_ways(work, state, order, dice), (0, None))
        if after is None or not work.open:
            break
        if place >= kept and dice.random() < habit.last:
            order.append(order.pop(place))
        if after not in work.seen:
            work.seen[after] = state
            for number, read, _, test in work.claims:
                if number in work.open and not test(after & read):
                    note_bad(work, number, after)
        state = after
        # Whoever could not move was looked at, too.
        count(work.making.bounds, A_STATE + place)
        if taken % BETWEEN_LOOKS == 0:
            check_limits(work.making.bounds)


def _ways(work: Work, state: int, order: list[int], dice: Random) -> Iterator[tuple[int, int]]:
    """The threads that can move, by their place in the order, each with the state behind one of its steps."""
    slots, counters = work.making.layout.slots, work.making.system.counters
    for place, thread in enumerate(order):
        slot = slots[counters[thread]]
        mask, known, make = moves_of(work.making, thread, state >> slot.shift & slot.mask)
        steps = known.get(state & mask)
        if steps is None:
            steps = known[state & mask] = make(state & mask)
            for number in work.making.hits:
                note_bad(work, number, state)
            work.making.hits.clear()
        if steps:
            yield place, state + dice.choice(steps)
