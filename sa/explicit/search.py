"""Breadth first through the packed states of a system. Steps of a thread are made once for all states that look alike.

What a thread does at a location depends on a part of the state only, the fields that its steps there read or write. So
its steps are remembered as numbers to be added to a packed state, by that part; a state costs a few look-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from msgspec import Struct, field

from sa.automata.automaton import Variable
from sa.base.budget import Event, Report, unheard
from sa.base.limits import Limits, check_memory, check_time
from sa.explicit.layout import WIDTHS, Layout, Slot, TooWide, layout, placed
from sa.explicit.picks import Picks, Row, extensions, interesting, picks, ways
from sa.explicit.reduction import Reduction, candidates, reduction
from sa.explicit.system import Act, System
from sa.terms.build import conjuncts, land
from sa.terms.compile import executable, guarded, predicate
from sa.terms.sort import Value
from sa.terms.term import Term, Var

#: How many partial choices of values are looked at for one step, and how many initial ones for a state of the effort.
WAYS = 70_000
_LOOKS_AT_STARTS = 5

#: How many states are stepped between two looks at the clock, and how many remembered parts there may be for a state.
_BETWEEN_LOOKS = 4_096
_REMEMBERED, _FOR_A_STATE = 100_000, 0.5

#: The parts of a state that a thread's steps depend on at a location, what they do by part, and how to find that out.
Moves = tuple[int, dict[int, tuple[int, ...]], Callable[[int], tuple[int, ...]]]

#: At a joint location: threads that may go first, each with those that must go with it; and all threads.
Plan = tuple[tuple[tuple[Moves, ...], ...], tuple[Moves, ...]]


class Effort(Struct, frozen=True):
    """How many states may be reached, up to which size a range is tried as a whole, and whether steps are reduced.

    Where something was left out, so that nothing can be proved, `inexact` states may be reached.
    """

    states: int
    few: int
    reduced: bool
    inexact: int = 200_000


class Search(Struct, frozen=True, eq=False):
    """What became of a search.

    `reached` has for each packed state the one it was reached from, for initial ones itself. `bad` gives by question
    the state where it is violated or from where a step fails it. `exact`: nothing was left out on the way, no values
    and no steps; `ended`: no state was left to be looked at. `pool` are the values that were tried where there are
    too many.
    """

    system: System
    layout: Layout
    first: tuple[frozenset[int], ...]
    reached: Mapping[int, int]
    bad: Mapping[int, int]
    exact: bool
    ended: bool
    pool: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """Whether these are all states that there are, as far as it matters."""
        return self.exact and self.ended


class _Work(Struct):
    """The search while it runs. `hits` are questions that the steps looked at last fail."""

    system: System
    layout: Layout
    effort: Effort
    pool: tuple[int, ...]
    reduction: Reduction | None
    bounds: Limits
    open: set[int]
    exact: bool
    ended: bool = False
    moves: dict[tuple[int, int], Moves] = field(default_factory=dict)
    plans: dict[int, Plan] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    bad: dict[int, int] = field(default_factory=dict)
    hits: list[int] = field(default_factory=list)
    claims: list[tuple[int, int, set[int], Callable[[int], bool]]] = field(default_factory=list)


def search(s: System, effort: Effort, bounds: Limits, report: Report = unheard) -> Search:
    """All states of the system, or as many as the effort allows. Raises LimitReached."""
    reducing = reduction(s) if effort.reduced else None
    first = tuple(frozenset[int]() for _ in s.threads) if reducing is None else reducing.first
    pool = interesting(_terms(s))
    order = (*s.counters, *s.variables)
    decidable = {i for i, c in enumerate(s.claims) if c is None or executable((c,), order)}
    for width in WIDTHS:
        work = _Work(s, layout(s, width), effort, pool, reducing, bounds, set(decidable), not s.partial)
        try:
            _run(work, report)
        except TooWide:
            continue
        break
    return Search(s, work.layout, first, work.seen, work.bad, work.exact, work.ended, pool)


def _terms(s: System) -> Iterator[Term]:
    yield s.init
    yield from (c for c in s.claims if c is not None)
    for act in (a for by_place in s.acts for here in by_place for a in here):
        yield act.condition
        yield from act.updates.values()


def _run(work: _Work, report: Report) -> None:
    work.claims = [(i, *_tested(work, c)) for i, c in enumerate(work.system.claims) if c is not None and i in work.open]
    frontier, steps = list(_starts(work)), 0
    while frontier and work.open:
        report(Event("states", {"states": len(work.seen), "steps deep": steps}))
        later = list[int]()
        remaining = iter(frontier)
        while part := list(islice(remaining, _BETWEEN_LOOKS)):
            check_time(work.bounds)
            check_memory(work.bounds)
            _forget(work)
            later += _expanded(work, part)
            if not work.open:
                break
            if len(work.seen) > (work.effort.states if work.exact else min(work.effort.states, work.effort.inexact)):
                return
        frontier, steps = later, steps + 1
    work.ended = not frontier


def _forget(work: _Work) -> None:
    """Parts that rarely come again are not worth their memory."""
    remembered = sum(len(known) for _, known, _ in work.moves.values())
    if remembered > _REMEMBERED and remembered > _FOR_A_STATE * len(work.seen):
        for _, known, _ in work.moves.values():
            known.clear()


def _expanded(work: _Work, frontier: Iterable[int]) -> list[int]:
    """The new states that steps lead to."""
    seen, plans, places, hits, claims = work.seen, work.plans, work.layout.places, work.hits, work.claims
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
                                _is_bad(work, number, after)
        if hits:
            for number in hits:
                _is_bad(work, number, state)
            hits.clear()
    return later


def _is_bad(work: _Work, number: int, state: int) -> None:
    if number in work.open:
        work.open.discard(number)
        work.bad[number] = state


def _tested(work: _Work, claim: Term) -> tuple[int, set[int], Callable[[int], bool]]:
    """What a claim reads, where it is known to hold, and its test."""
    needed = [v for v in (*work.system.counters, *work.system.variables) if v in claim.free]
    mask, decode = _decoding(work.layout, needed)
    test = predicate(claim, needed)
    return mask, set(), lambda part: test(decode(part))


def _decoding(where: Layout, needed: Iterable[Var]) -> tuple[int, Callable[[int], Row]]:
    """The bits of some variables, and a function that takes such bits to the row of values."""
    slots = [where.slots[v] for v in needed]
    mask = sum(s.mask << s.shift for s in slots)
    scope: dict[str, object] = {f"t{i}": s.table.values for i, s in enumerate(slots) if s.table is not None}
    exec(f"def decode(p): return ({''.join(_written(i, s) + ',' for i, s in enumerate(slots))})", scope)
    decode = scope["decode"]
    assert callable(decode)
    return mask, decode


def _written(number: int, slot: Slot) -> str:
    """The value of slot number `number` in the bits `p`, as Python text."""
    code = f"p >> {slot.shift} & {slot.mask}"
    if slot.table is not None:
        return f"t{number}[{code}]"
    return f"({code}) + {slot.low}" if slot.low else code


def _plan(work: _Work, places: int) -> Plan:
    """Who is stepped at a joint location."""
    slots = [work.layout.slots[c] for c in work.system.counters]
    here = [places >> s.shift & s.mask for s in slots]
    moves = [_moves(work, thread, place) for thread, place in enumerate(here)]
    alone = () if work.reduction is None else candidates(work.reduction, here)
    chosen = tuple((moves[thread], *(moves[t] for t in others)) for thread, others in alone)
    return chosen, tuple(m for m, thread, place in zip(moves, work.system.acts, here, strict=True) if thread[place])


def _moves(work: _Work, thread: int, place: int) -> Moves:
    found = work.moves.get((thread, place))
    if found is None:
        found = work.moves[thread, place] = _made(work, work.system.acts[thread][place])
    return found


class _Ready(Struct, frozen=True, eq=False):
    """A step made ready: from a row of what is needed and picked values to the values of `written`.

    `moved` is what becomes of the counter, `replaced` are the bits that are written or, of what is forgotten, cleared.
    """

    bads: tuple[int, ...]
    picks: Picks | None
    values: Callable[[Row], tuple[Value, ...] | None]
    written: tuple[Slot, ...]
    moved: int
    replaced: int


def _made(work: _Work, acts: tuple[Act, ...]) -> Moves:
    """The steps from a place, as a function of the bits that they depend on."""
    s, where = work.system, work.layout
    touched = frozenset[Var]().union(*(a.reads | a.updates.keys() | a.forgotten for a in acts))
    needed = tuple(v for v in (*s.counters, *s.variables) if v in touched)
    mask, decode = _decoding(where, needed)
    ready = tuple(_ready(work, act, needed) for act in acts)
    hits = work.hits

    def make(part: int) -> tuple[int, ...]:
        row, found = decode(part), list[int]()
        for act in ready:
            for picked in ((),) if act.picks is None else _picked(work, act.picks, row):
                values = act.values(row + picked)
                if values is not None:
                    hits.extend(act.bads)
                    found.append(_step(act, part, values))
        return tuple(dict.fromkeys(found))

    return mask, {}, make


def _step(act: _Ready, part: int, values: tuple[Value, ...]) -> int:
    """What a step adds to a packed state with these bits. Raises TooWide."""
    step = act.moved - (part & act.replaced)
    for slot, value in zip(act.written, values, strict=True):
        step += placed(slot, value)
    return step


def _ready(work: _Work, act: Act, needed: tuple[Var, ...]) -> _Ready:
    slots = work.layout.slots
    replaced = [slots[v] for v in (*act.updates, *act.forgotten)]
    how = picks(act.condition, needed, act.choices, work.pool, work.effort.few) if act.choices else None
    scope = (*needed, *(c.var for c in act.choices))
    return _Ready(
        act.bads,
        how,
        guarded(act.condition, tuple(act.updates.values()), scope),
        tuple(slots[v] for v in act.updates),
        act.arc.target - act.arc.source << slots[work.system.counters[act.arc.thread]].shift,
        sum(s.mask << s.shift for s in replaced),
    )


def _picked(work: _Work, how: Picks, row: Row) -> list[Row]:
    found, every = extensions(how, row, WAYS)
    if len(found) > _BETWEEN_LOOKS:
        check_time(work.bounds)
    work.exact = work.exact and every
    return found


def _starts(work: _Work) -> Iterator[int]:
    """The initial states, each noted as reached from itself."""
    s, slots = work.system, work.layout.slots
    needed = starting(s)
    formula = land(*(c for c in conjuncts(s.init) if c.free <= needed.keys()))
    if not executable((formula,), tuple(needed)):
        work.exact = False
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
                    _is_bad(work, number, state)
            yield state


def _rows(work: _Work, formula: Term, needed: tuple[Variable, ...]) -> Iterator[Row]:
    if not needed:
        if predicate(formula, ())(()):
            yield ()
        return
    how = picks(formula, (), needed, work.pool, work.effort.few)
    work.exact = work.exact and how.complete
    for looks, row in enumerate(ways(how, ())):
        if looks % _BETWEEN_LOOKS == 0:
            check_time(work.bounds)
        if looks > work.effort.states * _LOOKS_AT_STARTS:
            work.exact = False
            return
        if row is not None:
            yield row


def starting(s: System) -> Mapping[Var, Variable]:
    """The variables whose initial values matter, and those that the initial condition ties to them."""
    needed = s.shared.union(*(k[p] for k, p in zip(s.kept, s.start, strict=True)))
    formulas = [c for c in conjuncts(s.init) if c.free]
    while tied := frozenset[Var]().union(*(c.free for c in formulas if not c.free.isdisjoint(needed))) - needed:
        needed |= tied
    return {v: s.variables[v] for v in s.variables if v in needed}
