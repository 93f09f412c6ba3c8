"""What intervals at threads' locations say, as facts about locations and as lemmas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Edge
from sa.automata.family import crowd
from sa.automata.rename import apart
from sa.base.limits import Limits
from sa.conditions.never import taking
from sa.domains.formula import in_ranges
from sa.invariants.exclusion import excluded_places, excluding, is_at
from sa.invariants.interferences import Run
from sa.invariants.intervals import Bounded, intervals_of, iteration_of, taken
from sa.invariants.own_points import Owner, Point
from sa.question.asked import Asked
from sa.terms import build, interval
from sa.terms.bounds import Ranges
from sa.terms.interval import Interval, sort_range
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


def bounded_of(asked: Asked, bounds: Limits) -> Bounded:
    """The intervals of the threads that are asked about. What a limit ended goes on. Raises LimitReached."""
    threads = tuple(apart(t) for t in asked.threads)
    run = asked.shared.once(("intervals", asked.threads), lambda: iteration_of(threads, bounds))
    return asked.shared.once(("bounded", asked.threads), lambda: intervals_of(run, bounds))


def bounded_of_crowd(asked: Asked, bounds: Limits) -> Bounded:
    """The intervals of threads and of two copies of each family: what copies do to one of them, another one does to it.

    Sums of numbers of copies are left out, since there may be more of these. Raises LimitReached.
    """
    threads = tuple(apart(t) for t in (*asked.threads, *crowd(asked.families, tuple(2 for _ in asked.families))))
    begun = tuple(replace(t, init=build.land(t.init, asked.init)) for t in threads[:1])
    key = asked.threads, tuple(f.thread for f in asked.families)

    def iteration() -> Run:
        return iteration_of((*begun, *threads[1:]), bounds, sums=False)

    run = asked.shared.once(("intervals of a crowd", key), iteration)
    return asked.shared.once(("bounded crowd", key), lambda: intervals_of(run, bounds))


class Facts(Struct, frozen=True, eq=False):
    """What intervals say: at each location, by the number of its thread; which locations of two threads exclude each
    other; and all as lemmas.
    """

    places: Mapping[tuple[int, str], tuple[Term, ...]]
    excluded: frozenset[frozenset[tuple[int, str]]]
    lemmas: tuple[Term, ...]


def facts_of_intervals(known: Bounded) -> Facts:
    """What was found as facts."""
    lemmas = lemmas_of(known)
    places = dict[tuple[int, str], tuple[Term, ...]]()
    for number, (owner, points) in enumerate(zip(known.owners, known.points, strict=True)):
        here = dict[str, dict[Var, Interval]]()
        for point, box in points.items():
            there = here.setdefault(point.place, dict(box))
            there |= {v: interval.hull(x, there[v]) for v, x in box.items()}
        for q in owner.thread.locations:
            said = _within(_telling(known, here[q.name])) if q.name in here else build.FALSE
            places[number, q.name] = build.conjuncts(said) if said is not build.TRUE else ()
    excluded = frozenset() if known.meetings is None else excluded_places(known.meetings, known.common)
    return Facts(places, excluded, lemmas)


def is_possible(known: Bounded, number: int, point: Point, edge: Edge) -> bool:
    """Whether a thread can take a step, as far as intervals say."""
    if point.place != edge.source:
        return False
    guard = substitute(taking(edge), known.owners[number].known(point))
    box = {**known.common, **known.points[number][point]}
    if known.meetings is None:
        return taken(guard, box, known.conditional) is not None
    spot = number, known.meetings.regions[number][point]
    return taken(guard, box, known.conditional, known.meetings, spot) is not None


def lemmas_of(known: Bounded) -> tuple[Term, ...]:
    """All that was found, as lemmas about the joint states."""
    return tuple(dict.fromkeys(c for c in _lemmas(known) if c is not build.TRUE))


def _lemmas(known: Bounded) -> Iterator[Term]:
    """What holds always, where a thread can be with which values, and the intervals there."""
    yield from always(known)
    if known.meetings is not None:
        yield from excluding(known.meetings, known.owners, known.common)
    for owner, points in zip(known.owners, known.points, strict=True):
        by_place: dict[str, list[Point]] = {q.name: [] for q in owner.thread.locations}
        for point in points:
            by_place[point.place].append(point)
        alike = dict[tuple[Var, Interval], list[Term]]()
        for place, here in by_place.items():
            at = is_at(owner.thread, place)
            for point in here:
                others = [q for q in here if q is not point and _overlap(point, q)]
                condition = build.land(at, _values(owner, point))
                if others:
                    told = [build.land(_values(owner, q), _said(known, points[q])) for q in others]
                    yield build.implies(condition, build.lor(_said(known, points[point]), *told))
                else:
                    for v, values in _telling(known, points[point]).items():
                        alike.setdefault((v, values), []).append(condition)
            yield build.implies(at, build.lor(*(_values(owner, p) for p in here)))
        # One lemma for all points at which a variable has the same interval.
        yield from (build.implies(build.lor(*at), _within({v: values})) for (v, values), at in alike.items())


def _overlap(one: Point, other: Point) -> bool:
    """Whether a state may be at both points: what a local is that has not been set yet is not known."""
    return all(x == y or x is None or y is None for x, y in zip(one.values, other.values, strict=True))


def _values(owner: Owner, point: Point) -> Term:
    return build.land(*(build.eq(v, x) for v, x in owner.known(point).items()))


def _said(known: Bounded, box: Ranges) -> Term:
    """The intervals of a point or a pivot that say more than what holds always."""
    return _within(_telling(known, box))


def _telling(known: Bounded, box: Ranges) -> Ranges:
    return {v: x for v, x in box.items() if x != known.common[v]}


def always(known: Bounded) -> Iterator[Term]:
    """What holds of each variable always, and whenever a pivot has its value."""
    declared = {v.var: (v.low, v.high) for o in known.owners for v in o.thread.variables}
    yield from (_within({v: values}) for v, values in known.common.items() if values != declared.get(v))
    for (var, value), box in known.conditional.items():
        said = build.FALSE if box is None else _said(known, box)
        yield build.implies(in_ranges(var, ((value, value),)), said)


def _within(box: Ranges) -> Term:
    return build.land(*(in_ranges(v, (values,)) for v, values in box.items() if values != sort_range(v.sort)))
