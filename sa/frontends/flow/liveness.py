"""Registers and cells whose values still matter at a node: who is read before it is written."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from sa.automata.components import postorder, reachable
from sa.frontends.flow.graph import Divide, Graph, Havoc, Node, Self, Set, Skip, Step, outgoing
from sa.frontends.flow.terms import read_by, written_by
from sa.terms.term import Var

K = TypeVar("K", bound=Hashable)


def live(
    steps: Sequence[Step],
    entry: Node,
    read: Callable[[Step], Iterable[K]],
    killed: Callable[[Step], Iterable[K]],
) -> Mapping[Node, frozenset[K]]:
    """By node what is read from there on before it is killed."""
    bits = dict[K, int]()

    def effect(step: Step) -> _Effect:
        return _Effect(_mask(read(step), bits), _mask(killed(step), bits), False)

    return _least(steps, entry, effect, bits)


class _Effect(NamedTuple):
    """What a step reads, and what it kills, a bit for each. A `pure` step whose result is dead reads nothing."""

    read: int
    killed: int
    pure: bool


def _mask(keys: Iterable[K], bits: dict[K, int]) -> int:
    """A set as a number, a bit for each member: such sets are joined much faster."""
    found = 0
    for key in keys:
        bit = bits.get(key)
        if bit is None:
            bit = bits[key] = 1 << len(bits)
        found |= bit
    return found


def _least(
    steps: Sequence[Step], entry: Node, effect: Callable[[Step], _Effect], bits: Mapping[K, int]
) -> Mapping[Node, frozenset[K]]:
    """The least solution: what is read later comes first, again until nothing changes where there are loops."""
    following = outgoing(steps)
    after = {n: [(*effect(s), s.target) for s in out] for n, out in following.items()}
    order, heads = postorder(entry, {n: [s.target for s in out] for n, out in following.items()})
    known, changed = dict.fromkeys(order, 0), True
    while changed:
        changed = False
        for node in order:
            now = 0
            for used, gone, idle, target in after.get(node, ()):
                later = known[target]
                now |= later if idle and not later & gone else used | (later & ~gone)
            if now != known[node]:
                known[node] = now
                changed = bool(heads)
    keys = list(bits)
    members = {number: frozenset(keys[n] for n in _places(number)) for number in set(known.values())}
    return {node: members[number] for node, number in known.items()}


def _places(number: int) -> Iterator[int]:
    """The places of the bits of a number."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def registers(graph: Graph, needed: bool = False) -> Mapping[Node, frozenset[Var]]:
    """By node the registers that are read before they are written, by steps that are `needed` only if that is asked."""
    bits, masks = dict[Var, int](), dict[frozenset[Var], int]()

    def mask(free: frozenset[Var]) -> int:
        found = masks.get(free)
        if found is None:
            found = masks[free] = _mask((v for v in free if not v.name.startswith("&")), bits)
        return found

    def effect(step: Step) -> _Effect:
        used = 0
        for term in read_by(step.op):
            used |= mask(term.free)
        var = written_by(step.op)
        return _Effect(used, 0 if var is None else _mask((var,), bits), needed and _is_pure(step))

    return _least(graph.steps, graph.entry, effect, bits)


def _is_pure(step: Step) -> bool:
    """Whether a step does nothing but write a register."""
    return isinstance(step.op, Set | Divide | Havoc | Self)


def prune(graph: Graph) -> None:
    """Leave out assignments to registers that nothing needs, in place."""
    after, steps = registers(graph, True), list[Step]()
    for step in graph.steps:
        in_vain = _is_pure(step) and written_by(step.op) not in after.get(step.target, frozenset())
        steps.append(replace(step, op=Skip()) if in_vain else step)
    graph.steps = steps


def only_reachable(graph: Graph) -> None:
    """Leave out steps that cannot be reached, in place."""
    following = outgoing(graph.steps)
    seen = reachable((graph.entry,), lambda node: (s.target for s in following.get(node, ())))
    graph.steps = [s for s in graph.steps if s.source in seen]
