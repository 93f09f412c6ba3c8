"""Formulas as alternatives of linear inequalities over the rationals, which they imply.

What is not linear is a number of its own, of which nothing is known; what has too many alternatives is left out. Both
weaken a premise, which is sound: what follows from it still follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.term import And, Div, Forall, IsZero, Le, Mod, Not, Or, Term, Var, subterms

#: Premises of one step are taken apart into so many alternatives at most, and conditionals so many times.
_MOST, _SPLITS = 24, 4


class Row(Struct, frozen=True):
    """`constant + parts >= 0`, or `== 0` if `exact`."""

    constant: int
    parts: Mapping[Term, int]
    exact: bool


class Alternative(Struct, frozen=True):
    """What holds in one of the cases, and what a step writes there."""

    rows: tuple[Row, ...]
    updates: Mapping[Var, Term]


def alternatives(premise: Sequence[Term], updates: Mapping[Var, Term]) -> Iterator[Alternative]:
    """The cases of a step."""
    for formulas, written in _split(tuple(premise), dict(updates), _SPLITS):
        for literals in _cases(formulas):
            known = _quotients((*literals, *written.values()))
            rows = (*(row for f in literals for row in _rows(f)), *known)
            if not any(r.constant < 0 and not r.parts for r in rows):
                yield Alternative(rows, written)


def _split(
    formulas: tuple[Term, ...], updates: dict[Var, Term], depth: int
) -> Iterator[tuple[tuple[Term, ...], dict[Var, Term]]]:
    """The cases of conditionals in numbers."""
    terms = (*updates.values(), *formulas)
    found = (c for t in terms if not isinstance(t, Forall) for c in [condition_in(t)] if c is not None)
    condition = next(found, None) if depth else None
    if condition is None:
        yield formulas, updates
        return
    for truth in (True, False):
        case = condition if truth else build.lnot(condition)
        told = tuple(_where(f, condition, truth) for f in formulas)
        whole = build.conjuncts(build.land(case, *told))
        if build.FALSE not in whole:
            yield from _split(whole, {v: decided(t, condition, truth) for v, t in updates.items()}, depth - 1)


def _where(formula: Term, condition: Term, truth: bool) -> Term:
    match formula:
        case And(args):
            return build.land(*(_where(a, condition, truth) for a in args))
        case Or(args):
            return build.lor(*(_where(a, condition, truth) for a in args))
        case Not(body):
            return build.lnot(_where(body, condition, truth))
        case _:
            return decided(formula, condition, truth)


def _cases(formulas: Sequence[Term]) -> list[tuple[Term, ...]]:
    """Conjunctions of literals, one of which holds."""
    found: list[tuple[Term, ...]] = [()]
    for formula in build.conjoined(formulas):
        parts = list(_disjuncts(formula))
        if len(found) * len(parts) <= _MOST:
            longer = (build.conjoined((*one, part)) for one in found for part in parts)
            found = [c for c in longer if build.FALSE not in c]
    return found


def _disjuncts(formula: Term) -> Iterator[Term]:
    match formula:
        case Or(args):
            for arg in args:
                yield from _disjuncts(arg)
        case Not(IsZero(total)):
            yield build.le(build.ONE, total)
            yield build.le(total, build.integer(-1))
        case _:
            yield formula


def _quotients(terms: Iterable[Term]) -> Iterator[Row]:
    """What holds of quotients and remainders by constants, which are numbers of their own otherwise."""
    for term in subterms(terms):
        match term:
            case Div(dividend, divisor):
                constant, parts = build.linear_parts(dividend)
                left = {t: c for t, c in parts.items() if t is not term}
                yield Row(constant, {**left, term: -divisor}, False)
                yield Row(divisor - 1 - constant, {**{t: -c for t, c in left.items()}, term: divisor}, False)
            case Mod(_, divisor):
                yield Row(0, {term: 1}, False)
                yield Row(divisor - 1, {term: -1}, False)
            case _:
                pass


def _rows(literal: Term) -> Iterator[Row]:
    match literal:
        case And(args):
            for arg in args:
                yield from _rows(arg)
        case Le(total):
            constant, parts = build.linear_parts(total)
            yield Row(-constant, {t: -c for t, c in parts.items()}, False)
        case IsZero(total):
            constant, parts = build.linear_parts(total)
            yield Row(constant, dict(parts), True)
        case _:
            pass
