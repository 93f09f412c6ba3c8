"""Which control points of two threads exclude each other, by sums of numbers and locations that all steps keep.

A spin lock is 1 while somebody holds it, whoever that is; a word counts the readers, and is -1 while one writes. As
place invariants such numbers are sums of what each thread's point weighs (Murata, Petri Nets, 1989, section VI). What a
thread's point weighs is its *region*: pairs of regions that steps lead to, with the sums in mind and with what is known
of both threads, are those that can be met. The others exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.invariants.own_points import Owner, Point, Step, read_by
from sa.invariants.place_invariants import Guess, InBalance, totals
from sa.terms import build, interval
from sa.terms.bounds import Ranges, interval_of
from sa.terms.interval import Interval
from sa.terms.name import at_place
from sa.terms.solve import solution
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Int, Mod, Term, Var

#: Regions of a thread: where there are more, nothing is said of what excludes what.
REGIONS = 100

#: The region of the thread with this number.
Spot: TypeAlias = tuple[int, int]


class Sum(Struct, frozen=True, eq=False):
    """That `factor * var` and what the threads' points weigh come to `begun`; `said` says it as formulas.

    By thread, what its points weigh: ranges where their locations do not tell.
    """

    var: Var
    factor: int
    begun: int
    said: tuple[Term, ...]
    weights: tuple[Mapping[Point, Interval], ...]

    def left(self, total: Interval) -> Interval | None:
        """What the variable may be where all points together weigh this much; None if that cannot be."""
        return interval.unscale(interval.add((self.begun, self.begun), interval.scale(-1, total)), self.factor)


@dataclass(slots=True)
class Together:
    """What is known of points of several threads: the pairs of regions that were met so far, both ways round.

    `regions` are by thread the regions of its points, `inside` those the other way round; `weights` are by thread and
    region what it weighs in each sum, `counted` by sum the threads that count. `bounds` is a memory.
    """

    sums: tuple[Sum, ...]
    regions: tuple[Mapping[Point, int], ...]
    inside: tuple[tuple[tuple[Point, ...], ...], ...]
    weights: tuple[tuple[tuple[Interval, ...], ...], ...]
    counted: tuple[tuple[int, ...], ...]
    met: dict[tuple[int, int], set[tuple[int, int]]]
    bounds: dict[tuple[Spot, ...], Ranges | None] = field(default_factory=dict)


def sums_of(owners: Sequence[Owner], steps: Sequence[Mapping[Point, Sequence[Step]]]) -> tuple[Sum, ...]:
    """Sums of one shared number each that steps seem to keep: whoever uses them shows that they do."""
    threads = [o.thread for o in owners]
    shared = frozenset[Var]().union(*(variables_of(t, Kind.GLOBAL) for t in threads))
    found = dict[tuple[Term, ...], Sum]()
    for guess in (Guess.NOTHING, Guess.UNDISTURBED):
        for total in totals(threads, guess, ends=True):
            match list(total.numbers.items()), total.begun:
                case [(var, factor)], Int(begun) if var in shared:
                    weights = _weights(owners, steps, total)
                    counted = sum(any(w != interval.ZERO for w in of.values()) for of in weights)
                    if counted > 1 or (counted and sum(var in read_by(t) for t in threads) > 1):
                        found.setdefault(total.said(), Sum(var, factor, begun, total.said(), weights))
                case _:
                    pass
    return tuple(found.values())


def _weights(
    owners: Sequence[Owner], steps: Sequence[Mapping[Point, Sequence[Step]]], total: InBalance
) -> tuple[Mapping[Point, Interval], ...]:
    return tuple(
        {p: interval.hull(*(_weight(owner, p, part) for part in parts)) for p in here}
        for owner, here, *parts in zip(owners, steps, total.least, total.most, strict=True)
    )


def _weight(owner: Owner, point: Point, part: Term) -> Interval:
    here: dict[Var, Term] = {v: build.boolean(v is at(owner.thread, point.place)) for v in part.free if v.sort == BOOL}
    return interval_of(substitute(part, {**here, **owner.known(point)}), {})


def at(thread: Automaton, place: str) -> Var:
    """That a thread is at a location."""
    return build.variable(at_place(thread.name, place), BOOL)


def together(
    sums: tuple[Sum, ...], first: Sequence[Point], steps: Sequence[Mapping[Point, Sequence[Step]]]
) -> Together | None:
    """What is known in the beginning; None where the sums tell too little, or too much."""
    told = [{p: tuple(s.weights[n][p] for s in sums) for p in here} for n, here in enumerate(steps)]
    kinds = [list(dict.fromkeys(here.values())) for here in told]
    if not sums or max(map(len, kinds)) > REGIONS:
        return None
    numbers = [{w: i for i, w in enumerate(some)} for some in kinds]
    regions = tuple({p: numbers[n][w] for p, w in here.items()} for n, here in enumerate(told))
    inside = tuple(
        tuple(tuple(p for p, r in here.items() if r == number) for number in range(len(some)))
        for here, some in zip(regions, kinds, strict=True)
    )
    weights = tuple(map(tuple, kinds))
    counted = tuple(
        tuple(n for n, some in enumerate(weights) if any(w[j] != interval.ZERO for w in some)) for j in range(len(sums))
    )
    begun = [regions[n][p] for n, p in enumerate(first)]
    met = {(n, m): {(begun[n], begun[m])} for n, m in permutations(range(len(begun)), 2)}
    return Together(sums, regions, inside, weights, counted, met)


def bounds_at(known: Together, *spots: Spot) -> Ranges | None:
    """What the sums say of shared variables while threads are there and others where they may meet them; None if no
    thread is known to be there yet.
    """
    if spots not in known.bounds:
        known.bounds[spots] = _bounds_at(known, spots)
    return known.bounds[spots]


def _bounds_at(known: Together, spots: tuple[Spot, ...]) -> Ranges | None:
    fixed = dict(spots)
    numbers = range(len(known.weights))
    return _bounds(known, {n: (fixed[n],) if n in fixed else _allowed(known, n, spots) for n in numbers})


def bounds_seen(known: Together, spot: Spot, before: Ranges) -> Ranges | None:
    """What the sums say of shared variables while a thread is there and knows what holds `before` its step: others are
    where that may be. None if that cannot be.
    """
    there: dict[int, tuple[int, ...]] = {spot[0]: (spot[1],)}
    for n, weights in enumerate(known.weights):
        if n != spot[0]:
            regions = (r for r in range(len(weights)) if meets(known, spot, (n, r)))
            there[n] = tuple(r for r in regions if _possible(bounds_at(known, spot, (n, r)), before))
    return _bounds(known, there)


def _bounds(known: Together, regions: Mapping[int, tuple[int, ...]]) -> Ranges | None:
    """The same while each thread is at one of these regions."""
    found = dict[Var, Interval]()
    for j, one in enumerate(known.sums):
        total = interval.ZERO
        for n in known.counted[j]:
            weights, there = known.weights[n], regions[n]
            if not there:
                return None
            heavy = weights[there[0]][j]
            for r in there[1:]:
                heavy = interval.hull(heavy, weights[r][j])
            total = interval.add(total, heavy)
        left = one.left(total)
        common = None if left is None else interval.meet(left, found[one.var]) if one.var in found else left
        if common is None:
            return None
        found[one.var] = common
    return found


def _allowed(known: Together, number: int, spots: tuple[Spot, ...]) -> tuple[int, ...]:
    """The regions of a thread that were met with all of these."""
    regions = range(len(known.weights[number]))
    return tuple(r for r in regions if all((q, r) in known.met[n, number] for n, q in spots))


def meets(known: Together, one: Spot, other: Spot) -> bool:
    """Whether two threads were met there."""
    return (one[1], other[1]) in known.met[one[0], other[0]]


def add_pair(known: Together, one: Spot, other: Spot) -> None:
    """Two threads are met there."""
    known.met[one[0], other[0]].add((one[1], other[1]))
    known.met[other[0], one[0]].add((other[1], one[1]))
    known.bounds.clear()


def keeps(one: Sum, number: int, point: Point, step: Step, before: Ranges) -> bool:
    """Whether a step of a thread leaves a sum as it is."""
    now, then = one.weights[number][point], one.weights[number].get(step.target)
    if then is None:
        return False
    change = interval.scale(one.factor, _added(one.var, step, before))
    # The least must not grow, and the most not fall.
    low, high = (_ends(change, now[i], then[i]) for i in (0, 1))
    return low is not None and high is not None and low[1] <= 0 <= high[0]


def _added(var: Var, step: Step, before: Ranges) -> Interval:
    """What a step adds to a variable."""
    if var not in step.updates:
        return interval.ZERO
    written = _unwrapped(step.updates[var], before)
    # What the variable equals when the step is made, as in a compare-and-swap, counts as well.
    said = (solution(formula, frozenset({var})) for formula in build.conjuncts(step.guard) if var in formula.free)
    added: Interval = interval.WHOLE
    for value in (var, *(s[1] for s in said if s is not None)):
        added = interval.meet(added, interval_of(build.sub(written, value), before)) or added
    return added


def _unwrapped(term: Term, before: Ranges) -> Term:
    """A number without the remainders that are what is divided, up to a constant."""
    constant, parts = build.linear_parts(term)
    found: list[Term] = [build.integer(constant)]
    for part, factor in parts.items():
        if isinstance(part, Mod):
            low, high = interval_of(part.dividend, before)
            if low is not None and high is not None and low // part.divisor == high // part.divisor:
                part = build.sub(part.dividend, build.integer(low // part.divisor * part.divisor))
        found.append(build.scale(factor, part))
    return build.add(*found)


def _ends(change: Interval, now: int | None, then: int | None) -> tuple[int, int] | None:
    if change[0] is None or change[1] is None or now is None or then is None:
        return None
    return change[0] + then - now, change[1] + then - now


def excluding(known: Together, owners: Sequence[Owner], common: Ranges) -> Iterator[Term]:
    """The sums, and the regions that exclude each other though the sums alone do not say so."""
    for one in known.sums:
        yield from one.said
    wide = Together(
        known.sums, known.regions, known.inside, known.weights, known.counted, _everything(known), bounds={}
    )
    for (n, m), met in known.met.items():
        for r in range(len(known.weights[n])) if n < m else ():
            for s in range(len(known.weights[m])):
                if (r, s) not in met and _possible(bounds_at(wide, (n, r), (m, s)), common):
                    yield build.lnot(build.land(_there(known, owners, (n, r)), _there(known, owners, (m, s))))


def excluded_places(known: Together, common: Ranges) -> frozenset[frozenset[tuple[int, str]]]:
    """The pairs of locations of two threads that are never met."""
    places = [dict[str, set[int]]() for _ in known.regions]
    for of, regions in zip(places, known.regions, strict=True):
        for point, region in regions.items():
            of.setdefault(point.place, set()).add(region)
    found = set[frozenset[tuple[int, str]]]()
    for (n, m), met in known.met.items():
        if n < m:
            real = {(r, s) for r, s in met if _possible(bounds_at(known, (n, r), (m, s)), common)}
            for p, some in places[n].items():
                for q, others in places[m].items():
                    if not any((r, s) in real for r in some for s in others):
                        found.add(frozenset({(n, p), (m, q)}))
    return frozenset(found)


def _everything(known: Together) -> dict[tuple[int, int], set[tuple[int, int]]]:
    sizes = [len(some) for some in known.weights]
    return {(n, m): {(r, s) for r in range(sizes[n]) for s in range(sizes[m])} for n, m in known.met}


def _possible(bounds: Ranges | None, known: Ranges) -> bool:
    return bounds is not None and all(
        v not in known or interval.meet(values, known[v]) is not None for v, values in bounds.items()
    )


def _there(known: Together, owners: Sequence[Owner], spot: Spot) -> Term:
    number, region = spot
    owner, here = owners[number], known.inside[number][region]
    by_place = dict[str, list[Point]]()
    for point in here:
        by_place.setdefault(point.place, []).append(point)
    every = known.regions[number]
    return build.lor(
        *(
            build.land(at(owner.thread, place), build.lor(*(_values(owner, p) for p in points)))
            if any(p.place == place and p not in points for p in every)
            else at(owner.thread, place)
            for place, points in by_place.items()
        )
    )


def _values(owner: Owner, point: Point) -> Term:
    return build.land(*(build.eq(v, x) for v, x in owner.known(point).items()))
