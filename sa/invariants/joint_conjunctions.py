"""Joint invariants of threads that are made of candidates: a conjunction for each choice of locations of all threads.

It is what `crowd.by_conjunctions` does where there are families, for programs without. What was found to be inductive
before is among the candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.base.limits import Limits
from sa.certificates.threads import Joint
from sa.conditions.never import at_places, mentioned
from sa.invariants.conjunctions import conjunctions, impossible, under
from sa.invariants.family_candidates import candidates
from sa.invariants.family_clauses import System, clauses, parameters, places_of, predicate, variables, wanted
from sa.invariants.houdini import has_functions
from sa.invariants.inductive_claims import lemmas_key
from sa.invariants.samples import equations
from sa.invariants.sums import NO_SUMS, Sums, instances, sums
from sa.question.asked import Asked, Excluded
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Term

#: Joint locations up to which conjunctions are looked for.
JOINT = 600

#: Solver resources for one question: what a conjunction of simple formulas implies it implies soon.
SOON = 500_000


def by_conjunctions(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What the strongest joint invariants made of candidates exclude. Raises LimitReached."""
    if not _too_many(asked.threads, JOINT, report):
        yield from _decided(asked, budget, report, NO_SUMS)


def by_sums(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """The same with what loops have added up, where there are such loops. Raises LimitReached."""
    found = sums([apart(t) for t in asked.threads])
    if found.sums and not _too_many(asked.threads, JOINT, report):
        yield from _decided(asked, budget, report, found)


def _too_many(threads: Sequence[Automaton], most: int, report: Report) -> bool:
    """Whether there are more joint locations than an engine looks at; if so that is reported."""
    number = prod(len(t.locations) for t in threads)
    if number > most:
        report(Event("nothing is tried", {"joint locations are too many": number}))
    return number > most


def _decided(asked: Asked, budget: Budget, report: Report, added: Sums) -> Iterator[Excluded]:
    s = System(asked, (), [apart(t) for t in asked.threads])
    axioms = tuple(a.formula for a in asked.axioms)
    session = Session(budget.bounds, axioms, budget.seed, SOON, instances(added.sums))
    names, lemmas = parameters(s), asked.shared.made.get(lemmas_key(asked), ())
    offered = tuple(dict.fromkeys((*lemmas, *candidates(variables(s), s.apart, (), asked.bads), *added.equations)))
    sampled = equations(asked.threads, budget.seed, budget.bounds)
    report(
        Event("conjunctions", {"candidates": len(offered), "claims": len(asked.bads), "sampled": len(sampled.every)})
    )
    alone = [_alone(s, thread, offered, session, budget.bounds) for thread in s.apart]
    # Of those with functions, each of them a long question, what a thread does not settle is not asked again.
    settled = frozenset(f for said in alone for f in said.own if has_functions(f))
    others = tuple(f for f in offered if f not in settled)
    held = {predicate(places): _held(alone, places) for places in places_of(s)}
    local = {
        predicate(places): _offered(s, places, (*sampled.at(places), *others), held[predicate(places)])
        for places in places_of(s)
    }
    more = conjunctions(session, names, tuple(under(names, held, clauses(s))), local, budget.bounds)
    found = {place: build.land(held[place], formula) for place, formula in more.items()}
    never = tuple(b for b in asked.bads if all(impossible(session, names, found, c) for c in wanted(s, (b,))))
    if never:
        said = ((places, found[predicate(places)]) for places in places_of(s))
        joint = tuple((places, inv) for places, inv in said if inv is not build.FALSE)
        proof = Joint(asked.threads, joint, never, asked.axioms, added.sums)
        yield Excluded(never, proof, f"conjunctions {'with sums ' if added.sums else ''}at joint locations")


class _Alone(Struct, frozen=True):
    """Formulas about what only one thread writes, and which of them hold at its locations."""

    own: frozenset[Term]
    held: Mapping[str, tuple[Term, ...]]


def _held(alone: Sequence[_Alone], places: Sequence[str]) -> Term:
    """What threads have settled by themselves."""
    return build.land(*(f for one, place in zip(alone, places, strict=True) for f in one.held[place]))


def _offered(s: System, places: Sequence[str], said: Sequence[Term], held: Term) -> tuple[Term, ...]:
    """The candidates at these locations, without repetition and what is known."""
    here, known = {t.name: q for t, q in zip(s.apart, places, strict=True)}, frozenset(build.conjuncts(held))
    return tuple(f for f in dict.fromkeys(at_places(f, here) for f in said) if f not in known)


def _alone(s: System, thread: Automaton, offered: Sequence[Term], session: Session, bounds: Limits) -> _Alone:
    """What the thread settles by itself, so that it is not asked again wherever the others are. Raises LimitReached."""
    written = frozenset(v for t in s.apart if t is not thread for e in t.edges for v, _ in e.updates)
    mine = frozenset(v for e in thread.edges for v, _ in e.updates)
    own = tuple(f for f in offered if not f.free.isdisjoint(mine) and f.free.isdisjoint(written) and not mentioned(f))
    init = build.land(s.asked.init, *(t.init for t in s.apart))
    single = System(replace(s.asked, threads=(thread,), init=init), (), (thread,))
    names = parameters(single)
    found = conjunctions(session, names, tuple(clauses(single)), dict.fromkeys(names, own), bounds)
    return _Alone(frozenset(own), {q.name: build.conjuncts(found[predicate((q.name,))]) for q in thread.locations})
