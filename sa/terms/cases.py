"""Conditionals inside terms, taken apart: which condition to split on, and the term in either case."""

from __future__ import annotations

from collections.abc import Iterator

from sa.terms import build
from sa.terms.sort import BOOL
from sa.terms.substitute import rebuild
from sa.terms.term import Bool, Forall, Int, Ite, Member, Not, Term, Var, children, sort_of


def condition_in(term: Term) -> Term | None:
    """A condition that the value of a term without quantifiers depends on: that of a conditional, outermost first."""
    if isinstance(term, Ite):
        return term.condition
    if isinstance(term, Forall):
        return None
    inside = (condition_in(c) for c in children(term) if sort_of(c) != BOOL)
    return next((c for c in inside if c is not None), None)


def condition_of_value(term: Term) -> Term | None:
    """The same for the right-hand side of an update; a formula that is no literal is a condition itself."""
    if sort_of(term) == BOOL and not isinstance(term, Bool | Var) and not _is_negated(term):
        return term
    return condition_in(term)


def branches(term: Term) -> Iterator[Term]:
    """What a term may be, whatever the conditions of its outermost conditionals are."""
    if isinstance(term, Ite):
        yield from branches(term.positive)
        yield from branches(term.negative)
    else:
        yield term


def outermost(term: Term, depth: int = 4) -> Term:
    """The same with conditionals outside of sums and remainders, up to so many inside each other."""
    condition = None if depth == 0 else condition_in(term)
    if condition is None:
        return term
    positive, negative = (outermost(decided(term, condition, truth), depth - 1) for truth in (True, False))
    return build.ite(condition, positive, negative)


def outcomes(term: Term) -> Iterator[tuple[Term, Term]]:
    """What a term may be, each with its condition: constants, where conditionals choose between them.

    A formula is true or false. What is no constant and chooses nothing is itself.
    """
    match term:
        case Int() | Bool() | Member():
            yield build.TRUE, term
        case Ite(condition, positive, negative):
            for side, part in ((condition, positive), (build.lnot(condition), negative)):
                for more, value in outcomes(part):
                    both = build.land(side, more)
                    if both is not build.FALSE:
                        yield both, value
        case _ if sort_of(term) == BOOL:
            yield term, build.TRUE
            yield build.lnot(term), build.FALSE
        case _:
            yield build.TRUE, term


def _is_negated(term: Term) -> bool:
    return isinstance(term, Not) and isinstance(term.body, Var)


def decided(term: Term, condition: Term, truth: bool) -> Term:
    """The term, with conditionals on this condition (and the condition as the whole term) replaced by their case."""
    # Terms share subterms: what became of each is remembered.
    memo = dict[Term, Term]()

    def go(part: Term) -> Term:
        if part is condition:
            return build.boolean(truth)
        if isinstance(part, Var | Int | Bool | Member | Forall):
            return part
        found = memo.get(part)
        if found is None:
            if isinstance(part, Ite) and part.condition is condition:
                found = go(part.positive if truth else part.negative)
            elif isinstance(part, Not):
                found = build.lnot(go(part.body))
            else:
                found = rebuild(part, lambda t: go(t) if sort_of(t) != BOOL else t)
            memo[part] = found
        return found

    return go(term)


def numeric(term: Term) -> tuple[int, dict[Term, int]]:
    """A term without conditionals as a number: a constant and the coefficients of what is added."""
    match term:
        case Bool(value) | Member(_, value):
            return int(value), {}
        case Not(Var() as var):
            return 1, {var: -1}
        case _:
            const, found = build.linear_parts(term)
            return const, dict(found)


def difference_of(left: Term, right: Term) -> tuple[int, dict[Term, int]]:
    """`left - right` as a number, in the same form."""
    (const, added), (other, subtracted) = numeric(left), numeric(right)
    for term, coefficient in subtracted.items():
        added[term] = added.get(term, 0) - coefficient
    return const - other, {t: c for t, c in added.items() if c}
