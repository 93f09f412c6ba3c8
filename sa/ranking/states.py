"""The states of a program one by one, and runs among them that go on for ever: components of the graph of steps.

No step is left out for being independent of others: a reduction may lose that a thread is treated unfairly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import partial

from msgspec import Struct, field

from sa.automata.automaton import Automaton
from sa.automata.components import components
from sa.automata.program import Axiom, Ends
from sa.base.budget import Report
from sa.base.limits import Limits, spend
from sa.certificates.ends import Finite
from sa.certificates.run import Bad, Failing
from sa.certificates.states import States
from sa.explicit.evidence import proof
from sa.explicit.layout import TooWide
from sa.explicit.moves import Making, moves_of, tested
from sa.explicit.search import Effort, Search, search
from sa.explicit.system import system
from sa.terms.build import TRUE

#: So many states are looked at: where there may be more, and where these may be all.
FEW, MANY = 3_000, 200_000
#: Ranges of more values than these are not tried as a whole where few states are looked at.
WIDE = 200
#: Where runs are long, how many states of each level are followed, and up to which size ranges are tried as a whole.
BEAM, NARROW = 40, 4
#: How many states are looked at then.
FAR = 6_000
#: A cycle is short that begins at one of so many states, those that are reached first.
_BEGINNINGS = 40
_BETWEEN_LOOKS = 1_024

#: A step: the number of the thread, and the state it leads to.
Step = tuple[int, int]


class Explored(Struct, frozen=True, eq=False):
    """States with their steps; a claim that speaks of them: where it begins to be open, and where it is not."""

    search: Search
    starts: tuple[int, ...]
    steps: Mapping[int, tuple[Step, ...]]
    since: Callable[[int], bool]
    is_open: Callable[[int], bool]
    apart: Callable[[int], bool]


class _Stepping(Struct):
    search: Search
    making: Making
    shifts: tuple[tuple[int, int], ...] = field(default_factory=tuple)


def explored(
    threads: tuple[Automaton, ...], ends: Ends, most: int, bounds: Limits, report: Report, beam: int = 0
) -> Explored:
    """The states that are reached, at most so many, and of each level at most a `beam`. Raises LimitReached."""
    few = NARROW if beam else WIDE if most <= FEW else most
    # What no thread does is never found, so that the search goes on to its end.
    never = Bad(Failing(""), None)
    formulas = (ends.since, TRUE if ends.until is None else ends.until, ends.apart)
    asked = (never, *(Bad(None, f) for f in formulas))
    found = search(
        system(threads, asked),
        Effort(most, few, False, inexact=most if beam else min(most, FEW), beam=beam),
        bounds,
        report,
    )
    making = Making(found.system, found.layout, found.pool, few, bounds, True)
    slots = [found.layout.slots[c] for c in found.system.counters]
    stepping = _Stepping(found, making, tuple((s.shift, s.mask) for s in slots))
    steps = dict[int, tuple[Step, ...]]()
    for count, state in enumerate(found.reached):
        if count % _BETWEEN_LOOKS == 0:
            spend(bounds, 5_000)
        steps[state] = tuple(_steps(stepping, state))
    starts = tuple(s for s in found.reached if found.before(s) == s)
    until = None if ends.until is None else _test(stepping, 2)
    apart = _test(stepping, 3)

    def is_open(state: int) -> bool:
        return (until is None or not until(state)) and not apart(state)

    return Explored(found, starts, steps, _test(stepping, 1), is_open, apart)


def _steps(work: _Stepping, state: int) -> Iterator[Step]:
    reached = work.search.reached
    for thread, (shift, mask) in enumerate(work.shifts):
        if work.search.system.acts[thread][state >> shift & mask]:
            part, known, make = moves_of(work.making, thread, state >> shift & mask)
            try:
                moves = known[state & part] if state & part in known else make(state & part)
            except TooWide:
                continue
            known[state & part] = moves
            yield from ((thread, state + m) for m in moves if state + m in reached)


def _test(work: _Stepping, question: int) -> Callable[[int], bool]:
    claim = work.search.system.claims[question]
    assert claim is not None
    mask, _, test = tested(work.making, claim)
    return lambda state: test(state & mask)


def finite(found: Explored, threads: tuple[Automaton, ...], ends: Ends, axioms: tuple[Axiom, ...]) -> Finite | None:
    """All states as evidence, if they are all."""
    if not found.search.complete:
        return None
    states: States = proof(found.search, (), axioms)
    return Finite(threads, ends, states)


#: By state the step that led there and the state it was taken from; None for where it began.
_Spread = Mapping[int, tuple[int, int] | None]


class Endless(Struct, frozen=True, eq=False):
    """A way that goes on for ever: from an initial state to its cycle, and the cycle; without one, to a standstill."""

    first: int
    stem: tuple[Step, ...]
    cycle: tuple[Step, ...]


def endless(found: Explored, ends: Ends, bounds: Limits) -> Iterator[Endless]:
    """Ways in which what is claimed never comes to an end, one each component. Raises LimitReached."""
    names = [t.name for t in found.search.system.threads]
    movers = frozenset(n for n, name in enumerate(names) if name in ends.threads)
    open_ = open_states(found)
    pending = open_.pending
    if ends.until is not None and found.search.complete:
        still = next((s for s in pending if not found.steps[s]), None)
        if still is not None:
            yield way_to(open_, still, ())
    inner = {s: [a for _, a in found.steps[s] if a in pending] for s in pending}
    for component in components(pending, inner):
        spend(bounds, 200)
        inside = frozenset(component)
        moving = {t for s in component for t, a in found.steps[s] if a in inside}
        if not moving & movers:
            continue
        needed = [movers] if not ends.fair else [movers, *({t} for t in moving)]
        waiting = set(range(len(names))) - moving if ends.fair else set[int]()
        idle = {t: next((s for s in component if all(t != u for u, _ in found.steps[s])), None) for t in waiting}
        if all(s is not None for s in idle.values()):
            visits = [s for s in idle.values() if s is not None]
            first = sorted(component, key=lambda s: _depth(pending, s))[:_BEGINNINGS]
            rounds = ((s, _round(found, inside, s, needed, visits)) for s in first)
            begins, cycle = min(rounds, key=lambda r: len(r[1]) + _depth(pending, r[0]))
            yield way_to(open_, begins, tuple(cycle))


def goes_round(found: Explored, ends: Ends, begins: int, cycle: Sequence[Step]) -> bool:
    """Whether a thread that the claim is about moves in a way from a state to one like it, and each other thread does,
    or seems to be unable to step at one of the states, where runs are fair.
    """
    names = [t.name for t in found.search.system.threads]
    moving = {t for t, _ in cycle}
    if not any(names[t] in ends.threads for t in moving):
        return False
    # Nobody may have looked for steps from the last one.
    passed = [{t for t, _ in found.steps[s]} for s in (begins, *(s for _, s in cycle[:-1]))]
    waiting = set(range(len(names))) - moving if ends.fair else set[int]()
    return all(any(t not in able for able in passed) for t in waiting)


class Open(Struct, frozen=True, eq=False):
    """The states in which the claim is open, as they are reached from where it begins to be; and all states."""

    reached: _Spread
    pending: _Spread


def open_states(found: Explored) -> Open:
    """The states in which a claim is open. Behind a state with which runs do not count there are none."""
    reached, begun = _begun(found)
    return Open(reached, _spread(found, begun, found.is_open))


def open_from(found: Explored) -> Iterator[Open]:
    """The states in which a claim is open behind those in which it begins to be: the initial ones, else some of them,
    each by itself, early ones first.
    """
    reached, begun = _begun(found)
    initial = [s for s in begun if reached[s] is None]
    later = [] if initial else [begun[2**n - 1] for n in range(len(begun).bit_length())]
    for some in (initial,) if initial else ([s] for s in later):
        yield Open(reached, _spread(found, some, found.is_open))


def _begun(found: Explored) -> tuple[_Spread, list[int]]:
    reached = _spread(found, found.starts, lambda s: not found.apart(s))
    return reached, [s for s in reached if found.is_open(s) and found.since(s)]


def way_to(open_: Open, state: int, cycle: tuple[Step, ...]) -> Endless:
    """A shortest way to a state in which the claim is open, and a cycle from there."""
    began, later = _back(open_.pending, state)
    first, sooner = _back(open_.reached, began)
    return Endless(first, (*sooner, *later), cycle)


def _spread(found: Explored, starts: Collection[int], inside: Callable[[int], bool]) -> _Spread:
    """Breadth first through states, so that ways are short."""
    known: dict[int, tuple[int, int] | None] = {s: None for s in starts if inside(s)}
    frontier = list(known)
    while frontier:
        later = list[int]()
        for state in frontier:
            for thread, after in found.steps.get(state, ()):
                if after not in known and inside(after):
                    known[after] = (thread, state)
                    later.append(after)
        frontier = later
    return known


def _depth(spread: _Spread, state: int) -> int:
    depth = 0
    while (came := spread[state]) is not None:
        depth, state = depth + 1, came[1]
    return depth


def _back(spread: _Spread, state: int) -> tuple[int, list[Step]]:
    """The state that a way began with, and its steps."""
    steps = list[Step]()
    while (came := spread[state]) is not None:
        steps.append((came[0], state))
        state = came[1]
    return state, steps[::-1]


def _round(
    found: Explored, inside: Set[int], begins: int, needed: Sequence[Set[int]], visits: Sequence[int]
) -> list[Step]:
    """A way from a state of a component back to it: with steps of some threads, through some states."""
    way, here = list[Step](), begins
    for state in visits:
        way += _to(found, inside, here, state.__eq__)
        here = state
    for some in needed:
        if not any(t in some for t, _ in way):
            way += _to(found, inside, here, partial(_steps_within, found, inside, some))
            here = way[-1][1] if way else here
            step = _next(found, inside, here, some)
            assert step is not None  # a component has such a step
            way.append(step)
            here = step[1]
    return way + _to(found, inside, here, begins.__eq__)


def _steps_within(found: Explored, inside: Set[int], some: Set[int], state: int) -> bool:
    return _next(found, inside, state, some) is not None


def _next(found: Explored, inside: Set[int], state: int, some: Set[int]) -> Step | None:
    return next(((t, a) for t, a in found.steps[state] if t in some and a in inside), None)


def _to(found: Explored, inside: Set[int], here: int, wanted: Callable[[int], bool]) -> list[Step]:
    """The shortest way within a component to a state that is wanted."""
    if wanted(here):
        return []
    known: dict[int, tuple[int, int] | None] = {here: None}
    frontier = [here]
    while frontier:
        later = list[int]()
        for state in frontier:
            for thread, after in found.steps[state]:
                if after in inside and after not in known:
                    known[after] = (thread, state)
                    if wanted(after):
                        return _back(known, after)[1]
                    later.append(after)
        frontier = later
    raise AssertionError("a component is strongly connected")
