"""Checks a proof put together from pairs of threads (Theorem 4, with the conditions of THEORY section 6).

The annotations of both programs are true and their threads compatible; each pair's relation proves its goal, over
automata with weaker invariants; the ι's do not interfere; and every initial state of the concrete composition has one
of the abstract composition. A pair that stands for any number of copies of a family is looked at beside one more copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, product

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.rename import on_side
from sa.base.limits import Limits, spend
from sa.certificates.family_composition import CrowdComposition
from sa.certificates.goal import iota_of
from sa.certificates.threads import Composition
from sa.checker.copies import copies_faults, goal_of_another, known_of_identities, together_with_copies
from sa.checker.coverage import coverage, coverage_with_copies, named
from sa.checker.families import check_crowd_joint
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.ruling import Accepted, Failure, Rejected, Ruling
from sa.checker.side import renamed, side
from sa.checker.solvers import Z3, Solvers
from sa.checker.threads import annotation_fault, ghosts_fault, together
from sa.checker.weak_simulation import check_relation
from sa.checker.written import implied
from sa.smt.solver import Solver
from sa.terms.build import conjoined, conjuncts
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


def check_composition(made: Composition, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the pairs' relations prove the refinement of the compositions.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    fault = composition_fault(made)
    if fault is not None:
        return Rejected("well-formed composition", fault)
    copies = made.copies if isinstance(made, CrowdComposition) else ()
    if isinstance(made, CrowdComposition):
        for met in (m for side in made.met for m in side):
            ruling = check_crowd_joint(met.joint, bounds, seed, solvers)
            if not isinstance(ruling, Accepted):
                return ruling
    known = known_of_identities([identity for _, identity in copies])
    session = solvers.session(bounds, [*(a.formula for a in made.axioms), *known], seed)
    failure = _first(session, bounds, obligations(made))
    if failure is not None:
        return failure
    for goal, relation in zip(made.goals, made.relations, strict=True):
        ruling = check_relation(goal, relation, bounds, seed, solvers)
        if not isinstance(ruling, Accepted):
            return ruling
    return Accepted()


def composition_fault(made: Composition) -> str | None:
    """The first thing that does not fit together."""
    return next(_faults(made), None)


def _first(session: Solver, bounds: Limits, obligations: Iterable[Obligation]) -> Failure | None:
    for obligation in obligations:
        spend(bounds, 200)
        failure = discharge(session, frozenset(), obligation)
        if failure is not None:
            return failure
    return None


def _faults(made: Composition) -> Iterator[str]:
    sizes = {len(made.concrete), len(made.abstract), len(made.goals), len(made.relations)}
    if len(sizes) > 1:
        yield "the numbers of threads, goals and relations differ"
        return
    for threads in (made.concrete, made.abstract):
        if len({t.thread.name for t in threads}) < len(threads):
            yield "two threads have the same name"
        for thread in threads:
            fault = annotation_fault(thread)
            if fault is not None:
                yield fault
        shared = ghosts_fault(threads)
        if shared is not None:
            yield shared
    if isinstance(made, CrowdComposition):
        yield from copies_faults(made)
    for place, goal in enumerate(made.goals):
        if frozenset(goal.axioms) - frozenset(made.axioms) or goal.closed or goal.choose_init:
            yield f"{goal.name}: the goal is not one of threads in a program"
        for automaton, annotated, name in (
            (goal.concrete, made.concrete[place], "conc"),
            (goal.abstract, made.abstract[place], "abs"),
        ):
            if not _is_same(automaton, on_side(annotated.automaton, name)):
                yield f"{goal.name}: the goal speaks of another thread"


def _is_same(automaton: Automaton, other: Automaton) -> bool:
    """Equal but for names and invariants."""
    places = zip(automaton.locations, other.locations, strict=False)
    return (
        len(automaton.locations) == len(other.locations)
        and all(p.name == q.name and p.env is q.env for p, q in places)
        and automaton.variables == other.variables
        and automaton.edges == other.edges
        and (automaton.init, automaton.initial) == (other.init, other.initial)
    )


def obligations(made: Composition) -> Iterator[Obligation]:
    """The conditions of Theorem 4 but for the relations of the pairs, which `check_relation` checks."""
    crowded = made if isinstance(made, CrowdComposition) else None
    for number, (threads, which) in enumerate(((made.concrete, "conc"), (made.abstract, "abs"))):
        if crowded is None:
            yield from together(threads)
        else:
            yield from together_with_copies(threads, crowded.copies, crowded.met[number])
        yield from implied(threads)
        for annotated, goal in zip(threads, made.goals, strict=True):
            yield from weaker(on_side(annotated.automaton, which), goal.concrete if which == "conc" else goal.abstract)
    yield from _apart(made)
    yield from (coverage(made),) if crowded is None else coverage_with_copies(crowded)


def weaker(strong: Automaton, automaton: Automaton) -> Iterator[Obligation]:
    """The invariants that the goal's automaton has follow from those that were shown."""
    for place, said in zip(strong.locations, automaton.locations, strict=True):
        where = f"{automaton.name}, {place.name}"
        yield Obligation("invariant of the goal", where, conjuncts(place.inv), (Case((), conjuncts(said.inv)),))


def _apart(made: Composition) -> Iterator[Obligation]:
    """Non-interference: where one pair keeps its ι, it keeps the other pairs' too."""
    copies = made.copies if isinstance(made, CrowdComposition) else ()
    more = ((made.goals[place], goal_of_another(made.goals[place], identity)) for place, identity in copies)
    for first, second in chain(product(made.goals, repeat=2), more):
        if first is second:
            continue
        own, other = named(first), named(second)
        shared = [v for s in (side(first.concrete), side(first.abstract)) for v in s.globals]
        moved: dict[Var, Term] = {v: primed(v) for v in shared}
        own_locals = {t: primed(t) for t in own.values() if isinstance(t, Var)}
        iota, kept = substitute(iota_of(first), own), substitute(iota_of(second), other)
        after = substitute(iota, {**moved, **own_locals})
        goal = renamed(conjuncts(kept), moved)
        hypotheses = conjoined((iota, kept, after))
        where = f"{first.name} and {second.name}"
        clauses = tuple(replace(f, term=substitute(substitute(f.term, other), moved)) for f in second.iota)
        yield Obligation("non-interference", where, hypotheses, (Case((), goal),), clauses)
