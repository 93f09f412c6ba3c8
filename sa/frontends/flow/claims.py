"""What is claimed of a program beside its failing steps: that there are no data races, and no deadlock."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.automaton import EXIT, Automaton, Edge, Location, Origin
from sa.automata.family import at
from sa.automata.program import Invariant
from sa.automata.rename import own_local
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var


class Asked(Struct, frozen=True):
    """The kinds of failing steps that are claims, all of them if None; whether races and deadlocks are looked for.

    A failing step of another kind is where the thread stops: what is claimed is claimed of runs without it.
    Unless steps are `fused` each elementary one outside of atomic regions is a step of its own; tests compare.
    """

    kinds: frozenset[str] | None = None
    races: bool = False
    deadlock: bool = False
    fused: bool = True


class Touch(Struct, frozen=True):
    """That the next step from a location accesses a cell, where `condition` holds of the thread's state.

    Of a column it is the `element` that this term says.
    """

    thread: str
    location: str
    cell: int
    writes: bool
    atomic: bool
    condition: Term
    element: Term | None = None


def races(
    touches: Sequence[Touch], names: Mapping[int, str], origins: Mapping[int, Origin], shared: Collection[Var]
) -> Iterator[Invariant]:
    """A claim for each cell that several threads access, one of them writing, not both of them atomically.

    What touches speak of is local to their threads unless it is `shared`.
    """
    by_cell = dict[int, list[Touch]]()
    for touch in touches:
        by_cell.setdefault(touch.cell, []).append(touch)
    for cell, found in by_cell.items():
        pairs = [
            build.lnot(build.land(_there(one, shared), _there(two, shared), _same_element(one, two, shared)))
            for number, one in enumerate(found)
            for two in found[number + 1 :]
            if one.thread != two.thread and (one.writes or two.writes) and not (one.atomic and two.atomic)
        ]
        claim = build.land(*pairs)
        if claim is not build.TRUE:
            yield Invariant(f"no_race_on_{names[cell]}", claim, False, None, origins[cell])


def _there(touch: Touch, shared: Collection[Var]) -> Term:
    return build.land(at(touch.thread, touch.location), _of_thread(touch.condition, touch, shared))


def _same_element(one: Touch, two: Touch, shared: Collection[Var]) -> Term:
    if one.element is None or two.element is None:
        return build.TRUE
    return build.eq(_of_thread(one.element, one, shared), _of_thread(two.element, two, shared))


def _of_thread(term: Term, touch: Touch, shared: Collection[Var]) -> Term:
    return substitute(term, {v: own_local(touch.thread, v) for v in term.free if v not in shared})


def no_deadlock(threads: Sequence[Automaton]) -> Invariant:
    """Some thread can step, or each has ended or was never created, or one stopped: the process has ended then."""
    stuck = list[Term]()
    open_ones = list[Term]()
    stopped = [at(t.name, q.name) for t in threads for q in t.locations if q.name == "stopped"]
    for thread in threads:
        leaving = dict[str, list[Edge]]()
        for edge in thread.edges:
            leaving.setdefault(edge.source, []).append(edge)
        blocked = [
            build.land(at(thread.name, q.name), _disabled(leaving.get(q.name, []), thread)) for q in thread.locations
        ]
        stuck.append(build.lor(*blocked))
        waiting = thread.initial if thread is not threads[0] else None
        ended = [at(thread.name, q.name) for q in thread.locations if q.name == waiting or _is_over(q, thread)]
        open_ones.append(build.lnot(build.lor(*ended)))
    origin = threads[0].origin
    runs = build.lnot(build.lor(*stopped))
    return Invariant("no_deadlock", build.lnot(build.land(runs, *stuck, build.lor(*open_ones))), False, None, origin)


def _disabled(edges: Sequence[Edge], thread: Automaton) -> Term:
    """That no step is possible; a condition on an arbitrary choice is taken to be one that some choice meets."""
    local = {v.var for v in thread.variables if v.kind.value == "local"}
    enabled = list[Term]()
    for edge in edges:
        chosen = {c.var for c in edge.choices}
        known = build.land(*(c for c in build.conjuncts(edge.guard) if not c.free & chosen))
        enabled.append(substitute(known, {v: own_local(thread.name, v) for v in known.free if v in local}))
    return build.lnot(build.lor(*enabled))


def _is_over(place: Location, thread: Automaton) -> bool:
    """The place behind the end, or behind a failure."""
    into = [e for e in thread.edges if e.target == place.name]
    return bool(into) and all(e.label is not None and e.label.action in (EXIT, "fail") for e in into)
