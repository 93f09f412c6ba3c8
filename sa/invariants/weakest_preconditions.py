"""What must hold before steps so that claims hold afterwards: weakest preconditions along a few steps of one thread.

They are candidates, each for one location. Nothing says that other threads keep them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sa.automata.automaton import Automaton, Edge, Kind, edges_from, variables_of
from sa.automata.dataflow import forward
from sa.certificates.run import Bad
from sa.conditions.never import at_places, failing_edges, mentioned, taking
from sa.invariants.constants import constants, owned
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.solve import solution
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var, subterms

#: So many steps back at most, formulas of a thread, parts of a formula, and formulas that are wanted of others.
DEPTH, FORMULAS, SIZE, COMMON = 10, 200, 120, 12

#: How often a way back comes to a location again.
ROUNDS = 1


def preconditions(bads: Sequence[Bad], written: Sequence[Automaton], threads: Sequence[Automaton]) -> Iterator[Term]:
    """Formulas that say what holds at a location; `threads` are those that are written, with names of their own.

    What a thread needs of shared variables is wanted of the others' steps, too.
    """
    shared = frozenset[Var]().union(*(variables_of(t, Kind.GLOBAL) for t in threads))
    common = dict[Term, Automaton]()
    wanted = {t.name: tuple(_wanted(bads, original, t)) for original, t in zip(written, threads, strict=True)}
    excluded = {t.name: tuple(_excluded(bads, t)) for t in threads}
    for thread in threads:
        kept_out = [(t, w) for t in threads if t is not thread for w in excluded[t.name]]
        tests = _kept_out(thread, kept_out, shared)
        for place, formula in _before(thread, (*wanted[thread.name], *tests, *excluded[thread.name])):
            yield build.implies(build.variable(at_place(thread.name, place), BOOL), formula)
            if formula.free <= shared:
                common.setdefault(formula, thread)
    for formula, owner in tuple(common.items())[:COMMON]:
        for thread in threads:
            if thread is not owner:
                for place, needed in _before(thread, [(q.name, formula) for q in thread.locations]):
                    yield build.implies(build.variable(at_place(thread.name, place), BOOL), needed)


def needed_for(thread: Automaton, wished: Iterable[Term]) -> Iterator[tuple[str, Term]]:
    """What is needed at locations of a thread so that formulas hold at all of them, each formula by itself."""
    for formula in wished:
        yield from _before(thread, [(q.name, formula) for q in thread.locations])


def _wanted(bads: Sequence[Bad], original: Automaton, thread: Automaton) -> Iterator[tuple[str, Term]]:
    """What claims say where the thread is, and that failing steps are not possible."""
    for claim in (c for b in bads if b.claim is not None for c in build.conjuncts(b.claim)):
        for place in thread.locations:
            said = at_places(claim, {thread.name: place.name})
            if not mentioned(said):
                yield from ((place.name, part) for part in build.conjuncts(said))
    for bad in bads:
        asked = set(failing_edges(original, bad.failing))
        for edge, own in zip(original.edges, thread.edges, strict=True):
            if edge in asked and not edge.choices:
                yield from ((own.source, part) for part in build.conjuncts(build.lnot(taking(own))))


def _excluded(bads: Sequence[Bad], thread: Automaton) -> Iterator[tuple[str, Term]]:
    """Where others are not while the thread is somewhere, as claims say."""
    for claim in (c for b in bads if b.claim is not None for c in build.conjuncts(b.claim)):
        for place in thread.locations:
            said = at_places(claim, {thread.name: place.name})
            if said is not claim:
                yield from ((place.name, part) for part in build.conjuncts(said) if mentioned(part))


def _kept_out(
    thread: Automaton, excluded: Iterable[tuple[Automaton, tuple[str, Term]]], shared: frozenset[Var]
) -> Iterator[tuple[str, Term]]:
    """That others are not let in where they must not be while the thread is where it is: their last tests fail."""
    for other, (place, formula) in excluded:
        for here in thread.locations:
            if at_places(formula, {thread.name: here.name}) is build.FALSE:
                for edge in (e for e in other.edges if e.target == place):
                    if edge.guard.free and edge.guard.free <= shared:
                        yield here.name, build.lnot(edge.guard)


def undisturbed(threads: Sequence[Automaton]) -> Iterator[Term]:
    """That variables have the values at locations that they would have if nobody else wrote them."""
    for thread in threads:
        for place, known in constants(thread, *owned(thread, threads)).items():
            here = build.variable(at_place(thread.name, place), BOOL)
            # Of what stays as it is from the start nothing need be said.
            told = {v: x for v, x in known.items() if any(v == w for e in thread.edges for w, _ in e.updates)}
            told |= {v: x for v, x in known.items() if any(v in e.guard.free for e in thread.edges)}
            for var, value in told.items():
                yield build.implies(here, build.eq(var, build.constant(value, var.sort)))


def tested(threads: Sequence[Automaton]) -> Iterator[Term]:
    """That what a thread has tested or assigned is so at locations until it writes it: whoever else may write it."""
    for thread in threads:
        for place, known in _passed(thread).items():
            here = build.variable(at_place(thread.name, place), BOOL)
            yield from (build.implies(here, f) for f in known if not _is_value(f))


def _is_value(formula: Term) -> bool:
    """Whether a formula only says what value a variable has."""
    return len(formula.free) == 1 and solution(formula, formula.free) is not None


def _passed(thread: Automaton) -> Mapping[str, tuple[Term, ...]]:
    """Tests by location that hold on all ways there, the thread being by itself (available expressions)."""
    leaving = edges_from(thread)

    def follow(place: str, here: tuple[Term, ...]) -> Iterator[tuple[str, tuple[Term, ...]]]:
        for edge in leaving.get(place, ()):
            gone = frozenset((*(v for v, _ in edge.updates), *(c.var for c in edge.choices)))
            known = dict.fromkeys((*here, *build.conjuncts(edge.guard)))
            yield edge.target, (*(f for f in known if f.free and f.free.isdisjoint(gone)), *_made(edge, gone))

    start = dict[str, tuple[Term, ...]].fromkeys((thread.initial,), ())
    return forward(start, follow, lambda before, after: tuple(f for f in before if f in after))


def _made(edge: Edge, gone: frozenset[Var]) -> Iterator[Term]:
    """What variables equal after the step: terms over others that it leaves as they are."""
    for var, term in edge.updates:
        if term.free and term.free.isdisjoint(gone):
            yield build.eq(var, term)


def _before(thread: Automaton, wanted: Sequence[tuple[str, Term]]) -> Iterator[tuple[str, Term]]:
    """What is wanted at locations, and what is needed before, the last steps first."""
    into = dict[str, list[Edge]]()
    for edge in thread.edges:
        into.setdefault(edge.target, []).append(edge)
    found = dict.fromkeys(wanted)
    pending = deque[tuple[str, Term, tuple[str, ...]]]((place, formula, (place,)) for place, formula in found)
    made = 0
    while pending and made < FORMULAS:
        place, formula, way = pending.popleft()
        for edge in into.get(place, ()) if len(way) <= DEPTH else ():
            # Round a loop once: what is needed of many rounds is rarely what stays.
            if way.count(edge.source) > ROUNDS:
                continue
            for needed in _needed(edge, formula):
                if (edge.source, needed) not in found:
                    found[edge.source, needed] = None
                    made += 1
                    pending.append((edge.source, needed, (*way, edge.source)))
                    yield edge.source, needed


def _needed(edge: Edge, formula: Term) -> Iterator[Term]:
    """What the step needs so that the formula holds after it; the same whether the step is possible or not."""
    after, chosen = substitute(formula, dict(edge.updates)), frozenset(c.var for c in edge.choices)
    for needed in dict.fromkeys((after, build.implies(edge.guard, after))):
        if needed.free and needed.free.isdisjoint(chosen) and sum(1 for _ in subterms((needed,))) <= SIZE:
            yield needed
