"""Conjunctions at control points: of what steps compare, and orders of numbers, beside equations that are known there.

Spacer has no sense for long sums; where equations carry the proof, the few inequations that are missing are mostly
tests of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations

from sa.base.limits import Limits
from sa.hybrid.points import Point
from sa.hybrid.solve import Held, Horn
from sa.invariants.conjunctions import conjunctions, impossible, under
from sa.invariants.houdini import atoms_of, has_functions
from sa.smt.session import Session
from sa.terms import build
from sa.terms.cases import branches
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Le, Term, Var

#: Points up to which this is tried, candidates at most, and numbers between which orders are candidates.
POINTS, CANDIDATES, ORDERED = 400, 200, 9


def by_candidates(made: Horn, equal: Mapping[Point, Term], session: Session, bounds: Limits) -> Held | None:
    """A solution of clauses about whole states by conjunctions of candidates, where `equal` always hold.

    Raises LimitReached.
    """
    if len(made.names) > POINTS:
        return None
    return of_groups(made, equal, tuple(dict.fromkeys(candidates(made)))[:CANDIDATES], (), session, bounds)


def of_groups(
    made: Horn,
    equal: Mapping[Point, Term],
    first: Sequence[Term],
    groups: Sequence[Sequence[Term]],
    session: Session,
    bounds: Limits,
) -> Held | None:
    """The same by the `first` candidates, then those of each group under what the first ones have shown."""
    held = {made.names[p]: formula for p, formula in equal.items()}
    clauses = tuple(under(made.parameters, held, made.clauses))
    every = [conjunctions(session, made.parameters, clauses, dict.fromkeys(held, first), bounds)]
    begun = tuple(under(made.parameters, every[0], clauses))
    every += [conjunctions(session, made.parameters, begun, dict.fromkeys(held, g), bounds) for g in groups]
    found = {name: build.land(*(f[name] for f in every)) for name in held}
    if not all(impossible(session, made.parameters, found, c) for c in clauses if c.head is None):
        return None
    return Held({p: build.land(equal[p], found[name]) for p, name in made.names.items()})


def candidates(made: Horn) -> Iterator[Term]:
    """Comparisons of the program's, and orders of numbers."""
    data = next(iter(made.data.values()), ())
    own = frozenset(data)
    tests = dict.fromkeys(
        a for s in made.steps for a in atoms_of(s.guard) if a.free and a.free <= own and not has_functions(a)
    )
    yield from tests
    # What is tested of a number matters where it comes from, and where it goes.
    copies = alike(made)
    single = [(a, v) for a in tests if len(a.free) == 1 for v in a.free if v in copies]
    yield from (substitute(a, {v: x}) for a, v in single for x in sorted(copies[v] & own, key=lambda x: x.key))
    # What a test bounds is beyond the bound by one when the loop is left.
    yield from (build.at_most_zero(build.sub(a.total, build.ONE)) for a in tests if isinstance(a, Le))
    numbers = [v for v in data if v.sort == INT]
    for one, two in combinations(numbers, 2) if len(numbers) <= ORDERED else ():
        yield from (build.le(one, two), build.le(two, one), build.ne(one, two))
    yield from (build.le(build.ZERO, v) for v in numbers)


def alike(made: Horn) -> Mapping[Var, Set[Var]]:
    """By variable those to or from which its values are copied, in any number of steps."""
    groups = dict[Var, set[Var]]()
    for step in made.steps:
        for v, term in step.updates.items():
            for x in (t for t in branches(term) if isinstance(t, Var)):
                group = groups.setdefault(v, {v}) | groups.setdefault(x, {x})
                groups |= dict.fromkeys(group, group)
    return groups
