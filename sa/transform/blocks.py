"""Composition: blocks of steps as single steps, with the written steps of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import FAIL, Automaton, Edge, Label, Variable, edges_from
from sa.base.limits import Limits, spend
from sa.certificates.reduced import Phase
from sa.terms import build
from sa.terms.name import staged
from sa.terms.substitute import substitution
from sa.terms.term import Term, Var


class Part(Struct, frozen=True):
    """A written step of a block, and the names that its choices have in the block."""

    edge: Edge
    choices: tuple[tuple[Var, Var], ...]


class Composition(Struct, frozen=True, eq=False):
    """A thread whose edges are blocks, and the parts of each edge."""

    thread: Automaton
    parts: tuple[tuple[Part, ...], ...]


def of_steps(first: Composition, second: Composition) -> Composition:
    """Blocks of the blocks of a thread, with the written steps of each."""
    parts = dict[Edge, tuple[Part, ...]]()
    for edge, its in zip(first.thread.edges, first.parts, strict=True):
        # Blocks that are alike do the same.
        parts.setdefault(edge, its)
    return Composition(second.thread, tuple(tuple(_steps(parts, path)) for path in second.parts))


def _steps(parts: Mapping[Edge, tuple[Part, ...]], path: tuple[Part, ...]) -> Iterator[Part]:
    for block in path:
        named = dict(block.choices)
        for part in parts[block.edge]:
            yield Part(part.edge, tuple((written, named[own]) for written, own in part.choices))


class _Path(Struct, frozen=True, eq=False):
    parts: tuple[Part, ...]
    guard: Term
    values: Mapping[Var, Term]
    choices: tuple[Variable, ...]
    label: Label | None = None

    @property
    def end(self) -> str:
        return self.parts[-1].edge.target


def composed(thread: Automaton, phases: Mapping[str, Phase], bounds: Limits, shown: bool = False) -> Composition:
    """The thread with blocks between its cuts as edges; no cycle is without a cut. Raises LimitReached.

    If `shown`, a block shows what its visible step shows, of which it has one at most.
    """
    outgoing = edges_from(thread)
    names = frozenset(v.var.name for v in thread.variables)
    cut = [q for q in thread.locations if phases[q.name] is Phase.CUT]
    found = list[tuple[Edge, tuple[Part, ...]]]()
    for place in cut:
        for path in _paths(outgoing, names, phases, place.name):
            spend(bounds, 100)
            found.append((_edge(place.name, path, shown), path.parts))
    edges, parts = tuple(e for e, _ in found), tuple(p for _, p in found)
    return Composition(replace(thread, locations=tuple(cut), edges=edges), parts)


def _paths(
    outgoing: Mapping[str, tuple[Edge, ...]], names: frozenset[str], phases: Mapping[str, Phase], start: str
) -> Iterator[_Path]:
    empty = _Path((), build.TRUE, {}, ())
    pending = [(empty, e) for e in outgoing[start][::-1]]
    while pending:
        path = _longer(*pending.pop(), names)
        if path.guard is build.FALSE:
            continue
        if phases[path.end] is Phase.CUT:
            yield path
        else:
            pending += [(path, e) for e in outgoing[path.end][::-1]]


def _longer(path: _Path, edge: Edge, names: frozenset[str]) -> _Path:
    taken = set(names).union(c.var.name for c in path.choices)
    chosen = list[tuple[Variable, Var]]()
    for choice in edge.choices:
        own, stage = choice.var, len(path.parts)
        while own.name in taken:
            own, stage = build.variable(staged(choice.var.name, stage), choice.var.sort), stage + 1
        taken.add(own.name)
        chosen.append((choice, own))
    now = substitution({**path.values, **{c.var: own for c, own in chosen}})
    values = {**path.values, **{v: now(t) for v, t in edge.updates}}
    choices = (*path.choices, *(replace(c, var=own) for c, own in chosen))
    part = Part(edge, tuple((c.var, own) for c, own in chosen))
    label = path.label if edge.label is None else replace(edge.label, values=tuple(map(now, edge.label.values)))
    return _Path((*path.parts, part), build.land(path.guard, now(edge.guard)), values, choices, label)


def _edge(source: str, path: _Path, shown: bool) -> Edge:
    last = path.parts[-1].edge
    label = last.label if last.label is not None and last.label.action == FAIL else None
    if shown:
        last = next((p.edge for p in path.parts if p.edge.label is not None), last)
        label = path.label
    updates = tuple((v, t) for v, t in path.values.items() if t is not v)
    return Edge(source, path.end, label, path.guard, updates, path.choices, last.origin, last.failure)
