"""Families as the most general environment: one thread with one location does what any copy may do anywhere.

A copy's own variables have any values there that are possible at its location, as far as intervals say. So copies of
any number are one thread that is never in the middle of anything, and what holds of the shared variables whatever it
does is an invariant, as of a monitor. Where sections are single steps that is all there is to know. The checker judges
it together with the intervals, as joint invariants of all threads and one copy of each family.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Edge, Kind, Location, location_of
from sa.automata.family import crowd, symbolic
from sa.automata.rename import apart
from sa.base.budget import Budget, Report
from sa.base.limits import part_of
from sa.certificates.families import CrowdJoint
from sa.certificates.run import Bad, Failing
from sa.certificates.threads import Joint
from sa.hybrid.engine import decided
from sa.hybrid.exploring import CLAUSES
from sa.hybrid.slicing import is_small, mattering
from sa.invariants.families import JOINT
from sa.invariants.interval_facts import Facts, bounded_of_crowd, facts_of_intervals
from sa.question.asked import Asked, Excluded
from sa.terms import build
from sa.terms.name import chosen
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: The part of the work that intervals may take.
BOUNDING = 0.4

#: The name of the environment and of its location, and where it has failed.
_NAME, _FAILED = "[*]", "[*] failed"


class _Made(Struct, frozen=True, eq=False):
    """The threads with the environment as the last one; what is bad of them by what is bad of the program; what
    intervals say. Behind steps that are `cut` nothing goes on: a proof has to exclude them.
    """

    threads: tuple[Automaton, ...]
    bads: Mapping[Bad, tuple[Bad, ...]]
    facts: Facts
    cut: frozenset[Bad]


def by_most_general_environment(asked: Asked, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What is excluded by invariants of shared variables that all copies of families keep. Raises LimitReached."""
    copied = [symbolic(f, 1) for f in asked.families]
    if prod(len(t.locations) for t in (*asked.threads, *copied)) > JOINT:
        return
    facts: Facts | None = None
    with part_of(budget.bounds, BOUNDING) as bounds:
        facts = facts_of_intervals(bounded_of_crowd(asked, bounds))
    if facts is None:
        return
    open_ = asked.bads
    for goes_on in (False, True):
        made = _made(replace(asked, bads=open_), facts, goes_on)
        for found in _excluded(asked, made, budget, report):
            yield found
            open_ = tuple(b for b in open_ if b not in found.bads)


def _excluded(asked: Asked, made: _Made, budget: Budget, report: Report) -> Iterator[Excluded]:
    """What becomes of what is bad, with the threads that matter to it."""
    proofs, held, told = list[Joint](), set[Bad](), set[Bad]()
    for threads, bads in _by_threads(made.threads, made.bads):
        known = frozenset(v.var for t in threads for v in apart(t).variables)
        for found in decided(threads, Asked(threads, bads, asked.axioms), budget, report, CLAUSES):
            # What is said of the choices of a step is no invariant of states.
            if isinstance(found.evidence, Joint) and all(i.free <= known for _, i in found.evidence.invariants):
                proofs.append(found.evidence)
                held.update(found.bads)
            never = tuple(b for b, some in made.bads.items() if b not in told and held.issuperset(some))
            if never and made.cut <= held:
                told.update(never)
                evidence = _evidence(asked, made, proofs, never)
                yield Excluded(never, evidence, "an invariant of shared variables that all copies keep")


def _by_threads(
    threads: tuple[Automaton, ...], open_: Mapping[Bad, tuple[Bad, ...]]
) -> Iterator[tuple[tuple[Automaton, ...], tuple[Bad, ...]]]:
    """What is bad, together with the threads that matter to it."""
    parts = dict[tuple[Automaton, ...], dict[Bad, None]]()
    for some in open_.values():
        for bad in some:
            part = mattering(threads, bad)
            if is_small(part):
                parts.setdefault(part, {})[bad] = None
    yield from ((part, tuple(bads)) for part, bads in parts.items())


