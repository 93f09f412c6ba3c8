"""Convex polyhedra: conjunctions of linear inequalities between any number of variables.

Cousot and Halbwachs, Automatic Discovery of Linear Restraints Among Variables of a Program (1978), by constraints
alone: variables are eliminated as Fourier and Motzkin do it, inclusion is linear programming. A join keeps the
directions of both sides (Sankaranarayanan, Sipma, Manna 2005), so it is larger than the convex hull. Booleans count as
0 and 1, enumerations as their index. Variables are whole numbers, and constants are rounded accordingly. The empty set
has no polyhedron; operations that may meet it return None.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import floor, gcd, inf
from typing import TypeAlias

from sa.base.limits import Limits, count
from sa.domains.linear_programming import supremum
from sa.domains.zones import as_number
from sa.terms import build
from sa.terms.cases import difference_of, numeric
from sa.terms.substitute import primed
from sa.terms.term import Bool, IsZero, Le, Not, Or, Same, Term, Var

#: A linear form without its constant: coefficients without a common factor, by variable in the order of their keys.
Direction: TypeAlias = tuple[tuple[Var, int], ...]

#: The least constant c known for each direction with `direction + c <= 0`, which is the greatest that is true.
Polyhedron: TypeAlias = Mapping[Direction, int]

EVERYTHING: Polyhedron = {}

#: Rows that an elimination may leave before those that others imply are looked for, and that are kept after it.
ROWS, KEPT = 24, 60


def meet(known: Polyhedron, formula: Term, bounds: Limits) -> Polyhedron | None:
    """A polyhedron of all states of this one in which the formula holds; what is not linear is left out."""
    rows, choices = dict(known), list[tuple[Term, ...]]()
    for part in build.conjuncts(formula):
        match part:
            case Or(args):
                choices.append(args)
            case Not(IsZero(total)):
                choices.append(_sides(*numeric(total)))
            case Not(Same(left, right)):
                choices.append(_sides(*difference_of(left, right)))
            case _:
                if not all(_add(rows, constant, parts) for constant, parts in _rows(part)):
                    return None
    found: Polyhedron | None = rows if not _is_empty(rows, bounds) else None
    for args in choices:
        if found is not None:
            found = _joined((p for a in args if (p := meet(found, a, bounds)) is not None), bounds)
    return found


def both(first: Polyhedron, second: Polyhedron, bounds: Limits) -> Polyhedron | None:
    """The common states."""
    rows = dict(first)
    for direction, constant in second.items():
        rows[direction] = max(constant, rows.get(direction, constant))
    return None if _is_empty(rows, bounds) else rows


def join(first: Polyhedron, second: Polyhedron, bounds: Limits) -> Polyhedron:
    """A polyhedron of all states of both."""
    made = {d: min(c, second[d]) for d, c in first.items() if d in second}
    told_apart = {v for d in dict.fromkeys((*first, *second)) if first.get(d) != second.get(d) for v, _ in d}
    for direction in dict.fromkeys(d for side in (first, second) for d in _directions(side, told_apart, bounds)):
        if direction not in made:
            constants = [_bound(side, direction, bounds) for side in (first, second)]
            if None not in constants:
                made[direction] = min(c for c in constants if c is not None)
    return minimal(made, bounds)


def leq(first: Polyhedron, second: Polyhedron, bounds: Limits) -> bool:
    """Whether every state of the first is one of the second."""
    return all(_implies(first, d, c, bounds) for d, c in second.items())


def widen(old: Polyhedron, new: Polyhedron, bounds: Limits) -> Polyhedron:
    """What the old one says and the new one keeps."""
    return {d: c for d, c in old.items() if _implies(new, d, c, bounds)}


def forget(known: Polyhedron, variables: Iterable[Var], bounds: Limits) -> Polyhedron:
    """The states that differ from some of these at most in the variables."""
    rows, left = dict(known), {v for d in known for v, _ in d}.intersection(variables)
    while left:
        var = min(left, key=lambda v: (_growth(rows, v), v.key))
        left.discard(var)
        count(bounds, 2 * len(rows))
        rows = _without(rows, var)
        if len(rows) > ROWS:
            rows = dict(minimal(rows, bounds))
        if len(rows) > KEPT:
            rows = dict(sorted(rows.items(), key=lambda row: len(row[0]))[:KEPT])
    return rows


def after(known: Polyhedron, relations: Iterable[Term], changed: Iterable[Var], bounds: Limits) -> Polyhedron | None:
    """A polyhedron of the states after a step, given as relations of what was and what is, primed, one a case."""
    gone = tuple(changed)
    found = _joined((p for r in relations if (p := meet(known, r, bounds)) is not None), bounds)
    return None if found is None else renamed(forget(found, gone, bounds), {primed(v): v for v in gone})


def renamed(known: Polyhedron, names: Mapping[Var, Var]) -> Polyhedron:
    """The same of other variables."""
    moved = (({names.get(v, v): c for v, c in d}, constant) for d, constant in known.items())
    return {_ordered(parts): constant for parts, constant in moved}


def minimal(known: Polyhedron, bounds: Limits) -> Polyhedron:
    """The same without rows that others imply, long ones first."""
    rows = dict(known)
    for direction in sorted(known, key=lambda d: (-len(d), -sum(abs(c) for _, c in d), str(d))):
        constant = rows.pop(direction)
        if not _implies(rows, direction, constant, bounds):
            rows[direction] = constant
    return {d: rows[d] for d in known if d in rows}


def formulas(known: Polyhedron) -> Iterator[Term]:
    """The inequalities; two that are opposite are one equation."""
    for direction, constant in known.items():
        total = build.combine(constant, ((as_number(v), c) for v, c in direction))
        back = _opposite(direction)
        if known.get(back) != -constant:
            yield build.at_most_zero(total)
        elif direction[0][1] > 0:
            yield build.is_zero(total)


# ---- rows --------------------------------------------------------------------------------------------


def _rows(literal: Term) -> Iterator[tuple[int, Mapping[Term, int]]]:
    """The inequalities `constant + parts <= 0` that a literal is; none where it is not linear."""
    match literal:
        case Bool(True):
            pass
        case Bool(False):
            yield 1, {}
        case Le(total):
            yield numeric(total)
        case IsZero(total):
            yield from _equation(*numeric(total))
        case Same(left, right):
            yield from _equation(*difference_of(left, right))
        case Var():
            yield from _equation(-1, {literal: 1})
        case Not(Var() as var):
            yield from _equation(0, {var: 1})
        case _:
            pass


def _equation(constant: int, parts: Mapping[Term, int]) -> Iterator[tuple[int, Mapping[Term, int]]]:
    yield constant, parts
    yield -constant, {t: -c for t, c in parts.items()}


def _sides(constant: int, parts: Mapping[Term, int]) -> tuple[Term, ...]:
    """That a form is not 0, as two inequalities; none where it cannot be told."""
    if not all(isinstance(t, Var) for t in parts):
        return (build.TRUE,)
    total = build.combine(constant, ((as_number(t), c) for t, c in parts.items() if isinstance(t, Var)))
    return build.lt(total, build.ZERO), build.lt(build.ZERO, total)


def _add(rows: dict[Direction, int], constant: int, parts: Mapping[Term, int]) -> bool:
    """Add a row, if it is linear; whether it can be true."""
    linear = {t: c for t, c in parts.items() if isinstance(t, Var)}
    if len(linear) < len(parts):
        return True
    return _put(rows, constant, linear)


def _put(rows: dict[Direction, int], constant: int, parts: Mapping[Var, int]) -> bool:
    if not parts:
        return constant <= 0
    common = gcd(*parts.values())
    direction, rounded = _ordered({v: c // common for v, c in parts.items()}), -(-constant // common)
    rows[direction] = max(rounded, rows.get(direction, rounded))
    return True


def _ordered(parts: Mapping[Var, int]) -> Direction:
    return tuple(sorted(parts.items(), key=lambda part: part[0].key))


def _opposite(direction: Direction) -> Direction:
    return tuple((v, -c) for v, c in direction)


def _bound(rows: Polyhedron, direction: Direction, bounds: Limits) -> int | None:
    """The greatest constant c for which the rows imply `direction + c <= 0`; None if there is none."""
    reached, near = set(dict(direction)), list[tuple[int, Mapping[Var, int]]]()
    waiting = [(c, dict(d)) for d, c in rows.items()]
    while found := [row for row in waiting if not reached.isdisjoint(row[1])]:
        near += found
        waiting = [row for row in waiting if row not in found]
        reached.update(v for _, parts in found for v in parts)
    most = supremum(near, dict(direction), bounds)
    return None if most == inf else -floor(most) if most != -inf else 0


def _implies(rows: Polyhedron, direction: Direction, constant: int, bounds: Limits) -> bool:
    known = rows.get(direction)
    if known is not None and known >= constant:
        return True
    # Only whoever bounds a variable on its side can be part of a bound.
    signs = {(v, c > 0) for d in rows for v, c in d}
    if any((v, c > 0) not in signs for v, c in direction):
        return False
    found = _bound(rows, direction, bounds)
    return found is not None and found >= constant


def _is_empty(rows: Polyhedron, bounds: Limits) -> bool:
    return supremum([(c, dict(d)) for d, c in rows.items()], {}, bounds) == -inf


def _directions(known: Polyhedron, told_apart: Iterable[Var], bounds: Limits) -> Iterator[Direction]:
    """The directions of the rows, and of those that follow without one of these variables."""
    yield from known
    for var in sorted(told_apart, key=lambda v: v.key):
        yield from forget(known, (var,), bounds)


def _joined(several: Iterable[Polyhedron], bounds: Limits) -> Polyhedron | None:
    found: Polyhedron | None = None
    for one in several:
        found = one if found is None else join(found, one, bounds)
    return found


def _growth(rows: Polyhedron, var: Var) -> int:
    """How many rows more there may be without a variable."""
    signs = [c > 0 for d in rows for v, c in d if v is var]
    return signs.count(True) * signs.count(False) - len(signs)


def _without(rows: Polyhedron, var: Var) -> dict[Direction, int]:
    """The rows that follow without a variable, over the rationals."""
    made = {d: c for d, c in rows.items() if all(v is not var for v, _ in d)}
    own = [(dict(d), c) for d, c in rows.items() if any(v is var for v, _ in d)]
    equation = next(
        ((p, c) for p, c in sorted(own, key=lambda row: abs(row[0][var])) if rows.get(_opposite(_ordered(p))) == -c),
        None,
    )
    above = [row for row in own if row[0][var] > 0]
    below = [row for row in own if row[0][var] < 0]
    if equation is not None:
        # All that follows is what follows from it and one more.
        parts, constant = equation
        pair = [(parts, constant), ({v: -c for v, c in parts.items()}, -constant)]
        plus, minus = pair if parts[var] > 0 else pair[::-1]
        pairs = [*((row, minus) for row in above), *((plus, row) for row in below)]
    else:
        pairs = [(high, low) for high in above for low in below]
    for (up, c), (down, d) in pairs:
        a, b = -down[var], up[var]
        total = {v: a * up.get(v, 0) + b * down.get(v, 0) for v in {**up, **down} if v is not var}
        _put(made, a * c + b * d, {v: n for v, n in total.items() if n})
    return made
