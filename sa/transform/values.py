"""What formulas say outright that variables are: constants, or other variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sa.terms import build
from sa.terms.term import IsZero, Not, Same, Term, Var


def values(formula: Term) -> Iterator[tuple[Var, Term]]:
    """What an equation says that a variable is: a constant or another variable."""
    match formula:
        case Var():
            yield formula, build.TRUE
        case Not(Var() as var):
            yield var, build.FALSE
        case IsZero(total):
            constant, parts = build.linear_parts(total)
            named = [(p, c) for p, c in parts.items() if isinstance(p, Var) and abs(c) == 1]
            if len(parts) == len(named) <= 2 and named:
                var, sign = named[0]
                yield var, build.combine(-sign * constant, [(p, -sign * c) for p, c in named[1:]])
        case Same(Var() as var, other) | Same(other, Var() as var) if var not in other.free:
            yield var, other
        case _:
            return


def constants(formulas: Iterable[Term]) -> dict[Var, Term]:
    """The variables that are constants."""
    return {v: t for f in build.conjoined(formulas) for v, t in values(f) if not t.free}
