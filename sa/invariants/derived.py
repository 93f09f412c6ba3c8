"""Tests that a program does not contain but that follow from those it does: comparisons of few numbers.

From a test come what it says before a step (its weakest precondition), what it said after one that counts, and from two
tests the one that both imply together, where one number drops out. A copy is compared as the number that was copied,
and what is waited for at one place bounds what is assigned at another: `now <= dead` beside `since + D < now` tells
`dead <= since + D` apart (Fischer's protocol needs just that).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from sa.explicit.transition_system import Whole
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.cases import branches
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Le, Term, Var

#: Numbers in a test at most, values that a sum with conditionals may have, rounds, and tests of each.
LONGEST, BRANCHES, ROUNDS, EACH = 4, 16, 4, 60


def derived(w: Whole, tests: Iterable[Term]) -> list[Term]:
    """Tests that are derived from these, without themselves, of a test and its opposite one; those of few steps first,
    of these short ones.
    """
    order = frozenset(w.order)
    steps = list(dict.fromkeys(tuple(a.updates.items()) for t in w.arcs for here in t for a in here if a.updates))
    given = dict.fromkeys(a for t in tests for a in _sides(t))
    largest = max((abs(linear_parts(a.total)[0]) for a in given), default=1)
    written = [a for step in steps for v, t in step if v.sort == INT for a in _sides(build.eq(v, t))]
    found, fresh, besides = dict(given), list(given), written
    for _ in range(ROUNDS):
        made = (*_through(steps, fresh), *_together(fresh, list(found)))
        new = (a for a in (*sorted(made, key=_length), *besides) if _is_short(a, order, largest))
        fresh = list(dict.fromkeys(a for a in new if a not in found and build.lnot(a) not in found))[:EACH]
        found |= dict.fromkeys(fresh)
        besides = []
    return [a for a in found if a not in given and build.lnot(a) not in given]


def _sides(test: Term) -> Iterator[Le]:
    """The comparisons that a test consists of, for each value that conditionals in it may have."""
    totals = [test.total] if isinstance(test, Le) else []
    if isinstance(test, IsZero):
        totals = [test.total, build.scale(-1, test.total)]
    for total in totals:
        yield from (a for t in _branches(total) if isinstance(a := build.at_most_zero(t), Le))


def _branches(total: Term) -> Iterator[Term]:
    """What a sum may be, whatever the conditions of its conditionals are; nothing where this is too much."""
    constant, parts = linear_parts(total)
    values = [(list(branches(part)), factor) for part, factor in parts.items()]
    count = 1
    for options, _ in values:
        count *= len(options)
    if count <= BRANCHES:
        for chosen in product(*(options for options, _ in values)):
            scaled = (build.scale(f, t) for t, (_, f) in zip(chosen, values, strict=True))
            yield build.add(build.integer(constant), *scaled)


def _is_short(test: Le, order: frozenset[Var], largest: int) -> bool:
    """Whether it compares few numbers, each counted once, and no constant that is larger than those of the program."""
    constant, parts = linear_parts(test.total)
    fine = all(part in order and abs(factor) == 1 for part, factor in parts.items())
    return fine and 2 <= len(parts) <= LONGEST and abs(constant) <= largest


def _length(test: Le) -> tuple[int, int]:
    constant, parts = linear_parts(test.total)
    return len(parts), abs(constant)


def _through(steps: Sequence[tuple[tuple[Var, Term], ...]], tests: Sequence[Le]) -> Iterator[Le]:
    """What tests say before each step; and after one that counts."""
    for step in steps:
        back, on = dict(step), dict[Var, Term]()
        for var, term in step:
            constant, parts = linear_parts(term) if var.sort == INT else (0, {})
            if constant and parts == {var: 1}:
                on[var] = build.sub(var, build.integer(constant))
        for test in tests:
            if not test.free.isdisjoint(back):
                yield from _sides(substitute(test, back))
            if not test.free.isdisjoint(on):
                yield from _sides(substitute(test, on))


def _together(fresh: Sequence[Le], found: Sequence[Le]) -> Iterator[Le]:
    """What two tests, or their opposites, imply together, where a number drops out."""
    opposite: Mapping[Le, Term] = {a: build.lnot(a) for a in found}
    for one in fresh:
        for other in found:
            if one is not other and not one.free.isdisjoint(other.free):
                for left, right in product((one, opposite[one]), (other, opposite[other])):
                    yield from _sum(left, right)


def _sum(left: Term, right: Term) -> Iterator[Le]:
    if isinstance(left, Le) and isinstance(right, Le):
        total = build.add(left.total, right.total)
        if len(linear_parts(total)[1]) < len(linear_parts(left.total)[1]) + len(linear_parts(right.total)[1]) - 1:
            test = build.at_most_zero(total)
            if isinstance(test, Le):
                yield test
