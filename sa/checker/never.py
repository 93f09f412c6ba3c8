"""Checks proofs that something bad never happens when threads run by themselves.

Either every thread has invariants of its own, true whatever the others do, or all have joint ones. Bad is a step
labelled `fail`, or a state in which a claim is false; that none is reachable follows from the invariants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from operator import contains

from sa.automata.automaton import FAIL, Automaton, Edge, Kind, location_of
from sa.automata.program import Axiom
from sa.base.limits import Limits, spend
from sa.certificates.run import Failing
from sa.certificates.threads import Joint, Keeps
from sa.checker.ghosts import fault_of_ghosts, with_ghosts
from sa.checker.indices import indices_fault, with_indices
from sa.checker.joint_locations import in_words, settled
from sa.checker.listed import listed, obligations_of
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.side import within
from sa.checker.solvers import Z3, Solvers
from sa.checker.sums import sums_fault, with_sums
from sa.checker.threads import annotation_fault, apart, ghosts_fault, together
from sa.checker.written import implied
from sa.terms.build import FALSE, conjoined, conjuncts, land
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, sort_of


def check_keeps(made: Keeps, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the threads' own invariants exclude what is bad.

    Raises LimitReached, and SolverDisagrees on an internal error.
    """
    fault = program_fault([t.thread for t in made.threads])
    faults = (fault, *(annotation_fault(t) for t in made.threads), ghosts_fault(made.threads))
    if any(faults):
        return Rejected("well-formed threads", next(f for f in faults if f))
    return discharged(_kept(made), made.axioms, bounds, seed, solvers)


