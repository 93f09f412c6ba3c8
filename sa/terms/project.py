"""Model-based projection: eliminating variables from a conjunction of literals around a state.

`project` yields a conjunction without the variables that the state satisfies and that implies
`∃ variables. literals`. It is exact (equivalent) where it says so: equalities and bounds with unit
coefficients. Where remainders are asked for too, the next number beyond a bound that has the state's remainder stands
in for the variable, as in Cooper's method; elsewhere the state's value does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

from sa.terms import build
from sa.terms.elements import elements
from sa.terms.evaluate import State, evaluate
from sa.terms.solve import isolated, solution
from sa.terms.sort import INT, ArraySort, number
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Le, Mod, Not, Term, Var

#: The largest common multiple of divisors.
STEP = 64


def project(literals: Iterable[Term], variables: Iterable[Var], state: State) -> tuple[tuple[Term, ...], bool]:
    """Literals over the other variables, true in `state`, implying `∃ variables. literals`; and whether exact."""
    current = _clean(literals)
    exact = True
    pending = sorted(variables, key=lambda v: v.key)
    while pending:
        var = _easiest(pending, current)
        pending.remove(var)
        if any(var in t.free for t in current):
            read = _by_elements(current, var, state)
            if read is not None:
                current, values, was_exact = _clean(read[0]), read[1], read[2]
                state = {**state, **values}
                pending.extend(values)
            else:
                current, was_exact = _eliminate(current, var, state)
            exact = exact and was_exact
    return tuple(current), exact


def _clean(literals: Iterable[Term]) -> list[Term]:
    flat = dict[Term, None]()
    for literal in literals:
        flat.update(dict.fromkeys(build.conjuncts(literal)))
    return list(flat)


def _easiest(pending: Sequence[Var], current: Sequence[Term]) -> Var:
    for var in pending:
        if any(solution(t, frozenset((var,))) is not None for t in current if var in t.free):
            return var
    # An index can be eliminated only where nothing is read there any more.
    return next((v for v in pending if isinstance(v.sort, ArraySort)), pending[0])


def _by_elements(current: Sequence[Term], var: Var, state: State) -> tuple[list[Term], State, bool] | None:
    """An array that no literal defines, replaced by its elements where it is only read."""
    if not isinstance(var.sort, ArraySort):
        return None
    if any(solution(t, frozenset((var,))) is not None for t in current if var in t.free):
        return None
    return elements(current, var, state)


def _eliminate(current: Sequence[Term], var: Var, state: State) -> tuple[list[Term], bool]:
    for literal in current:
        solved = solution(literal, frozenset((var,))) if var in literal.free else None
        if solved is not None:
            return _clean(substitute(t, {var: solved[1]}) for t in current), True
    rest = [t for t in current if var not in t.free]
    bounds = [_bound(t, var, state) for t in current if var in t.free]
    if var.sort == INT and all(b is not None for b in bounds):
        return _resolve(rest, [b for b in bounds if b is not None], current, var, state)
    if var.sort == INT and (same := _with_remainder(current, var, state)) is not None:
        return same, False
    value = build.constant(state[var], var.sort)
    free_choice = not rest and not bounds
    return _clean(substitute(t, {var: value}) for t in current), free_choice


def _bound(literal: Term, var: Var, state: State) -> tuple[int, Term, bool] | None:
    """`coefficient · var + rest <= 0` as (coefficient, rest, exact); a disequality takes the state's side."""
    exact = True
    match literal:
        case Le(total):
            pass
        case Not(IsZero(total)):
            exact = False
            below = build.lt(total, build.ZERO)
            literal = below if number(evaluate(total, state)) < 0 else build.lt(build.ZERO, total)
            if not isinstance(literal, Le):
                return None
            total = literal.total
        case _:
            return None
    found = isolated(total, var)
    return found and (*found, exact)


def _resolve(
    rest: list[Term], bounds: list[tuple[int, Term, bool]], current: Sequence[Term], var: Var, state: State
) -> tuple[list[Term], bool]:
    lower = [(-c, r) for c, r, _ in bounds if c < 0]
    upper = [(c, r) for c, r, _ in bounds if c > 0]
    exact = all(e for _, _, e in bounds)
    # a·x >= r_l and b·x <= -r_u: exact over the integers when one of a, b is 1.
    if any(a != 1 and b != 1 for a, _ in lower for b, _ in upper):
        value = build.integer(number(state[var]))
        return _clean(substitute(t, {var: value}) for t in current), False
    for a, low in lower:
        for b, high in upper:
            rest.append(build.le(build.add(build.scale(b, low), build.scale(a, high)), build.ZERO))
    if not lower or not upper:
        # Only one side is bounded: a disequality never excludes the far end.
        exact = True
    return _clean(rest), exact


def _with_remainder(current: Sequence[Term], var: Var, state: State) -> list[Term] | None:
    """The literals for the number next to a bound that has the variable's remainder; None where they ask for more."""
    lower, upper, alone, step = list[Term](), list[Term](), set[Term](), 1
    for literal in (t for t in current if var in t.free):
        bound, divisor = _bound(literal, var, state), _divisor(literal, var)
        if bound is not None and abs(bound[0]) == 1:
            (lower if bound[0] < 0 else upper).append(build.scale(-bound[0], bound[1]))
        elif divisor is not None:
            step = lcm(step, divisor)
            alone |= {literal} if literal.free == {var} else set()
        else:
            return None
    if step > STEP:
        return None

    def value(end: Term) -> int:
        return number(evaluate(end, state))

    now = number(state[var])
    if lower:
        end = max(lower, key=value)
        instead = build.add(end, build.integer((now - value(end)) % step))
    elif upper:
        end = min(upper, key=value)
        instead = build.sub(end, build.integer((value(end) - now) % step))
    else:
        end = instead = build.integer(now % step)
    # What is asked of the remainder alone is as in the state.
    same = build.eq(build.mod(end, step), build.integer(value(end) % step))
    return _clean((same, *(substitute(t, {var: instead}) for t in current if t not in alone)))


def _divisor(literal: Term, var: Var) -> int | None:
    """By what a literal divides the variable, if it asks for remainders only."""
    match literal:
        case Le(total) | IsZero(total) | Not(IsZero(total)):
            found = 1
        case _:
            return None
    for part in (p for p in build.linear_parts(total)[1] if var in p.free):
        if not isinstance(part, Mod) or any(
            var in p.free and p is not var for p in build.linear_parts(part.dividend)[1]
        ):
            return None
        found = lcm(found, part.divisor)
    return found
