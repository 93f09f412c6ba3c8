"""Sums in evidence: functions that exist by their definition, and what that says where an obligation mentions them.

f(k + 1, x) = f(k, x) + t(k, x) has a solution over the integers for any t that f does not occur in: f(0, x) = 0, and
the rest by recursion upwards and downwards. So a fresh f may be assumed to be one, in each obligation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom
from sa.certificates.run import Bad
from sa.certificates.sums import Summation
from sa.checker.obligation import Obligation
from sa.terms.build import ONE, add, call, eq, sub
from sa.terms.sort import INT
from sa.terms.substitute import substitute
from sa.terms.term import Call, Forall, Function, Term, sort_of, subterms


def sums_fault(
    sums: Sequence[Summation], threads: Sequence[Automaton], axioms: Sequence[Axiom], bads: Iterable[Bad]
) -> str | None:
    """What keeps sums from being definitions of functions that nothing else is said of."""
    if not sums:
        return None
    names = {f.name for f in _functions(_said(threads, axioms, bads))}
    for made in sums:
        if made.function.name in names:
            return f"`{made.function.name}` is not a name for a sum, since it means something else"
        sorts = tuple(v.sort for v in made.variables)
        if not sorts or sorts[0] != INT or len(set(made.variables)) < len(sorts):
            return "a sum is over the integers, and its variables are different ones"
        if (made.function.arguments, made.function.result, sort_of(made.term)) != (sorts, INT, INT):
            return "a sum has other sorts than its variables"
        if not made.term.free <= frozenset(made.variables) or any(
            isinstance(t, Forall) for t in subterms((made.term,))
        ):
            return "a sum speaks of more than its variables"
        if any(f.name not in names for f in _functions((made.term,))):
            return "a sum is defined by a function that the program does not have"
    if len({s.function.name for s in sums}) < len(sums):
        return "two sums have the same name"
    return None


def _said(threads: Iterable[Automaton], axioms: Iterable[Axiom], bads: Iterable[Bad]) -> Iterator[Term]:
    yield from (a.formula for a in axioms)
    yield from (b.claim for b in bads if b.claim is not None)
    for thread in threads:
        yield thread.init
        yield from (q.inv for q in thread.locations)
        for edge in thread.edges:
            yield from (edge.guard, *(t for _, t in edge.updates))


def _functions(terms: Iterable[Term]) -> frozenset[Function]:
    return frozenset(t.function for t in subterms(terms) if isinstance(t, Call))


def with_sums(sums: Sequence[Summation], obligation: Obligation) -> Obligation:
    """The obligation with what the definitions say of the values that it mentions, and of those next to them."""
    cases = tuple(obligation.cases)
    mentioned = [t for t in subterms(chain(obligation.hypotheses, *(c.body for c in cases))) if isinstance(t, Call)]
    by_name = {s.function: s for s in sums}
    known = (f for t in mentioned if t.function in by_name for f in _meant(by_name[t.function], t))
    return replace(obligation, hypotheses=tuple(dict.fromkeys((*obligation.hypotheses, *known))), cases=cases)


def _meant(made: Summation, here: Call) -> Iterator[Term]:
    """What is between a value of the sum and the next one, and the one before."""
    index, *others = here.arguments
    for first in (index, sub(index, ONE)):
        now, later = (call(made.function, (k, *others)) for k in (first, add(first, ONE)))
        added = substitute(made.term, dict(zip(made.variables, (first, *others), strict=True)))
        yield eq(later, add(now, added))
