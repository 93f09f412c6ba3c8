"""Checks that something comes to an end where all reachable states are listed: by the components of their graph.

A state stands for all that agree with it on what matters, so a run of the program goes on for ever in the way that
the claim excludes if and only if one through listed states does: it ends in a strongly connected component. Under
fairness it can stay in one if each thread has a step inside or cannot step in one of the states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set

from msgspec import Struct

from sa.automata.components import components
from sa.base.limits import Limits, check_memory, check_time
from sa.certificates.ends import Finite
from sa.checker.enumeration import Endless
from sa.checker.never import discharged
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.solvers import Z3, Solvers
from sa.checker.states import (
    Prepared,
    check_states,
    claim_over_fields,
    initial_states,
    moves_at,
    prepared,
    standing,
    steps_by,
    tested,
)
from sa.checker.stepping import Unfit
from sa.checker.written import uncut_together
from sa.terms.term import Term

#: How many states are looked at between two looks at the clock.
_BETWEEN_LOOKS = 4_096


class _Graph(Struct, frozen=True, eq=False):
    """The steps from each listed state, each with the number of its thread."""

    starts: Set[int]
    steps: Mapping[int, tuple[tuple[int, int], ...]]


def check_finite(made: Finite, bounds: Limits, seed: int = 0, solvers: Solvers = Z3) -> Ruling:
    """Whether the listed states are all, and what is claimed comes to an end among them. Raises LimitReached."""
    states = made.states
    if states.threads != made.threads or states.never or any(states.first):
        return Rejected("well-formed states", "they are about another question, or some steps are left out")
    ruling = check_states(states, bounds)
    if not isinstance(ruling, Accepted):
        return ruling
    if made.ends.fair or made.ends.until is not None:
        # Where a step is kept from happening, a thread only seems to be able to step.
        ruling = discharged(uncut_together(made.threads), states.axioms, bounds, seed, solvers)
        if not isinstance(ruling, Accepted):
            return ruling
    try:
        check = prepared(states)
        until = None if made.ends.until is None else _test(check, made.ends.until)
        region = _Region(_test(check, made.ends.since), until, _test(check, made.ends.apart))
        return _ends(made, _graph(check, bounds), region, bounds)
    except Unfit as problem:
        return Rejected("well-formed states", str(problem))
    except Endless as problem:
        return Rejected("enumeration", f"{problem} has infinitely many values")


def _test(check: Prepared, formula: Term) -> Callable[[int], bool]:
    mask, _, test = tested(check.packed, claim_over_fields(check.made, check.packed, formula))
    return lambda state: test(state & mask)


class _Region(Struct, frozen=True, eq=False):
    """Where the claim begins, where it is fulfilled, and with which states runs do not count."""

    since: Callable[[int], bool]
    until: Callable[[int], bool] | None
    apart: Callable[[int], bool]

    def holds(self, state: int) -> bool:
        """Whether the claim may still be open in a state."""
        return not self.apart(state) and (self.until is None or not self.until(state))


def _graph(check: Prepared, bounds: Limits) -> _Graph:
    steps = dict[int, tuple[tuple[int, int], ...]]()
    for count, state in enumerate(check.made.packed):
        if count % _BETWEEN_LOOKS == 0:
            check_time(bounds)
            check_memory(bounds)
        here = standing(check, state & check.packed.places)
        moves = [moves_at(check, thread, place) for thread, place in enumerate(here)]
        steps[state] = tuple((t, state + step) for t, m in enumerate(moves) for step in steps_by(m, state))
    return _Graph(frozenset(initial_states(check, bounds)), steps)


def _ends(made: Finite, graph: _Graph, region: _Region, bounds: Limits) -> Ruling:
    ends, threads = made.ends, [t.name for t in made.threads]
    reached = _reached(graph.starts, graph.steps, lambda state: not region.apart(state))
    open_ = {s for s in reached if region.holds(s)}
    begun = {s for s in open_ if region.since(s)}
    pending = _reached(begun, graph.steps, open_.__contains__)
    if ends.until is not None and any(not graph.steps[s] for s in pending):
        return Rejected("standstill", "nobody can step in a state in which the claim is open")
    inner = {s: [after for _, after in graph.steps[s] if after in pending] for s in pending}
    movers = frozenset(n for n, name in enumerate(threads) if name in ends.threads)
    for count, component in enumerate(components(pending, inner)):
        if count % _BETWEEN_LOOKS == 0:
            check_time(bounds)
        inside = frozenset(component)
        moving = {t for s in component for t, after in graph.steps[s] if after in inside}
        if moving.isdisjoint(movers) or (ends.fair and _is_left(graph, component, moving, len(threads))):
            continue
        return Rejected("component", "a run can stay for ever in states in which the claim is open")
    return Accepted()


def _is_left(graph: _Graph, component: Sequence[int], moving: Set[int], threads: int) -> bool:
    """Whether a fair run leaves: some thread can step in each of the states, and never does."""
    waiting = set(range(threads)) - moving
    for state in component:
        waiting.intersection_update(t for t, _ in graph.steps[state])
        if not waiting:
            return False
    return True


def _reached(
    starts: Set[int], steps: Mapping[int, tuple[tuple[int, int], ...]], inside: Callable[[int], bool]
) -> set[int]:
    found = {s for s in starts if inside(s)}
    frontier = list(found)
    while frontier:
        for _, after in steps[frontier.pop()]:
            if after not in found and inside(after):
                found.add(after)
                frontier.append(after)
    return found
