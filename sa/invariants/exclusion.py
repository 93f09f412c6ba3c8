"""Which control points of two threads exclude each other, by sums of numbers and locations that all steps keep.

A spin lock is 1 while somebody holds it, whoever that is; a word counts the readers, and is -1 while one writes. As
place invariants such numbers are sums of what each thread's point weighs (Murata, Petri Nets, 1989, section VI). What a
thread's point weighs is its *region*: pairs of regions that steps lead to, with the sums in mind and with what is known
of both threads, are those that can be met. The others exclude each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import permutations
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.invariants.own_points import Owner, Point, Step, read_by
from sa.invariants.place_invariants import Guess, InBalance, totals, weighed
from sa.terms import build, interval
from sa.terms.bounds import Ranges, interval_of
from sa.terms.interval import Interval
from sa.terms.name import at_place
from sa.terms.solve import solution
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Int, Mod, Term, Var

#: Regions of a thread: where there are more, nothing is said of what excludes what.
MOST_REGIONS = 100

#: Pairs of sums that are looked at together: where there are more, none are.
MOST_PAIRS = 60

#: The region of the thread with this number.
Region: TypeAlias = tuple[int, int]


class Sum(Struct, frozen=True, eq=False):
    """That `factor * var` and what the threads' points weigh come to `begun`; `said` says it as formulas.

    By thread, what its points weigh: ranges where their locations do not tell. `kinds` leave out what counters of
    loops add to that.
    """

    var: Var
    factor: int
    begun: int
    said: tuple[Term, ...]
    weights: tuple[Mapping[Point, Interval], ...]
    kinds: tuple[Mapping[Point, Interval], ...]

    def left(self, total: Interval) -> Interval | None:
        """What the variable may be where all points together weigh this much; None if that cannot be."""
        return interval.unscale(interval.add((self.begun, self.begun), interval.scale(-1, total)), self.factor)


@dataclass(slots=True)
class Meetings:
    """What is known of points of several threads: the pairs of regions that were met so far, both ways round.

    `regions` are by thread the regions of its points, `inside` those the other way round; `weights` are by thread and
    region what it weighs in each sum, `counted` by sum the threads that count. `beside` are pairs of sums that say more
    together, the second with a factor: who uses a place has a permit, of which there are so many. `ranges` is what
    holds always, `bounds` a memory.
    """

    sums: tuple[Sum, ...]
    regions: tuple[Mapping[Point, int], ...]
    inside: tuple[tuple[tuple[Point, ...], ...], ...]
    weights: tuple[tuple[tuple[Interval, ...], ...], ...]
    counted: tuple[tuple[int, ...], ...]
    beside: tuple[tuple[int, int, int], ...]
    ranges: Ranges
    met: dict[tuple[int, int], set[tuple[int, int]]]
    bounds: dict[tuple[Region, ...], Ranges | None] = field(default_factory=dict)


def sums_of(owners: Sequence[Owner], steps: Sequence[Mapping[Point, Sequence[Step]]]) -> tuple[Sum, ...]:
    """Sums of one shared number each, and of numbers that are control, that steps seem to keep: whoever uses them shows
    that they do.
    """
    threads = [o.thread for o in owners]
    shared = frozenset[Var]().union(*(variables_of(t, Kind.GLOBAL) for t in threads))
    control = frozenset[Var]().union(*(o.control for o in owners)) - shared
    found = dict[tuple[Term, ...], Sum]()
    for guess in (Guess.NOTHING, Guess.UNDISTURBED):
        for total in totals(threads, guess, ends=True):
            about = [(v, factor) for v, factor in total.numbers.items() if v not in control]
            match about, total.begun:
                case [(var, factor)], Int(begun) if var in shared:
                    weights, kinds = (_weights(owners, steps, total, counting) for counting in (True, False))
                    counted = sum(any(w != interval.ZERO for w in of.values()) for of in weights)
                    if counted > 1 or (counted and sum(var in read_by(t) for t in threads) > 1):
                        found.setdefault(total.said(), Sum(var, factor, begun, total.said(), weights, kinds))
                case _:
                    pass
    return tuple(found.values())


def _weights(
    owners: Sequence[Owner], steps: Sequence[Mapping[Point, Sequence[Step]]], total: InBalance, counting: bool
) -> tuple[Mapping[Point, Interval], ...]:
    """By thread what its points weigh, with the counters that they know or without."""
    found = list[Mapping[Point, Interval]]()
    for owner, here, *parts in zip(owners, steps, total.least, total.most, strict=True):
        local = variables_of(owner.thread, Kind.LOCAL) if counting else ()
        own = weighed({v: f for v, f in total.numbers.items() if v in owner.control and v in local})
        low, high = (build.add(own, part) for part in parts)
        found.append({p: interval.hull(_weight(owner, p, low), _weight(owner, p, high)) for p in here})
    return tuple(found)


def _weight(owner: Owner, point: Point, part: Term) -> Interval:
    here: dict[Var, Term] = {
        v: build.boolean(v is is_at(owner.thread, point.place)) for v in part.free if v.sort == BOOL
    }
    return interval_of(substitute(part, {**here, **owner.known(point)}), {})


def is_at(thread: Automaton, place: str) -> Var:
    """That a thread is at a location."""
    return build.variable(at_place(thread.name, place), BOOL)


def meetings_of(
    sums: tuple[Sum, ...], first: Sequence[Point], steps: Sequence[Mapping[Point, Sequence[Step]]], ranges: Ranges
) -> Meetings | None:
    """What is known in the beginning; None where the sums tell too little, or too much. What holds always is in
    `ranges`.
    """
    told = [{p: tuple(s.kinds[n][p] for s in sums) for p in here} for n, here in enumerate(steps)]
    kinds = [list(dict.fromkeys(here.values())) for here in told]
    if not sums or max(map(len, kinds)) > MOST_REGIONS:
        return None
    numbers = [{w: i for i, w in enumerate(some)} for some in kinds]
    regions = tuple({p: numbers[n][w] for p, w in here.items()} for n, here in enumerate(told))
    inside = tuple(
        tuple(tuple(p for p, r in here.items() if r == number) for number in range(len(some)))
        for here, some in zip(regions, kinds, strict=True)
    )
    weights = tuple(
        tuple(tuple(reduce(interval.hull, (s.weights[n][p] for p in region)) for s in sums) for region in some)
        for n, some in enumerate(inside)
    )
    counted = tuple(
        tuple(n for n, some in enumerate(weights) if any(w[j] != interval.ZERO for w in some)) for j in range(len(sums))
    )
    begun = [regions[n][p] for n, p in enumerate(first)]
    met = {(n, m): {(begun[n], begun[m])} for n, m in permutations(range(len(begun)), 2)}
    beside = tuple(
        (j, k, factor)
        for j, k in permutations(range(len(sums)), 2)
        if sums[j].var is not sums[k].var and len({*counted[j]} & {*counted[k]}) > 1
        for factor in (1, -1)
    )
    return Meetings(sums, regions, inside, weights, counted, beside if len(beside) <= MOST_PAIRS else (), ranges, met)


def bounds_at(known: Meetings, *given: Region) -> Ranges | None:
    """What the sums say of shared variables while threads are there and others where they may meet them; None if no
    thread is known to be there yet.
    """
    if given not in known.bounds:
        known.bounds[given] = _bounds_at(known, given)
    return known.bounds[given]


def _bounds_at(known: Meetings, given: tuple[Region, ...]) -> Ranges | None:
    fixed = dict(given)
    numbers = range(len(known.weights))
    return _bounds(known, {n: (fixed[n],) if n in fixed else _allowed(known, n, given) for n in numbers})


def bounds_seen(known: Meetings, region: Region, before: Ranges) -> Ranges | None:
    """What the sums say of shared variables while a thread is there and knows what holds `before` its step: others are
    where that may be. None if that cannot be.
    """
    there: dict[int, tuple[int, ...]] = {region[0]: (region[1],)}
    for n, weights in enumerate(known.weights):
        if n != region[0]:
            regions = (r for r in range(len(weights)) if meets(known, region, (n, r)))
            there[n] = tuple(r for r in regions if _possible(bounds_at(known, region, (n, r)), before))
    return _bounds(known, there)


def _bounds(known: Meetings, regions: Mapping[int, tuple[int, ...]]) -> Ranges | None:
    """The same while each thread is at one of these regions."""
    if any(not there for there in regions.values()):
        return None
    found = dict[Var, Interval]()
    for j, one in enumerate(known.sums):
        if not _found(found, one.var, one.left(_total(known, regions, ((j, 1),)))):
            return None
    for j, k, factor in known.beside:
        one, other = known.sums[j], known.sums[k]
        total = _total(known, regions, ((j, 1), (k, factor)))
        value = interval.scale(other.factor, interval.meet(known.ranges[other.var], found[other.var]) or interval.WHOLE)
        # What the other number and its sum come to is 0, whatever it is.
        total = interval.add(total, interval.scale(factor, interval.add(value, (-other.begun, -other.begun))))
        if not _found(found, one.var, one.left(total)):
            return None
    return found


def _found(found: dict[Var, Interval], var: Var, left: Interval | None) -> bool:
    """Add what is left for a variable; whether there is anything."""
    common = None if left is None else interval.meet(left, found[var]) if var in found else left
    if common is not None:
        found[var] = common
    return common is not None


def _total(known: Meetings, regions: Mapping[int, tuple[int, ...]], sums: Sequence[tuple[int, int]]) -> Interval:
    """What threads weigh together in sums with these factors, each thread at one of these regions."""
    total = interval.ZERO
    for n in dict.fromkeys(n for j, _ in sums for n in known.counted[j]):
        weights = (
            reduce(interval.add, (interval.scale(factor, known.weights[n][r][j]) for j, factor in sums))
            for r in regions[n]
        )
        total = interval.add(total, reduce(interval.hull, weights))
    return total


def _allowed(known: Meetings, number: int, given: tuple[Region, ...]) -> tuple[int, ...]:
    """The regions of a thread that were met with all of these."""
    regions = range(len(known.weights[number]))
    return tuple(r for r in regions if all((q, r) in known.met[n, number] for n, q in given))


def meets(known: Meetings, one: Region, other: Region) -> bool:
    """Whether two threads were met there."""
    return (one[1], other[1]) in known.met[one[0], other[0]]


def add_pair(known: Meetings, one: Region, other: Region) -> None:
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
    if var.sort == BOOL:
        return interval.add(interval_of(step.updates[var], before), interval.scale(-1, interval_of(var, before)))
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


def excluding(known: Meetings, owners: Sequence[Owner], common: Ranges) -> Iterator[Term]:
    """The sums, and the regions that exclude each other though the sums alone do not say so."""
    for one in known.sums:
        yield from one.said
    wide = replace(known, met=_everything(known), bounds={}, beside=())
    for (n, m), met in known.met.items():
        for r in range(len(known.weights[n])) if n < m else ():
            for s in range(len(known.weights[m])):
                if (r, s) not in met and _possible(bounds_at(wide, (n, r), (m, s)), common):
                    yield build.lnot(build.land(_there(known, owners, (n, r)), _there(known, owners, (m, s))))


def excluded_places(known: Meetings, common: Ranges) -> frozenset[frozenset[tuple[int, str]]]:
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


def _everything(known: Meetings) -> dict[tuple[int, int], set[tuple[int, int]]]:
    sizes = [len(some) for some in known.weights]
    return {(n, m): {(r, s) for r in range(sizes[n]) for s in range(sizes[m])} for n, m in known.met}


def _possible(bounds: Ranges | None, known: Ranges) -> bool:
    return bounds is not None and all(
        v not in known or interval.meet(values, known[v]) is not None for v, values in bounds.items()
    )


def _there(known: Meetings, owners: Sequence[Owner], region: Region) -> Term:
    number, within = region
    owner, here = owners[number], known.inside[number][within]
    by_place = dict[str, list[Point]]()
    for point in here:
        by_place.setdefault(point.place, []).append(point)
    every = known.regions[number]
    return build.lor(
        *(
            build.land(is_at(owner.thread, place), build.lor(*(_values(owner, p) for p in points)))
            if any(p.place == place and p not in points for p in every)
            else is_at(owner.thread, place)
            for place, points in by_place.items()
        )
    )


def _values(owner: Owner, point: Point) -> Term:
    return build.land(*(build.eq(v, x) for v, x in owner.known(point).items()))
