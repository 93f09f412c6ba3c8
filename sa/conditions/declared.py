"""Declared environments of a program's threads: do they allow what the other threads do (Definition 2)?

What is found are warnings. They speak of states that the declared invariants do not exclude, which need not
be reachable: a program without invariants may be compatible all the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sa.automata.automaton import Automaton, Kind, Location, location_of, variables_of
from sa.automata.program import Program
from sa.base.diagnostic import Diagnostic, Label, Severity, warning
from sa.base.limits import Limits
from sa.base.source import Span
from sa.conditions.compatibility import Incompatible, incompatibilities
from sa.conditions.environment import declared, identity
from sa.smt.session import Sat, Session
from sa.terms import build
from sa.terms.evaluate import State, evaluate, holds
from sa.terms.printer import show
from sa.terms.sort import default_value, show_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var

#: Solver resources per question. What is not settled quickly is not warned of.
RLIMIT = 2_000_000


def environment_warnings(program: Program, bounds: Limits) -> tuple[Diagnostic, ...]:
    """Environments that forbid to do nothing, and steps that an environment of another thread does not allow.

    Raises LimitReached.
    """
    session = Session(bounds, tuple(a.formula for a in program.axioms), rlimit=RLIMIT)
    threads = {t.name: t for t in program.threads if declared(t)}
    notes = [note for thread in threads.values() for note in _restless(session, thread)]
    everyone = tuple(_reflexive(t) for t in threads.values())
    certain = (i for i in incompatibilities(session, everyone) if isinstance(i.answer, Sat) and i.answer.trusted)
    once = dict[tuple[Span | None, str], Diagnostic]()
    for found in certain:
        warned = _forbidden(found, location_of(threads[found.observer.name], found.location.name))
        # One step breaks the same clause at many locations: the first is enough.
        once.setdefault((warned.span, warned.message), warned)
    return (*dict.fromkeys(notes), *once.values())


def _restless(session: Session, thread: Automaton) -> Iterator[Diagnostic]:
    still: dict[Var, Term] = {primed(v): v for v in variables_of(thread, Kind.GLOBAL)}
    for place in thread.locations:
        if place.env is None:
            continue
        if isinstance(session.check((place.inv, build.lnot(substitute(place.env, still)))), Sat):
            message = f"the environment of `{thread.name}` does not always allow a step that changes nothing"
            hint = "an environment may do nothing at any time: that is added to the declared relation"
            yield Diagnostic("SA508", Severity.NOTE, message, _span(thread, place), hint=hint)


def _reflexive(thread: Automaton) -> Automaton:
    still = identity(variables_of(thread, Kind.GLOBAL))
    places = (q if q.env is None else replace(q, env=build.lor(q.env, still)) for q in thread.locations)
    return replace(thread, locations=tuple(places))


def _forbidden(found: Incompatible, place: Location) -> Diagnostic:
    """A step, the clauses declared at a place that do not allow it, and values with which it happens."""
    before, after = _example(found)
    assert place.env is not None
    both = {**before, **{primed(v): value for v, value in after.items()}}
    broken = [c for c in build.conjuncts(place.env) if not holds(c, both)]
    what = f"the environment that `{found.observer.name}` relies on"
    if not broken:
        broken = [c for c in build.conjuncts(found.location.inv) if not holds(c, {**before, **after})]
        what = f"the invariant of `{found.location.name}` in `{found.observer.name}`"
    message = f"this step of `{found.actor.name}` violates {what}: `{show(build.land(*broken))}`"
    span = _span(found.observer, found.location)
    labels = () if span is None else (Label(span, "declared for this"),)
    moved = [v for v in after if after[v] != before[v]]
    seen = {v for c in (*broken, found.edge.guard) for v in c.free if not v.primes}
    values = [f"{v.name}: {show_value(before[v], v.sort)} → {show_value(after[v], v.sort)}" for v in moved]
    values += [f"{v.name} = {show_value(before[v], v.sort)}" for v in sorted(seen - {*moved}, key=lambda v: v.key)]
    hint = f"for example {', '.join(values)}, which nothing declared here excludes"
    return warning("SA507", message, found.edge.origin.span, hint, labels)


def _example(found: Incompatible) -> tuple[State, State]:
    """The values of both threads' variables before the step, and of the globals after it."""
    assert isinstance(found.answer, Sat)
    owned = (*found.actor.variables, *found.observer.variables, *found.edge.choices)
    before = {v.var: found.answer.values.get(v.var, default_value(v.var.sort)) for v in owned}
    updates = dict(found.edge.updates)
    return before, {v: evaluate(updates.get(v, v), before) for v in variables_of(found.actor, Kind.GLOBAL)}


def _span(thread: Automaton, place: Location) -> Span | None:
    """Where an environment is declared: at the location, or at the thread if all its locations share it."""
    shared = all(q.env is place.env for q in thread.locations)
    return thread.origin.span if shared else place.origin.span
