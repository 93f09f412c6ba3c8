"""An equation read as the definition of a variable, and a sum as a multiple of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sa.terms import build
from sa.terms.meaning import called
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Not, Same, Term, Var, sort_of


def solution(literal: Term, variables: frozenset[Var]) -> tuple[Var, Term] | None:
    """One of the variables and what the literal makes it equal to, if it does so without division."""
    match literal:
        case IsZero(total):
            const, parts = build.linear_parts(total)
            for part, coefficient in parts.items():
                if isinstance(part, Var) and part in variables and abs(coefficient) == 1:
                    rest = build.linear(const, {p: c for p, c in parts.items() if p is not part})
                    if part not in rest.free:
                        return part, build.scale(-coefficient, rest)
        case Same(left, right):
            for var, term in ((left, right), (right, left)):
                if isinstance(var, Var) and var in variables and var not in term.free:
                    return var, term
        case Not(Same(left, right)) if sort_of(left) == BOOL:
            for var, term in ((left, right), (right, left)):
                if isinstance(var, Var) and var in variables and var not in term.free:
                    return var, build.lnot(term)
        case Var() if literal in variables:
            return literal, build.TRUE
        case Not(Var() as var) if var in variables:
            return var, build.FALSE
    return None


def isolated(total: Term, var: Var) -> tuple[int, Term] | None:
    """The coefficient of a variable in a sum and what else is in the sum; None where it is not linear in it."""
    const, parts = build.linear_parts(total)
    if var not in parts or any(var in p.free for p in parts if p is not var):
        return None
    return parts[var], build.linear(const, {p: c for p, c in parts.items() if p is not var})


def given(formula: Term, variables: frozenset[Var]) -> frozenset[Var]:
    """Those of the variables to which a formula gives a value, made of what is none of them or has a value."""
    left = variables
    while True:
        solved = (solution(c, left) for c in build.conjuncts(formula))
        found = frozenset(s[0] for s in solved if s is not None and left.isdisjoint(s[1].free))
        if not found:
            return variables - left
        left -= found


def extended(definitions: Mapping[Var, Term], equations: Iterable[Term]) -> dict[Var, Term]:
    """Definitions, over what they do not define, and those that equations without functions add: a substitution."""
    found = dict(definitions)
    for formula in equations:
        equation = substitute(formula, found)
        solved = None if called(equation) else solution(equation, equation.free)
        if solved is not None:
            var, term = solved
            found = {v: substitute(t, {var: term}) for v, t in found.items()} | {var: term}
    return found
