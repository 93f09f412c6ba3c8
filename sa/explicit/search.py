"""Breadth first through the packed states of a system. Steps of a thread are made once for all states that look alike.

What a thread does at a location depends on a part of the state only, the fields that its steps there read or write. So
its steps are remembered as numbers to be added to a packed state, by that part; a state costs a few look-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from math import prod
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct, field

from sa.automata.automaton import Variable
from sa.base.budget import Event, Report, unheard
from sa.base.limits import Limits, check_limits, check_memory, count, spend
from sa.certificates.packed import HAS_NUMPY, WORD
from sa.explicit.instantiate import Row, interesting, picks, ways
from sa.explicit.layout import WIDTHS, Layout, TooWide, layout, placed
from sa.explicit.moves import Making, Moves, moves_of, tested
from sa.explicit.partial_order_reduction import Reduction, candidates, reduction
from sa.explicit.system import System
from sa.terms.build import conjuncts, land
from sa.terms.compile import executable, predicate
from sa.terms.term import Term, Var

if TYPE_CHECKING:
    # Loading numpy takes as long as small searches do.
    from sa.explicit.levels import Levels

#: How many partial initial values are looked at for a state of the effort.
_LOOKS_AT_STARTS = 5

#: How many initial states there are where there may be too many for that.
_SOME_STARTS = 64

#: How many values a beam tries where there are too many.
_IN_A_BEAM = 4

#: How many states are stepped between two looks at the limits, and how many remembered parts there may be for a state.
_BETWEEN_LOOKS = 4_096
_REMEMBERED, _FOR_A_STATE = 100_000, 0.5

#: Units of a state, and between two looks where whole levels are made at once.
A_STATE, A_LOOK = 4, 29_000

#: Units by threads for a group of states that are stepped together, and, by pairs of threads, for who is to be stepped
#: at a joint location.
A_GROUP, A_PLAN = 60, 1

#: States of more words are stepped one by one.
_MOST_WORDS = 8

#: At a joint location: threads that may go first, each with those that must go with it; and all threads.
Plan = tuple[tuple[tuple[Moves, ...], ...], tuple[Moves, ...]]


class Effort(Struct, frozen=True):
    """How many states may be reached, up to which size a range is tried as a whole, and whether steps are reduced.

    Where something was left out, so that nothing can be proved, `inexact` states may be reached. Behind `singly`
    states, levels of at least `wide` are stepped at once; then `by_levels` states may be reached. Where there is a
    `beam`, at most so many states of a level are followed, picked at random, and few values are tried.
    """

    states: int
    few: int
    reduced: bool
    inexact: int = 200_000
    by_levels: int = 0
    singly: int = 30_000
    wide: int = 500
    beam: int = 0


class Search(Struct, frozen=True, eq=False):
    """What became of a search.

    `reached` are the packed states; `before` gives one that such a state was reached from, for initial ones the state
    itself. `bad` gives by question the state where it is violated or from where a step fails it. `exact`: nothing was
    left out on the way, no values and no steps; `ended`: no state was left to be looked at. `pool` are the values
    that were tried where there are too many.
    """

    system: System
    layout: Layout
    first: tuple[frozenset[int], ...]
    reached: Collection[int]
    before: Callable[[int], int]
    bad: Mapping[int, int]
    exact: bool
    ended: bool
    pool: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """Whether these are all states that there are, as far as it matters."""
        return self.exact and self.ended


class Work(Struct):
    """A search while it runs, over states that are packed in a layout."""

    making: Making
    effort: Effort
    reduction: Reduction | None
    open: set[int]
    ended: bool = False
    plans: dict[int, Plan] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    bad: dict[int, int] = field(default_factory=dict)
    claims: list[tuple[int, int, set[int], Callable[[int], bool]]] = field(default_factory=list)
    levels: Levels | None = None


def search(s: System, effort: Effort, bounds: Limits, report: Report = unheard) -> Search:
    """All states of the system, or as many as the effort allows. Raises LimitReached."""
    # A beam is short: it does not begin again for a number that needs more room.
    widths = dict.fromkeys(s.variables, WIDTHS[-1]) if effort.beam else {}
    while True:
        work = begun(s, effort, bounds, widths)
        try:
            _run(work, report)
        except TooWide as problem:
            wider = [w for w in WIDTHS if w > widths.get(problem.var, WIDTHS[0])]
            if wider:
                widths[problem.var] = wider[0]
                continue
        break
    return found_by(work)


def begun(s: System, effort: Effort, bounds: Limits, widths: Mapping[Var, int]) -> Work:
    """A search that has looked at nothing yet."""
    pool = interesting(_terms(s))[: _IN_A_BEAM if effort.beam else None]
    order = (*s.counters, *s.variables)
    decidable = {i for i, c in enumerate(s.claims) if c is None or executable((c,), order)}
    making = Making(s, layout(s, widths), pool, effort.few, bounds, not s.partial)
    work = Work(making, effort, reduction(s) if effort.reduced else None, decidable)
    work.claims = [(i, *tested(making, c)) for i, c in enumerate(s.claims) if c is not None and i in work.open]
    return work


def found_by(work: Work) -> Search:
    """What a search has found."""
    s, pool = work.making.system, work.making.pool
    first = tuple(frozenset[int]() for _ in s.threads) if work.reduction is None else work.reduction.first
    levels, seen = work.levels, work.seen
    if levels is None:
        return Search(
            s, work.making.layout, first, seen, seen.__getitem__, work.bad, work.making.exact, work.ended, pool
        )
    from sa.certificates.rows import columns_of

    reached = columns_of(levels.known.rows)

    def before(state: int) -> int:
        return seen[state] if state in seen else levels.before(state)

    return Search(s, work.making.layout, first, reached, before, work.bad, work.making.exact, work.ended, pool)


def _terms(s: System) -> Iterator[Term]:
    yield s.init
    yield from (c for c in s.claims if c is not None)
    for act in (a for by_place in s.acts for here in by_place for a in here):
        yield act.condition
        yield from act.updates.values()


def _run(work: Work, report: Report) -> None:
    frontier, steps, random, since = list(starts_of(work)), 0, Random(0), _BETWEEN_LOOKS
    while frontier and work.open:
        later = list[int]()
        remaining = iter(frontier)
        while part := list(islice(remaining, _BETWEEN_LOOKS)):
            since += len(part)
            # Where levels are small, many of them between two looks: a look takes longer than such a level.
            if since >= _BETWEEN_LOOKS:
                report(Event("states", {"states": len(work.seen), "steps deep": steps}))
                check_limits(work.making.bounds)
                check_memory(work.making.bounds)
                _forget(work)
                since = 0
            later += _expanded(work, part)
            count(work.making.bounds, A_STATE * len(part))
            if not work.open:
                break
            if len(work.seen) > (
                work.effort.states if work.making.exact else min(work.effort.states, work.effort.inexact)
            ):
                return
        frontier, steps = later, steps + 1
        if 0 < work.effort.beam < len(frontier):
            frontier, work.making.exact = random.sample(frontier, work.effort.beam), False
        if _is_wide(work, frontier):
            _by_levels(work, frontier, steps, report)
            return
    work.ended = not frontier


def _is_wide(work: Work, frontier: Collection[int]) -> bool:
    """Whether it is time to step whole levels at once."""
    effort = work.effort
    far = len(work.seen) >= effort.singly and len(frontier) >= effort.wide and effort.by_levels > len(work.seen)
    if not (HAS_NUMPY and far and work.making.exact and work.open):
        return False
    where = work.making.layout
    fits = where.places.bit_length() <= WORD and where.width <= _MOST_WORDS * WORD
    return fits and all(slot.mask.bit_length() <= WORD for slot in where.slots.values())


def _by_levels(work: Work, frontier: list[int], steps: int, report: Report) -> None:
    """Go on from the frontier level by level. Raises TooWide."""
    from sa.explicit.columns import test_of, violated, words_in
    from sa.explicit.levels import Levels, machine

    making, plan = work.making, None if work.reduction is None else partial(_alone, work)
    tests = [(i, test_of(making, c)) for i, c in enumerate(making.system.claims) if c is not None and i in work.open]
    made, fresh = machine(making, plan, partial(note_bad, work)), set(frontier)
    levels = Levels(made, frontier, [s for s in work.seen if s not in fresh], words_in(making.layout))
    work.levels = levels

    def between() -> None:
        spend(making.bounds, A_LOOK)
        check_memory(making.bounds)

    def at_group() -> None:
        spend(making.bounds, A_GROUP * len(making.system.threads))

    while work.open and making.exact and levels.known.count <= work.effort.by_levels:
        report(Event("states", {"states": levels.known.count, "steps deep": steps}))
        new, steps = levels.advance(between, at_group), steps + 1
        for number, test in tests:
            if (wrong := violated(new, test(new))) is not None:
                note_bad(work, number, wrong)
        if not new.shape[1]:
            work.ended = True
            return


def _forget(work: Work) -> None:
    """Parts that rarely come again are not worth their memory."""
    remembered = sum(len(known) for _, known, _ in work.making.moves.values())
    if remembered > _REMEMBERED and remembered > _FOR_A_STATE * len(work.seen):
        for _, known, _ in work.making.moves.values():
            known.clear()


def _expanded(work: Work, frontier: Iterable[int]) -> list[int]:
    """The new states that steps lead to."""
    seen, plans, places, hits, claims = work.seen, work.plans, work.making.layout.places, work.making.hits, work.claims
    later = list[int]()
    for state in frontier:
        plan = plans.get(state & places)
        if plan is None:
            plan = plans[state & places] = _plan(work, state & places)
        alone, moving = plan
        for together in alone:
            mask, known, make = together[0]
            steps = known.get(state & mask)
            if steps is None:
                steps = known[state & mask] = make(state & mask)
            if steps:
                moving = together
                break
        for mask, known, make in moving:
            steps = known.get(state & mask)
            if steps is None:
                steps = known[state & mask] = make(state & mask)
            for step in steps:
                after = state + step
                if after not in seen:
                    seen[after] = state
                    later.append(after)
                    for number, read, fine, test in claims:
                        if after & read not in fine:
                            if test(after & read):
                                fine.add(after & read)
                            else:
                                note_bad(work, number, after)
        if hits:
            for number in hits:
                note_bad(work, number, state)
            hits.clear()
    return later


def note_bad(work: Work, number: int, state: int) -> None:
    """Note where something bad was found first."""
    if number in work.open:
        work.open.discard(number)
        work.bad[number] = state


def _alone(work: Work, places: int) -> tuple[tuple[int, ...], ...]:
    """At a joint location: threads that may go first, each with those that must go with it."""
    if work.reduction is None:
        return ()
    slots = [work.making.layout.slots[c] for c in work.making.system.counters]
    here = [places >> s.shift & s.mask for s in slots]
    return tuple((thread, *others) for thread, others in candidates(work.reduction, here))


def _plan(work: Work, places: int) -> Plan:
    """Who is stepped at a joint location."""
    making = work.making
    slots = [making.layout.slots[c] for c in making.system.counters]
    if work.reduction is not None:
        spend(making.bounds, A_PLAN * len(slots) ** 2)
    here = [places >> s.shift & s.mask for s in slots]
    moves = [moves_of(making, thread, place) for thread, place in enumerate(here)]
    chosen = tuple(tuple(moves[t] for t in together) for together in _alone(work, places))
    return chosen, tuple(m for m, thread, place in zip(moves, making.system.acts, here, strict=True) if thread[place])


def starts_of(work: Work) -> Iterator[int]:
    """The initial states, each noted as reached from itself."""
    s, slots = work.making.system, work.making.layout.slots
    needed = starting(s)
    formula = land(*(c for c in conjuncts(s.init) if c.free <= needed.keys()))
    if not executable((formula,), tuple(needed)):
        work.making.exact = False
        return
    kept = [v for v in needed if v in s.shared or any(v in k[p] for k, p in zip(s.kept, s.start, strict=True))]
    column = {v: i for i, v in enumerate(needed)}
    places = sum(p << slots[c].shift for c, p in zip(s.counters, s.start, strict=True))
    for row in _rows(work, formula, tuple(needed.values())):
        state = places + sum(placed(slots[v], row[column[v]]) for v in kept)
        if state not in work.seen:
            work.seen[state] = state
            for number, read, _, test in work.claims:
                if not test(state & read):
                    note_bad(work, number, state)
            yield state


def _rows(work: Work, formula: Term, needed: tuple[Variable, ...]) -> Iterator[Row]:
    if not needed:
        if predicate(formula, ())(()):
            yield ()
        return
    how = picks(formula, (), needed, work.making.pool, work.effort.few)
    work.making.exact = work.making.exact and how.complete
    # Where there are too many, as with arbitrary contents of a heap, a few leave states for what follows.
    too_many = prod(stage.most for stage in how.stages) > work.effort.states * _LOOKS_AT_STARTS
    rows = 0
    for looks, row in enumerate(ways(how)):
        if looks % _BETWEEN_LOOKS == 0:
            spend(work.making.bounds, 12_000)
        if looks > work.effort.states * _LOOKS_AT_STARTS or (too_many and rows >= _SOME_STARTS):
            work.making.exact = False
            return
        if row is not None:
            rows += 1
            yield row


def starting(s: System) -> Mapping[Var, Variable]:
    """The variables whose initial values matter, and those that the initial condition ties to them."""
    needed = s.shared.union(*(k[p] for k, p in zip(s.kept, s.start, strict=True)))
    formulas = [c for c in conjuncts(s.init) if c.free]
    while tied := frozenset[Var]().union(*(c.free for c in formulas if not c.free.isdisjoint(needed))) - needed:
        needed |= tied
    return {v: s.variables[v] for v in s.variables if v in needed}
