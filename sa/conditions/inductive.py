"""Whether invariants of locations cut runs (THEORY section 1): they must be shown, never assumed.

`Inv` is inductive if the initial states satisfy it, if every component step that its guard allows leads into
it, and if every environment step within the ranges of the variables keeps it. Then the automaton with `Inv`
and the one without have the same runs. Of a product, and of a thread with its environment, all of it is
looked at; that the environment is the right one is not (`composition.compatibility`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from msgspec import Struct, field

from sa.automata.automaton import Automaton, Edge, Kind, Location, location_of, variables_of
from sa.automata.program import Axiom
from sa.automata.ranges import within
from sa.base.diagnostic import Diagnostic, InputError, error
from sa.base.limits import Limits
from sa.smt.session import Answer, Sat, Session, Unsat
from sa.terms import build
from sa.terms.evaluate import State, Unevaluable, evaluate
from sa.terms.printer import show
from sa.terms.sort import Value, default_value, show_value
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var


class NotInductive(Struct, frozen=True):
    """A conjunct of `Inv` at `location` that is not shown: initially, after `edge`, or in the environment.

    `initially` tells the first from the last, for which there is no edge. `answer` is the solver's: values
    with which the conjunct becomes false, or that it could not tell; not Unsat.
    """

    automaton: Automaton
    location: Location
    conjunct: Term
    edge: Edge | None
    initially: bool
    answer: Answer


class Settled(Struct, frozen=True):
    """What was asked about cases of environments: what each says of change and what it does not change; what is kept.

    A question is what is known of change and of the state before it, and what is wanted of the state after it.
    """

    cases: dict[Term, tuple[Term, frozenset[Var]]] = field(default_factory=dict)
    kept: dict[tuple[Term, Term, Term], bool] = field(default_factory=dict)


def not_inductive(session: Session, automaton: Automaton, settled: Settled | None = None) -> Iterator[NotInductive]:
    """All that keeps the invariants from being inductive; an undeclared environment does nothing.

    `settled` may be shared by all threads of a program. Raises LimitReached and SolverDisagrees.
    """
    settled = settled or Settled()
    places = {q.name: q for q in automaton.locations}
    first = location_of(automaton, automaton.initial)
    for conjunct in build.conjuncts(first.inv):
        answer = _unless(session, (automaton.init,), conjunct)
        if answer is not None:
            yield NotInductive(automaton, first, conjunct, None, True, answer)
    said = {q.name: frozenset(build.conjuncts(q.inv)) for q in automaton.locations}
    for edge in automaton.edges:
        before, target, after = places[edge.source].inv, places[edge.target], dict[Var, Term](edge.updates)
        known = (before, edge.guard, *(within(c) for c in edge.choices))
        for conjunct in build.conjuncts(target.inv):
            # Most of what an invariant says a step does not touch.
            if conjunct in said[edge.source] and conjunct.free.isdisjoint(after):
                continue
            answer = _unless(session, known, substitute(conjunct, after))
            if answer is not None:
                yield NotInductive(automaton, target, conjunct, edge, False, answer)
    for place in automaton.locations:
        yield from _disturbed(session, automaton, place, settled)


def _plainly_kept(session: Session, place: Location, env: Term, shared: Sequence[Var], settled: Settled) -> bool:
    """Whether each case of an environment keeps what the invariant says of the variables that change in it.

    The answers are the same for many locations of many threads.
    """
    parts = build.conjuncts(place.inv)
    about = {v: [c for c in parts if v in c.free] for v in shared}
    for case in build.disjuncts(env):
        if case not in settled.cases:
            still = {build.eq(primed(v), v): v for v in shared}
            said = build.conjuncts(case)
            change = build.land(*(c for c in said if c not in still))
            settled.cases[case] = change, frozenset(still[c] for c in said if c in still)
        change, same = settled.cases[case]
        changing = [v for v in shared if v not in same]
        concerned = build.land(*dict.fromkeys(c for v in changing for c in about[v]))
        later = substitute(concerned, {v: primed(v) for v in changing})
        question = change, concerned, later
        if question not in settled.kept:
            settled.kept[question] = later is build.TRUE or session.implied(later, (change, concerned))
        if not settled.kept[question]:
            return False
    return True


def _disturbed(session: Session, automaton: Automaton, place: Location, settled: Settled) -> Iterator[NotInductive]:
    if place.env is None or _plainly_kept(session, place, place.env, variables_of(automaton, Kind.GLOBAL), settled):
        return
    shared = [v for v in automaton.variables if v.kind is Kind.GLOBAL]
    after: dict[Var, Term] = {v.var: primed(v.var) for v in shared}
    known = (place.inv, place.env, *(substitute(within(v), after) for v in shared))
    # Mostly all is well, and one question about all of it costs as much as one about a part.
    if _unless(session, known, substitute(place.inv, after)) is None:
        return
    for conjunct in build.conjuncts(place.inv):
        answer = _unless(session, known, substitute(conjunct, after))
        if answer is not None:
            yield NotInductive(automaton, place, conjunct, None, False, answer)


def _unless(session: Session, known: tuple[Term, ...], goal: Term) -> Answer | None:
    """None where what is known implies the goal, otherwise the solver's answer."""
    parts: Set[Term] = frozenset(build.conjoined(known))
    if goal is build.TRUE or goal in parts:
        return None
    answer = session.check((*parts, build.lnot(goal)))
    return None if isinstance(answer, Unsat) else answer


