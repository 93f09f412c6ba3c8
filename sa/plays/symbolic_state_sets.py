"""Sets of abstract states as terms over unknowns: what silent steps without number lead to, often in closed form.

A front is given by a value for each variable and conditions, both over unknowns that stand for any values. It is kept
such that it is a formula over the variables without quantifiers; where that is not so, something of it is forgotten,
which only adds states. Numbers that go on growing are guessed: they move by multiples of what they moved by so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd

from msgspec import Struct

from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.eliminate import eliminate
from sa.terms.name import staged
from sa.terms.solve import solution
from sa.terms.sort import INT, Sort
from sa.terms.substitute import substitute
from sa.terms.term import Le, Term, Var


class Front(Struct, frozen=True):
    """The states with these values, in the order of the variables, for all unknowns that satisfy the conditions.

    `formula` says the same over the variables. `exact`: nothing was forgotten or guessed, and there are such states.
    """

    values: tuple[Term, ...]
    conditions: tuple[Term, ...]
    formula: Term
    exact: bool


def unknown(number: int, sort: Sort) -> Var:
    """A name for any value, among those of one front."""
    return build.variable(staged("any", number), sort)


def fresh(number: int, sort: Sort) -> Var:
    """A name for any value, for a front that is not made yet: `front` gives it another one."""
    return build.variable(staged("some", number), sort)


def front(
    session: Session,
    order: Sequence[Var],
    values: Sequence[Term],
    conditions: Iterable[Term],
    matters: frozenset[Var],
    exact: bool = True,
) -> Front | None:
    """The front with these values, of which only those of some variables matter; None if it is empty.

    Raises LimitReached.
    """
    solved, left = _solved(tuple(build.conjoined(conditions)))
    if build.FALSE in left:
        return None
    left = _strongest(left)
    shown = [substitute(t, solved) if v in matters else None for v, t in zip(order, values, strict=True)]
    if left:
        answer = session.check(left)
        if isinstance(answer, Unsat):
            return None
        exact = exact and isinstance(answer, Sat)
    while True:
        made = _renumbered(order, shown, left)
        formula = _formula(order, shown, *made)
        if formula is not None:
            return Front(*made, formula, exact)
        exact = False
        if made[1]:
            left = ()
        else:
            shown = [t if t is None or not t.free or isinstance(t, Var) else None for t in shown]


def _solved(conditions: tuple[Term, ...]) -> tuple[dict[Var, Term], tuple[Term, ...]]:
    """The unknowns that conditions determine, and what is left of these."""
    found, left = dict[Var, Term](), conditions
    while True:
        step = next((s for c in left if (s := solution(c, c.free)) is not None), None)
        if step is None:
            return found, left
        one = {step[0]: step[1]}
        found = {v: substitute(t, one) for v, t in found.items()} | one
        left = build.conjoined(substitute(c, one) for c in left)


def _strongest(conditions: tuple[Term, ...]) -> tuple[Term, ...]:
    """The conditions without bounds on what others bound more closely: a test of a loop leaves one in each round."""
    kept = dict[object, tuple[int, Term]]()
    for condition in conditions:
        shape, const = bound_of(condition)
        if shape not in kept or const > kept[shape][0]:
            kept[shape] = const, condition
    return tuple(condition for _, condition in kept.values())


def bound_of(condition: Term) -> tuple[object, int]:
    """What a condition bounds, and how closely: the greater the number, the more closely. Others bound themselves."""
    if not isinstance(condition, Le):
        return condition, 0
    const, parts = build.linear_parts(condition.total)
    return frozenset(parts.items()), const


def _renumbered(
    order: Sequence[Var], shown: Sequence[Term | None], conditions: Sequence[Term]
) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Values and conditions with the unknowns numbered as they occur; conditions that no value depends on are gone."""
    live = dict.fromkeys(v for t in shown if t is not None for v in sorted(t.free, key=lambda v: v.key))
    kept = dict[Term, None]()
    while more := [c for c in conditions if c not in kept and not c.free.isdisjoint(live)]:
        kept.update(dict.fromkeys(more))
        live.update(dict.fromkeys(v for c in more for v in sorted(c.free, key=lambda v: v.key)))
    names: dict[Var, Term] = {v: unknown(i, v.sort) for i, v in enumerate(live)}
    values = tuple(
        unknown(len(live) + i, v.sort) if t is None else substitute(t, names)
        for i, (v, t) in enumerate(zip(order, shown, strict=True))
    )
    return values, tuple(sorted((substitute(c, names) for c in kept), key=lambda c: c.key))


