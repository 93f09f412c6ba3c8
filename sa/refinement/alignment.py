"""How runs of the two sides that show the same actions are aligned: loops that go around at different rates.

An unrolled loop makes one turn where the other one makes two, a rotated one tests where the other one has gone around.
Runs of both sides with the same actions show how often each loop goes around, and linear equations between these
numbers say how far the abstract side has to be when the concrete one has made so many turns (data-driven alignment:
Churchill and others, Semantic Program Alignment for Equivalence Checking, PLDI 2019; regression verification by product
programs: Barthe and others, FM 2011). The stretches of the abstract run between are the answers to concrete steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, product
from math import gcd, lcm
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge
from sa.automata.components import on_cycles, postorder
from sa.game.unrolling import Unrolling
from sa.invariants.linear import null_space

#: Coefficients at most of an equation between turns, and copies of a loop.
MOST, COPIES = 16, 16

#: Answers to one step, and edges of one: turns with a test take two ways each, and the answer to several makes all.
ANSWERS, LENGTH = 40, 48


#: Turns by side and head of a loop; under None stands 1.
Row: TypeAlias = dict[tuple[int, str] | None, int]

#: What an equation says of either side: heads of loops with their coefficients.
Sides: TypeAlias = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]


class Couple(Struct, frozen=True):
    """Runs of both sides that show the same actions in the same order, as numbers of edges."""

    concrete: tuple[int, ...]
    abstract: tuple[int, ...]


class Loops(Struct, frozen=True, eq=False):
    """The silent loops of a side: of each location the number of its loop, if it is in one; the heads of loops, where
    turns are counted; and the edges that close a turn.
    """

    edges: Sequence[Edge]
    component: Mapping[str, int]
    heads: tuple[str, ...]
    closing: frozenset[int]

    def turns(self, run: Sequence[int]) -> Counter[str]:
        """How often a run goes around, by the heads of loops."""
        return Counter(self.edges[n].target for n in run if n in self.closing)

    def within(self, edge: Edge) -> bool:
        """Whether an edge stays in a loop."""
        loop = self.component.get(edge.target)
        return loop is not None and loop == self.component.get(edge.source)


class Rate(Struct, frozen=True):
    """`Σ concrete · turns == Σ abstract · turns + late` when both runs have ended; `late` is the most that was seen."""

    concrete: tuple[tuple[str, int], ...]
    abstract: tuple[tuple[str, int], ...]
    late: int


class Aligned(Struct, frozen=True, eq=False):
    """Answers by the concrete copy, the abstract location and the number of the concrete edge, the usual ones first."""

    answers: Mapping[tuple[str, str, int], tuple[tuple[int, ...], ...]]


def loops_of(automaton: Automaton) -> Loops:
    """The loops of a side that show nothing."""
    following: dict[str, list[str]] = {q.name: [] for q in automaton.locations}
    silent: dict[str, list[str]] = {q.name: [] for q in automaton.locations}
    for edge in automaton.edges:
        following[edge.source].append(edge.target)
        if edge.label is None:
            silent[edge.source].append(edge.target)
    component = on_cycles(tuple(silent), silent)
    last = {q: n for n, q in enumerate(postorder(automaton.initial, following)[0])}
    closing = {
        n: e.target
        for n, e in enumerate(automaton.edges)
        if e.label is None and component.get(e.source, -1) == component.get(e.target) and e.source in last
        if last[e.source] <= last[e.target]
    }
    return Loops(automaton.edges, component, tuple(dict.fromkeys(closing.values())), frozenset(closing))


def rates(first: Loops, second: Loops, couples: Sequence[Couple]) -> tuple[Rate, ...]:
    """Equations between the turns of both sides, in runs that take the same way but for the turns that they make."""
    groups = dict[object, list[Row]]()
    for couple in couples:
        way = _way(first, couple.concrete), _way(second, couple.abstract)
        mine, theirs = first.turns(couple.concrete), second.turns(couple.abstract)
        row: Row = {(0, q): mine[q] for q in first.heads}
        row |= {(1, q): theirs[q] for q in second.heads}
        groups.setdefault(way, []).append({**row, None: 1})
    late = dict[Sides, int]()
    for rows in groups.values():
        moving = [k for k in rows[0] if k is not None and len({row[k] for row in rows}) > 1]
        for sides in _balanced(moving, rows) if moving else ():
            ahead, behind = (sum(w * rows[0][side, q] for q, w in sides[side]) for side in (0, 1))
            late[sides] = max(late.get(sides, ahead - behind), ahead - behind)
    return tuple(Rate(*sides, rest) for sides, rest in late.items()) or _constant(first, second, groups)


def _way(loops: Loops, run: Sequence[int]) -> frozenset[int]:
    return frozenset(n for n in run if not loops.within(loops.edges[n]))


def _balanced(moving: Sequence[tuple[int, str]], rows: Sequence[Row]) -> Iterator[Sides]:
    """Equations with positive coefficients on both sides."""
    if len({tuple(row.items()) for row in rows}) <= len(moving):
        return
    for weights in null_space((None, *moving), rows):
        mine, theirs = ({k[1]: w for k, w in weights.items() if k and k[0] == side} for side in (0, 1))
        if mine and min(mine.values()) < 0:
            mine, theirs = {q: -w for q, w in mine.items()}, {q: -w for q, w in theirs.items()}
        signs = mine and theirs and min(mine.values()) > 0 > max(theirs.values())
        if signs and max(*mine.values(), *(-w for w in theirs.values())) <= MOST:
            yield tuple(mine.items()), tuple((q, -w) for q, w in theirs.items())


def _constant(first: Loops, second: Loops, groups: Mapping[object, Sequence[Row]]) -> tuple[Rate, ...]:
    """Of loops that always go around as often the likeliest equation: between numbers that divide each other."""
    found = list[tuple[int, Rate]]()
    for (here, there), rows in product(product(first.heads, second.heads), groups.values()):
        mine, theirs = ({row[side, q] for row in rows} for side, q in ((0, here), (1, there)))
        if len(mine) == len(theirs) == 1 and (n := mine.pop()) > 0 and (m := theirs.pop()) > 0:
            common = gcd(n, m)
            if min(n, m) == common and max(n, m) // common <= MOST:
                found.append((max(n, m) // common, Rate(((here, m // common),), ((there, n // common),), 0)))
    return (min(found, key=lambda pair: pair[0])[1],) if found else ()


def unrollings(loops: Loops, found: Sequence[Rate]) -> tuple[Unrolling, ...] | None:
    """How concrete loops are unrolled, so that a location says how far behind the other side is; None if too often."""
    made = dict[int, Unrolling]()
    for rate in found:
        unit = max(w for _, w in rate.abstract)
        for head, weight in rate.concrete:
            whole = lcm(weight, *(w for _, w in rate.abstract)) // weight
            first = max(0, -(-(rate.late - unit + 1) // weight))
            loop = loops.component[head]
            places = frozenset(q for q, number in loops.component.items() if number == loop)
            if whole + first > COPIES:
                return None
            if whole + first > 1 and loop not in made:
                closing = frozenset(n for n in loops.closing if loops.edges[n].target == head)
                made[loop] = Unrolling(places, closing, first, whole)
    return tuple(made.values())


class Course(Struct, frozen=True, eq=False):
    """How couples are aligned: loops of the sides, copies of concrete locations, and rates.

    `ahead`: behind its last loop the abstract side goes on to the next action at once. It stays at once where it has
    won for good.
    """

    first: Loops
    second: Loops
    copies: Mapping[tuple[str, int], tuple[int, str]]
    initial: tuple[str, str]
    rates: Sequence[Rate]
    winning: frozenset[str]
    ahead: bool


def aligned(course: Course, couples: Sequence[Couple]) -> Aligned | None:
    """The answers that runs aligned at these rates give; None where they are too many or too long."""
    met = dict[tuple[str, str, int], Counter[tuple[int, ...]]]()
    for couple in couples:
        for key, path in _along(course, couple):
            if len(path) > LENGTH:
                return None
            met.setdefault(key, Counter())[path] += 1
            if len(met[key]) > ANSWERS:
                return None
    return Aligned({key: tuple(path for path, _ in seen.most_common()) for key, seen in met.items()})


def _along(course: Course, couple: Couple) -> Iterator[tuple[tuple[str, str, int], tuple[int, ...]]]:
    """Each step of the concrete run with the stretch of the abstract run that answers it."""
    theirs, edges = couple.abstract, course.second.edges
    places = (course.initial[1], *(edges[n].target for n in theirs))
    shown = [n for n, e in enumerate(theirs) if edges[e].label is not None]
    progress = [
        tuple(accumulate((weight.get(edges[n].target, 0) * (n in course.second.closing) for n in theirs), initial=0))
        for weight in (dict(r.abstract) for r in course.rates)
    ]
    here, at, made, seen = course.initial[0], 0, [0] * len(course.rates), 0
    looping = _still_looping(course.first, couple.concrete)
    for step, number in enumerate(couple.concrete):
        edge = course.first.edges[number]
        if number in course.first.closing:
            made = [m + dict(r.concrete).get(edge.target, 0) for m, r in zip(made, course.rates, strict=True)]
        copy, there = course.copies[here, number]
        if edge.label is not None:
            to, seen = shown[seen] + 1, seen + 1
        else:
            end = shown[seen] if seen < len(shown) else len(theirs)
            to = _reached(course, (at, end), made, progress)
            if (course.ahead and not looping[step]) or places[end] in course.winning:
                to = end
        yield (here, places[at], copy), theirs[at:to]
        here, at = there, to


def _reached(course: Course, within: tuple[int, int], made: Sequence[int], progress: Sequence[Sequence[int]]) -> int:
    """The first position of the abstract run, from one to another, where it is as far as the rates want it to be."""
    at, end = within
    for rate, mine, theirs in zip(course.rates, made, progress, strict=True):
        wanted = min(mine - max(rate.late, 0), theirs[end])
        at = next(n for n in range(at, end + 1) if theirs[n] >= wanted)
    return at


def _still_looping(loops: Loops, run: Sequence[int]) -> list[bool]:
    """For each step whether it leads into a loop, or one comes behind it before the next action."""
    found, loop = list[bool](), False
    for number in reversed(run):
        edge = loops.edges[number]
        loop = loop or edge.target in loops.component
        found.append(loop)
        if edge.label is not None:
            loop = False
    return found[::-1]
