"""Vacuity (THEORY section 7): claims that hold because nothing can happen are named, not hidden."""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.automaton import EXIT, FAIL, Automaton, Edge, edges_from
from sa.automata.program import Axiom, Program
from sa.base.diagnostic import Diagnostic, error, warning
from sa.base.limits import Limits
from sa.smt.session import Session, Unsat
from sa.terms import build
from sa.terms.printer import show
from sa.terms.term import Term

#: Solver resources per question. What is not settled quickly is not warned of.
RLIMIT = 2_000_000


def vacuity(program: Program, bounds: Limits) -> tuple[Diagnostic, ...]:
    """What can never happen in a program. Contradictory axioms are an error, the rest are warnings."""
    wrong = contradiction(program.axioms, bounds)
    if wrong:
        return wrong
    session = Session(bounds, tuple(a.formula for a in program.axioms), rlimit=RLIMIT)
    return tuple(d for thread in program.threads for d in _of_thread(session, thread))


def contradiction(axioms: tuple[Axiom, ...], bounds: Limits) -> tuple[Diagnostic, ...]:
    """An error where no functions satisfy all axioms together."""
    if not axioms or not isinstance(Session(bounds, tuple(a.formula for a in axioms), rlimit=RLIMIT).check(()), Unsat):
        return ()
    hint = "remove or weaken one of the axioms: anything follows from them"
    return (error("SA501", "the axioms contradict each other", axioms[0].origin.span, hint),)


def _of_thread(session: Session, thread: Automaton) -> Iterator[Diagnostic]:
    invariants = {q.name: q.inv for q in thread.locations}
    if _impossible(session, thread.init, invariants[thread.initial]):
        yield warning("SA502", f"no state of `{thread.name}` satisfies the initial condition", thread.origin.span)
        return
    outgoing = edges_from(thread)
    for place in thread.locations:
        if _impossible(session, place.inv):
            yield warning("SA503", f"no state satisfies the invariant of `{place.name}`", place.origin.span)
            continue
        edges = outgoing[place.name]
        dead = [e for e in edges if _impossible(session, place.inv, e.guard)]
        for edge in dead:
            if _written(edge) and len(dead) < len(edges):
                message = f"this step can never be taken: `{show(edge.guard)}` is false here"
                yield warning("SA504", message, edge.origin.span)
        if len(dead) == len(edges) and not _is_end(thread, place.name):
            hint = "a thread that waits forever refines any thread that can still take steps"
            yield warning("SA505", f"`{thread.name}` blocks here forever", place.origin.span, hint)


def _impossible(session: Session, *formulas: Term) -> bool:
    return isinstance(session.check(f for f in formulas if f is not build.TRUE), Unsat)


def _written(edge: Edge) -> bool:
    # A failing check that cannot fail is as it should be.
    return edge.label is None or edge.label.action != FAIL


def _is_end(thread: Automaton, name: str) -> bool:
    return any(e.target == name and e.label is not None and e.label.action in (EXIT, FAIL) for e in thread.edges)
