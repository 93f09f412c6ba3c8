"""Rings whose elements are variables of their own: what those between two counters are.

A step that sets `e_i` where `p % n == i` writes the element of p, whatever p is. Of all numbers with the remainder i,
`low + (i - low) % n` is the only one from `low` on that has an element there still. So where it is below `high`, the
element is what was written when the counter was that number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product

from msgspec import Struct

from sa.base.limits import Limits
from sa.domains.affine import EVERYTHING, definitions, meet, rows_of
from sa.hybrid.points import Point
from sa.hybrid.predicate_candidates import CANDIDATES, POINTS, Conjunctions, alike, candidates, of_groups
from sa.hybrid.solve import Horn
from sa.smt.session import Session
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Div, Int, IsZero, Ite, Mod, Term, Var, subterms

#: Elements of rings at most.
ELEMENTS = 32


class _Written(Struct, frozen=True):
    """The element of a ring of so many, at a place with this remainder, and what is written there.

    `value` is what is written as a function of the place, for which `PLACE` stands.
    """

    element: Var
    size: int
    remainder: int
    place: Term
    value: Term


#: Stands for the number whose element something is.
PLACE = build.variable("place@ring", INT)


def by_windows(made: Horn, equal: Mapping[Point, Term], session: Session, bounds: Limits) -> Conjunctions | None:
    """What elements of rings are at points, of whole states where `equal` always hold, and what is bad that this does
    not exclude; None where there is no ring. Raises LimitReached.
    """
    written = tuple(dict.fromkeys(_written(made, equal)))
    elements = dict.fromkeys(w.element for w in written)
    if not 0 < len(elements) <= ELEMENTS or len(made.names) > POINTS:
        return None
    # What an element is is kept by what is known of the counters, whatever the others are: by their orders.
    wanted = {build.lnot(s.guard) for s in made.steps if s.target is None}
    about = (c for c in dict.fromkeys(candidates(made)) if c.free.isdisjoint(elements))
    counters = tuple(c for c in about if c in wanted or _is_linear(c))
    groups = [tuple(dict.fromkeys(_windows(made, [w for w in written if w.element is e]))) for e in elements]
    return of_groups(made, equal, counters[:CANDIDATES], groups, session, bounds)


def _is_linear(formula: Term) -> bool:
    return not any(isinstance(t, Div | Ite | Mod) for t in subterms((formula,)))


def _windows(made: Horn, written: Sequence[_Written]) -> Iterator[Term]:
    """What an element between two counters is, of counters that its ring is read and written at."""
    copies = alike(made)
    for w in written:
        highs = _counters(made, copies, w.place.free)
        lows = _counters(made, copies, _reached_at(made, w.size) - _group(copies, w.place.free))
        for low, high in product(lows, highs):
            behind = _behind(low, w)
            told = build.eq(w.element, substitute(w.value, {PLACE: build.add(low, behind)}))
            for end in (high, build.add(high, build.ONE)):
                yield build.implies(build.lt(behind, build.sub(end, low)), told)


def _behind(low: Var, w: _Written) -> Term:
    """How far an element is behind a counter: `(i - low) % n`, with `low % n` alone as a remainder."""
    apart = build.sub(build.integer(w.remainder), here := build.mod(low, w.size))
    around = build.add(apart, build.integer(w.size))
    return build.ite(build.le(here, build.integer(w.remainder)), apart, around)


def _group(copies: Mapping[Var, Set[Var]], begun: Set[Var]) -> frozenset[Var]:
    return frozenset(begun).union(*(copies.get(v, ()) for v in begun))


def _counters(made: Horn, copies: Mapping[Var, Set[Var]], begun: Set[Var]) -> list[Var]:
    """These numbers and their copies; the shared ones, if there are such."""
    found = sorted(_group(copies, begun), key=lambda v: v.key)
    return [v for v in found if v.name.thread is None] or found


def _reached_at(made: Horn, size: int) -> frozenset[Var]:
    """The variables that places in rings of this size are made of."""
    terms = (t for s in made.steps for t in (s.guard, *s.updates.values()))
    divided = (t for t in subterms(terms) if isinstance(t, Mod) and t.divisor == size)
    return frozenset(v for t in divided for v in t.dividend.free)


def _written(made: Horn, equal: Mapping[Point, Term]) -> Iterator[_Written]:
    for step in made.steps:
        for var, term in step.updates.items():
            if isinstance(term, Ite) and term.negative is var and (found := _remainder(term.condition)):
                place, size, remainder = found
                value = _of_place(term.positive, place, equal.get(step.source, build.TRUE))
                if value is not None:
                    yield _Written(var, size, remainder, place, value)


def _remainder(test: Term) -> tuple[Term, int, int] | None:
    """What is divided, by what, and the remainder that a test asks for."""
    if not isinstance(test, IsZero):
        return None
    constant, parts = linear_parts(test.total)
    match list(parts.items()):
        case [(Mod(place, size), 1 | -1 as factor)] if 0 <= -constant * factor < size:
            return place, size, -constant * factor
    return None


def _of_place(value: Term, place: Term, known: Term) -> Term | None:
    """The value as a function of the place, where equations say how its variables are related to it."""
    space = meet(EVERYTHING, rows_of(known)) or EVERYTHING
    said = definitions(space)
    there: dict[Var, Term] = {}
    for var in value.free:
        apart = build.sub(said.get(var, var), substitute(place, said))
        if isinstance(apart, Int):
            there[var] = build.add(PLACE, apart)
    made = substitute(value, there)
    return made if made.free <= {PLACE} else None
