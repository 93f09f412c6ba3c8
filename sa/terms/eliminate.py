"""Exact elimination of integer variables from linear formulas (Cooper 1972, with equations and bounds first).

`project` works around a state and `shadow` over-approximates; what comes out here is equivalent to the formula with
`∃` for the variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import lcm

from msgspec import Struct

from sa.terms import build
from sa.terms.overapproximate import split
from sa.terms.solve import isolated, solution
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Div, IsZero, Le, Mod, Not, Term, Var, subterms

#: Cases that a formula may have, and the largest common multiple of coefficients and divisors.
CASES, MULTIPLE = 64, 24


class NotEliminated(Exception):
    """The formula is not linear in a variable, or too large."""


def eliminate(formula: Term, variables: Iterable[Var]) -> Term | None:
    """A formula without the variables that is equivalent to `∃ variables. formula`; None if none was found."""
    cases = [build.conjuncts(formula)]
    try:
        for var in sorted(variables, key=lambda v: v.key):
            cases = [after for case in cases for after in _without(case, var)]
            if len(cases) > CASES:
                return None
    except NotEliminated:
        return None
    return build.lor(*(build.land(*case) for case in cases))


def _without(case: Sequence[Term], var: Var) -> Iterator[tuple[Term, ...]]:
    for literals in _split_up(case, var):
        rest = [t for t in literals if var not in t.free]
        own = [t for t in literals if var in t.free]
        for found in _eliminated(own, var):
            whole = build.land(*rest, *found)
            if whole is not build.FALSE:
                yield build.conjuncts(whole)


def _split_up(case: Sequence[Term], var: Var) -> list[Sequence[Term]]:
    """The case as literals wherever it mentions the variable."""
    done, waiting = list[Sequence[Term]](), [tuple(case)]
    hidden = frozenset((var,))
    while waiting:
        here = waiting.pop()
        place, parts = next(((i, p) for i, t in enumerate(here) if (p := split(t, hidden))), (-1, ()))
        if not parts:
            done.append(here)
        for part in parts:
            whole = build.land(*here[:place], *here[place + 1 :], part)
            if whole is not build.FALSE:
                waiting.append(build.conjuncts(whole))
        if len(done) + len(waiting) > CASES:
            raise NotEliminated
    return done


def _eliminated(literals: Sequence[Term], var: Var) -> Iterator[tuple[Term, ...]]:
    """Conjunctions whose disjunction is `∃ var. literals`; each literal mentions the variable."""
    if not literals:
        yield ()
        return
    for literal in literals:
        solved = solution(literal, frozenset((var,)))
        if solved is not None:
            yield tuple(substitute(t, {var: solved[1]}) for t in literals)
            return
    if var.sort != INT:
        raise NotEliminated
    divisors = {t.divisor for t in subterms(literals) if isinstance(t, Mod | Div) and var in t.free}
    if divisors:
        yield from _by_residues(literals, var, lcm(*divisors))
    else:
        yield from _linear([_constraint(t, var) for t in literals], var)


def _by_residues(literals: Sequence[Term], var: Var, multiple: int) -> Iterator[tuple[Term, ...]]:
    """Remainders of the variable by the divisors, one after the other: then they are remainders of other terms."""
    if multiple > MULTIPLE:
        raise NotEliminated
    for residue in range(multiple):
        value = build.add(build.scale(multiple, var), build.integer(residue))
        found = build.conjoined(substitute(t, {var: value}) for t in literals)
        if any(isinstance(t, Mod | Div) and var in t.free for t in subterms(found)):
            raise NotEliminated
        yield from _without(found, var)


class _Constraint(Struct, frozen=True):
    """`coefficient · var + rest` is at most zero (`le`), zero (`eq`) or not zero (`ne`)."""

    kind: str
    coefficient: int
    rest: Term


def _constraint(literal: Term, var: Var) -> _Constraint:
    match literal:
        case Le(total):
            kind = "le"
        case IsZero(total):
            kind = "eq"
        case Not(IsZero(total)):
            kind = "ne"
        case _:
            raise NotEliminated
    found = isolated(total, var)
    if found is None:
        raise NotEliminated
    return _Constraint(kind, *found)


def _linear(constraints: Sequence[_Constraint], var: Var) -> Iterator[tuple[Term, ...]]:
    equation = next((c for c in constraints if c.kind == "eq"), None)
    if equation is not None:
        yield tuple(_with_equation(constraints, equation))
        return
    bounds = [c for c in constraints if c.kind == "le"]
    apart = next((c for c in constraints if c.kind == "ne"), None)
    if apart is not None and any(c.coefficient > 0 for c in bounds) and any(c.coefficient < 0 for c in bounds):
        others = [c for c in constraints if c is not apart]
        for sign in (1, -1):
            strict = build.add(build.scale(sign, apart.rest), build.ONE)
            yield from _linear([*others, _Constraint("le", sign * apart.coefficient, strict)], var)
        return
    # Bounded on one side only there is room for whatever must not be equal.
    lower = [c for c in bounds if c.coefficient < 0]
    upper = [c for c in bounds if c.coefficient > 0]
    if all(low.coefficient == -1 or high.coefficient == 1 for low in lower for high in upper):
        yield tuple(_resolvent(low, high) for low in lower for high in upper)
    else:
        yield from _cooper(lower, upper)


def _with_equation(constraints: Sequence[_Constraint], equation: _Constraint) -> Iterator[Term]:
    """`c · var == t`: c divides t, and the other constraints, multiplied by c, have t in its place."""
    sign = 1 if equation.coefficient > 0 else -1
    size, value = abs(equation.coefficient), build.scale(-sign, equation.rest)
    yield build.is_zero(build.mod(value, size))
    for c in constraints:
        if c is not equation:
            yield _said(c.kind, build.combine(0, ((value, c.coefficient), (c.rest, size))))


def _said(kind: str, total: Term) -> Term:
    if kind == "le":
        return build.at_most_zero(total)
    return build.is_zero(total) if kind == "eq" else build.lnot(build.is_zero(total))


def _resolvent(low: _Constraint, high: _Constraint) -> Term:
    return build.at_most_zero(build.combine(0, ((low.rest, high.coefficient), (high.rest, -low.coefficient))))


def _cooper(lower: Sequence[_Constraint], upper: Sequence[_Constraint]) -> Iterator[tuple[Term, ...]]:
    """Some value of the variable is the least possible one: a bound that holds there and a distance from it."""
    multiple = lcm(*(abs(c.coefficient) for c in (*lower, *upper)))
    if multiple > MULTIPLE:
        raise NotEliminated
    # With z for `multiple · var`: z >= low, z <= high, and z is a multiple.
    lows = [build.scale(multiple // -c.coefficient, c.rest) for c in lower]
    highs = [build.scale(-multiple // c.coefficient, c.rest) for c in upper]
    for least in lows:
        for distance in range(multiple):
            value = build.add(least, build.integer(distance))
            yield (
                build.is_zero(build.mod(value, multiple)),
                *(build.le(low, value) for low in lows),
                *(build.le(value, high) for high in highs),
            )
