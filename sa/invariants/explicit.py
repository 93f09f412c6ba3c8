"""Breadth first through the concrete states of a program, so that the run found is a shortest one among those seen.

Values that nothing determines are a few (`picks`), so that nothing is found proves something only where `complete`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator

from msgspec import Struct

from sa.base.limits import Limits, check_time
from sa.certificates.run import Bad, Ending, Run
from sa.invariants.picks import Picks, Row, extensions, interesting, picks
from sa.invariants.whole import Arc, Whole, is_bad, run_of
from sa.terms.build import TRUE, integer, land
from sa.terms.compile import guarded, predicate
from sa.terms.sort import number
from sa.terms.term import Term

#: How many partial choices of values are looked at for one step, and how many initial ones for one step in the budget.
WAYS = 512
_START_SHARE = 5
_BETWEEN_LOOKS_AT_THE_CLOCK = 512

Test = Callable[[Row], bool]


class NotFound(Struct, frozen=True):
    """No run was found; there is none if `complete`, and then `states` are all that there are."""

    complete: bool
    steps: int
    states: Collection[Row] = ()


class _Ready(Struct, frozen=True, eq=False):
    """A step made ready: `others` are the tests of other threads' invariants that it may break, by their place."""

    arc: Arc
    bad: bool
    step: Callable[[Row], Row | None]
    picks: Picks | None
    target: Test | None
    others: tuple[tuple[int, tuple[Test | None, ...]], ...]


class _Search(Struct):
    """What the search knows: how each state was reached, steps made so far, whether anything was left out."""

    whole: Whole
    bad: Bad
    pool: tuple[int, ...]
    ready: dict[tuple[int, int], tuple[_Ready, ...]]
    seen: dict[Row, tuple[Row, Arc, Row] | None]
    complete: bool
    steps: int = 0


def search(w: Whole, bad: Bad, budget: int, bounds: Limits) -> Run | NotFound:
    """A run that ends in a violation, after at most `budget` steps were tried. Raises LimitReached."""
    s = _Search(w, bad, interesting(_terms(w)), {}, {}, not w.partial)
    claim = None if bad.claim is None else predicate(w.claim, w.order)
    queue = deque[Row]()
    for row in _starts(s, budget):
        s.seen[row] = None
        if claim is not None and not claim(row):
            return _run(s, row, Ending.VIOLATED)
        queue.append(row)
    looks = 0
    while queue:
        looks += 1
        if looks % _BETWEEN_LOOKS_AT_THE_CLOCK == 0:
            check_time(bounds)
        if s.steps > budget:
            return NotFound(False, s.steps)
        row = queue.popleft()
        for ready, picked, after in _successors(s, row):
            if ready.bad:
                return _run(s, row, Ending.FAILED, (ready.arc, picked))
            s.seen[after] = (row, ready.arc, picked)
            if claim is not None and not claim(after):
                return _run(s, after, Ending.VIOLATED)
            queue.append(after)
    return NotFound(s.complete, s.steps, s.seen if s.complete else ())


def _terms(w: Whole) -> Iterator[Term]:
    yield w.init
    yield w.claim
    for places in w.inv:
        for inv in places:
            yield from inv
    for by_place in w.arcs:
        for arcs in by_place:
            for arc in arcs:
                yield arc.guard
                yield from arc.updates.values()


def _starts(s: _Search, budget: int) -> list[Row]:
    w = s.whole
    formula = land(w.init, *(c for places, i in zip(w.inv, w.start, strict=True) for c in places[i]))
    if not w.variables:
        return [w.start] if predicate(formula, w.order)(w.start) else []
    found, every = extensions(picks(formula, w.counters, w.variables, s.pool), w.start, max(budget // _START_SHARE, 1))
    s.complete = s.complete and every
    return [(*w.start, *row) for row in found]


def _successors(s: _Search, row: Row) -> Iterator[tuple[_Ready, Row, Row]]:
    """The new states that one step leads to; states that a bad step leads to even if they are not new."""
    seen = s.seen
    for thread in range(len(s.whole.threads)):
        place = number(row[thread])
        arcs = s.ready.get((thread, place))
        if arcs is None:
            arcs = s.ready[thread, place] = tuple(_ready(s, arc) for arc in s.whole.arcs[thread][place])
        for ready in arcs:
            for picked in ((),) if ready.picks is None else _picked(s, ready.picks, row):
                after = ready.step(row + picked)
                s.steps += 1
                if after is None or (after in seen and not ready.bad):
                    continue
                if (ready.target is None or ready.target(after)) and _is_kept(ready, after):
                    yield ready, picked, after


def _picked(s: _Search, how: Picks, row: Row) -> list[Row]:
    found, every = extensions(how, row, WAYS)
    s.complete = s.complete and every
    return found


def _is_kept(ready: _Ready, after: Row) -> bool:
    for thread, tests in ready.others:
        test = tests[number(after[thread])]
        if test is not None and not test(after):
            return False
    return True


def _ready(s: _Search, arc: Arc) -> _Ready:
    w = s.whole
    written = frozenset(arc.updates)
    after = {**arc.updates, w.counters[arc.thread]: integer(arc.target)}
    chosen = tuple(c.var for c in arc.choices)
    before, target = w.inv[arc.thread][arc.source], w.inv[arc.thread][arc.target]
    # What held before and mentions nothing that is written still holds.
    due = [c for c in target if c not in before or not c.free.isdisjoint(written)]
    others = list[tuple[int, tuple[Test | None, ...]]]()
    for thread, places in enumerate(w.inv):
        if thread != arc.thread:
            broken = [[c for c in inv if c not in target and not c.free.isdisjoint(written)] for inv in places]
            if any(broken):
                others.append((thread, tuple(_test(land(*formulas), w) for formulas in broken)))
    return _Ready(
        arc,
        is_bad(w, s.bad, arc),
        guarded(arc.guard, [after.get(v, v) for v in w.order], (*w.order, *chosen)),
        picks(arc.guard, w.order, arc.choices, s.pool) if arc.choices else None,
        _test(land(*due), w),
        tuple(others),
    )


def _test(formula: Term, w: Whole) -> Test | None:
    return None if formula is TRUE else predicate(formula, w.order)


def _run(s: _Search, row: Row, ending: Ending, last: tuple[Arc, Row] | None = None) -> Run:
    script = [] if last is None else [last]
    while (reached := s.seen[row]) is not None:
        row, arc, picked = reached
        script.append((arc, picked))
    start = dict(zip(s.whole.order, row, strict=True))
    return run_of(s.whole, start, script[::-1], ending)
