"""Indices in evidence: variables of which an invariant says that it holds for every value.

No step knows of an index. So an invariant that holds of one value that nothing is known of holds of all, and what is
known of all values before a step is known of those that the obligation mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, product

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.certificates.run import Bad
from sa.certificates.sums import Summation
from sa.checker.obligation import Obligation
from sa.terms.sort import INT
from sa.terms.substitute import substitution
from sa.terms.term import Mod, Select, Store, Term, Var, sort_of, subterms

#: How many cases of what holds for all indices are assumed in one obligation at most.
INSTANCES = 400


def indices_fault(
    indices: Sequence[Var], threads: Iterable[Automaton], bads: Iterable[Bad], sums: Iterable[Summation]
) -> str | None:
    """What keeps variables from being indices: the program knows them, or they are no integers."""
    names = {v.name for v in indices}
    if len(names) < len(indices) or any(v.sort != INT or v.primes or "'" in v.name for v in indices):
        return "indices are integers, and their names differ"
    known = {v.name for b in bads if b.claim is not None for v in b.claim.free}
    for thread in threads:
        known |= {v.var.name for v in thread.variables} | {c.var.name for e in thread.edges for c in e.choices}
    known |= {v.name for s in sums for v in s.variables}
    return f"`{min(names & known)}` is no index, since it means something else" if names & known else None


def with_indices(indices: Sequence[Var], obligation: Obligation) -> Obligation:
    """The obligation with what its hypotheses say of the indices that it mentions."""
    cases = tuple(obligation.cases)
    said = tuple(h for h in obligation.hypotheses if not h.free.isdisjoint(indices))
    mentioned = tuple(dict.fromkeys(_indices((*obligation.hypotheses, *chain(*(c.body for c in cases))))))
    instances = (substitution(case) for case in islice(_cases(indices, mentioned), INSTANCES))
    known = (instance(h) for instance in instances for h in said)
    return replace(obligation, hypotheses=tuple(dict.fromkeys((*obligation.hypotheses, *known))), cases=cases)


def _cases(indices: Sequence[Var], mentioned: Sequence[Term]) -> Iterator[dict[Var, Term]]:
    """Each index as one of the terms, or as itself."""
    for values in product((None, *mentioned), repeat=len(indices)):
        yield {v: t for v, t in zip(indices, values, strict=True) if t is not None}


def _indices(terms: Iterable[Term]) -> Iterator[Term]:
    """Where arrays are read or written. What is said of all integers is said of their remainders by way of these."""
    for term in subterms(terms):
        if isinstance(term, Select | Store) and sort_of(term.index) == INT:
            yield term.index
            if isinstance(term.index, Mod):
                yield term.index.dividend
