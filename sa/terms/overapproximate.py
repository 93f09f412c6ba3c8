"""Over-approximate elimination of variables: a formula without them that follows from the given one.

Definitions are substituted, bounds are combined as over the rationals, what else mentions a variable is dropped; so the
result is implied, and often no more than that. The exact, under-approximating kind around a state is `project`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sa.terms import build
from sa.terms.cases import condition_in, decided
from sa.terms.solve import isolated, solution
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Le, Not, Or, Term, Var

#: Cases that a formula is split into at most, and bounds that may come of one variable; past them parts are dropped.
CASES = 16
BOUNDS = 24


def shadow(formula: Term, variables: Iterable[Var]) -> Term:
    """A consequence of the formula that does not mention the variables."""
    hidden = frozenset(variables)
    if formula.free.isdisjoint(hidden):
        return formula
    return build.lor(*(build.land(*_without(case, hidden)) for case in _cases(formula, hidden)))


def _cases(formula: Term, hidden: frozenset[Var]) -> Sequence[Sequence[Term]]:
    """Conjunctions whose disjunction follows from the formula, split where a hidden variable is in a disjunction."""
    done, waiting = list[list[Term]](), [list(build.conjuncts(formula))]
    while waiting:
        case = waiting.pop()
        place, parts = next(((i, p) for i, t in enumerate(case) if (p := split(t, hidden))), (-1, ()))
        if not parts:
            done.append(case)
            continue
        rest = case[:place] + case[place + 1 :]
        if len(done) + len(waiting) + len(parts) > CASES:
            waiting.append(rest)
            continue
        for part in parts:
            whole = build.land(*rest, part)
            if whole is not build.FALSE:
                waiting.append(list(build.conjuncts(whole)))
    return done


def split(term: Term, hidden: frozenset[Var]) -> tuple[Term, ...]:
    """The cases of a part that mentions hidden variables under a disjunction or a conditional; none if it does not."""
    if term.free.isdisjoint(hidden):
        return ()
    if isinstance(term, Or):
        return term.args
    condition = condition_in(term.body if isinstance(term, Not) else term)
    if condition is None:
        return ()
    truths = ((condition, True), (build.lnot(condition), False))
    return tuple(build.land(c, decided(term, condition, truth)) for c, truth in truths)


def _without(case: Sequence[Term], hidden: frozenset[Var]) -> Iterator[Term]:
    current = list(case)
    for var in sorted(hidden, key=lambda v: v.key):
        if any(var in t.free for t in current):
            current = list(build.conjoined(_eliminated(current, var)))
    yield from current


def _eliminated(current: Sequence[Term], var: Var) -> Iterator[Term]:
    for literal in current:
        solved = solution(literal, frozenset((var,))) if var in literal.free else None
        if solved is not None:
            yield from (substitute(t, {var: solved[1]}) for t in current if t is not literal)
            return
    yield from (t for t in current if var not in t.free)
    bounds = [b for t in current if var in t.free for b in _bounds(t, var)]
    lower = [(-c, rest) for c, rest in bounds if c < 0]
    upper = [(c, rest) for c, rest in bounds if c > 0]
    if len(lower) * len(upper) <= BOUNDS:
        for a, low in lower:
            for b, high in upper:
                yield build.le(build.add(build.scale(b, low), build.scale(a, high)), build.ZERO)


def _bounds(literal: Term, var: Var) -> Iterator[tuple[int, Term]]:
    """What `coefficient · var + rest <= 0` the literal says, as (coefficient, rest)."""
    found = isolated(literal.total, var) if isinstance(literal, Le | IsZero) else None
    if found is not None:
        yield found
        if isinstance(literal, IsZero):
            yield -found[0], build.scale(-1, found[1])
