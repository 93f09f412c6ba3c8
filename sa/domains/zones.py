"""Differences between variables: upper bounds of `x - y`, and values that a difference does not have.

Zones (difference bound matrices, Dill 1989) with disequalities. Tickets, ring buffers and counters of rounds are
compared like that: `served <= mine < next`, `mine != yours`. Booleans count as 0 and 1, enumerations as their index;
None is the variable that is always 0, so `(x, None): 5` is `x <= 5`. Bounds are closed: what two of them imply is
there. The empty set has no zone; operations that may meet it return None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from sa.terms import build
from sa.terms.sort import BOOL, finite_values, number
from sa.terms.substitute import primed, rebuild
from sa.terms.term import Bool, Int, IsZero, Ite, Le, Member, Mod, Not, Or, Same, Term, Var, subterms

Point: TypeAlias = Var | None
Pair: TypeAlias = tuple[Point, Point]

#: A join names values between two ranges that a difference does not have, if there are so few.
GAP = 3

#: Choices by condition in one step that are told apart.
CASES = 8


class Zone(Struct, frozen=True):
    """`x - y <= bounds[x, y]`, and `x - y != c` for each `(x, y, c)` in `apart`, x before y in the order of keys."""

    bounds: Mapping[Pair, int]
    apart: frozenset[tuple[Point, Point, int]]


EVERYTHING = Zone({}, frozenset())


def meet(zone: Zone, formula: Term) -> Zone | None:
    """A zone of all states of this one in which the formula holds."""
    work = _Work(dict(zone.bounds), set(zone.apart), dict.fromkeys(p for pair in zone.bounds for p in pair))
    waiting = list[Or]()
    for part in build.conjuncts(formula):
        if isinstance(part, Or):
            waiting.append(part)
        elif not _add(work, part):
            return None
    met = _settled(work)
    for choice in waiting:
        if met is not None:
            found = [z for part in choice.args if (z := meet(met, part)) is not None]
            met = _joined(found)
    return met


def join(first: Zone, second: Zone) -> Zone:
    """A zone of all states of both."""
    bounds = {p: max(c, second.bounds[p]) for p, c in first.bounds.items() if p in second.bounds}
    apart = {a for a in first.apart if _excludes(second, a)} | {a for a in second.apart if _excludes(first, a)}
    for (x, y), above in first.bounds.items():
        below = second.bounds.get((y, x))
        if below is not None and 1 < -below - above <= GAP + 1:
            apart.update(_ordered(x, y, c) for c in range(above + 1, -below))
    return Zone(bounds, frozenset(apart))


def widen(old: Zone, joined: Zone, thresholds: Sequence[int]) -> Zone:
    """A weaker zone than a join with the old one: bounds that grew are the next of the thresholds, or none at all."""
    bounds = dict[Pair, int]()
    for pair, c in joined.bounds.items():
        if c == old.bounds[pair]:
            bounds[pair] = c
        elif (later := next((t for t in thresholds if c <= t), None)) is not None:
            bounds[pair] = later
    return Zone(bounds, joined.apart & old.apart)


def forget(zone: Zone, variables: Iterable[Var]) -> Zone:
    """The zone without what it says of some variables."""
    gone = frozenset[Point](variables)
    return Zone(
        {p: c for p, c in zone.bounds.items() if p[0] not in gone and p[1] not in gone},
        frozenset(a for a in zone.apart if a[0] not in gone and a[1] not in gone),
    )


def step(guard: Term, updates: Mapping[Var, Term]) -> tuple[Term, ...]:
    """A step as relations between the state before and the one after, primed: one for each choice by condition."""
    cases = [(guard, dict(updates))]
    for _ in range(CASES - 1):
        found = next(((n, i) for n, (_, made) in enumerate(cases) if (i := _choice(made)) is not None), None)
        if found is None:
            break
        number, chosen = found
        known, made = cases.pop(number)
        for truth in (True, False):
            condition = chosen if truth else build.lnot(chosen)
            cases.append((build.land(known, condition), {v: _taken(t, chosen, truth) for v, t in made.items()}))
    return tuple(build.land(known, *(_becomes(v, t) for v, t in made.items())) for known, made in cases)


def after(zone: Zone, cases: Iterable[Term], changed: Iterable[Var]) -> Zone | None:
    """A zone of the states after a step, as `step` has it, that changes these variables."""
    gone = tuple(changed)
    back: dict[Point, Point] = {primed(v): v for v in gone}
    met = _joined([z for case in cases if (z := meet(zone, case)) is not None])
    if met is None:
        return None
    left = forget(met, gone)
    return Zone(
        {(back.get(x, x), back.get(y, y)): c for (x, y), c in left.bounds.items()},
        frozenset(_ordered(back.get(x, x), back.get(y, y), c) for x, y, c in left.apart),
    )


def size(relations: Iterable[Term]) -> int:
    """How many constraints are added to a zone for relations, those of all their cases."""
    parts = (p for r in relations for p in build.conjuncts(r))
    return sum(len(p.args) + size(p.args) if isinstance(p, Or) else 1 for p in parts)


def formulas(zone: Zone) -> tuple[Term, ...]:
    """What the zone says, without bounds that others imply: in all states in which it holds, and in no others."""
    left = dict(zone.bounds)
    points = {p for pair in left for p in pair}
    for x, y in sorted(left, key=lambda pair: None in pair):
        ways = ((left[x, z], left[z, y]) for z in points if (x, z) in left and (z, y) in left)
        if any(a + b <= left[x, y] for a, b in ways):
            del left[x, y]
    apart = sorted((_key(x), _key(y), c, x, y) for x, y, c in zone.apart)
    said = (
        *(build.at_most_zero(_difference(x, y, c)) for (x, y), c in left.items()),
        *(build.lnot(build.is_zero(_difference(x, y, c))) for _, _, c, x, y in apart),
    )
    return build.conjoined(said)


def _difference(x: Point, y: Point, c: int) -> Term:
    return build.combine(-c, ((as_number(p), s) for p, s in ((x, 1), (y, -1)) if p is not None))


def as_number(point: Var) -> Term:
    """A variable as the number that it counts as."""
    values = finite_values(point.sort)
    if values is None:
        return point
    *others, last = values
    found: Term = build.integer(number(last))
    for value in reversed(others):
        same = build.eq(point, build.constant(value, point.sort))
        found = build.ite(same, build.integer(number(value)), found)
    return found


def _key(point: Point) -> str:
    return "" if point is None else point.key


def _ordered(x: Point, y: Point, c: int) -> tuple[Point, Point, int]:
    return (x, y, c) if _key(x) <= _key(y) else (y, x, -c)


def _excludes(zone: Zone, value: tuple[Point, Point, int]) -> bool:
    x, y, c = value
    above, below = zone.bounds.get((x, y)), zone.bounds.get((y, x))
    return value in zone.apart or (above is not None and above < c) or (below is not None and below < -c)


def _joined(zones: Iterable[Zone]) -> Zone | None:
    found: Zone | None = None
    for zone in zones:
        found = zone if found is None else join(found, zone)
    return found


# ---- steps ---------------------------------------------------------------------------------------------


def _choice(made: Mapping[Var, Term]) -> Term | None:
    return next((t.condition for t in subterms(made.values()) if isinstance(t, Ite)), None)


def _taken(term: Term, condition: Term, truth: bool) -> Term:
    """The term where a condition is known."""
    if isinstance(term, Ite) and term.condition is condition:
        return _taken(term.positive if truth else term.negative, condition, truth)
    if isinstance(term, Var | Int | Bool | Member):
        return term
    return rebuild(term, lambda t: _taken(t, condition, truth))


def _becomes(var: Var, term: Term) -> Term:
    new = primed(var)
    if var.sort != BOOL:
        return build.eq(new, term)
    return build.lor(build.land(new, term), build.land(build.lnot(new), build.lnot(term)))


# ---- constraints ---------------------------------------------------------------------------------------


class _Work(Struct):
    """A zone while constraints are added to it: bounds stay closed. `points` are those that bounds are about."""

    bounds: dict[Pair, int]
    apart: set[tuple[Point, Point, int]]
    points: dict[Point, None]

    def below(self, x: Point, y: Point, c: int) -> bool:
        """Add `x - y <= c`; whether a state is left."""
        if x is y:
            return c >= 0
        old, back = self.bounds.get((x, y)), self.bounds.get((y, x))
        if old is not None and old <= c:
            return True
        if back is not None and back + c < 0:
            return False
        self.points |= {x: None, y: None}
        into = [(z, d + c) for z in self.points if (d := self.bounds.get((z, x))) is not None]
        out = [(z, d) for z in self.points if (d := self.bounds.get((y, z))) is not None]
        for a, first in (*into, (x, c)):
            for b, second in (*out, (y, 0)):
                known, total = self.bounds.get((a, b)), first + second
                if a is not b and (known is None or total < known):
                    self.bounds[a, b] = total
        return True

    def least(self, x: Point, sign: int) -> int | None:
        """The least value of `x`, or of `-x`."""
        found = self.bounds.get((None, x) if sign > 0 else (x, None))
        return None if found is None else -found


def _settled(work: _Work) -> Zone | None:
    """The zone with what disequalities say of its bounds and of equal variables; None where no state is left."""
    again = True
    while again:
        again = False
        for x, y, c in tuple(work.apart):
            if work.bounds.get((x, y)) == c or work.bounds.get((y, x)) == -c:
                first = work.bounds.get((x, y)) == c
                if not (work.below(x, y, c - 1) if first else work.below(y, x, -c - 1)):
                    return None
                again = True
    equal = _equal(work.bounds)
    for x, y, c in tuple(work.apart):
        for a, p in ((x, 0), *equal.get(x, ())):
            for b, q in ((y, 0), *equal.get(y, ())):
                if a is not b:
                    work.apart.add(_ordered(a, b, c + p - q))
                elif c + p - q == 0:
                    return None
    zone = Zone(work.bounds, frozenset())
    return Zone(work.bounds, frozenset(a for a in work.apart if not _excludes(zone, a)))


def _equal(bounds: Mapping[Pair, int]) -> Mapping[Point, Sequence[tuple[Point, int]]]:
    """By point the points that differ from it by a constant, `point - x`."""
    found = dict[Point, list[tuple[Point, int]]]()
    for (point, x), c in bounds.items():
        if bounds.get((x, point)) == -c:
            found.setdefault(x, []).append((point, c))
    return found


def _add(work: _Work, formula: Term) -> bool:
    """Add what can be said of a formula that is no choice; whether a state is left."""
    match formula:
        case Bool(truth):
            return truth
        case Var():
            return _fix(work, formula, 1)
        case Not(Var() as var):
            return _fix(work, var, 0)
        case Le(total):
            return _at_most_zero(work, total)
        case IsZero(total):
            return _at_most_zero(work, total) and _at_most_zero(work, build.scale(-1, total))
        case Not(IsZero(total)):
            return _differs(work, total)
        case Same(Var() as left, Var() as right):
            return work.below(left, right, 0) and work.below(right, left, 0)
        case Same(Var() as var, Member(_, index)) | Same(Member(_, index), Var() as var):
            return _fix(work, var, index)
        case Not(Same(Var() as var, Member(_, index))) | Not(Same(Member(_, index), Var() as var)):
            work.apart.add(_ordered(var, None, index))
            return True
        case _:
            return True


def _fix(work: _Work, var: Var, value: int) -> bool:
    return work.below(var, None, value) and work.below(None, var, -value)


def _differs(work: _Work, total: Term) -> bool:
    const, parts = build.linear_parts(total)
    if all(isinstance(p, Var) for p in parts):
        match sorted(parts.items(), key=lambda p: p[1]):
            case [(Var() as x, 1 | -1 as sign)]:
                work.apart.add(_ordered(x, None, -const * sign))
            case [(Var() as y, -1), (Var() as x, 1)]:
                work.apart.add(_ordered(x, y, -const))
            case _:
                pass
    return True


def _at_most_zero(work: _Work, total: Term) -> bool:
    """Add `total <= 0`: what it says of each variable, and of each difference, by the least values of the rest."""
    const, parts = build.linear_parts(total)
    least = {p: _least(work, p, c) for p, c in parts.items()}
    units = [(p, c) for p, c in parts.items() if isinstance(p, Var) and c in (1, -1)]
    ways: list[tuple[Point, Point, frozenset[Term]]] = [
        (p, None, frozenset((p,))) if c > 0 else (None, p, frozenset((p,))) for p, c in units
    ]
    ways += [(p, q, frozenset((p, q))) for p, c in units for q, d in units if c > 0 > d]
    if not parts and const > 0:
        return False
    for x, y, named in ways:
        rest = [least[p] for p in parts if p not in named]
        known = [r for r in rest if r is not None]
        if len(known) == len(rest) and not work.below(x, y, -const - sum(known)):
            return False
    return True


def _least(work: _Work, part: Term, factor: int) -> int | None:
    match part:
        case Var():
            value = work.least(part, factor)
            return None if value is None else value * abs(factor)
        case Mod(_, divisor):
            return 0 if factor > 0 else factor * (divisor - 1)
        case _:
            return None
