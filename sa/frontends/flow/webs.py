"""Registers told apart by what they hold: assignments that no use has in common are of different registers.

What is known of a register is known for all its assignments together. An unrolled loop uses the same temporaries in
every round; behind this it does not. Of the user's variables only those are divided that hold addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec.structs import replace

from sa.automata.dataflow import forward
from sa.frontends.flow.graph import Graph, Node, Set, Step, outgoing
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.terms import over, read_by, written_by
from sa.terms import build
from sa.terms.term import Term, Var

#: An assignment by the position of its step; -1 is the value that a register has at the start.
_Definition: TypeAlias = tuple[int, Var]

#: By variable the assignments that may be the last ones.
_Reaching: TypeAlias = dict[Var, frozenset[_Definition]]


def split(graph: Graph) -> None:
    """Give each group of assignments of a temporary that meet in a use a register of its own, in place."""
    pointers = _pointers(graph)
    wanted = frozenset(v for v, r in graph.registers.items() if r.temporary or v in pointers)
    position = {id(s): i for i, s in enumerate(graph.steps)}
    reaching = _reaching(graph, wanted, position)
    groups = _Groups()
    for step in graph.steps:
        for var in _used(step) & wanted:
            found = reaching.get(step.source, {}).get(var, frozenset())
            for definition in found:
                groups.join(next(iter(found)), definition)
    names = dict[_Definition, Var]()
    used = set[Var]()

    def name(definition: _Definition) -> Var:
        root = groups.root(definition)
        if root not in names:
            names[root] = _own(definition[1], used, graph)
        return names[root]

    steps = list[Step]()
    for number, step in enumerate(graph.steps):
        here = reaching.get(step.source, {})
        reads: dict[Var, Term] = {v: name(min(here[v])) for v in _used(step) & wanted if here.get(v)}
        written = written_by(step.op)
        own = name((number, written)) if written is not None and written in wanted else written

        def register(var: Var, own: Var | None = own) -> Var:
            return var if own is None else own

        steps.append(replace(step, op=over(step.op, reads, register)))
    graph.steps = steps


def _pointers(graph: Graph) -> frozenset[Var]:
    """The registers to which the address of an object is assigned, or another one of these."""
    found = frozenset[Var]()
    sets = [s.op for s in graph.steps if isinstance(s.op, Set)]
    while True:
        more = frozenset(op.var for op in sets if any(v.name.startswith("&") or v in found for v in op.term.free))
        if more <= found:
            return found
        found |= more


def _used(step: Step) -> frozenset[Var]:
    return frozenset(v for t in read_by(step.op) for v in t.free)


def _own(var: Var, used: set[Var], graph: Graph) -> Var:
    """The register itself for its first group, a new one for each other."""
    made, number = var, 1
    while made in used or (made is not var and made in graph.registers):
        number += 1
        made = build.variable(f"{var.name}_{number}")
    used.add(made)
    if made is not var:
        graph.registers[made] = replace(graph.registers[var], var=made)
    return made


class _Groups:
    """Sets of assignments that are joined (union-find)."""

    def __init__(self) -> None:
        self.above = dict[_Definition, _Definition]()

    def root(self, one: _Definition) -> _Definition:
        """The representative of its set."""
        while (up := self.above.get(one, one)) != one:
            self.above[one] = self.above.get(up, up)
            one = up
        return one

    def join(self, one: _Definition, two: _Definition) -> None:
        """Make two sets one."""
        first, second = sorted((self.root(one), self.root(two)), key=lambda d: (d[0], d[1].name))
        if first != second:
            self.above[second] = first


def _reaching(graph: Graph, wanted: frozenset[Var], position: dict[int, int]) -> dict[Node, _Reaching]:
    """By node the assignments of temporaries that may be the last ones, where they are still needed."""
    alive, following = registers(graph), outgoing(graph.steps)
    nothing = frozenset[Var]()
    start = {v: frozenset({(-1, v)}) for v in alive.get(graph.entry, nothing) & wanted}

    def follow(node: Node, here: _Reaching) -> Iterator[tuple[Node, _Reaching]]:
        for step in following.get(node, ()):
            needed = alive.get(step.target, nothing) & wanted
            after = {v: d for v, d in here.items() if v in needed}
            written = written_by(step.op)
            if written is not None and written in needed:
                after[written] = frozenset({(position[id(step)], written)})
            yield step.target, after

    def join(one: _Reaching, other: _Reaching) -> _Reaching:
        return {v: one.get(v, frozenset()) | other.get(v, frozenset()) for v in {**one, **other}}

    return forward({graph.entry: start}, follow, join)
