"""Loops that create or join threads, unrolled: nodes are told apart by the constants that decide how often they run.

A register counts where it has a part in the tests of such a loop or says which thread, argument or cell is meant in
it. Each node is split by the values that these registers have there, as far as they are constant; those of cells that
no other thread writes are known, too. What still lies on a cycle afterwards runs without a known bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sa.automata.components import on_cycles
from sa.frontends.flow.graph import Fork, Graph, Join, Load, Node, Op, Set, Skip, Step, Store, Test, outgoing
from sa.frontends.flow.terms import over, read_by, written_by
from sa.terms import build
from sa.terms.term import Bool, Int, Term, Var

#: Nodes are not told apart any more when there are so many.
MAX_NODES = 20_000

_NONE: Mapping[Any, Any] = MappingProxyType({})


#: The cells that no other thread writes by their addresses, with their first values.
Own = Mapping[Term, Int]


def unroll(graph: Graph, most: int, own: Own) -> None:
    """Unroll the graph's loops that create or join threads, in place, unless that makes more than `most` creations."""
    steps = outgoing(graph.steps)
    loops = on_cycles((graph.entry,), {n: [s.target for s in out] for n, out in steps.items()})
    wanted = {loops[s.source] for s in graph.steps if isinstance(s.op, Fork | Join) and s.source in loops}
    if not wanted:
        return
    inside = {n for n, number in loops.items() if number in wanted}
    contents = {address: build.variable(f"*{number}") for number, address in enumerate(own)}
    relevant = _relevant(graph, inside, contents)
    first = {contents[address]: value for address, value in own.items()}
    split = split_by(graph, steps, relevant, MAX_NODES, contents, first)
    if split is not None and sum(isinstance(s.op, Fork) for s in split[0]) <= most:
        graph.steps, graph.nodes, graph.entry, graph.exit = split


def _relevant(graph: Graph, inside: set[Node], contents: Mapping[Term, Var]) -> Mapping[Node, frozenset[Var]]:
    """By node the registers, and the contents of cells, whose values matter to what the loops do."""
    empty = frozenset[Var]()
    counting = {v for s in graph.steps if s.source in inside for v in _counting(s)}
    found = dict[Node, frozenset[Var]]()
    changed = True
    while changed:
        changed = False
        for step in reversed(graph.steps):
            after = found.get(step.target, empty)
            before = after
            written = _set_by(step.op, contents)
            if written is not None and written in after:
                before = after - {written}
                match step.op:
                    case Set(_, term) | Store(_, term):
                        before |= term.free & graph.registers.keys()
                    case Load(_, address) if address in contents:
                        before |= {contents[address]}
                    case _:
                        pass
            if step.source in inside:
                before |= _counting(step) & counting
            known = found.get(step.source, empty)
            if not before <= known:
                found[step.source] = known | before
                changed = True
    return found


def _set_by(op: Op, contents: Mapping[Term, Var]) -> Var | None:
    """The register, or the content of a cell, that an operation sets."""
    return contents.get(op.address) if isinstance(op, Store) else written_by(op)


def _counting(step: Step) -> frozenset[Var]:
    """Registers that decide where the loop goes or which thread it speaks of."""
    if not isinstance(step.op, Test | Fork | Join | Store | Load):
        return frozenset()
    terms = (step.op.address,) if isinstance(step.op, Store | Load) else read_by(step.op)
    return frozenset(v for t in terms for v in t.free if not v.name.startswith("&"))


def split_by(
    graph: Graph,
    steps: Mapping[Node, list[Step]],
    relevant: Mapping[Node, frozenset[Var]],
    most: int,
    contents: Mapping[Term, Var] = _NONE,
    first: Mapping[Var, Term] = _NONE,
) -> tuple[list[Step], int, Node, Node] | None:
    """The graph with nodes split by constants of the registers that matter there; None if there are too many nodes.

    The `contents` of cells by their addresses are constants, too, with their `first` values.
    """
    numbers = dict[tuple[Node, frozenset[tuple[Var, Term]]], Node]()
    pending = list[tuple[Node, frozenset[tuple[Var, Term]]]]()

    def number(node: Node, constants: Mapping[Var, Term]) -> Node:
        wanted = relevant.get(node, frozenset())
        key = (node, frozenset((v, t) for v, t in constants.items() if v in wanted))
        if node == graph.exit:
            key = (node, frozenset())
        if key not in numbers:
            numbers[key] = len(numbers)
            pending.append(key)
        return numbers[key]

    entry = number(graph.entry, first)
    made = list[Step]()
    while pending:
        if len(numbers) > most:
            return None
        node, known = key = pending.pop()
        constants: dict[Var, Term] = dict(known)
        for step in steps.get(node, ()):
            op = over(step.op, constants, lambda v: v)
            if isinstance(op, Test) and isinstance(op.formula, Bool):
                if not op.formula.value:
                    continue
                op = Skip()
            after = dict(constants)
            written = _set_by(op, contents)
            if written is not None:
                after.pop(written, None)
                if (value := _value(op, constants, contents)) is not None:
                    after[written] = value
            made.append(Step(numbers[key], op, number(step.target, after), step.origin))
    return made, len(numbers), entry, number(graph.exit, {})


def _value(op: Op, constants: Mapping[Var, Term], contents: Mapping[Term, Var]) -> Term | None:
    """The number that an operation sets something to; None where that is not known."""
    match op:
        case Set(_, Int() as value) | Store(_, Int() as value):
            return value
        case Load(_, address) if address in contents:
            return constants.get(contents[address])
        case _:
            return None
