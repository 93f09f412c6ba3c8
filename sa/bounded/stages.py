"""Runs within bounds that grow from stage to stage: rounds, unwindings, the width of numbers, the solver's effort."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.budget import Budget, Report
from sa.base.limits import Unsupported
from sa.bounded.dag import Memory
from sa.bounded.order import likely_order
from sa.bounded.schedule import has_lines
from sa.bounded.search import Bounds, Coverage, Reached, Task, task, within
from sa.bounded.wanted import Wanted
from sa.explicit.system import System
from sa.smt.value import NotAValue
from sa.terms.evaluate import Unevaluable
from sa.terms.term import Int, Sum, Term, subterms

#: Rounds and unwindings, one stage after the other, and those behind them where there is time.
STAGES = ((2, 1), (4, 4), (8, 8), (16, 16), (24, 32))
FURTHER = ((32, 64), (48, 128), (64, 256))

#: Constants below this are small.
SMALL = 1 << 12

#: What the solver may spend on a question at most where it gave up before.
MOST = 1 << 31

#: What the solver may spend at least where all loops end: there a question is about all runs in so many rounds.
WHOLE = 16_000_000


class Before(Struct, frozen=True):
    """What searches tell later ones for the same question, of this engine's next turn too.

    `whole` is what searches through all runs covered, if anything, by the width and the solver's effort.
    """

    memory: Memory = field(default_factory=Memory)
    whole: dict[tuple[int | None, int], Coverage | None] = field(default_factory=dict)


class _Stage(Struct, frozen=True):
    unwind: int
    bounds: Bounds


def in_stages(
    s: System,
    wanted: Wanted,
    budget: Budget,
    open_: set[int],
    report: Report,
    before: Before,
    part: tuple[int, int] | None = None,
) -> Iterator[Reached | Coverage]:
    """What one stage after the other finds, and covers beyond those before. Raises LimitReached."""
    covered: Coverage | None = None
    stages, exact = list(_stages(s, wanted, part)), set[tuple[int, int, int]]()
    while stages:
        given_up = list[_Stage]()
        for stage in stages:
            effort = stage.unwind, stage.bounds.rounds, stage.bounds.rlimit
            if effort in exact or (covered is not None and _is_done(covered, stage)):
                continue
            last: Coverage | None = None
            for found in _within(s, before, stage, wanted, budget, open_, report):
                if isinstance(found, Reached):
                    yield found
                    continue
                last = found
                if covered is None or _reach(covered) <= _reach(found):
                    covered = found
                    yield covered
            if not open_ or (covered is not None and covered.complete):
                return
            if last is None or last.rounds < stage.bounds.rounds:
                given_up.append(stage)
            if last is not None and last.width is None:
                # No number was limited, so other widths make no difference.
                exact.add(effort)
        if wanted.stages is not None:
            return
        more = (replace(stage.bounds, rlimit=stage.bounds.rlimit << 3) for stage in given_up)
        stages = [replace(stage, bounds=b) for stage, b in zip(given_up, more, strict=True) if 0 < b.rlimit <= MOST]


def _is_done(covered: Coverage, stage: _Stage) -> bool:
    """Whether a stage has nothing to add."""
    is_all = covered.closed == covered.loops or covered.unwind >= stage.unwind
    width = stage.bounds.width
    # Where choices had few bits, the same width says more for all choices.
    is_narrower = covered.narrow and not stage.bounds.narrow
    is_wide = covered.width is None or (width is not None and width <= covered.width and not is_narrower)
    return is_all and is_wide and covered.rounds >= stage.bounds.rounds


def _reach(covered: Coverage) -> tuple[bool, int]:
    """What was covered, so that more of it is greater."""
    return covered.complete, covered.rounds * (1 + covered.unwind)


def _stages(s: System, wanted: Wanted, part: tuple[int, int] | None) -> Iterator[_Stage]:
    """Bounds one after the other: threads in a likely order, numbers as wide as constants ask for.

    At first these are small constants, and choices have as many bits. Given bounds stay, and are searched through,
    first with numbers of some width and then with all.
    """
    usual, small = usual_width(s), usual_width(s, SMALL)
    rounds = len(wanted.schedule) or wanted.rounds
    first = Bounds(0, likely_order(s), usual, schedule=wanted.schedule, part=part)
    if rounds is not None and wanted.unwind is not None:
        for width, narrow in ((small, True), (usual, False), (2 * usual + 8, False), (None, False)):
            yield _Stage(wanted.unwind, replace(first, rounds=rounds, width=width, narrow=narrow))
        return
    pairs = [(rounds or most, unwind if wanted.unwind is None else wanted.unwind) for most, unwind in STAGES + FURTHER]
    for number, (most, unwind) in enumerate(pairs[: wanted.stages][: len(STAGES)]):
        bounds = replace(first, rounds=most, rlimit=wanted.effort << min(number, 4))
        if number < len(STAGES) // 2:
            yield _Stage(unwind, replace(bounds, width=small, narrow=True))
            yield _Stage(unwind, bounds)
        else:
            yield _Stage(unwind, replace(bounds, width=2 * usual + 8))
    if wanted.stages is not None:
        return
    for most, unwind in dict.fromkeys(pairs):
        yield _Stage(unwind, replace(first, rounds=most, width=None, rlimit=wanted.effort << 4))
    for most, unwind in pairs[len(STAGES) :]:
        yield _Stage(unwind, replace(first, rounds=most, width=2 * usual + 8, rlimit=wanted.effort << 4))


def usual_width(s: System, below: int | None = None) -> int:
    """Bits for the constants of the program, or for those that are smaller than a number, and some more."""
    acts = [act for by_place in s.acts for here in by_place for act in here]
    terms = [s.init, *(c for c in s.claims if c is not None)]
    terms += (t for act in acts for t in (act.condition, *act.updates.values()))
    numbers = (_constant(t) for t in subterms(terms))
    return max((n.bit_length() for n in numbers if below is None or n < below), default=0) + 3


def _constant(term: Term) -> int:
    match term:
        case Int(value) | Sum(value, _):
            return abs(value)
        case _:
            return 0


def _within(
    s: System, before: Before, stage: _Stage, wanted: Wanted, budget: Budget, open_: set[int], report: Report
) -> Iterator[Reached | Coverage]:
    """What one stage finds; with numbers without bounds where bits do not do.

    Where all loops are unwound to their ends other stages differ in nothing but rounds, and one does for all.
    """
    try:
        t = task(s, stage.unwind, wanted.unwind is not None, not has_lines(wanted.schedule), before.memory)
        is_all = not (wanted.rounds or wanted.schedule) and not any(dag.open_loops for dag in t.dags)
        bounds = stage.bounds
        if is_all:
            bounds = replace(bounds, rounds=STAGES[-1][0], rlimit=max(bounds.rlimit, WHOLE))
        effort, last = (bounds.width, bounds.rlimit), None
        if is_all and (known := _known(before, *effort)) is not None:
            yield from known
            return
        for found in _in_some_numbers(t, bounds, budget, open_, report):
            last = found if isinstance(found, Coverage) else last
            yield found
        if is_all:
            before.whole[effort] = last
    except (Unevaluable, NotAValue):
        return


def _known(before: Before, width: int | None, rlimit: int) -> list[Coverage] | None:
    """What a search through all runs with this effort covered; None where there was none."""
    for (there, spent), covered in before.whole.items():
        # Where no number was limited, other widths make no difference.
        if spent == rlimit and (there == width or (covered is not None and covered.width is None)):
            return [] if covered is None else [covered]
    return None


def _in_some_numbers(
    t: Task, bounds: Bounds, budget: Budget, open_: set[int], report: Report
) -> Iterator[Reached | Coverage]:
    try:
        yield from within(t, bounds, budget, open_, report)
    except Unsupported:
        yield from within(t, replace(bounds, width=None), budget, open_, report)
