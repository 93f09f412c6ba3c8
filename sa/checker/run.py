"""Checks the evidence against a claim about a closed program: replays a run of its threads by evaluation alone.

The threads are each other's environment (Definition 3): declared environments play no part, and every step keeps
the invariants of all threads' locations. The run must end in what is called bad; that it is a shortest one, or
why it was looked for, is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Kind, Variable
from sa.automata.trace import Configuration
from sa.certificates.run import Bad, Ending, Run, Snapshot, Turn
from sa.checker.legal import initial_fault, same, shown, state_fault, step_fault
from sa.checker.ruling import Accepted, Failure, Rejected, Ruling
from sa.checker.scope import automaton_faults
from sa.checker.side import Side, side
from sa.terms.build import TRUE, variable
from sa.terms.evaluate import Unevaluable, holds
from sa.terms.name import at_place
from sa.terms.sort import BOOL, Value
from sa.terms.substitute import local_of
from sa.terms.term import Var


def check_run(threads: tuple[Automaton, ...], bad: Bad, run: Run) -> Ruling:
    """Whether the run is one of the threads by themselves and ends in what is bad."""
    fault = next(thread_faults(threads), None)
    if fault is not None:
        return Rejected("well-formed program", fault)
    try:
        return next(_faults({t.name: side(t) for t in threads}, bad, run), Accepted())
    except Unevaluable as problem:
        return Rejected("evaluation", f"{problem} has no value")


def check_steps(threads: tuple[Automaton, ...], run: Run) -> Ruling:
    """Whether the run is one of the threads by themselves, wherever it ends."""
    fault = next(thread_faults(threads), None)
    if fault is not None:
        return Rejected("well-formed program", fault)
    try:
        return next(_walked({t.name: side(t) for t in threads}, run), Accepted())
    except Unevaluable as problem:
        return Rejected("evaluation", f"{problem} has no value")


def thread_faults(threads: tuple[Automaton, ...]) -> Iterator[str]:
    """What is wrong with threads that are to run by themselves."""
    if len({t.name for t in threads}) < len(threads):
        yield "two threads have the same name"
    names = frozenset(v.var.name for t in threads for v in t.variables)
    declared = dict[str, Variable]()
    for thread in threads:
        own = [v.var.name for v in thread.variables]
        if len(set(own)) < len(own) or any(v.var.primes for v in thread.variables):
            yield f"{thread.name}: one name stands for two variables"
        for v in thread.variables:
            known = declared.setdefault(v.var.name, v)
            both_local = known.kind is Kind.LOCAL and v.kind is Kind.LOCAL
            if not both_local and (known.var, known.kind, known.low, known.high) != (v.var, v.kind, v.low, v.high):
                yield f"two threads disagree on {v.var.name}"
        # Environments are not looked at, so it does not matter whether anybody declared them.
        closed = replace(thread, locations=tuple(replace(q, env=TRUE) for q in thread.locations))
        yield from automaton_faults(closed, names)


def _faults(sides: Mapping[str, Side], bad: Bad, run: Run) -> Iterator[Failure]:
    yield from _walked(sides, run)
    last = run.turns[-1].after if run.turns else run.start
    fault_at_end = _end_fault(sides, bad, run, last)
    if fault_at_end is not None:
        yield Rejected("end", fault_at_end)


def _walked(sides: Mapping[str, Side], run: Run) -> Iterator[Failure]:
    for name, fault in _state_faults(sides, run.start):
        yield Rejected("initial state", fault, name)
    for name, s in sides.items():
        initial = initial_fault(s, run.start.threads[name])
        if initial is not None:
            yield Rejected("initial state", initial, name)
    here = run.start
    for number, turn in enumerate(run.turns, 1):
        for fault in _turn_faults(sides, here, turn):
            yield Rejected("step", fault, f"step {number} of {turn.thread}")
        here = turn.after


def _state_faults(sides: Mapping[str, Side], there: Snapshot) -> Iterator[tuple[str, str]]:
    """Where and why this is no state: one configuration each thread, all with the same shared values."""
    if set(there.threads) != set(sides):
        yield "", "a state must give a configuration to each thread and to nothing else"
        return
    if set(there.shared) != {v for s in sides.values() for v in _shared(s)}:
        yield "", "a state must give a value to each shared variable and to nothing else"
        return
    for name, s in sides.items():
        fault = state_fault(s, there.threads[name])
        if fault is not None:
            yield name, fault
        elif any(there.threads[name].values[v] != there.shared[v] for v in _shared(s)):
            yield name, "its values differ from the shared ones"


def _shared(s: Side) -> tuple[Var, ...]:
    return (*s.params, *s.globals)


def _turn_faults(sides: Mapping[str, Side], here: Snapshot, turn: Turn) -> Iterator[str]:
    if turn.thread not in sides:
        yield "there is no such thread"
        return
    before, moved = here.threads[turn.thread], sides[turn.thread]
    fault = step_fault(moved, before, turn.move)
    if fault is not None:
        yield fault
        return
    action = shown(turn.move.edge, before.values, turn.move.choices)
    if turn.shown != (() if action is None else action[2]):
        yield "the label shows other values"
    for _, wrong in _state_faults(sides, turn.after):
        yield wrong
        return
    if not same(turn.after.threads[turn.thread], turn.move.after):
        yield "the state after the step is another one"
    for name, s in sides.items():
        if name != turn.thread and not _stays(s, here.threads[name], turn.after.threads[name]):
            yield f"{name} moves too"
    untouched = set(turn.after.shared) - set(_shared(moved))
    if any(turn.after.shared[v] != here.shared[v] for v in untouched):
        yield "a variable that the thread does not have changes"


def _stays(s: Side, before: Configuration, after: Configuration) -> bool:
    return before.location == after.location and all(before.values[v] == after.values[v] for v in s.locals)


def _end_fault(sides: Mapping[str, Side], bad: Bad, run: Run, last: Snapshot) -> str | None:
    """Why the run does not end as it says, or not in what is bad."""
    match run.ending:
        case Ending.FAILED:
            return None if run.turns and _is_failure(bad, run.turns[-1]) else "its last step is not such a failure"
        case Ending.VIOLATED if bad.claim is not None:
            return "the claim holds" if holds(bad.claim, claim_state(sides, last)) else None
        case Ending.VIOLATED | Ending.FINISHED | Ending.BLOCKED | Ending.UNDECIDED | Ending.STOPPED | Ending.REPEATED:
            return "it does not end in what is bad"
        case _:
            assert_never(run.ending)


def _is_failure(bad: Bad, last: Turn) -> bool:
    wanted, edge = bad.failing, last.move.edge
    if wanted is None or edge.label is None or edge.label.action != FAIL:
        return False
    return wanted.thread in (None, last.thread) and wanted.edge in (None, edge)


def claim_state(sides: Mapping[str, Side], last: Snapshot) -> dict[Var, Value]:
    """What a claim speaks of: shared values, locals as `T.x`, and for each location whether its thread is there."""
    places: dict[Var, Value] = {
        variable(at_place(name, place), BOOL): last.threads[name].location == place
        for name, s in sides.items()
        for place in s.locations
    }
    local = {local_of(v, name): last.threads[name].values[v] for name, s in sides.items() for v in s.locals}
    return {**last.shared, **local, **places}
