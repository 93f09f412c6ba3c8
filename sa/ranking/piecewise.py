"""Ranks that have one affine form where a comparison holds, and another one where it does not.

A loop that takes one number up to another, whichever is below, has no affine rank: the distance of the two is one on
either side of the comparison that the loop makes. So each point is two, and each step up to four (control-flow
refinement by a predicate: Gulwani, Jain and Koskinen 2009); what is found for the two is put together again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sa.base.limits import Limits
from sa.ranking.rank import Cases, cases_of, ranked
from sa.terms.build import FALSE, conjoined, ite, lnot
from sa.terms.substitute import substitute
from sa.terms.term import Le, Term, Var

#: So many comparisons are tried.
_MOST = 4


class Move(Struct, frozen=True):
    """A step between points: what holds before it, and what it writes."""

    source: int
    target: int
    premise: tuple[Term, ...]
    updates: Mapping[Var, Term]


def in_pieces(
    points: Sequence[int],
    variables: Sequence[Var],
    moves: Sequence[Move],
    kept: Sequence[Move],
    order: Sequence[int],
    bounds: Limits,
) -> tuple[int, dict[int, Term]] | None:
    """The number of a move that a rank is lowered by, and that rank by point: no move raises it, nor does what is kept.

    Moves are tried in an order. None where no rank was found. Raises LimitReached.
    """
    halves = [h for p in points for h in (2 * p, 2 * p + 1)]
    for test in _tests(moves, frozenset(variables)):
        pieces = [list(_pieces(test, m)) for m in moves]
        beside = [c for m in kept for c in _pieces(test, m)]
        for number in order:
            others = [*(c for n, those in enumerate(pieces) if n != number for c in those), *beside]
            found = ranked(halves, variables, pieces[number], others, False, bounds) if pieces[number] else None
            if found is not None:
                return number, {p: ite(test, found[2 * p + 1], found[2 * p]) for p in points}
    return None


def _tests(moves: Sequence[Move], variables: frozenset[Var]) -> list[Term]:
    """The comparisons that some moves find true and others false."""
    asked = {f for m in moves for f in m.premise if isinstance(f, Le) and f.free <= variables}
    both = {min(f, lnot(f), key=lambda t: t.key) for f in asked if lnot(f) in asked}
    return sorted(both, key=lambda t: t.key)[:_MOST]


def _pieces(test: Term, move: Move) -> Iterator[Cases]:
    """A move as one between halves of points: where the comparison holds before it, and behind it, or does not."""
    for before in (True, False):
        for after in (True, False):
            behind = substitute(test, move.updates)
            sides = (test if before else lnot(test), behind if after else lnot(behind))
            premise = conjoined((*move.premise, *sides))
            if FALSE not in premise:
                yield cases_of(2 * move.source + before, 2 * move.target + after, premise, move.updates)
