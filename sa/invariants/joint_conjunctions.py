"""Joint invariants of threads that are made of candidates: a conjunction for each choice of locations of all threads.

It is what `crowd.by_conjunctions` does where there are families, for programs without. What was found to be inductive
before is among the candidates.
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.certificates.threads import Joint
from sa.invariants.conjunctions import conjunctions, impossible
from sa.invariants.crowd_candidates import candidates
from sa.invariants.crowd_clauses import System, clauses, parameters, places_of, predicate, variables, wanted
from sa.invariants.deciders import too_many
from sa.invariants.direct import lemmas_key
from sa.invariants.samples import equations
from sa.question.asked import Asked, Excluded
from sa.smt.session import Session
from sa.terms import build
from sa.terms.term import Call, Product, subterms

#: Joint locations up to which conjunctions are looked for.
JOINT = 600

#: Solver resources for one question: what a conjunction of simple formulas implies it implies soon.
SOON = 500_000


def by_conjunctions(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What the strongest joint invariants made of candidates exclude. Raises LimitReached."""
    if too_many(asked.threads, JOINT, report):
        return
    s = System(asked, (), [apart(t) for t in asked.threads])
    session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
    names, lemmas = parameters(s), asked.shared.made.get(lemmas_key(asked), ())
    offered = tuple(dict.fromkeys((*lemmas, *candidates(variables(s), s.apart, (), asked.bads))))
    sampled = equations(asked.threads, budget.seed, budget.bounds)
    report(
        Event("conjunctions", {"candidates": len(offered), "claims": len(asked.bads), "sampled": len(sampled.every)})
    )
    local = {predicate(places): tuple(dict.fromkeys((*sampled.at(places), *offered))) for places in places_of(s)}
    found = conjunctions(session, names, tuple(clauses(s)), local, budget.bounds)
    never = tuple(b for b in asked.bads if all(impossible(session, names, found, c) for c in wanted(s, (b,))))
    if never:
        said = ((places, found[predicate(places)]) for places in places_of(s))
        joint = tuple((places, inv) for places, inv in said if inv is not build.FALSE)
        yield Excluded(never, Joint(asked.threads, joint, never, asked.axioms), "conjunctions at joint locations")


def by_products(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """The same for claims with products or functions, about which Horn solvers know little. Raises LimitReached."""
    checks = (e.guard for t in asked.threads for e in t.edges if e.failure is not None)
    said = (*(b.claim for b in asked.bads if b.claim is not None), *checks)
    if any(isinstance(t, Product | Call) for t in subterms(said)):
        yield from by_conjunctions(asked, budget, report)
