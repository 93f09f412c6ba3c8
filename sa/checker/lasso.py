"""Checks a run in which something never comes to an end: a stem that is replayed, and a cycle that can be repeated.

The cycle is replayed once by evaluation. That it can be taken for ever follows from a formula that holds where it
begins: under it, every step of the cycle is possible with the same choices, and it holds again behind the last one.
Under fairness, each thread moves in the cycle or cannot step at one of its states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Ends
from sa.base.limits import Limits
from sa.certificates.ends import Lasso
from sa.certificates.run import Ending, Snapshot, Turn
from sa.checker.joint_locations import in_words, settled
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.run import check_steps, claim_state
from sa.checker.side import side, within
from sa.checker.solvers import Z3, Solvers
from sa.checker.threads import apart
from sa.smt.solver import Solver
from sa.terms.build import FALSE, conjoined, conjuncts, constant, land, lnot, lor
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.sort import BOOL
from sa.terms.substitute import local_of, substitute
from sa.terms.term import Term, Var, sort_of


class _Moment(Struct, frozen=True):
    """Where the threads are in the cycle, and the values of variables there in terms of those where it begins."""

    places: Mapping[str, str]
    values: Mapping[Var, Term]


def check_lasso(
    threads: tuple[Automaton, ...],
    axioms: tuple[Axiom, ...],
    ends: Ends,
    lasso: Lasso,
    bounds: Limits,
    seed: int = 0,
    solvers: Solvers = Z3,
) -> Ruling:
    """Whether the run is one in which it never comes to an end. Raises LimitReached."""
    ruling = check_steps(threads, lasso.run)
    if not isinstance(ruling, Accepted):
        return ruling
    states = (lasso.run.start, *(t.after for t in lasso.run.turns))
    if not 0 <= lasso.stem < len(states):
        return Rejected("cycle", "it does not begin in the run")
    try:
        fault = _pending_fault(threads, ends, states[: lasso.stem + 1], states[lasso.stem + 1 :])
    except Unevaluable as problem:
        return Rejected("evaluation", f"{problem} has no value")
    if fault is not None:
        return Rejected("claim", fault)
    session = solvers.session(bounds, [a.formula for a in axioms], seed)
    separate = {t.name: apart(t) for t in threads}
    if lasso.run.cycle is None:
        return _stands_still(session, ends, separate, lasso, states[-1])
    return _goes_round(session, threads, separate, ends, lasso, states[lasso.stem])


def _pending_fault(
    threads: Sequence[Automaton], ends: Ends, stem: Sequence[Snapshot], cycle: Sequence[Snapshot]
) -> str | None:
    """Why the run does not count, or no state of the stem is one from which on what is claimed does not happen."""
    sides = {t.name: side(t) for t in threads}
    if ends.apart is not FALSE and any(holds(ends.apart, claim_state(sides, s)) for s in (*stem, *cycle)):
        return "it is not about such runs"
    if ends.until is None:
        return None
    met = False
    for state in stem:
        values = claim_state(sides, state)
        met = not holds(ends.until, values) and (met or holds(ends.since, values))
    if not met or any(holds(ends.until, claim_state(sides, s)) for s in cycle):
        return "what is claimed happens, or is not claimed of this run"
    return None


def _stands_still(
    session: Solver, ends: Ends, separate: Mapping[str, Automaton], lasso: Lasso, last: Snapshot
) -> Ruling:
    """No step of any thread is possible at the end."""
    if ends.until is None:
        return Rejected("cycle", "a run that stands still takes finitely many steps")
    if lasso.run.ending not in (Ending.FINISHED, Ending.BLOCKED):
        return Rejected("cycle", "the run is not said to stand still")
    values = _constants(last, separate)
    moment = _Moment({t: c.location for t, c in last.threads.items()}, values)
    moving = next((t for t in separate.values() if not _is_disabled(session, t, moment, ())), None)
    return Accepted() if moving is None else Rejected("standstill", f"{moving.name} may be able to step")


def _constants(there: Snapshot, separate: Mapping[str, Automaton]) -> dict[Var, Term]:
    values = dict(there.shared)
    for name in separate:
        values |= {local_of(v, name): x for v, x in there.threads[name].values.items() if v not in there.shared}
    return {v: constant(x, v.sort) for v, x in values.items()}


def _goes_round(
    session: Solver,
    threads: Sequence[Automaton],
    separate: Mapping[str, Automaton],
    ends: Ends,
    lasso: Lasso,
    begins: Snapshot,
) -> Ruling:
    cycle = lasso.run.turns[lasso.stem :]
    if not cycle:
        return Rejected("cycle", "it has no step")
    known = frozenset(v.var for t in separate.values() for v in t.variables)
    fault = None
    if lasso.run.ending is not Ending.REPEATED:
        fault = "the run is not said to go on"
    elif not any(t.thread in ends.threads for t in cycle):
        fault = "no thread that the claim is about moves in it"
    elif any(cycle[-1].after.threads[n].location != c.location for n, c in begins.threads.items()):
        fault = "it does not lead back to where it began"
    elif not lasso.again.free <= known or sort_of(lasso.again) != BOOL:
        fault = "what holds where it begins is no formula over variables of the program"
    elif not _holds_at(lasso.again, begins, separate):
        fault = "what is said to hold where it begins is false there"
    if fault is not None:
        return Rejected("cycle", fault)
    places = {n: c.location for n, c in begins.threads.items()}
    assumed = conjoined((lasso.again, *_legal(separate, places)))
    moments = [_Moment(places, {})]
    for turn in cycle:
        step, after = _step(threads, separate, moments[-1], turn)
        moments.append(after)
        wanted = [substitute(f, after.values) for f in _legal(separate, after.places)]
        over = ends.apart if ends.until is None else lor(ends.until, ends.apart)
        wanted.append(substitute(lnot(settled(over, after.places)), after.values))
        obligation = Obligation("cycle", in_words(after.places), assumed, (Case((), conjoined((*step, *wanted))),))
        if (failure := discharge(session, frozenset(), obligation)) is not None:
            return failure
    again = conjuncts(substitute(lasso.again, moments[-1].values))
    closed = Obligation("cycle", "where it begins again", assumed, (Case((), again),))
    if (failure := discharge(session, frozenset(), closed)) is not None:
        return failure
    return next(_unfair(session, separate, ends, (moments, [t.thread for t in cycle]), assumed), Accepted())


def _holds_at(formula: Term, there: Snapshot, separate: Mapping[str, Automaton]) -> bool:
    values = dict(there.shared)
    for name in separate:
        values |= {local_of(v, name): x for v, x in there.threads[name].values.items() if v not in there.shared}
    try:
        return holds(formula, values)
    except Unevaluable:
        return False


def _legal(separate: Mapping[str, Automaton], places: Mapping[str, str]) -> Iterator[Term]:
    """The invariants of the locations, and the ranges of all variables."""
    for name, thread in separate.items():
        yield from (q.inv for q in thread.locations if q.name == places[name])
        yield from (within(v) for v in thread.variables)


def _step(
    threads: Sequence[Automaton], separate: Mapping[str, Automaton], here: _Moment, turn: Turn
) -> tuple[tuple[Term, ...], _Moment]:
    """What a step of the cycle asks of the state where the cycle begins, and where it leads. The step was replayed."""
    thread = next(t for t in threads if t.name == turn.thread)
    edge = separate[turn.thread].edges[thread.edges.index(turn.move.edge)]
    chosen: dict[Var, Term] = {local_of(c, turn.thread): constant(x, c.sort) for c, x in turn.move.choices.items()}
    scope = {**here.values, **chosen}
    asked = land(edge.guard, *(within(c) for c in edge.choices))
    values = {**here.values, **{v: substitute(t, scope) for v, t in edge.updates}}
    return (substitute(asked, scope),), _Moment({**here.places, turn.thread: edge.target}, values)


def _unfair(
    session: Solver,
    separate: Mapping[str, Automaton],
    ends: Ends,
    cycle: tuple[Sequence[_Moment], Sequence[str]],
    assumed: tuple[Term, ...],
) -> Iterator[Rejected]:
    """The threads that are treated unfairly: they could step all the time, and do not."""
    moments, movers = cycle
    if ends.fair:
        for name, thread in separate.items():
            if name not in movers and not any(_is_disabled(session, thread, m, assumed) for m in moments):
                yield Rejected("fairness", f"{name} may always be able to step, and does not")


def _is_disabled(session: Solver, thread: Automaton, there: _Moment, assumed: tuple[Term, ...]) -> bool:
    """Whether no step of a thread is possible at a moment."""
    for edge in thread.edges:
        if edge.source == there.places[thread.name]:
            taken = land(edge.guard, *(within(c) for c in edge.choices))
            premise = conjoined((*assumed, substitute(taken, there.values)))
            obligation = Obligation("fairness", f"{thread.name} at {edge.source}", premise, (Case((), (FALSE,)),))
            if discharge(session, frozenset(), obligation) is not None:
                return False
    return True
