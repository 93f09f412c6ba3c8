"""Numbers that may be ranks: differences that steps compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from sa.ranking.left import Search, Thread
from sa.ranking.points import Step
from sa.terms.build import conjoined, linear_parts, scale
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Le, Not, Term, Var


def compared(search: Search, thread: Thread, own: Sequence[Step], written: Set[Var]) -> list[Term]:
    """Differences of what is written that are not negative where a step is taken; those in the user's variables
    first.
    """
    found = dict[Term, None]()
    for step in own:
        known = conjoined((*step.premise, *thread.known(step.passage[0])))
        equal = [e for f in known for e in _equation(f)]
        for total in (t for f in known for t in _totals(f)):
            found[total] = None
            # The copy of a shared number was compared, and the number is what is lowered.
            found |= dict.fromkeys(substitute(total, {v: w}) for v, w in equal if v in total.free)
    fitting = [r for r in found if r.free <= search.variables and not r.free.isdisjoint(written)]
    return sorted(fitting, key=lambda r: any(v.name.base.startswith("_") for v in r.free))


def _totals(formula: Term) -> Iterator[Term]:
    """Numbers that are not negative, or not 0."""
    match formula:
        case Le(total):
            yield scale(-1, total)
        case Not(IsZero(total)):
            yield total
            yield scale(-1, total)
        case _:
            return


def _equation(formula: Term) -> Iterator[tuple[Term, Term]]:
    """Two variables that are equal, either way."""
    if isinstance(formula, IsZero):
        constant, parts = linear_parts(formula.total)
        if constant == 0 and sorted(parts.values()) == [-1, 1]:
            v, w = parts
            yield v, w
            yield w, v