def _made(asked: Asked, facts: Facts, goes_on: bool) -> _Made:
    origin = asked.families[0].thread.origin
    edges, of, cut = list[Edge](), dict[tuple[str, Edge], Edge](), list[Bad]()
    for number, family in enumerate(asked.families):
        copy = apart(symbolic(family, 1))
        for written, edge in zip(family.thread.edges, copy.edges, strict=True):
            made = _in_the_environment(copy, edge, facts.places[_place_of_copy(asked, number), edge.source])
            of[family.thread.name, written] = made
            edges.append(made)
            if made.target == _FAILED and made.updates and goes_on:
                edges.append(replace(made, target=_NAME, label=None, failure=None))
            elif made.target == _FAILED and made.updates:
                cut.append(Bad(Failing(_NAME, made), None))
    shared = {v.var: v for t in (*asked.threads, *_families(asked)) for v in t.variables if v.kind is not Kind.LOCAL}
    places = tuple(Location(name, build.TRUE, None, origin) for name in (_NAME, _FAILED))
    environment = Automaton(
        _NAME, tuple(shared.values()), places, _NAME, asked.init, tuple(dict.fromkeys(edges)), origin
    )
    bads = {b: tuple(_bads_there(asked, b, of)) for b in asked.bads}
    return _Made((*asked.threads, environment), {b: some for b, some in bads.items() if some}, facts, frozenset(cut))


def _place_of_copy(asked: Asked, family: int) -> int:
    """The number of the first copy of a family among all threads that intervals are about."""
    return len(asked.threads) + 2 * family


def _families(asked: Asked) -> tuple[Automaton, ...]:
    return tuple(f.thread for f in asked.families)


def _in_the_environment(copy: Automaton, edge: Edge, known: Sequence[Term]) -> Edge:
    """The step of a copy, of whose own variables no more than this is known."""
    first = len(edge.choices) + 1
    own = {
        v.var: replace(v, var=build.variable(chosen(v.var.name, n), v.var.sort))
        for n, v in enumerate(copy.variables, first)
        if v.kind is Kind.LOCAL
    }
    renamed: dict[Var, Term] = {v: c.var for v, c in own.items()}
    guard = substitute(build.land(edge.guard, location_of(copy, edge.source).inv, *known), renamed)
    updates = tuple((v, substitute(term, renamed)) for v, term in edge.updates if v not in own)
    read = guard.free.union(*(term.free for _, term in updates))
    fails = edge.label is not None and edge.label.action == FAIL
    return replace(
        edge,
        source=_NAME,
        target=_FAILED if fails else _NAME,
        label=edge.label if fails else None,
        guard=guard,
        updates=updates,
        choices=(*edge.choices, *(c for c in own.values() if c.var in read)),
    )


def _bads_there(asked: Asked, bad: Bad, of: Mapping[tuple[str, Edge], Edge]) -> Iterator[Bad]:
    """What is bad about the threads and the environment, of what is bad; nothing where claims speak of copies."""
    failing = bad.failing
    if failing is None:
        known = {v.var for t in (*map(apart, asked.threads), *_families(asked)) for v in t.variables}
        if bad.claim is not None and bad.claim.free <= known:
            yield bad
        return
    for (family, written), made in of.items():
        if failing.thread in (None, family) and failing.edge in (None, written) and made.target == _FAILED:
            yield Bad(Failing(_NAME, made), None)
    if failing.thread is None or failing.thread in {t.name for t in asked.threads}:
        yield bad


def _evidence(asked: Asked, made: _Made, proofs: Sequence[Joint], never: tuple[Bad, ...]) -> CrowdJoint:
    """Joint invariants of all threads and one copy of each family."""
    counts = tuple(1 for _ in asked.families)
    everyone = (*asked.threads, *crowd(asked.families, counts))
    numbers = (*range(len(asked.threads)), *(_place_of_copy(asked, n) for n in range(len(asked.families))))
    shared = tuple(f for f in made.facts.lemmas if not any(v.name.thread is not None for v in f.free))
    invariants = [(frozenset(t.name for t in p.threads), dict(p.invariants)) for p in proofs]
    said = list[tuple[tuple[str, ...], Term]]()
    for places in product(*([q.name for q in t.locations] for t in everyone)):
        here = [(t.name, q) for t, q in zip(asked.threads, places, strict=False)] + [(_NAME, _NAME)]
        held = (known.get(tuple(q for t, q in here if t in names), build.FALSE) for names, known in invariants)
        facts = (f for n, q in zip(numbers, places, strict=True) for f in made.facts.places[n, q])
        inv = build.land(*held, *shared, *facts)
        if inv is not build.FALSE:
            said.append((places, inv))
    return CrowdJoint(asked.threads, asked.families, counts, tuple(said), asked.init, never, asked.axioms)
