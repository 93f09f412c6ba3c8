"""Where one step of a thread ends and the next one begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from msgspec import Struct, field

from sa.automata.components import on_cycles
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.access import Accesses, is_solo, seen_by_others, touched
from sa.frontends.flow.actions import Show
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.graph import Begin, End, Node, Step, Wait
from sa.frontends.flow.monitor import Monitor
from sa.frontends.flow.orders import Synchronise
from sa.frontends.flow.racing import meets_rival
from sa.frontends.flow.threads import Thread
from sa.terms.term import Term, Var


class Names(Struct, frozen=True):
    """How registers of a thread and cells are called in its automaton, and the numbers of addresses.

    If races are watched for, with the variables of a `monitor`.
    """

    registers: Mapping[Var, Var]
    cells: Mapping[int, Var]
    addresses: Mapping[Var, Term]
    monitor: Monitor | None = None


class Work(Struct):
    """A thread whose steps are made: `kept` are the nodes that become locations, `read` the registers that are read.

    `alive` are by node those that are read from there on.
    """

    thread: Thread
    known: Accesses
    names: Names
    asked: Asked
    steps: Mapping[Node, list[Step]]
    kept: set[Node]
    read: frozenset[Var]
    alive: Mapping[Node, frozenset[Var]]
    numbers: Iterator[int] = field(default_factory=lambda: count(1))


def kept_nodes(work: Work, depths: Mapping[Node, int]) -> set[Node]:
    """The nodes that become locations. Raises InputError for a loop inside of an atomic region."""
    kept = {work.thread.graph.entry, work.thread.graph.exit}
    shown_inside = any(isinstance(s.op, Show) and depths.get(n) for n, steps in work.steps.items() for s in steps)
    for node, steps in work.steps.items():
        if depths.get(node) == 0 and (not work.asked.fused or any(_matters(s, work) for s in steps)):
            kept.add(node)
        # What is visible is a step of its own: it must not be the label of what fails or ends behind it.
        kept |= {s.target for s in steps if isinstance(s.op, Show) and depths.get(s.target) == 0}
        if shown_inside:
            kept |= {s.target for s in steps if isinstance(s.op, End) and depths.get(s.target) == 0}
    while True:
        successors = {
            n: [s.target for s in steps if s.target not in kept and n not in kept]
            for n, steps in work.steps.items()
            if depths.get(n) == 0 or n in depths
        }
        loops = on_cycles(tuple(n for n in depths if n not in kept), successors)
        if not loops:
            return kept
        heads = {number: n for n, number in sorted(loops.items(), reverse=True) if depths[n] == 0}
        for node, number in loops.items():
            if number not in heads:
                where = work.steps[node][0].origin
                hint = "end the region before the loop, or write its rounds out"
                raise InputError((error("SA722", "a loop inside of an atomic region", where.span, hint),))
        kept |= set(heads.values())


def _matters(step: Step, work: Work) -> bool:
    """Whether a step outside of atomic regions is one that a location comes before."""
    match step.op:
        case Begin():
            return _region_matters(step, work)
        case Show():
            return True
        case _:
            return is_seen(step, work)


def _region_matters(begin: Step, work: Work) -> bool:
    pending, seen = [(begin.target, 1)], {begin.target}
    while pending:
        node, depth = pending.pop()
        for step in work.steps.get(node, ()):
            if isinstance(step.op, Wait | Show) or is_seen(step, work):
                return True
            if isinstance(step.op, Synchronise) and work.names.monitor is not None:
                return True
            after = depth + (1 if isinstance(step.op, Begin) else -1 if isinstance(step.op, End) else 0)
            if after > 0 and step.target not in seen:
                seen.add(step.target)
                pending.append((step.target, after))
    return False


def is_seen(step: Step, work: Work) -> bool:
    """Whether a step accesses memory in a way that others see or can disturb, or that claims about races speak of."""
    access = work.known.of.get(id(step))
    if access is None or id(step) in work.known.guarded.calm:
        return False
    number, source = work.thread.number, step.source
    return (
        any(seen_by_others(c, number, source, writes, work.known) for c, writes in touched(access))
        or any(may_race(step, c, work) for c in work.known.racing.cells.get(id(step), ()))
        or any(_carries(step, c, work) for c in access.cells)
    )


def may_race(step: Step, cell: int, work: Work) -> bool:
    """Whether what another thread does may conflict with an access of a cell."""
    known = work.known
    return meets_rival(cell, work.thread.number, step, known.racing, known.running, known.found.layout)


def _carries(step: Step, cell: int, work: Work) -> bool:
    """Whether an access, maybe of what never changes, orders those of several threads."""
    carries = work.names.monitor is not None and cell in work.names.monitor.heads
    alone = is_solo(work.thread, step, work.known.running)
    return carries and not alone and cell not in work.known.guarded.cells


def meetings(source: Node, work: Work, depths: Mapping[Node, int]) -> set[Node]:
    """Nodes behind a kept one, before the next ones, at which paths meet."""
    pending, arrivals = [source], dict[Node, int]()
    seen = {source}
    while pending:
        for step in work.steps.get(pending.pop(), ()):
            arrivals[step.target] = arrivals.get(step.target, 0) + 1
            if step.target not in seen and step.target not in work.kept:
                seen.add(step.target)
                pending.append(step.target)
    return {n for n, number in arrivals.items() if number > 1 and depths.get(n) == 0}
