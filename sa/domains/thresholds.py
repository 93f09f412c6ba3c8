"""Numbers at which widening may stop: those that a program compares its variables with or sets them to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from sa.terms import build
from sa.terms.term import Int, IsZero, Le, Term, Var, subterms

#: For each variable numbers c such that `x <= c` may bound it.
Thresholds: TypeAlias = Mapping[Var, frozenset[int]]


def thresholds_of(formulas: Iterable[Term], updates: Iterable[tuple[Var, Term]] = ()) -> dict[Var, frozenset[int]]:
    """The cuts of all bounds in the formulas, and constants that variables are set to; with their neighbours.

    A relation between variables gives its constant to each of them.
    """
    found = dict[Var, set[int]]()
    waiting = list(formulas)
    for var, value in updates:
        waiting.append(value)
        if isinstance(value, Int):
            found.setdefault(var, set()).update((value.value - 1, value.value))
    for term in subterms(waiting):
        if isinstance(term, Le | IsZero):
            const, parts = build.linear_parts(term.total)
            for part, coefficient in parts.items():
                if isinstance(part, Var):
                    cut = -const // coefficient
                    found.setdefault(part, set()).update((cut - 1, cut, cut + 1))
    return {var: frozenset(cuts) for var, cuts in found.items()}
