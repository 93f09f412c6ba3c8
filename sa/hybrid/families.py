"""The hybrid engine where there are families of any number: copies that others do not disturb, and elements of arrays.

Readers are such copies: what one of them does is nothing to another one. A claim is then about the threads and the
copies that it speaks of. That others do not matter is not believed: the checker looks at the step of one more copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.family import crowd, different, spoken_of, symbolic_name
from sa.automata.rename import apart
from sa.base.budget import Budget, Event, Report
from sa.certificates.families import CrowdJoint
from sa.certificates.run import Bad
from sa.certificates.threads import Joint
from sa.hybrid.array_cells import INDEX, SOON, of_elements_alone
from sa.hybrid.engine import decided
from sa.hybrid.exploring import Effort
from sa.hybrid.slicing import is_small, mattering
from sa.invariants.families import about, excluded_by, systems
from sa.invariants.family_candidates import applied, candidates
from sa.invariants.family_clauses import System, clauses, identities, parameters, variables, wanted
from sa.invariants.partition_by_flags import flags_of
from sa.question.asked import Asked, Excluded
from sa.smt.session import Session
from sa.terms import build
from sa.terms.sort import ArraySort
from sa.terms.term import Term

#: A joint location with what is known there.
Said = tuple[tuple[str, ...], Term]


def by_control(effort: Effort, asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What becomes of each claim about threads and few copies that other copies do not disturb. Raises LimitReached."""
    for bad in asked.bads:
        about = _about_copies(asked, bad)
        counts = tuple(max(1, 0 if bad.claim is None else spoken_of(bad.claim, f)) for f in asked.families)
        everyone = (*asked.threads, *crowd(asked.families, counts))
        more = (*asked.threads, *crowd(asked.families, tuple(n + 1 for n in counts)))
        part = mattering(more, about)
        if not is_small(everyone) or any(t not in everyone for t in part):
            continue
        named = {v.var for t in part for v in apart(t).variables}
        known = (f for f in (*different(asked.families, counts), *build.conjuncts(asked.init)) if f.free <= named)
        first = replace(part[0], init=build.land(part[0].init, *known))
        question = replace(asked, threads=(first, *part[1:]), bads=(about,), families=())
        for found in decided(question.threads, question, budget, report, effort):
            if isinstance(found, Excluded) and isinstance(found.evidence, Joint):
                said = tuple(_everywhere(everyone, part, dict(found.evidence.invariants)))
                proof = CrowdJoint(asked.threads, asked.families, counts, said, asked.init, (bad,), asked.axioms)
                yield Excluded((bad,), proof, "control points, whatever other copies do")


def by_elements(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What is excluded by what holds of every element of arrays, of all threads and any one copy, or any two.

    Raises LimitReached.
    """
    if not any(isinstance(v.var.sort, ArraySort) for t in (*asked.threads, *_families(asked)) for v in t.variables):
        return
    open_ = asked.bads
    for s in systems(asked):
        report(Event("elements", {"copies": max(s.counts), "claims": len(open_)}))
        session = Session(budget.bounds, tuple(a.formula for a in asked.axioms), budget.seed, SOON)
        for bad in about(asked, s, open_):
            horn = (*clauses(s), *wanted(s, (bad,)))
            found = of_elements_alone(parameters(s), horn, _compared(s, bad), session, flags_of(s.apart))
            if found is not None:
                open_ = tuple(b for b in open_ if b != bad)
                yield excluded_by(s, found, (bad,), (INDEX,))
        if not open_:
            return


def _families(asked: Asked) -> Iterator[Automaton]:
    return (f.thread for f in asked.families)


def _compared(s: System, bad: Bad) -> tuple[Term, ...]:
    said = (*candidates(variables(s), s.apart, identities(s), (bad,)), *applied(s.apart, variables(s)))
    return tuple(f for f in said if not any(isinstance(v.sort, ArraySort) for v in f.free))


def _about_copies(asked: Asked, bad: Bad) -> Bad:
    """What is bad about a family's steps, as bad about those of its first copy."""
    if bad.failing is None or bad.failing.thread not in {f.thread.name for f in asked.families}:
        return bad
    family = next(f for f in asked.families if f.thread.name == bad.failing.thread)
    return replace(bad, failing=replace(bad.failing, thread=symbolic_name(family, 1)))


def _everywhere(
    everyone: Sequence[Automaton], part: Sequence[Automaton], known: Mapping[tuple[str, ...], Term]
) -> Iterator[Said]:
    """What is known at joint locations of some of the threads, for all of them."""
    for places in product(*([q.name for q in t.locations] for t in everyone)):
        here = tuple(q for q, t in zip(places, everyone, strict=True) if t in part)
        if here in known:
            yield places, known[here]
