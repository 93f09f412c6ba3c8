"""The normal form of threads: copy and constant propagation, what tests tell, and no values that nobody reads.

Calls that are inlined, helper variables, and loads of a variable that only the loading thread writes, leave copies
behind. So what variables equal is found at each location, and put in their place: the same program has one form for
every engine, whether it was written with functions or without. The checker makes the simpler threads from these
equations itself (`checker/simplified.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.base.limits import Limits, spend
from sa.certificates.run import Bad
from sa.terms import build
from sa.terms.solve import solution
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, subterms
from sa.transform.mattering import mattering

#: Terms of more parts are not put in the place of a variable.
SIZE = 24

#: By location the variables that equal a term there.
Facts = Mapping[str, Mapping[Var, Term]]


class NormalForm(Struct, frozen=True, eq=False):
    """By thread and location: what variables equal, and the variables whose values matter once that is put in."""

    equal: tuple[Facts, ...]
    matter: tuple[Mapping[str, frozenset[Var]], ...]


def normal_form(threads: tuple[Automaton, ...], bads: Sequence[Bad], bounds: Limits) -> NormalForm:
    """The normal form of closed threads. Raises LimitReached."""
    equal = tuple(_facts(t, _private(t, threads), bounds) for t in threads)
    return NormalForm(equal, mattering(threads, equal, bads, bounds))


def _private(thread: Automaton, threads: Sequence[Automaton]) -> frozenset[Var]:
    """The thread's locals and the shared variables that no other thread writes."""
    others = {v for t in threads if t is not thread for e in t.edges for v, _ in e.updates}
    return frozenset(v.var for v in thread.variables if v.kind is Kind.LOCAL or v.var not in others)


def _facts(thread: Automaton, private: frozenset[Var], bounds: Limits) -> Facts:
    """By location what variables equal: the greatest solution that the start and all steps of the thread keep."""
    own = frozenset(variables_of(thread, Kind.LOCAL))
    told = {e: tuple(_told(e, own, private)) for e in thread.edges}
    candidates = tuple(
        dict.fromkeys((*_candidates(thread, own, private), *(c for some in told.values() for c in some)))
    )
    places = {e.source for e in thread.edges} | {e.target for e in thread.edges} | {thread.initial}
    found = {q.name: candidates if q.name in places else () for q in thread.locations}
    found[thread.initial] = tuple(c for c in candidates if _begins(thread, *c))
    changed = bool(candidates)
    while changed:
        changed = False
        for edge in thread.edges:
            spend(bounds, 20 + 10 * len(found[edge.target]))
            known = _solved((*found[edge.source], *told[edge]))
            left = tuple(c for c in found[edge.target] if _kept(edge, known, *c))
            if len(left) < len(found[edge.target]):
                found[edge.target], changed = left, True
    return {place: _solved(some) for place, some in found.items()}


def _candidates(thread: Automaton, own: frozenset[Var], private: frozenset[Var]) -> Iterator[tuple[Var, Term]]:
    """What is assigned to locals, variables that a step gives new values together, and values that are known."""
    pairs = [(v, t) for e in thread.edges for v, t in e.updates if v in own]
    yield from ((v, t) for v, t in _first(thread).items() if v in private)
    # Variables first: a term in the place of a variable makes others larger.
    for v, t in sorted(pairs, key=lambda pair: not isinstance(pair[1], Var)):
        if t.free <= private and v not in t.free and sum(1 for _ in subterms((t,))) <= SIZE:
            yield v, t
    ranges = {v.var: (v.var.sort, v.low, v.high) for v in thread.variables}
    for edge in thread.edges:
        for (v, _), (w, _) in permutations(edge.updates, 2):
            if v in own and w in private and ranges[v] == ranges[w] and (w not in own or v.key > w.key):
                yield v, w


def _told(edge: Edge, own: frozenset[Var], private: frozenset[Var]) -> Iterator[tuple[Var, Term]]:
    """What the guard of a step tells of locals."""
    for formula in build.conjuncts(edge.guard):
        found = solution(formula, own & formula.free) if formula.free <= private else None
        if found is not None and sum(1 for _ in subterms((found[1],))) <= SIZE:
            yield found


def _begins(thread: Automaton, copy: Var, term: Term) -> bool:
    """Whether the fact follows from the values that the start gives."""
    return substitute(build.eq(copy, term), _first(thread)) is build.TRUE


def _first(thread: Automaton) -> Mapping[Var, Term]:
    """The variables of which the start gives the value."""
    alone = (c for c in build.conjuncts(thread.init) if len(c.free) == 1)
    return dict(found for c in alone if (found := solution(c, c.free)) is not None and not found[1].free)


def _kept(edge: Edge, known: Mapping[Var, Term], copy: Var, term: Term) -> bool:
    """Whether the fact holds after a step before which all that is known holds."""
    chosen = frozenset(c.var for c in edge.choices)
    updates = dict(edge.updates)
    before, after = updates.get(copy, copy), substitute(term, updates)
    if not chosen.isdisjoint((before.free | after.free) - {copy}):
        return before is after
    return substitute(before, known) is substitute(after, known)


def _solved(facts: Sequence[tuple[Var, Term]]) -> dict[Var, Term]:
    """What each copy is replaced by: no term has a variable that is replaced itself."""
    found, mentioned = dict[Var, Term](), dict[Var, set[Var]]()
    for copy, term in facts:
        now = substitute(term, found)
        if copy in found or copy in now.free:
            continue
        found[copy] = now
        for changed in (copy, *mentioned.pop(copy, ())):
            found[changed] = substitute(found[changed], {copy: now})
            for v in now.free:
                mentioned.setdefault(v, set()).add(changed)
    return found
