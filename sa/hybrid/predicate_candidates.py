"""Conjunctions at control points: of what steps compare, and orders of numbers, beside equations that are known there.

Spacer has no sense for long sums; where equations carry the proof, the few inequations that are missing are mostly
tests of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import combinations

from msgspec import Struct

from sa.base.limits import Limits
from sa.certificates.run import Bad
from sa.hybrid.outlines import outlines
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


class Conjunctions(Struct, frozen=True):
    """What conjunctions of candidates say at points, and what is bad that they do not exclude."""

    held: Held
    left: frozenset[Bad]


def by_candidates(made: Horn, equal: Mapping[Point, Term], session: Session, bounds: Limits) -> Conjunctions | None:
    """What conjunctions of candidates say of whole states, where `equal` always hold; None at too many points.

    Raises LimitReached.
    """
    if len(made.names) > POINTS:
        return None
    offered = tuple(dict.fromkeys(_candidates(made)))[:CANDIDATES]
    held = {made.names[p]: formula for p, formula in equal.items()}
    clauses = tuple(under(made.parameters, held, made.clauses))
    said = conjunctions(session, made.parameters, clauses, dict.fromkeys(held, offered), bounds)
    found = {name: build.land(known, said[name]) for name, known in held.items()}
    left = set[Bad]()
    for step, clause in zip(made.steps, made.clauses[made.first :], strict=True):
        if step.bad is not None and step.bad not in left and not impossible(session, made.parameters, found, clause):
            left.add(step.bad)
    return Conjunctions(Held({p: found[name] for p, name in made.names.items()}), frozenset(left))


def _candidates(made: Horn) -> Iterator[Term]:
    """Comparisons of the program's, and orders of numbers."""
    data = next(iter(made.data.values()), ())
    own = frozenset(data)
    tests = dict.fromkeys(
        a for s in made.steps for a in atoms_of(s.guard) if a.free and a.free <= own and not has_functions(a)
    )
    yield from tests
    yield from _claims(made, tests)
    # What is tested of a number matters where it comes from, and where it goes.
    copies = _alike(made)
    single = [(a, v) for a in tests if len(a.free) == 1 for v in a.free if v in copies]
    yield from (substitute(a, {v: x}) for a, v in single for x in sorted(copies[v] & own, key=lambda x: x.key))
    # What a test bounds is beyond the bound by one when the loop is left.
    yield from (build.at_most_zero(build.sub(a.total, build.ONE)) for a in tests if isinstance(a, Le))
    yield from outlines(made.steps)
    numbers = [v for v in data if v.sort == INT]
    # Of many numbers it is copies that are compared, with what they were copied from.
    few = len(numbers) <= ORDERED
    pairs = ((v, x) for v, x in combinations(numbers, 2) if few or x in copies.get(v, ()))
    for one, two in pairs:
        yield from (build.le(one, two), build.le(two, one), build.ne(one, two))
    yield from (build.le(build.ZERO, v) for v in numbers)


def _claims(made: Horn, tests: Iterable[Term]) -> Iterator[Term]:
    """What must hold where something bad may be next, also for the last value of what counts up to a bound.

    In a loop `while (j < n) { assert 0 <= i + j; }` that is `j < n ==> 0 <= i + j`, and `0 < n ==> 0 <= i + n - 1`.
    """
    counters = {v for s in made.steps for v, t in s.updates.items() if t is not v and v in t.free and v.sort == INT}
    bounds = [(v, last) for a in tests if isinstance(a, Le) for v, last in _lasts(a) if v in counters]
    for wrong in dict.fromkeys(s.guard for s in made.steps if s.target is None and not has_functions(s.guard)):
        yield build.lnot(wrong)
        for v, last in bounds:
            if v in wrong.free:
                yield build.lnot(build.land(substitute(wrong, {v: last}), build.le(build.ZERO, last)))


def _lasts(test: Le) -> Iterator[tuple[Var, Term]]:
    """The greatest value of each number that a comparison bounds from above, before or after it was counted up."""
    _, parts = build.linear_parts(test.total)
    for v in (v for v, factor in parts.items() if isinstance(v, Var) and factor == 1):
        last = build.sub(v, test.total)
        yield from ((v, last), (v, build.add(last, build.ONE)))


def _alike(made: Horn) -> Mapping[Var, Set[Var]]:
    """By variable those to or from which its values are copied, in any number of steps."""
    groups = dict[Var, set[Var]]()
    for step in made.steps:
        for v, term in step.updates.items():
            for x in (t for t in branches(term) if isinstance(t, Var)):
                group = groups.setdefault(v, {v}) | groups.setdefault(x, {x})
                groups |= dict.fromkeys(group, group)
    return groups
