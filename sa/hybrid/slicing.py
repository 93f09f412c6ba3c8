"""What a question is about: the threads whose steps can matter to it. The others may do whatever they do.

A thread matters if the question names it, or if it writes something shared. Nothing
is believed of that: evidence about a part of the threads is written as evidence about all of them, and checked as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, variables_of
from sa.automata.ranges import within
from sa.automata.rename import apart
from sa.certificates.run import Bad
from sa.certificates.threads import Joint, Lemmas
from sa.conditions.never import mentioned
from sa.terms import build
from sa.terms.build import conjuncts
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.term import Term, Var

#: Joint locations of a part of the threads up to which there is a formula for each.
JOINT = 1_000


def mattering(threads: Sequence[Automaton], bad: Bad) -> tuple[Automaton, ...]:
    """The threads that can matter to whether something bad happens, in their order; all of them where no one does."""
    separate = {t.name: apart(t) for t in threads}
    read = frozenset[Var]() if bad.claim is None else bad.claim.free
    names = set[str]() if bad.claim is None else set(mentioned(bad.claim))
    if bad.failing is not None:
        names |= {bad.failing.thread} if bad.failing.thread is not None else separate.keys()
    # Whether what is written of a location cuts a step depends on all that is known of the thread.
    names |= {n for n, t in separate.items() if _has_written(t)}
    names |= {n for n, t in separate.items() if any(v.var in read and v.kind is Kind.LOCAL for v in t.variables)}
    names |= {n for n, t in separate.items() if not _written(t).isdisjoint(variables_of(t, Kind.GLOBAL))}
    return tuple(t for t in threads if t.name in names) or tuple(threads)


def _has_written(thread: Automaton) -> bool:
    """Whether more is written of a location than the ranges of variables."""
    ranges = frozenset(c for v in thread.variables for c in conjuncts(within(v)))
    return any(c not in ranges for q in thread.locations for c in conjuncts(q.inv))


def _written(thread: Automaton) -> frozenset[Var]:
    return frozenset(v for e in thread.edges for v, _ in e.updates)


def is_small(threads: Sequence[Automaton]) -> bool:
    """Whether there may be a formula for each joint location of the threads."""
    count = 1
    for thread in threads:
        count *= len(thread.locations)
    return count <= JOINT


def about_all(threads: tuple[Automaton, ...], part: Joint) -> Lemmas:
    """Joint invariants of some of the threads as formulas about all of them."""
    return Lemmas(threads, tuple(_said(part)), part.never, part.axioms)


def jointly_about_all(threads: tuple[Automaton, ...], part: Joint) -> Joint | None:
    """The same as joint invariants of all of them, if there may be so many: the others may be anywhere."""
    if part.threads != threads and not is_small(threads):
        return None
    number, own = {t.name: n for n, t in enumerate(part.threads)}, dict(part.invariants)
    others = [(None,) if t.name in number else tuple(q.name for q in t.locations) for t in threads]
    said = list[tuple[tuple[str, ...], Term]]()
    for places, formula in own.items():
        for elsewhere in product(*others):
            where = zip(threads, elsewhere, strict=True)
            said.append((tuple(q or places[number[t.name]] for t, q in where), formula))
    return replace(part, threads=threads, invariants=tuple(said))


def _said(part: Joint) -> Iterator[Term]:
    invariants = dict(part.invariants)
    for places in product(*([q.name for q in t.locations] for t in part.threads)):
        named = zip((t.name for t in part.threads), places, strict=True)
        here = build.land(*(build.variable(at_place(*q), BOOL) for q in named))
        yield build.implies(here, invariants.get(places, build.FALSE))


def spoken_of(lemmas: Sequence[Term], threads: Sequence[Automaton]) -> tuple[Term, ...]:
    """Those of the formulas that are about these threads alone."""
    known = {v.var for t in threads for v in apart(t).variables}
    known |= {build.variable(at_place(t.name, q.name), BOOL) for t in threads for q in t.locations}
    return tuple(c for c in lemmas if c.free <= known)
