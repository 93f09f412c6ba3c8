"""Claims that are inductive as they stand, all of them together: those that no step breaks are what is left (Houdini).

What is offered besides are the conditions under which failing steps are not taken, sums of numbers and locations that
steps keep in balance, and that a number does not fall below or rise above its first value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from sa.automata.automaton import Automaton, Edge, Kind, variables_of
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.base.limits import spend
from sa.certificates.run import Bad
from sa.certificates.threads import Lemmas
from sa.conditions.never import at_places, failing_edges, taking
from sa.invariants.houdini import holding
from sa.invariants.place_invariants import Guess, equations
from sa.invariants.weakest_preconditions import preconditions, tested, undisturbed
from sa.question.asked import Asked, Excluded
from sa.smt.session import Session
from sa.terms import build
from sa.terms.name import at_place
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import substitute
from sa.terms.term import IsZero, Term, Var, has_quantifiers

#: Solver resources for each question: what is inductive as it stands is seen soon.
SOON = 300_000

#: Formulas that are offered at most.
OFFERED = 400


class _Step(Struct, frozen=True, eq=False):
    """A step of a thread: what is known when it is taken, and what it makes of variables and locations."""

    taken: tuple[Term, ...]
    after: Mapping[Var, Term]


class _Frame(Struct, frozen=True, eq=False):
    """The threads with different names for their locals, and the locations that are spoken of."""

    threads: tuple[Automaton, ...]
    named: Mapping[str, tuple[Var, ...]]
    session: Session


def by_claims(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What the claims themselves exclude. Raises LimitReached."""
    report(Event("inductive claims"))
    threads = tuple(apart(t) for t in asked.threads)
    # That a thread was begun and has not ended is what its creator saw last.
    balanced = tuple(dict.fromkeys(e for g in (Guess.NOTHING, Guess.UNDISTURBED) for e in equations(threads, g)))
    own = (*_claimed(asked.bads), *_impossible(asked, threads))
    known = asked.shared.made.get(lemmas_key(asked), ())
    offered = tuple(dict.fromkeys((*own, *balanced, *_bounds(threads, balanced), *known)))
    yield from _settled(asked, budget, threads, offered, "proved by induction", frozenset(offered))