def check_joint(made: Joint, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether joint invariants exclude what is bad. Raises as `check_keeps`."""
    fault = program_fault(made.threads)
    places = [p for p, _ in made.invariants]
    if fault is None and len(set(places)) < len(places):
        fault = "a joint location occurs twice"
    separate: tuple[Automaton, ...] = tuple(apart(t) for t in made.threads)
    fault = fault or fault_of_ghosts(made.ghosts, separate)
    if fault is not None:
        return Rejected("well-formed threads", fault)
    separate = with_ghosts(made.ghosts, separate)
    known = frozenset(v.var for t in separate for v in t.variables) | frozenset(made.indices)
    if fault is None and any(not inv.free <= known for _, inv in made.invariants):
        fault = "an invariant mentions a variable that does not exist"
    if fault is None and any(sort_of(inv) != BOOL for _, inv in made.invariants):
        fault = "an invariant is no formula"
    names = [{q.name for q in t.locations} for t in separate]
    if fault is None and any(len(p) != len(names) or not all(map(contains, names, p)) for p in places):
        fault = "a joint location does not name a location of each thread"
    fault = fault or sums_fault(made.sums, made.threads, made.axioms, made.never)
    fault = fault or indices_fault(made.indices, separate, made.never, made.sums)
    if fault is not None:
        return Rejected("well-formed threads", fault)
    cases = None if made.indices or made.sums or solvers.witness else listed(made, separate, partial(_fails, made))
    if cases is not None:
        asked = chain((_begun(made, separate),), obligations_of(cases, made.never, bounds))
        return discharged(asked, made.axioms, bounds, seed, solvers)
    obligations = _jointly(made, separate)
    if made.indices:
        obligations = (with_indices(made.indices, o) for o in obligations)
    if made.sums:
        obligations = (with_sums(made.sums, o) for o in obligations)
    return discharged(obligations, made.axioms, bounds, seed, solvers)


def discharged(
    obligations: Iterable[Obligation],
    axioms: Sequence[Axiom],
    bounds: Limits,
    seed: int,
    solvers: Solvers,
    known: Sequence[Term] = (),
) -> Ruling:
    """Whether all obligations hold under the axioms and what is `known` of what never changes."""
    session = solvers.session(bounds, [*(a.formula for a in axioms), *known], seed)
    for obligation in obligations:
        spend(bounds, 60)
        failure = discharge(session, frozenset(), obligation)
        if failure is not None:
            return failure
    return Accepted()


def program_fault(threads: Sequence[Automaton]) -> str | None:
    """What keeps threads from being those of one program."""
    if len({t.name for t in threads}) < len(threads):
        return "two threads have the same name"
    shared = [[v for v in t.variables if v.kind is not Kind.LOCAL and not v.ghost] for t in threads]
    return "the threads do not share their variables" if any(s != shared[0] for s in shared) else None


def _kept(made: Keeps) -> Iterator[Obligation]:
    yield from together(made.threads)
    yield from implied(made.threads)
    separate = {t.thread.name: apart(t.automaton) for t in made.threads}
    for never in made.never:
        for annotated in made.threads:
            automaton = separate[annotated.thread.name]
            inv = {q.name: q.inv for q in automaton.locations}
            for written, edge in zip(annotated.thread.edges, automaton.edges, strict=True):
                if is_failing(never.bad.failing, automaton.name, written):
                    yield impossible(f"{automaton.name}, {edge.source}", (inv[edge.source], *taking(edge)))
        if never.bad.claim is not None:
            yield from claim_follows(never.bad.claim, [separate[name] for name in never.witnesses])


def claim_follows(claim: Term, threads: Sequence[Automaton]) -> Iterator[Obligation]:
    """A claim follows from the invariants of these threads, wherever they are."""
    for places in product(*(t.locations for t in threads)):
        here = {t.name: q.name for t, q in zip(threads, places, strict=True)}
        wanted = conjuncts(settled(claim, here))
        hypotheses = conjoined(q.inv for q in places)
        yield Obligation("claim", in_words(here), hypotheses, (Case((), wanted),))


def _fails(made: Joint, number: int, edge: Edge) -> bool:
    return any(is_failing(bad.failing, made.threads[number].name, edge) for bad in made.never)


def _begun(made: Joint, threads: Sequence[Automaton]) -> Obligation:
    """The invariants hold in the beginning."""
    written = (location_of(t, t.initial).inv for t in threads)
    begun = land(*written, *joint_invariant(dict(made.invariants), tuple(t.initial for t in threads)))
    inits = conjoined(t.init for t in threads)
    return Obligation("initial invariant", "", inits, (Case((), conjuncts(begun)),))


def _jointly(made: Joint, threads: Sequence[Automaton]) -> Iterator[Obligation]:
    joint = dict(made.invariants)
    written = [{q.name: q.inv for q in t.locations} for t in threads]
    yield _begun(made, threads)
    for places, inv in joint.items():
        here = {t.name: q for t, q in zip(threads, places, strict=True)}
        known = conjoined((inv, *(w[q] for w, q in zip(written, places, strict=True))))
        for index, thread in enumerate(threads):
            for original, edge in zip(made.threads[index].edges, thread.edges, strict=True):
                if edge.source != places[index]:
                    continue
                where = f"{in_words(here)}, {thread.name} -> {edge.target}"
                there = (*places[:index], edge.target, *places[index + 1 :])
                # What is written must not cut the step either.
                kept = land(*(w[q] for w, q in zip(written, there, strict=True)), *joint_invariant(joint, there))
                landed = conjuncts(substitute(kept, dict(edge.updates)))
                taken = conjoined((*known, *taking(edge)))
                yield Obligation("inductive invariant", where, taken, (Case((), landed),))
                if _fails(made, index, original):
                    yield impossible(where, (*known, *taking(edge)))
        for bad in made.never:
            if bad.claim is not None:
                yield Obligation("claim", in_words(here), known, (Case((), conjuncts(settled(bad.claim, here))),))


def joint_invariant(joint: Mapping[tuple[str, ...], Term], places: tuple[str, ...]) -> tuple[Term, ...]:
    """What is known at a joint location; FALSE where it is said not to be reached."""
    return conjuncts(joint.get(places, FALSE))


def taking(edge: Edge) -> tuple[Term, ...]:
    """That an edge is taken, in the state before it."""
    return (edge.guard, *(within(c) for c in edge.choices))


def impossible(where: str, formulas: tuple[Term, ...]) -> Obligation:
    """A failing step cannot be taken."""
    return Obligation("failing step", where, conjoined(formulas), (Case((), (FALSE,)),))


def is_failing(failing: Failing | None, thread: str, edge: Edge) -> bool:
    """Whether a thread's edge is one of the failing steps."""
    if failing is None or edge.label is None or edge.label.action != FAIL:
        return False
    return failing.thread in (None, thread) and failing.edge in (None, edge)
