"""What joint invariants of threads and copies may be made of: formulas over the variables of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from sa.certificates.run import Bad
from sa.invariants.crowd_clauses import System, identities, variables
from sa.invariants.houdini import atoms_of, called
from sa.terms import build
from sa.terms.sort import BOOL, INT
from sa.terms.term import Bool, Int, Member, Term, Var

#: So many candidates at most, and orders between so many numbers.
CANDIDATES, ORDERED = 250, 9


def candidates(s: System, bads: Sequence[Bad]) -> tuple[Term, ...]:
    """Comparisons that the program or a claim makes, values that are assigned, orders, and who is known by whom."""
    own = frozenset(v.var for t in s.apart for v in t.variables)
    formulas = [b.claim for b in bads if b.claim is not None]
    formulas += [f for t in s.apart for f in (t.init, *(e.guard for e in t.edges))]
    found = dict.fromkeys(a for f in dict.fromkeys(formulas) for a in atoms_of(f) if a.free <= own and not called(a))
    found.update(dict.fromkeys(_assigned(s)))
    known = identities(s)
    numbers = [v for v in variables(s) if v.sort == INT and v not in known]
    found.update(dict.fromkeys(build.ne(one, two) for one, two in combinations(numbers, 2)))
    if len(numbers) <= ORDERED:
        found.update(dict.fromkeys(f for pair in combinations(numbers, 2) for f in _orders(*pair)))
    for identity in known:
        found.update(dict.fromkeys(f for v in numbers for f in _both(build.eq(v, identity))))
    return tuple(c for c in found if c.free and c not in (build.TRUE, build.FALSE))[:CANDIDATES]


def _assigned(s: System) -> Iterator[Term]:
    """That a variable has a value that some step gives it, and that it has not."""
    for edge in (e for t in s.apart for e in t.edges):
        for var, value in edge.updates:
            if isinstance(value, Int | Bool | Member):
                yield from _both(var if var.sort == BOOL else build.eq(var, value))
            if isinstance(value, Int):
                yield from (build.le(var, value), build.le(value, var))


def _both(formula: Term) -> Iterable[Term]:
    return formula, build.lnot(formula)


def _orders(one: Var, two: Var) -> Iterable[Term]:
    return build.le(one, two), build.le(two, one), build.lt(one, two), build.lt(two, one)
