"""What the rest of a function pays for in any case: the cells that it writes before it acquires anything or ends.

SEQ (PLDI 2022), section 4, lets the source owe what the target has written already. A debt must be paid, so it may be
made only where every way on leads to a store of the cell, through finitely many steps and without an acquire. That
is a property of the graph: the least solution of `owed(n) = every step from n pays or leads to where it is owed`.

Which cell a store through a pointer pays for depends on where it points. Where the register of the pointer is set
once, that is a *world*, and a debt is a cell in a world. Before the register is set, it says nothing about the world:
there a cell is owed only if it is owed wherever the pointer will point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from sa.frontends.flow.access import Accesses
from sa.frontends.flow.graph import Exit, Fail, Graph, Halt, Load, Node, Set, Show, Step, Store, Sync, Test, outgoing
from sa.frontends.flow.heap import BOUNDS
from sa.frontends.flow.layout import cell_at
from sa.frontends.flow.terms import written_by
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, evaluate
from sa.terms import build
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Failing steps that are visible ends; all others are undefined, and an undefined program pays whatever it owes.
ENDS = ("assertion", "reached")

#: Where given pointers point, each by its register.
World = Mapping[Var, Term]

#: More worlds are not told apart: a store that depends on them pays for nothing then.
_MOST_WORLDS = 64


def worlds(thread: Thread, known: Accesses) -> Sequence[World]:
    """The ways in which pointers that are set once may point, as far as the cell of a store depends on them.

    Once means in the whole run: not once in each round of a loop.
    """
    writers = dict[Var, list[Step]]()
    for step in thread.graph.steps:
        if (var := written_by(step.op)) is not None:
            writers.setdefault(var, []).append(step)
    doubtful = {
        v
        for s in thread.graph.steps
        if isinstance(s.op, Store | Load) and not (known.of[id(s)].sure and len(known.of[id(s)].cells) == 1)
        for v in s.op.address.free
    }
    following = outgoing(thread.graph.steps)
    once = {
        v
        for v in doubtful & writers.keys()
        for (first, *more) in (writers[v],)
        if not more and isinstance(first.op, Set) and first.source not in _reached(first.target, following, ())
    }
    given = sorted(once, key=str)
    values = {v: known.found.registers.get((thread.number, v), frozenset({OTHER})) for v in given}
    places = {v: sorted(x for x in vs if x is not OTHER) for v, vs in values.items() if OTHER not in vs}
    made = [dict(zip(places, world, strict=True)) for world in product(*places.values())]
    if not made or len(made) > _MOST_WORLDS:
        return [{}]
    return [{v: build.integer(n) for v, n in world.items()} for world in made]


def _reached(start: Node, following: Mapping[Node, Sequence[Step]], without: Sequence[Step]) -> frozenset[Node]:
    """The nodes that are reached from a node without certain steps."""
    pending, seen = [start], {start}
    while pending:
        for step in following.get(pending.pop(), ()):
            if step.target not in seen and not any(step is s for s in without):
                seen.add(step.target)
                pending.append(step.target)
    return frozenset(seen)


def _unknown(graph: Graph, among: Sequence[World]) -> Mapping[Var, frozenset[Node]]:
    """By register of the worlds the nodes where it need not be set yet."""
    following = outgoing(graph.steps)
    return {v: _reached(graph.entry, following, [s for s in graph.steps if written_by(s.op) is v]) for v in among[0]}


def owed(
    thread: Thread, known: Accesses, cells: frozenset[int], among: Sequence[World]
) -> Mapping[Node, frozenset[tuple[int, int]]]:
    """By node the cells that are written on every way on before an acquire, a call or the end; each with its worlds."""
    graph: Graph = thread.graph
    following = outgoing(graph.steps)
    everything = {n: frozenset((c, n) for c in cells) for n in range(len(among))}
    unknown = _unknown(graph, among)

    def known_at(node: Node, world: World) -> World:
        return {v: x for v, x in world.items() if node not in unknown[v]}

    def alike_at(node: Node) -> list[list[int]]:
        """By world those that are the same as far as pointers are set at a node."""
        here = [known_at(node, world) for world in among]
        return [[number for number, other in enumerate(here) if other == one] for one in here]

    alike = {n: alike_at(n) for n in following if any(n in nodes for nodes in unknown.values())}
    pays = {
        id(s): frozenset[tuple[int, int]]().union(
            *(_paid(s, thread, known, known_at(s.source, w), everything[n], n) for n, w in enumerate(among))
        )
        for s in graph.steps
    }
    found = dict[Node, frozenset[tuple[int, int]]]()
    none = frozenset[tuple[int, int]]()
    changed = True
    while changed:
        changed = False
        for node, steps in following.items():
            if node == graph.exit:
                continue
            later = ((s, found.get(s.target, none)) for s in steps)
            now = frozenset.intersection(*(pays[id(s)] | (after if _goes_on(s) else none) for s, after in later))
            if node in alike:
                now = frozenset((c, n) for c, n in now if all((c, m) in now for m in alike[node][n]))
            if now != found.get(node, none):
                found[node] = now
                changed = True
    return found


def _goes_on(step: Step) -> bool:
    """Whether what is paid behind a step is paid for what comes before it."""
    match step.op:
        case Show(sync=sync):
            return sync in (Sync.NONE, Sync.RELEASE)
        case Halt() | Exit() | Fail():
            return False
        case _:
            return True


def _paid(
    step: Step, thread: Thread, known: Accesses, world: World, everything: frozenset[tuple[int, int]], number: int
) -> frozenset[tuple[int, int]]:
    """What a step itself pays for in a world: what is undefined, or cannot be there, pays for everything."""
    match step.op:
        case Fail(what):
            return frozenset() if what in ENDS or what in BOUNDS else everything
        case Test(formula):
            return everything if substitute(formula, world) is build.FALSE else frozenset()
        case Store() | Load():
            access = known.of[id(step)]
            if access.sure and len(access.cells) == 1:
                meant: int | None = access.cells[0]
            else:
                if step.op.among is not None or not step.op.address.free & world.keys():
                    return frozenset()
                values = evaluate(substitute(step.op.address, world), known.found, thread.number)
                if len(values) != 1 or OTHER in values:
                    return frozenset()
                meant = cell_at(next(iter(values)) or 0, known.found.layout)
                if meant is None:
                    return everything
            return everything & {(meant, number)} if isinstance(step.op, Store) else frozenset()
        case _:
            return frozenset()