def by_preconditions(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What claims exclude with what must hold before steps so that they hold afterwards. Raises LimitReached."""
    threads = tuple(apart(t) for t in asked.threads)
    known = asked.shared.made.get(lemmas_key(asked), ())
    own = (*_claimed(asked.bads), *_impossible(asked, threads))
    # Where there are too many, small ones are more likely to be of use.
    needed = sorted(preconditions(asked.bads, asked.threads, threads), key=lambda f: len(build.disjuncts(f)))
    balanced = tuple(e for guess in (Guess.UNDISTURBED, Guess.CHANGED) for e in equations(threads, guess))
    offered = tuple(
        dict.fromkeys((*known, *own, *balanced, *_own(threads), *undisturbed(threads), *tested(threads), *needed))
    )
    report(Event("preconditions", {"formulas": len(offered)}))
    # The many small formulas would only be in the way of others.
    telling = frozenset((*known, *own, *balanced))
    yield from _settled(asked, budget, threads, offered, "proved by induction, with weakest preconditions", telling)


def _settled(
    asked: Asked,
    budget: Budget,
    threads: tuple[Automaton, ...],
    offered: tuple[Term, ...],
    how: str,
    telling: frozenset[Term],
) -> Iterator[Excluded]:
    """What the inductive part of the formulas excludes. Other engines are told of those that are `telling`."""
    offered = tuple(f for f in offered if f not in (build.TRUE, build.FALSE) and not has_quantifiers(f))[:OFFERED]
    session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
    f = _frame(threads, (*offered, *(b.claim for b in asked.bads if b.claim is not None)), session)
    left = _inductive(f, offered)
    # What holds always is of use to others, also where it excludes nothing by itself. Their evidence contains these
    # formulas and no others, so they must be inductive without the rest.
    told = tuple(c for c in left if c in telling)
    asked.shared.made[lemmas_key(asked)] = told if len(told) == len(left) else _inductive(f, told)
    never = tuple(b for b in asked.bads if _excludes(f, asked, left, b))
    if never:
        yield Excluded(never, Lemmas(asked.threads, left, never, asked.axioms), how)


def noted(asked: Asked, budget: Budget, formulas: Sequence[Term]) -> None:
    """Tell other engines which of the formulas are inductive with what is known already. Raises LimitReached."""
    threads = tuple(apart(t) for t in asked.threads)
    offered = tuple(dict.fromkeys((*asked.shared.made.get(lemmas_key(asked), ()), *formulas)))[:OFFERED]
    session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
    asked.shared.made[lemmas_key(asked)] = _inductive(_frame(threads, offered, session), offered)


def lemmas_key(asked: Asked) -> Hashable:
    """Under what the formulas are shared that were found to be inductive."""
    return ("lemmas", asked.threads)


def _frame(threads: tuple[Automaton, ...], formulas: Sequence[Term], session: Session) -> _Frame:
    said = frozenset[Var]().union(*(f.free for f in formulas))
    named = {t.name: tuple(v for q in t.locations if (v := _at(t.name, q.name)) in said) for t in threads}
    return _Frame(threads, named, session)


def _claimed(bads: Sequence[Bad]) -> Iterator[Term]:
    for bad in bads:
        if bad.claim is not None:
            yield from build.conjuncts(bad.claim)


def _impossible(asked: Asked, threads: Sequence[Automaton]) -> Iterator[Term]:
    """That failing steps are not possible, where the thread is and anywhere."""
    for bad in asked.bads:
        for original, thread in zip(asked.threads, threads, strict=True):
            wanted = set(failing_edges(original, bad.failing))
            for edge, own in zip(original.edges, thread.edges, strict=True):
                if edge in wanted and not edge.choices:
                    impossible = build.lnot(taking(own))
                    yield from (impossible, build.implies(_at(thread.name, edge.source), impossible))


def _bounds(threads: Sequence[Automaton], balanced: Sequence[Term]) -> Iterator[Term]:
    """That numbers which are in balance with others stay on one side of their first values."""
    spoken = frozenset[Var]().union(*(f.free for f in balanced))
    for formula in dict.fromkeys(f for t in threads for f in build.conjuncts(t.init)):
        if isinstance(formula, IsZero) and not formula.free.isdisjoint(spoken):
            yield build.at_most_zero(formula.total)
            yield build.at_most_zero(build.scale(-1, formula.total))
    yield from (build.le(build.ZERO, v) for v in sorted(spoken, key=lambda v: v.key) if v.sort == INT)


def _own(threads: Sequence[Automaton]) -> Iterator[Term]:
    """What is written of a thread's own variables at all of its locations: ranges, which others' steps keep."""
    for thread in threads:
        own = frozenset(variables_of(thread, Kind.LOCAL))
        first, *others = (build.conjuncts(q.inv) for q in thread.locations)
        yield from (f for f in first if f.free and f.free <= own and all(f in other for other in others))


def _at(thread: str, place: str) -> Var:
    return build.variable(at_place(thread, place), BOOL)


def _inductive(f: _Frame, offered: tuple[Term, ...]) -> tuple[Term, ...]:
    """The largest part of the formulas that holds at the start and that steps keep."""
    places = {t.name: t.initial for t in f.threads}
    with f.session.assuming(t.init for t in f.threads):
        left = tuple(holding(f.session, {formula: at_places(formula, places) for formula in offered}))
    steps = [_step(f, t, e) for t in f.threads for e in t.edges]
    falling = True
    while falling and left:
        falling = False
        for step in steps:
            spend(f.session.bounds, 50)
            touched = tuple(c for c in left if not c.free.isdisjoint(step.after))
            if not touched:
                continue
            with f.session.assuming((*left, *_somewhere(f), *step.taken)):
                kept = holding(f.session, {c: substitute(c, step.after) for c in touched})
            if len(kept) < len(touched):
                falling = True
                left = tuple(c for c in left if c not in touched or c in kept)
    return left


def _step(f: _Frame, thread: Automaton, edge: Edge) -> _Step:
    here, there = _at(thread.name, edge.source), _at(thread.name, edge.target)
    inv = next(q.inv for q in thread.locations if q.name == edge.source)
    now = (v if v is here else build.lnot(v) for v in f.named[thread.name])
    moved = {v: build.boolean(v is there) for v in f.named[thread.name] if v in (here, there)}
    return _Step((*now, inv, taking(edge)), {**dict(edge.updates), **moved})


def _somewhere(f: _Frame) -> Iterator[Term]:
    for thread in f.threads:
        places = f.named[thread.name]
        yield from (build.lnot(build.land(one, two)) for one, two in combinations(places, 2))
        if len(places) == len(thread.locations):
            yield build.lor(*places)


def _excludes(f: _Frame, asked: Asked, left: tuple[Term, ...], bad: Bad) -> bool:
    """Whether what is left excludes something bad."""
    known = (*left, *_somewhere(f))
    if bad.claim is not None and not f.session.implied(bad.claim, known):
        return False
    for original, thread in zip(asked.threads, f.threads, strict=True):
        wanted = set(failing_edges(original, bad.failing))
        for edge, own in zip(original.edges, thread.edges, strict=True):
            if edge in wanted and not f.session.implied(build.FALSE, (*known, *_step(f, thread, own).taken)):
                return False
    return True
