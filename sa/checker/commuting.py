"""Obligations of a reduction: steps commute, some step goes on behind a commit, claims notice nothing inside of blocks.

A step e of one thread before a step f of another one can be swapped with it if, wherever e and then f are possible, f
and then e are too and lead to the same state. Threads have names of their own here, so no choice occurs in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge
from sa.certificates.reduced import Phase
from sa.checker.blocks import Phases
from sa.checker.never import in_words, settled, taking
from sa.checker.obligation import Case, Obligation
from sa.terms.build import TRUE, conjoined, conjuncts, eq
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class _Known(Struct, frozen=True, eq=False):
    """What holds where threads are at locations: their written invariants, and facts."""

    written: Mapping[str, Mapping[str, Term]]
    facts: tuple[Term, ...]
    found: dict[tuple[tuple[str, str], ...], tuple[Term, ...]] = field(default_factory=dict)

    def at(self, places: Mapping[str, str]) -> tuple[Term, ...]:
        """The conjuncts of what holds there."""
        key = tuple(places.items())
        if key not in self.found:
            here = [self.written[t][q] for t, q in key]
            self.found[key] = conjoined((*here, *self._settled(key)))
        return self.found[key]

    def _settled(self, key: tuple[tuple[str, str], ...]) -> Iterator[Term]:
        """The facts where the threads are there, found thread by thread: many say nothing of such places."""
        before = self._remembered(key[:-1]) if len(key) > 1 else self.facts
        last = dict(key[-1:])
        for fact in before:
            said = settled(fact, last)
            if said is not TRUE:
                yield said

    def _remembered(self, key: tuple[tuple[str, str], ...]) -> tuple[Term, ...]:
        marked = (("", ""), *key)
        if marked not in self.found:
            self.found[marked] = tuple(self._settled(key))
        return self.found[marked]


def commutations(
    threads: Sequence[Automaton], phases: Sequence[Phases], facts: tuple[Term, ...]
) -> Iterator[Obligation]:
    """Each step that leads before a commit moves right over each step of the others, each from behind one left."""
    known = _known(threads, facts)
    for one, its in zip(threads, phases, strict=True):
        for other, theirs in zip(threads, phases, strict=True):
            if one is not other:
                for e in one.edges:
                    right = its[e.target] is Phase.BEFORE
                    for f in other.edges:
                        if (right or theirs[f.source] is Phase.AFTER) and _conflict(e, f):
                            yield _swapped(known, (one, e), (other, f))


def progress(threads: Sequence[Automaton], phases: Sequence[Phases], facts: tuple[Term, ...]) -> Iterator[Obligation]:
    """Behind a commit some step is possible, whatever the other threads have done."""
    known = _known(threads, facts)
    for thread, its in zip(threads, phases, strict=True):
        for place in (q.name for q in thread.locations if its[q.name] is Phase.AFTER):
            here = {thread.name: place}
            leaving = (e for e in thread.edges if e.source == place)
            ways = tuple(Case(tuple(c.var for c in e.choices), conjoined(taking(e))) for e in leaving)
            yield Obligation("progress", in_words(here), known.at(here), ways)


def unnoticed(
    threads: Sequence[Automaton], phases: Sequence[Phases], facts: tuple[Term, ...], claims: Sequence[Term]
) -> Iterator[Obligation]:
    """A claim that is false stays so where steps before a commit are left out, and where those behind it are added."""
    known = _known(threads, facts)
    for thread, its in zip(threads, phases, strict=True):
        for edge in thread.edges:
            dropped, added = its[edge.target] is Phase.BEFORE, its[edge.source] is Phase.AFTER
            here, there = {thread.name: edge.source}, {thread.name: edge.target}
            for claim in claims if dropped or added else ():
                before = settled(claim, here)
                after = substitute(settled(claim, there), dict(edge.updates))
                made = partial(_kept, known, thread, edge)
                if dropped and before is not after:
                    yield made(before, after)
                if added and before is not after:
                    yield made(after, before)


def _kept(known: _Known, thread: Automaton, edge: Edge, premise: Term, conclusion: Term) -> Obligation:
    taken = conjoined((*known.at({thread.name: edge.source}), *taking(edge), premise))
    return Obligation("unnoticed step", _words(thread, edge), taken, (Case((), conjuncts(conclusion)),), edge=edge)


def _known(threads: Sequence[Automaton], facts: tuple[Term, ...]) -> _Known:
    return _Known({t.name: {q.name: q.inv for q in t.locations} for t in threads}, facts)


def _conflict(e: Edge, f: Edge) -> bool:
    """Whether one of two steps writes what the other reads or writes."""
    (e_reads, e_writes), (f_reads, f_writes) = _footprint(e), _footprint(f)
    return not (e_writes.isdisjoint(f_reads | f_writes) and f_writes.isdisjoint(e_reads))


def _footprint(edge: Edge) -> tuple[frozenset[Var], frozenset[Var]]:
    return edge.guard.free.union(*(t.free for _, t in edge.updates)), frozenset(v for v, _ in edge.updates)


def _swapped(known: _Known, first: tuple[Automaton, Edge], second: tuple[Automaton, Edge]) -> Obligation:
    """Where the first step and then the second are possible, so are they in the other order, with the same result."""
    (one, e), (other, f) = first, second
    after_e, after_f = dict(e.updates), dict(f.updates)
    start = known.at({one.name: e.source, other.name: f.source})
    between = known.at({one.name: e.target, other.name: f.source})
    taken = (*start, *taking(e), *(substitute(t, after_e) for t in (*between, *taking(f))))
    results = (
        eq(
            substitute(after_f[v], after_e) if v in after_f else after_e[v],
            substitute(after_e[v], after_f) if v in after_e else after_f[v],
        )
        for v in {**after_e, **after_f}
    )
    possible = (*taking(f), *(substitute(t, after_f) for t in taking(e)))
    where = f"{_words(one, e)}, then {_words(other, f)}"
    return Obligation("commuting steps", where, conjoined(taken), (Case((), conjoined((*possible, *results))),))


def _words(thread: Automaton, edge: Edge) -> str:
    return f"{thread.name}, {edge.source} -> {edge.target}"
