"""Remainders by constants: of values case by case, and with variables of their own in their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from sa.terms import build
from sa.terms.solve import solution
from sa.terms.substitute import rebuild
from sa.terms.term import Forall, Int, Ite, Mod, Term, Var, children, subterms

#: A remainder by its number and the divisor.
Remainder: TypeAlias = tuple[Var, int]


def asked(
    formulas: Iterable[Term], values: Sequence[tuple[Var, Term]], numbers: frozenset[Var], most: int, many: int
) -> tuple[Remainder, ...]:
    """Remainders of the numbers that formulas ask for, and those of numbers that the values of these come from.

    By divisors up to `most`; where more than `many` are found there may be others.
    """
    waiting = [r for f in formulas for r in _remainders(f, numbers, most)]
    found = dict.fromkeys(waiting)
    while waiting and len(found) <= many:
        var, divisor = waiting.pop()
        for target, value in values:
            if target is var:
                new = [r for r in _remainders(build.mod(value, divisor), numbers, most) if r not in found]
                found.update(dict.fromkeys(new))
                waiting += new
    return tuple(found)


def _remainders(term: Term, numbers: frozenset[Var], most: int) -> Iterator[Remainder]:
    for part in subterms((term,)):
        if isinstance(part, Mod) and part.divisor <= most:
            yield from ((v, part.divisor) for v in build.linear_parts(part.dividend)[1] if v in numbers)


def first(init: Term, var: Var, divisor: int, name: Var) -> Term:
    """That a variable is a number's remainder at the start, where the number has a value there."""
    for formula in build.conjuncts(init):
        said = solution(formula, frozenset((var,)))
        if said is not None and isinstance(said[1], Int):
            return build.eq(name, build.mod(said[1], divisor))
    return build.TRUE


def remainder_of(value: Term, divisor: int) -> Term:
    """The remainder of a value, case by case."""
    if isinstance(value, Ite):
        return build.ite(value.condition, remainder_of(value.positive, divisor), remainder_of(value.negative, divisor))
    return build.mod(value, divisor)


def replaced(term: Term, names: Mapping[Remainder, Var], memo: dict[Term, Term]) -> Term:
    """A term with variables in place of remainders."""
    if term in memo:
        return memo[term]
    found = term
    if isinstance(term, Mod):
        found = _sum(term, names)
    elif not isinstance(term, Forall) and any(True for _ in children(term)):
        found = rebuild(term, lambda t: replaced(t, names, memo))
    memo[term] = found
    return found


def _sum(term: Mod, names: Mapping[Remainder, Var]) -> Term:
    """The remainder of a sum from those of its parts: by cases, which boxes tell apart."""
    const, parts = build.linear_parts(term.dividend)
    size, known = term.divisor, {(p, term.divisor): c for p, c in parts.items() if isinstance(p, Var)}
    if len(known) < len(parts) or any(r not in names for r in known):
        return term
    total = build.linear(const, {names[r]: c for r, c in known.items()})
    found = total
    for multiple in range(size, const + (size - 1) * sum(known.values()) + 1, size):
        least = build.le(build.integer(multiple), total)
        found = build.ite(least, build.sub(total, build.integer(multiple)), found)
    return found
