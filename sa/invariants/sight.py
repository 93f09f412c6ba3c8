"""What a thread sees of the shared variables that others write, and the tests of them that say something of others.

A *pivot* is a shared variable with one of its values, as a thread tests it: a lock that is free, a flag that is set, a
thread that has ended. What holds whenever a variable has this value is what a thread knows behind the test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from sa.automata.automaton import Automaton, Kind
from sa.invariants.own_points import Owner, is_number, read_by
from sa.terms import build
from sa.terms.term import IsZero, Member, Not, Same, Sum, Term, Var

#: Variables of which pivots say something, all pivots together: where there are more, there are no pivots.
MOST = 20_000

#: A shared variable, and a value that some thread tests it for.
Pivot: TypeAlias = tuple[Var, int]


class Sight(Struct, frozen=True, eq=False):
    """What a thread sees: shared numbers that others write, and those that it alone writes.

    `control` are the shared variables among its control variables, with their places; `changes` are the pivots about
    which its steps may say something new.
    """

    others: tuple[Var, ...]
    own: tuple[Var, ...]
    control: tuple[tuple[int, Var], ...]
    changes: tuple[Pivot, ...]


def sights_of(owners: Sequence[Owner]) -> tuple[tuple[Sight, ...], Mapping[Pivot, frozenset[Var]]]:
    """What each thread sees, and the variables of which each pivot says something."""
    shared = [{v.var for v in o.thread.variables if is_number(v) and v.kind is Kind.GLOBAL} for o in owners]
    written = [_written(o.thread) for o in owners]
    mentioned = [(read_by(o.thread) | w) & s for o, w, s in zip(owners, written, shared, strict=True)]
    changing = frozenset[Var]().union(*written)
    tests = [
        {p for e in o.thread.edges for p in tested(e.guard) if p[0] in s & changing}
        for o, s in zip(owners, shared, strict=True)
    ]
    about = dict[Pivot, frozenset[Var]]()
    for seen, values in zip(mentioned, tests, strict=True):
        for pivot in sorted(values, key=lambda p: (p[0].key, p[1])):
            about[pivot] = about.get(pivot, frozenset()) | (seen & changing) - {pivot[0]}
    if sum(map(len, about.values())) > MOST:
        about = {}
    sights = (_sight(o, m, w, about, changing) for o, m, w in zip(owners, mentioned, written, strict=True))
    return tuple(sights), about


def _sight(
    owner: Owner,
    mentioned: set[Var],
    written: set[Var],
    about: Mapping[Pivot, frozenset[Var]],
    changing: frozenset[Var],
) -> Sight:
    changes = tuple(p for p, said in about.items() if p[0] in written or said & written)
    # Who gives a pivot its value says all that is to be said.
    seen = mentioned.union(*(about[p] for p in changes if p[0] in written)) & changing
    own = seen & {*owner.data, *owner.control}
    shared = {v.var for v in owner.thread.variables if v.kind is Kind.GLOBAL}
    return Sight(
        tuple(sorted(seen - own, key=lambda v: v.key)),
        tuple(v for v in owner.data if v in own),
        tuple((n, v) for n, v in enumerate(owner.control) if v in shared),
        changes,
    )


def _written(thread: Automaton) -> set[Var]:
    return {v for e in thread.edges for v, _ in e.updates}


@lru_cache(maxsize=1 << 14)
def tested(guard: Term) -> tuple[Pivot, ...]:
    """The variables that have one value where a guard holds, as its conjuncts say, with these values."""
    return tuple(p for formula in build.conjuncts(guard) for p in _value_tested(formula))


def _value_tested(formula: Term) -> Iterator[Pivot]:
    match formula:
        case Var():
            yield formula, 1
        case Not(Var() as var) | IsZero(Var() as var):
            yield var, 0
        case IsZero(Sum(constant, ((Var() as var, 1 | -1 as sign),))):
            yield var, -constant * sign
        case Same(Var() as var, Member(_, value)) | Same(Member(_, value), Var() as var):
            yield var, value
        case _:
            pass
