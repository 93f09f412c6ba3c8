"""Remainders that numbers may have: by what steps add to them, and by divisors that a program tells.

An unrolled loop leaves at the bound because the bound is a multiple of what the rounds add: `N % 2 == 0`, `N == 2 * n`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import gcd

from sa.automata.automaton import Automaton
from sa.terms import build
from sa.terms.sort import INT
from sa.terms.term import IsZero, Mod, Term, Var, subterms

#: The largest divisors that are looked at: of all that steps add to a number, and told elsewhere.
MULTIPLES, TOLD = 64, 8


def remainders(automata: Sequence[Automaton]) -> Iterator[Term]:
    """That a number has a remainder, for each remainder that it may have."""
    told = tuple(sorted(set(_told(automata))))
    for var in dict.fromkeys(v.var for t in automata for v in t.variables if v.var.sort == INT):
        moved = tuple(_moved(automata, var))
        common = gcd(*(n for step in moved for n in step))
        sizes = [common] if 1 < common <= MULTIPLES else []
        # Of others, a remainder at one location says something of the next.
        if any(len(step) == 1 and step != (0,) for step in moved):
            sizes += [size for size in told if size != common]
        for size in sizes:
            yield from (build.eq(build.mod(var, size), build.integer(r)) for r in range(size))


def _moved(automata: Iterable[Automaton], var: Var) -> Iterator[tuple[int, ...]]:
    """What steps add to a number: constants and coefficients."""
    for edge in (e for t in automata for e in t.edges):
        const, parts = build.linear_parts(build.sub(dict(edge.updates).get(var, var), var))
        yield const, *parts.values()


def _told(automata: Iterable[Automaton]) -> Iterator[int]:
    """Divisors, and factors that equations of the start have."""
    for thread in automata:
        terms = (thread.init, *(t for e in thread.edges for t in (e.guard, *(value for _, value in e.updates))))
        for term in subterms(terms):
            if isinstance(term, Mod) and 1 < term.divisor <= TOLD:
                yield term.divisor
        for formula in build.conjuncts(thread.init):
            if isinstance(formula, IsZero):
                factors = (abs(n) for n in build.linear_parts(formula.total)[1].values())
                yield from (n for n in factors if 1 < n <= TOLD)
