"""Spoiler's moves at a position: that each is possible and that the play knows everything Duplicator can do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from msgspec.structs import replace

from sa.automata.automaton import Kind
from sa.automata.trace import Configuration
from sa.certificates.goal import iota_of, matches_environments
from sa.certificates.play import EnvironmentMove, Exhausted, Position, Reply, Step, Unmatched
from sa.checker.absence import absence
from sa.checker.answers import State
from sa.checker.environments import closures
from sa.checker.legal import Action, constants, environment_fault, same, shown, step_fault
from sa.checker.obligation import Case, Obligation, discharge
from sa.checker.passed import Answering, passed_ends, passed_faults
from sa.checker.regions import region_faults, silent_faults
from sa.checker.replay import Replay, outcome_fault, place
from sa.checker.ruling import Failure, Rejected, failing
from sa.checker.scope import closure_fault
from sa.checker.side import invariant, renamed, within
from sa.checker.symbolic import Front, Query, fronts
from sa.terms.build import FALSE, conjoined, conjuncts, constant, eq, land, lnot
from sa.terms.evaluate import holds
from sa.terms.sort import BOOL
from sa.terms.substitute import primed, substitute
from sa.terms.term import Term, Var, sort_of


def move_faults(r: Replay, here: Position) -> Iterator[Failure]:
    """What is wrong with the move at a position whose states are known to be states."""
    match here.move:
        case Step():
            yield from _step(r, here, here.move)
        case EnvironmentMove():
            yield from _environment_move(r, here, here.move)
        case Unmatched():
            yield from _unmatched(r, here, here.move)
        case _:
            assert_never(here.move)


def _step(r: Replay, here: Position, step: Step) -> Iterator[Failure]:
    where = place(here.concrete, here.abstract)
    fault = step_fault(r.concrete, here.concrete, step.move)
    if fault is not None:
        yield Rejected("component step", fault, where)
    action = shown(step.move.edge, here.concrete.values, step.move.choices)
    ends: list[Configuration] = []
    for reply in step.replies:
        end = reply.moves[-1].after if reply.moves else here.abstract
        yield from _answer(r, here.abstract, action, reply, where)
        yield from failing(outcome_fault(r, reply.then, step.move.after, end))
        ends.append(end)
    if step.beyond:
        yield from _beyond(r, step, where)
    if (step.others or step.silent or step.passed) and step.exhausted is not Exhausted.SOLVER:
        yield Rejected("all answers", "regions cannot be combined with answers that are enumerated", where)
    match step.exhausted:
        case Exhausted.ENUMERATED:
            yield from _enumerated(r, here, step, action, ends)
        case Exhausted.UP_TO_WAITING:
            yield from _up_to_waiting(r, here, step, action)
        case Exhausted.SOLVER:
            yield from _excluded(r, here, step, action, ends)
        case _:
            assert_never(step.exhausted)


def _answer(r: Replay, start: Configuration, action: Action, reply: Reply, where: str) -> Iterator[Failure]:
    here, seen = start, list[Action]()
    for move in reply.moves:
        fault = step_fault(r.abstract, here, move)
        if fault is not None:
            yield Rejected("answer", fault, where)
        if move.edge.label is not None:
            seen.append(shown(move.edge, here.values, move.choices))
        here = move.after
    if seen != ([] if action is None else [action]):
        yield Rejected("answer", "it does not show what the step shows", where)


def _beyond(r: Replay, step: Step, where: str) -> Iterator[Failure]:
    """No abstract step leaves the states beyond, and ι relates none of them to the state after the move."""
    a, zones = r.abstract, {b.location: b.states for b in step.beyond}
    known = {*a.params, *a.globals, *a.locals}
    if any(q not in a.locations or sort_of(zone) != BOOL or not zone.free <= known for q, zone in zones.items()):
        yield Rejected("beyond", "it mentions something other than abstract states", where)
        return
    if len(zones) < len(step.beyond):
        yield Rejected("beyond", "a location stands twice", where)
        return
    if ("beyond", step.beyond) not in r.closures:
        for name, zone in zones.items():
            for _, edge in a.outgoing[name]:
                inside = (zone, *invariant(a, name), edge.guard, *(within(c) for c in edge.choices))
                after = renamed((zones.get(edge.target, FALSE),), dict(edge.updates))
                kept = Obligation("beyond", name, conjoined(inside), (Case((), after),))
                yield from failing(discharge(r.session, frozenset(), kept))
        r.closures.add(("beyond", step.beyond))
    iota = substitute(iota_of(r.goal), constants(step.move.after.values))
    for name, zone in zones.items():
        apart = Obligation("beyond", f"{name}, {where}", conjoined((zone, iota)), (Case((), (FALSE,)),))
        yield from failing(discharge(r.session, frozenset(), apart))


def _enumerated(
    r: Replay, here: Position, step: Step, action: Action, ends: Iterable[Configuration]
) -> Iterator[Failure]:
    iota, listed = iota_of(r.goal), {_numbers(r, end) for end in ends}
    for location, values in r.answers.ends(_numbers(r, here.abstract), action, step.beyond) - listed:
        # An answer that ends outside of ι is lost by itself.
        if holds(iota, {**step.move.after.values, **dict(zip(r.answers.order, values, strict=True))}):
            yield _left_out(r, here, (location, values))


def _numbers(r: Replay, state: Configuration) -> State:
    return state.location, tuple(state.values[v] for v in r.answers.order)


def _left_out(r: Replay, here: Position, end: State) -> Rejected:
    said = ", ".join(f"{v.name} = {x}" for v, x in zip(r.answers.order, end[1], strict=True))
    return Rejected("all answers", f"one is left out, to {end[0]} with {said}", place(here.concrete, here.abstract))


def _up_to_waiting(r: Replay, here: Position, step: Step, action: Action) -> Iterator[Failure]:
    """Each answer that is not listed ends where silent steps lead to from one that is, and against which Spoiler wins.

    NOTE(waiting): in a closed goal Spoiler wins from (c, a') if he wins from (c, a) and silent steps lead from a to a',
    for what a' answers, a does. An answer behind one that keeps ι is reached silently from that.
    """
    if not r.goal.closed:
        yield Rejected("all answers", "only answers of closed goals may wait", place(here.concrete, here.abstract))
        return
    iota, order, after = iota_of(r.goal), r.answers.order, step.move.after.values

    def related(state: State) -> bool:
        return holds(iota, {**after, **dict(zip(order, state[1], strict=True))})

    won = (reply.then for reply in step.replies)
    covered = r.answers.silently(_numbers(r, then.abstract) for then in won if isinstance(then, Position))
    for end in r.answers.first(_numbers(r, here.abstract), action, related, step.beyond) - covered:
        yield _left_out(r, here, end)


def _excluded(
    r: Replay, here: Position, step: Step, action: Action, ends: Iterable[Configuration]
) -> Iterator[Failure]:
    order, where = r.answers.order, place(here.concrete, here.abstract)
    known = constants(step.move.after.values)
    iota = substitute(iota_of(r.goal), known)
    for region in step.others:
        yield from region_faults(r, region)
    yield from silent_faults(r, step.silent)
    said, start = _said(step, action), constants(here.abstract.values, order)
    ended: Iterator[Front]
    if step.passed:
        given = tuple(eq(v, x) for v, x in start.items())
        yield from passed_faults(r, step.passed, Answering(here.abstract.location, given, said, ()))
        # What is passed need not say what parameters are: they stay.
        still = tuple(eq(v, start[v]) for v in r.abstract.params)
        ended = (replace(f, conditions=(*f.conditions, *still)) for f in passed_ends(r, step.passed))
    else:
        first = Front(here.abstract.location, action is None, tuple(start.values()), ())
        ended = fronts(r.session, r.abstract, first, Query(said, beyond=step.beyond), step.silent)
    for front in ended:
        after = dict(zip(order, front.values, strict=True))
        scope: dict[Var, Term] = {**known, **after}
        lost = (
            lnot(substitute(region.states, scope))
            for region in step.others
            if (region.concrete, region.abstract) == (step.move.after.location, front.location)
        )
        others = (
            lnot(land(*(eq(after[v], x) for v, x in constants(end.values).items())))
            for end in ends
            if end.location == front.location
        )
        formulas = (*front.conditions, substitute(iota, after), *others, *lost)
        yield from failing(absence(r.session, "all answers", where, formulas, (), Exhausted.SOLVER))


def _said(step: Step, action: Action) -> tuple[str, tuple[str, ...], tuple[Term, ...]] | None:
    label = step.move.edge.label
    if action is None or label is None:
        return None
    return action[0], action[1], tuple(constant(x, sort_of(t)) for x, t in zip(action[2], label.values, strict=True))


def _environment_move(r: Replay, here: Position, environment_move: EnvironmentMove) -> Iterator[Failure]:
    where = place(here.concrete, here.abstract)
    fault = environment_fault(r.concrete, here.concrete, environment_move.concrete)
    if fault is not None:
        yield Rejected("concrete environment step", fault, where)
    last, still = here.abstract, same(here.concrete, environment_move.concrete)
    for after in environment_move.abstract:
        fault = environment_fault(r.abstract, last, after)
        if fault is not None:
            yield Rejected("abstract environment step", fault, where)
        last, still = after, still or same(last, after)
    if environment_move.identity is not (r.goal.added_identity and still):
        yield Rejected("environment step", "it is wrong about whether it uses the identity", where)
    if not holds(iota_of(r.goal), {**environment_move.concrete.values, **last.values}):
        yield Rejected("environment step", "ι does not hold after it", where)
    yield from failing(outcome_fault(r, environment_move.then, environment_move.concrete, last))


def _unmatched(r: Replay, here: Position, move: Unmatched) -> Iterator[Failure]:
    where, a = place(here.concrete, here.abstract), r.abstract
    if not matches_environments(r.goal):
        yield Rejected("unmatched", "environments need not be matched here", where)
    fault = environment_fault(r.concrete, here.concrete, move.concrete)
    if fault is not None:
        yield Rejected("concrete environment step", fault, where)
    location = here.abstract.location
    if (location, move.closure) not in r.closures:
        fault = closure_fault(a, move.closure)
        if fault is not None:
            yield Rejected("unmatched", fault, where)
        for obligation in closures(a, location, move.closure):
            yield from failing(discharge(r.session, frozenset(), obligation))
        r.closures.add((location, move.closure))
    now: dict[Var, Term] = constants(here.abstract.values)
    then = constants(here.abstract.values, (*a.params, *a.locals))
    after: dict[Var, Term] = {**a.after, **then, **constants(move.concrete.values)}
    formulas = (
        *(substitute(f, now) for f in conjuncts(move.closure)),
        *(substitute(f, after) for f in (*invariant(a, location), iota_of(r.goal))),
    )
    unknowns = [replace(v, var=primed(v.var)) for v in a.automaton.variables if v.kind is Kind.GLOBAL]
    yield from failing(absence(r.session, "unmatched", where, formulas, unknowns, move.exhausted))
