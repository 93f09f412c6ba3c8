"""Vacuity (THEORY section 7): claims that hold because nothing can happen are named, not hidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sa.automata.automaton import EXIT, FAIL, Automaton, Edge, edges_from
from sa.automata.program import Axiom, Program
from sa.automata.ranges import within
from sa.base.diagnostic import Diagnostic, InputError, Severity, error, warning
from sa.base.limits import Limits
from sa.base.source import Span
from sa.smt.session import Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.printer import show
from sa.terms.solve import solution
from sa.terms.sort import default_value
from sa.terms.term import Term

#: Solver resources per question. What is not settled quickly is not warned of.
RLIMIT = 2_000_000


def vacuous(programs: Iterable[Program], bounds: Limits) -> tuple[Diagnostic, ...]:
    """Warnings about what can never happen in programs. Raises InputError for axioms that contradict each other."""
    found = vacuity(programs, bounds)
    if errors := tuple(d for d in found if d.severity is Severity.ERROR):
        raise InputError(errors)
    return found


def vacuity(programs: Iterable[Program], bounds: Limits) -> tuple[Diagnostic, ...]:
    """What can never happen in programs: contradictory axioms are an error, the rest are warnings.

    What one thread can never do no copy of it can, so a family is looked at as one thread. Raises LimitReached.
    """
    found, sessions = list[Diagnostic](), dict[tuple[Axiom, ...], Session]()
    for program in programs:
        axioms = program.axioms
        wrong = contradiction(axioms, bounds)
        # Starting a solver takes longer than these questions.
        if not wrong and axioms not in sessions:
            sessions[axioms] = Session(bounds, tuple(a.formula for a in axioms), rlimit=RLIMIT)
        threads = [t for t in (*program.threads, *(f.thread for f in program.families)) if not _of_library(t, program)]
        found += wrong or (d for thread in threads for d in _of_thread(sessions[axioms], thread))
    return tuple(dict.fromkeys(found))


def _of_library(thread: Automaton, program: Program) -> bool:
    """Whether a thread is a scheduler that the file did not write: it may know more than the file's threads ask."""
    span = thread.origin.span
    return span is not None and span.source.name.endswith(".sa") and span.source != program.source


def contradiction(axioms: tuple[Axiom, ...], bounds: Limits) -> tuple[Diagnostic, ...]:
    """An error where no functions satisfy all axioms together."""
    if not axioms or not isinstance(Session(bounds, tuple(a.formula for a in axioms), rlimit=RLIMIT).check(()), Unsat):
        return ()
    hint = "remove or weaken one of the axioms: anything follows from a contradiction"
    return (error("SA501", "the axioms contradict each other", axioms[0].origin.span, hint),)


def _of_thread(session: Session, thread: Automaton) -> Iterator[Diagnostic]:
    invariants = {q.name: q.inv for q in thread.locations}
    ends = {q.name for q in thread.locations if _is_end(thread, q.name)}
    if _impossible(session, thread.init, invariants[thread.initial]):
        yield warning("SA502", f"no state of `{thread.name}` satisfies the initial condition", thread.origin.span)
        return
    yield from _cut(session, thread)
    never, alive = list[Edge](), set[Span | None]()
    outgoing = edges_from(thread)
    for place in thread.locations:
        if _impossible(session, place.inv):
            # Where a translated program stops is nobody's text, and a failure that cannot be is as it should be.
            if place.origin.span is not None and not _fails(thread, place.name):
                yield warning("SA503", f"no state satisfies the invariant of `{place.name}`", place.origin.span)
            continue
        edges = outgoing[place.name]
        dead = [e for e in edges if _impossible(session, place.inv, e.guard)]
        alive.update(e.origin.span for e in edges if e not in dead)
        if len(dead) < len(edges):
            never += filter(_written, dead)
        # Where only checks are left, nothing waits; and the environment of an open program is nobody's text.
        elif place.name not in ends and place.origin.span is not None and (not edges or any(map(_written, edges))):
            hint = "a thread that waits forever refines any thread that can still take steps"
            # What it waits for says more than what it did last.
            waits = next((e.origin.span for e in edges if _written(e)), place.origin.span)
            yield warning("SA505", f"`{thread.name}` blocks here forever", waits or place.origin.span, hint)
    # A statement has a step for each way through it, of which some may be impossible.
    for edge in never:
        if edge.origin.span not in alive:
            message = f"this step can never be taken: `{show(edge.guard)}` is false here"
            yield warning("SA504", message, edge.origin.span)


def _cut(session: Session, thread: Automaton) -> Iterator[Diagnostic]:
    """Variables whose first value is a term that their range does not contain always: so runs are left out."""
    ranged = {v.var: v for v in thread.variables if v.low is not None}
    formulas, order = build.conjuncts(thread.init), list(ranged)
    for formula in formulas:
        # Initial values speak of earlier variables.
        own = [v for v in order if v in formula.free][-1:] if len(formula.free) > 1 else []
        said = solution(formula, frozenset(own))
        if said is not None:
            var, inside = said[0], within(ranged[said[0]])
            # An initial condition has the ranges in it; those of later variables may say as much of this one.
            later = frozenset(c for v in order[order.index(var) :] for c in build.conjuncts(within(ranged[v])))
            others = (f for f in formulas if f not in later)
            if isinstance(session.check((*others, build.lnot(inside))), Sat):
                message = f"the initial value may be out of range: runs where `{show(inside)}` is false are left out"
                hint = "say with an `init` which initial values are meant"
                yield warning("SA514", message, ranged[var].origin.span, hint)


def _impossible(session: Session, *formulas: Term) -> bool:
    asked = [f for f in formulas if f is not build.TRUE]
    return not _hold_simply(asked) and isinstance(session.check(asked), Unsat)


def _hold_simply(formulas: Iterable[Term]) -> bool:
    """Whether formulas hold where all variables have default values: many do, and no solver is started for them."""
    try:
        return all(holds(f, {v: default_value(v.sort) for v in f.free}) for f in formulas)
    except Unevaluable:
        return False


def _written(edge: Edge) -> bool:
    # A failing check that cannot fail is as it should be.
    return edge.label is None or edge.label.action != FAIL


def _fails(thread: Automaton, name: str) -> bool:
    entering = [e.label for e in thread.edges if e.target == name]
    return bool(entering) and all(label is not None and label.action == FAIL for label in entering)


def _is_end(thread: Automaton, name: str) -> bool:
    """Whether nothing goes on here: a location that is entered by the last action of a run, or by nothing."""
    entering = [e.label for e in thread.edges if e.target == name]
    return name != thread.initial and all(label and label.action in (EXIT, FAIL) for label in entering)
