"""Obligations of a reduction: steps commute, some step goes on behind a commit, claims notice nothing inside of blocks.

A step e of one thread before a step f of another one can be swapped with it if, wherever e and then f are possible, f
and then e are too and lead to the same state. Threads have names of their own here, so no choice occurs in both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge
from sa.certificates.reduced import Phase
from sa.checker.blocks import Phases
from sa.checker.joint_locations import at_one_location, in_words, settled, written_of
from sa.checker.never import taking
from sa.checker.obligation import Case, Obligation, solved
from sa.terms.build import FALSE, TRUE, conjoined, conjuncts, eq
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class _Known(Struct, frozen=True, eq=False):
    """What holds where threads are at locations: their written invariants, and facts, by the threads they speak of.

    `somewhere` says of each thread that it is at one location, of those that facts speak of, and `alone` is what holds
    of each by itself.
    """

    written: Mapping[str, Mapping[str, Term]]
    facts: Mapping[frozenset[str], tuple[Term, ...]]
    somewhere: Mapping[str, tuple[Term, ...]]
    alone: Mapping[str, tuple[Term, ...]]
    found: dict[tuple[frozenset[str], tuple[tuple[str, str], ...]], tuple[Term, ...]] = field(default_factory=dict)

    def at(self, places: Mapping[str, str]) -> tuple[Term, ...]:
        """The conjuncts of what holds there."""
        here = [self.written[t][q] for t, q in places.items()]
        said = [f for spoken in self.facts for f in self._settled(spoken, places)]
        spoken = [(v.name.thread, v.name.place) for f in said for v in f.free if v.name.thread not in places]
        others = dict.fromkeys(t for t, _ in spoken if t is not None)
        counting = dict.fromkeys(t for t, q in spoken if t is not None and q is None)
        # What is said of another thread's own variables matters only where these are spoken of.
        told = (*(f for t in others for f in self.somewhere[t]), *(f for t in counting for f in self.alone[t]))
        return conjoined((*here, *said, *told))

    def _settled(self, spoken: frozenset[str], places: Mapping[str, str]) -> tuple[Term, ...]:
        """The facts about the locations of these threads. Many say nothing of these places."""
        about = tuple((t, q) for t, q in places.items() if t in spoken)
        key = spoken, about
        if key not in self.found:
            said = (settled(fact, dict(about)) for fact in self.facts[spoken])
            # Of facts about other threads alone nothing is needed.
            self.found[key] = tuple(f for f in said if f is not TRUE) if about or not spoken else ()
        return self.found[key]


def commutations(
    threads: Sequence[Automaton], phases: Sequence[Phases], facts: tuple[Term, ...]
) -> Iterator[Obligation]:
    """Each step that leads before a commit moves right over each step of the others, each from behind one left."""
    known, apart, said = _known(threads, facts), dict[frozenset[Term], bool](), set[frozenset[Term]]()
    for (one, e), (other, f) in _swaps(threads, phases):
        here = {one.name: e.source, other.name: f.source}
        start = known.at(here)
        if (key := frozenset(start)) not in apart:
            apart[key] = FALSE in solved(start, frozenset[Var]().union(*(t.free for t in start)))[1]
        if not apart[key]:
            yield _swapped(known, (one, e), (other, f))
        elif key not in said:
            # Many steps are at locations where the same is known.
            said.add(key)
            yield Obligation("locations apart", in_words(here), start, (Case((), (FALSE,)),))


def _swaps(
    threads: Sequence[Automaton], phases: Sequence[Phases]
) -> Iterator[tuple[tuple[Automaton, Edge], tuple[Automaton, Edge]]]:
    """The steps of two threads that must commute in this order, and have variables in common."""
    prints = [[_footprint(e) for e in t.edges] for t in threads]
    for (one, its, own), (other, theirs, others) in permutations(zip(threads, phases, prints, strict=True), 2):
        for e, (reads, writes) in zip(one.edges, own, strict=True):
            right = its[e.target] is Phase.BEFORE
            for f, (f_reads, f_writes) in zip(other.edges, others, strict=True):
                apart = writes.isdisjoint(f_reads | f_writes) and f_writes.isdisjoint(reads)
                if not apart and (right or theirs[f.source] is Phase.AFTER):
                    yield (one, e), (other, f)


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


def _known(threads: Sequence[Automaton], facts: Sequence[Term]) -> _Known:
    by_threads = dict[frozenset[str], list[Term]]()
    for fact in facts:
        spoken = frozenset(v.name.thread for v in fact.free if v.name.place is not None and v.name.thread is not None)
        by_threads.setdefault(spoken, []).append(fact)
    written = {t.name: {q.name: q.inv for q in t.locations} for t in threads}
    places = frozenset(v for fact in facts for v in fact.free if v.name.place is not None)
    somewhere = {t.name: tuple(at_one_location(t, places)) for t in threads}
    alone = {t.name: (*written_of(t), *by_threads.get(frozenset({t.name}), ())) for t in threads}
    return _Known(written, {spoken: tuple(some) for spoken, some in by_threads.items()}, somewhere, alone)


def known_at(threads: Sequence[Automaton], facts: tuple[Term, ...]) -> Callable[[Mapping[str, str]], tuple[Term, ...]]:
    """What holds where threads are at locations, as conjuncts."""
    return _known(threads, facts).at


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