def uncut(threads: Sequence[Automaton], axioms: Sequence[Axiom], bounds: Limits) -> str | None:
    """What keeps an invariant of threads one by one from being known to be inductive, None if all are.

    Raises InputError for invariants that are not inductive, and LimitReached.
    """
    session = Session(bounds, tuple(a.formula for a in axioms))
    return doubt_of(found for thread in threads for found in not_inductive(session, thread))


def doubt_of(found: Iterable[NotInductive]) -> str | None:
    """What is not known of what was found, None if nothing was. Raises InputError for what is known to be wrong."""
    told = [(not_inductive_diagnostic(f), isinstance(f.answer, Sat)) for f in found]
    wrong = tuple(dict.fromkeys(diagnostic for diagnostic, certain in told if certain))
    if wrong:
        raise InputError(wrong)
    return told[0][0].message if told else None


def not_inductive_diagnostic(found: NotInductive) -> Diagnostic:
    """The finding in words, at the step or the location."""
    formula, place = f"`{show(found.conjunct)}`", f"`{found.location.name}`"
    if found.edge is not None:
        what, span = f"this step can lead to {place} where", found.edge.origin.span
    elif found.initially:
        what, span = f"initially, at {place},", found.location.origin.span
    else:
        what, span = f"the environment at {place} can reach states in which", found.location.origin.span
    if not isinstance(found.answer, Sat):
        return error("SA506", f"{what} it is not known that {formula} holds", span)
    there = _there(found, found.answer.values)
    example = ", ".join(f"{v.name} = {show_value(x, v.sort)}" for v, x in there.items())
    return error("SA506", f"{what} {formula} is false", span, f"for example with {example} there" if there else None)


def _there(found: NotInductive, values: State) -> dict[Var, Value]:
    """The values that make the conjunct false, at the location."""
    names: dict[Var, Term] = {}
    if found.edge is not None:
        names.update(found.edge.updates)
    elif not found.initially:
        names = {v: primed(v) for v in variables_of(found.automaton, Kind.GLOBAL)}
    there = {v: names.get(v, v) for v in sorted(found.conjunct.free, key=lambda v: v.key)}
    known = {**{w: default_value(w.sort) for t in there.values() for w in t.free}, **values}
    try:
        return {v: evaluate(t, known) for v, t in there.items()}
    except Unevaluable:
        return {}