def _formula(
    order: Sequence[Var], shown: Sequence[Term | None], values: Sequence[Term], conditions: Sequence[Term]
) -> Term | None:
    """The front as a formula over the variables, None if there is none without quantifiers."""
    names, equations = dict[Var, Term](), list[Term]()
    pairs = [(v, t) for v, t, s in zip(order, values, shown, strict=True) if s is not None]
    for var, term in pairs:
        if isinstance(term, Var) and term not in names:
            names[term] = var
    for var, term in pairs:
        if not isinstance(term, Var) or names[term] is not var:
            equations.append(build.eq(var, term))
    whole = build.land(*(substitute(f, names) for f in (*equations, *conditions)))
    hidden = whole.free - set(order)
    return whole if not hidden else eliminate(whole, hidden)


def covers(session: Session, wide: Front, narrow: Front) -> bool:
    """Whether all states of one front are known to be in another. Raises LimitReached."""
    if wide.values == narrow.values and set(wide.conditions) <= set(narrow.conditions):
        return True
    for one, other in zip(wide.values, narrow.values, strict=True):
        if one is not other and not one.free:
            return False
    return session.implied(wide.formula, build.conjuncts(narrow.formula))


def widened(
    session: Session, order: Sequence[Var], group: Sequence[Front], matters: frozenset[Var], level: int
) -> Front | None:
    """A front with what follows on a group of fronts that differ by numbers if they go on like that, from the last.

    Those before stay what they are: after few rounds of a loop it is known exactly what was counted. At level 0 numbers
    and bounds move together, by multiples of what they moved by; at level 1 each for itself, not back; then anyhow.
    Raises LimitReached.
    """
    first, last = group[0], group[-1]
    values, conditions = list(last.values), list(last.conditions)
    by = dict[int, list[int]]()
    for i, (v, t) in enumerate(zip(order, first.values, strict=True)):
        row = [build.linear_parts(build.sub(f.values[i], t)) for f in group] if v.sort == INT else []
        if any(parts for _, parts in row):
            # It moved by more than numbers, as a product does.
            values[i] = fresh(len(order) + i, INT)
            if level <= 1:
                conditions.extend(_goes_on(session, group[-2], last, i, values[i]))
        elif any(number for number, _ in row):
            by[i] = [number for number, _ in row]
    listed = [dict(map(bound_of, f.conditions)) for f in group]
    closer = {shape: [b[shape] - c for b in listed] for shape, c in listed[0].items()}
    closer = {shape: row for shape, row in closer.items() if any(row)}
    together = _direction([*by.values(), *closer.values()]) if level == 0 else None
    if together is not None:
        steps, sizes = together
        turns = fresh(0, INT)
        for i, size in zip(by, sizes, strict=False):
            values[i] = build.add(values[i], build.scale(size, turns))
        factors = dict(zip(closer, sizes[len(by) :], strict=True))
        conditions = [_closer(c, build.scale(factors.get(bound_of(c)[0], 0), turns)) for c in conditions]
        if min(steps) >= 0:
            conditions.append(build.le(build.ZERO, turns))
    else:
        # A bound that has grown closer stays as close; one that gave way is none.
        conditions = [c for c in conditions if min(closer.get(bound_of(c)[0], (0,))) >= 0]
        for i, numbers in by.items():
            some = fresh(i, INT)
            if level <= 1 and min(numbers) >= 0:
                conditions.append(build.le(values[i], some))
            elif level <= 1 and max(numbers) <= 0:
                conditions.append(build.le(some, values[i]))
            values[i] = some
    return front(session, order, values, conditions, matters, exact=False)


def _goes_on(session: Session, before: Front, now: Front, place: int, later: Term) -> Iterator[Term]:
    """On which side of its value now a number stays, if it moved there from the one before."""
    old, new = before.values[place], now.values[place]
    for low, high, bound in ((old, new, build.le(new, later)), (new, old, build.le(later, new))):
        if session.implied(build.le(low, high), now.conditions):
            yield bound
            return


def _closer(condition: Term, by: Term) -> Term:
    """A bound that is closer by so much, and any other condition."""
    return build.at_most_zero(build.add(condition.total, by)) if isinstance(condition, Le) else condition


def _direction(rows: Sequence[Sequence[int]]) -> tuple[list[int], list[int]] | None:
    """How often each front moved, and by how much each variable does at once; None if they do not move together."""
    sizes = [row_size(row) for row in rows]
    steps = [x // sizes[0] for x in rows[0]] if rows else []
    sign = 1 if all(s >= 0 for s in steps) else -1
    steps, found = [sign * s for s in steps], list[int]()
    for row in rows:
        place = next(i for i, s in enumerate(steps) if s)
        size, rest = divmod(row[place], steps[place])
        if rest or any(x != size * s for x, s in zip(row, steps, strict=True)):
            return None
        found.append(size)
    return (steps, found) if rows else None


def row_size(row: Sequence[int]) -> int:
    """The greatest common divisor of what a variable moved by."""
    return gcd(*row)
