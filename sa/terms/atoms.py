"""What formulas are made of."""

from __future__ import annotations

from collections.abc import Iterator

from sa.terms import build
from sa.terms.term import And, IsZero, Le, Not, Or, Same, Term, Var


def atoms(formula: Term) -> Iterator[Term]:
    """The comparisons and Boolean variables in a formula, and their negations."""
    waiting = [formula]
    while waiting:
        term = waiting.pop()
        match term:
            case And(args) | Or(args):
                waiting.extend(args)
            case Not(body):
                waiting.append(body)
            case Le() | IsZero() | Same() | Var():
                yield term
                yield build.lnot(term)
            case _:
                pass
