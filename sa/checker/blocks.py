"""Threads whose steps are whole blocks (THEORY section 16), as the checker makes them.

A block is a path between two cut locations through others. Paths are found depth first, edges in their order: so a
composed thread is the same one whoever makes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Edge, Variable
from sa.automata.components import on_cycles
from sa.base.limits import Limits, spend
from sa.certificates.reduced import Phase
from sa.certificates.run import Bad, Failing
from sa.checker.never import is_failing
from sa.terms.build import FALSE, TRUE, land, variable
from sa.terms.name import staged
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: The phase of each location of a thread.
Phases = Mapping[str, Phase]


class Blocks(Struct, frozen=True, eq=False):
    """The composed threads, and by thread and composed edge the last written edge of its block."""

    threads: tuple[Automaton, ...]
    last: tuple[tuple[Edge, ...], ...]


class _Way(Struct, frozen=True, eq=False):
    """The steps so far, together: where they lead, when they are possible, what they make of variables."""

    place: str
    guard: Term
    store: Mapping[Var, Term]
    choices: tuple[Variable, ...]
    steps: int
    seen: Edge | None = None
    shown: tuple[Term, ...] = ()


def phases_of(thread: Automaton, phases: Sequence[Phase]) -> Phases:
    """The phases by the names of locations."""
    return {q.name: phase for q, phase in zip(thread.locations, phases, strict=True)}


def cycle_fault(thread: Automaton, phases: Phases) -> str | None:
    """Why there may be blocks without an end."""
    inside = {q.name for q in thread.locations if phases[q.name] is not Phase.CUT}
    successors: dict[str, list[str]] = {q: [] for q in inside}
    for edge in thread.edges:
        if edge.source in inside and edge.target in inside:
            successors[edge.source].append(edge.target)
    cycle = next(iter(on_cycles(inside, successors)), None)
    return None if cycle is None else f"{thread.name}: {cycle} is on a cycle without a cut"


def blocks_of(threads: Sequence[Automaton], phases: Sequence[Phases], bounds: Limits) -> Blocks:
    """The composed threads. No cycle may be without a cut. Raises LimitReached."""
    made = [_composed(t, p, bounds) for t, p in zip(threads, phases, strict=True)]
    return Blocks(tuple(t for t, _ in made), tuple(last for _, last in made))


def blocks_shown(threads: Sequence[Automaton], phases: Sequence[Phases], bounds: Limits) -> tuple[Automaton, ...]:
    """The composed threads where a block shows what its visible step shows; it has at most one. Raises LimitReached."""
    return tuple(_composed(t, p, bounds, shown=True)[0] for t, p in zip(threads, phases, strict=True))


def bads_of_blocks(bad: Bad, made: Blocks) -> Iterator[Bad]:
    """The same bad thing of the composed threads: each block that ends in the failing step, and the claim."""
    for thread, last in zip(made.threads, made.last, strict=True):
        for edge, written in zip(thread.edges, last, strict=True):
            if is_failing(bad.failing, thread.name, written):
                yield Bad(Failing(thread.name, edge), None)
    if bad.claim is not None:
        yield Bad(None, bad.claim)


def _composed(
    thread: Automaton, phases: Phases, bounds: Limits, shown: bool = False
) -> tuple[Automaton, tuple[Edge, ...]]:
    outgoing: dict[str, list[Edge]] = {q.name: [] for q in thread.locations}
    for edge in thread.edges:
        outgoing[edge.source].append(edge)
    edges, last = list[Edge](), list[Edge]()
    for source in (q.name for q in thread.locations if phases[q.name] is Phase.CUT):
        open_ = [(_Way(source, TRUE, {}, (), 0), e) for e in reversed(outgoing[source])]
        while open_:
            spend(bounds, 100)
            before, edge = open_.pop()
            way = _after(thread, before, edge)
            if way.guard is FALSE:
                continue
            if phases[way.place] is Phase.CUT:
                edges.append(_step(source, way, edge, shown))
                last.append(edge)
            else:
                open_.extend((way, e) for e in reversed(outgoing[way.place]))
    places = tuple(q for q in thread.locations if phases[q.name] is Phase.CUT)
    return replace(thread, locations=places, edges=tuple(edges)), tuple(last)


def _after(thread: Automaton, way: _Way, edge: Edge) -> _Way:
    taken = {v.var.name for v in thread.variables} | {c.var.name for c in way.choices}
    now, chosen = dict(way.store), list[Variable]()
    for choice in edge.choices:
        var, number = choice.var, way.steps
        while var.name in taken:
            var, number = variable(staged(choice.var.name, number), choice.var.sort), number + 1
        taken.add(var.name)
        now[choice.var] = var
        chosen.append(replace(choice, var=var))
    store = dict(way.store)
    store.update((v, substitute(t, now)) for v, t in edge.updates)
    guard = land(way.guard, substitute(edge.guard, now))
    seen, values = way.seen, way.shown
    if edge.label is not None:
        seen, values = edge, tuple(substitute(t, now) for t in edge.label.values)
    return _Way(edge.target, guard, store, (*way.choices, *chosen), way.steps + 1, seen, values)


def _step(source: str, way: _Way, last: Edge, shown: bool) -> Edge:
    updates = tuple((v, t) for v, t in way.store.items() if t is not v)
    if shown:
        seen = way.seen or last
        said = None if seen.label is None else replace(seen.label, values=way.shown)
        return Edge(source, way.place, said, way.guard, updates, way.choices, seen.origin, seen.failure)
    fails = last.label is not None and last.label.action == FAIL
    label = last.label if fails else None
    return Edge(source, way.place, label, way.guard, updates, way.choices, last.origin, last.failure)
