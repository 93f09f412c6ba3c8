"""What the rest of a function is certain to do: on every path, through finitely many steps and without an acquire.

A loop is taken to end if C lets it be (C11 6.8.5p6): its controlling expression is no constant, and it accesses nothing
atomic or volatile and calls nothing that is not known.

SEQ (PLDI 2022), section 4, lets the source owe what the target has written already. A debt must be paid, so it may be
made only where every way on leads to a store of the cell. What C leaves undefined has no meaning as a whole, so that an
optimiser may do it earlier (late undefined behaviour); and who will be undefined pays whatever is owed.

Both are conditions on registers, by weakest preconditions over the graph: which cell a store is about depends on where
its pointer points. A condition that is given up is false: then less is owed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from sa.automata.components import components, on_cycles
from sa.frontends.flow.access import Access, Accesses
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import (
    Begin,
    Divide,
    End,
    Exit,
    Fail,
    Halt,
    Havoc,
    Live,
    Load,
    Node,
    Skip,
    Step,
    Store,
    Stride,
    Test,
    Wait,
    outgoing,
)
from sa.frontends.flow.graph import Set as Assign
from sa.frontends.flow.heap import BOUNDS
from sa.frontends.flow.layout import Layout, cell_at, element, is_at
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.orders import Lock
from sa.frontends.flow.simplify import simplified
from sa.frontends.flow.terms import written_by
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Found, Values, pointed
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.substitute import substitute
from sa.terms.term import And, Or, Term, Var, subterms

#: Failing steps that are visible ends; all others are undefined, and an undefined program pays whatever it owes.
ENDS = ("assertion", "reached")

#: A condition of more terms is given up.
_MOST_TERMS = 200

#: So often the conditions of nodes on a cycle are computed again from each other.
_MOST_ROUNDS = 8


class Due(Struct, frozen=True):
    """What is certain to be done: a cell is written, or accessed if `reads` count; without a cell, what is undefined.

    Of a column it is about the element with the number `picked`, or about those that the array `may` has no permission
    for.
    """

    cell: int | None = None
    reads: bool = False
    picked: Var | None = None
    may: Var | None = None


def in_any_case(thread: Thread, known: Accesses, cell: Due) -> Mapping[Node, Term]:
    """By node a condition under which something is due on every way on, or what follows is undefined.

    Nodes at which nothing is known are left out. Each condition follows from
    those behind it, so that it stands for a number of steps, whatever the order in which they are computed.
    """
    graph = thread.graph
    # Who leaves out a loop that does not end is undefined.
    following = outgoing([s for s in graph.steps if not (isinstance(s.op, Skip) and s.op.past)])
    successors = {n: [s.target for s in steps] for n, steps in following.items()}
    found = dict[Node, Term]()

    def behind(node: Node) -> Term:
        ways = [_before(s, found.get(s.target, build.FALSE), thread, known, cell) for s in following[node]]
        made = build.land(*ways)
        return made if sum(1 for _ in subterms((made,))) <= _MOST_TERMS else build.FALSE

    for component in components((graph.entry,), successors):
        nodes = [n for n in component if n in following and n != graph.exit]
        if not _is_cyclic(component, successors):
            found.update((n, behind(n)) for n in nodes)
            continue
        ending = _is_to_end(component, following, known)
        if ending:
            found.update(dict.fromkeys(nodes, build.TRUE))
            if _is_stable(found, nodes, behind):
                continue
            for node in nodes:
                del found[node]
        if _is_stable(found, nodes, behind) or not ending:
            continue
        steps = [s for n in nodes for s in following[n]]
        due = _due_behind(steps, found, nodes)
        if due is not build.FALSE and all(_before(s, build.TRUE, thread, known, cell) is build.TRUE for s in steps):
            found.update(dict.fromkeys(nodes, due))
    return {n: f for n, f in found.items() if f is not build.FALSE}


def _is_stable(found: dict[Node, Term], nodes: Sequence[Node], behind: Callable[[Node], Term]) -> bool:
    """Compute the conditions on a cycle again from each other, and say whether they stay as they are at the end."""
    for _ in range(_MOST_ROUNDS):
        before = [found.get(n) for n in nodes]
        found.update((n, behind(n)) for n in nodes)
        if before == [found[n] for n in nodes]:
            return True
    return False


def _due_behind(steps: Sequence[Step], found: Mapping[Node, Term], nodes: Sequence[Node]) -> Term:
    """What holds after a loop whenever it holds in it: a condition on registers that its steps do not write."""
    behind = build.land(*(found.get(s.target, build.FALSE) for s in steps if s.target not in nodes))
    return behind if behind.free.isdisjoint(written_by(s.op) for s in steps) else build.FALSE


def loops(thread: Thread, known: Accesses) -> tuple[bool, bool]:
    """Whether there are loops that are taken to end, and whether there are others."""
    following = outgoing(thread.graph.steps)
    successors = {n: [s.target for s in steps] for n, steps in following.items()}
    found = components((thread.graph.entry,), successors)
    ending = [_is_to_end(c, following, known) for c in found if _is_cyclic(c, successors)]
    return any(ending), not all(ending)


def pass_loops(thread: Thread, known: Accesses) -> None:
    """Let the source leave out loops that are taken to end, and leave nothing behind that is read later, in place.

    Where such a loop ends, that is the same; where it does not, the source is undefined, and may do anything. So an
    optimiser deletes such loops.
    """
    graph = thread.graph
    following = outgoing(graph.steps)
    successors = {n: [s.target for s in steps] for n, steps in following.items()}
    needed = registers(graph)
    for component in components((graph.entry,), successors):
        inside = frozenset(component)
        steps = [s for n in component for s in following.get(n, ())]
        behind = {s.target for s in steps if s.target not in inside and not isinstance(s.op, Fail)}
        if not _is_cyclic(component, successors) or len(behind) != 1 or not _is_to_end(component, following, known):
            continue
        (after,) = behind
        if all(map(_is_passed, steps)) and needed.get(after, frozenset()).isdisjoint(written_by(s.op) for s in steps):
            heads = {s.target: s.origin for s in graph.steps if s.source not in inside and s.target in inside}
            graph.steps += (Step(head, Skip(past=True), after, origin) for head, origin in heads.items())


def _is_passed(step: Step) -> bool:
    """Whether all that a step does is to write a register, or to be undefined."""
    match step.op:
        case Fail(what):
            return what not in ENDS and what not in BOUNDS
        case op:
            return isinstance(op, Assign | Divide | Havoc | Load | Test | Skip | Stride)


def _is_cyclic(component: Sequence[Node], successors: Mapping[Node, Sequence[Node]]) -> bool:
    return len(component) > 1 or component[0] in successors.get(component[0], ())


def _is_to_end(component: Sequence[Node], following: Mapping[Node, Sequence[Step]], known: Accesses) -> bool:
    """Whether each way round is a round of a loop that C lets be taken to end."""
    inside = set(component)
    steps = [s for n in component for s in following.get(n, ()) if s.target in inside]
    if not all(map(_is_quiet, steps)):
        return False
    places = known.found.layout.places
    cells = (c for s in steps if id(s) in known.of for c in known.of[id(s)].cells)
    if any(places[c].cell.synchronises for c in cells):
        return False
    onwards = {n: [s.target for s in following.get(n, ()) if s.target in inside] for n in component}
    for step in steps:
        if isinstance(step.op, Skip) and step.op.again:
            onwards[step.source].remove(step.target)
    return not on_cycles(component, onwards)


def _is_quiet(step: Step) -> bool:
    if isinstance(step.op, Skip):
        return not step.op.qualified
    return isinstance(step.op, Assign | Divide | Havoc | Load | Store | Test | Fail | Live | Stride)


def _before(step: Step, after: Term, thread: Thread, known: Accesses, cell: Due) -> Term:
    """The condition before a step; true where the step is not taken."""
    places = known.found.layout.places
    match step.op:
        case Fail(what):
            return build.FALSE if what in ENDS or what in BOUNDS else build.TRUE
        case Test(formula):
            return build.lor(build.lnot(formula), after)
        case Assign(var, term):
            return simplified(substitute(after, {var: term}))
        case Show(sync=Sync.NONE | Sync.RELEASE) | Skip() | Stride() | Begin() | End() | Lock():
            return after
        case Store():
            return build.lor(after, _accessed(step.op, known.of[id(step)], known, cell), _wrong(step, thread, known))
        case Load(var=var):
            read = _accessed(step.op, known.of[id(step)], known, cell) if cell.reads else build.FALSE
            return build.lor(_for_all(var, after), read, _wrong(step, thread, known))
        case Live(name) if cell.cell is not None and cell.cell in places and places[cell.cell].object.name == name:
            return build.FALSE
        case Show() | Halt() | Exit() | Wait():
            return build.FALSE
        case _:
            written = written_by(step.op)
            return after if written is None else _for_all(written, after)


def _for_all(var: Var, formula: Term) -> Term:
    """A condition without a variable, which implies one for all of its values. Negations are of atoms only."""
    if var not in formula.free:
        return formula
    match formula:
        case And(args):
            return build.land(*(_for_all(var, a) for a in args))
        case Or(args):
            return build.lor(*(_for_all(var, a) for a in args))
        case _:
            return build.FALSE


def _accessed(op: Load | Store, access: Access, known: Accesses, due: Due) -> Term:
    """That an access is one of the cell."""
    if due.cell is None or due.cell not in access.cells:
        return build.FALSE
    where = known.found.layout
    here = build.TRUE if access.sure and len(access.cells) == 1 else is_at(op.address, due.cell, where)
    if due.picked is not None:
        here = build.land(here, build.eq(element(op.address, where.columns[due.cell]), due.picked))
    if due.may is not None:
        index = element(op.address, where.columns[due.cell])
        here = build.land(here, build.ne(build.select(due.may, index), build.ONE))
    return simplified(here)


def _wrong(step: Step, thread: Thread, known: Accesses) -> Term:
    """That an access is one of nothing."""
    assert isinstance(step.op, Load | Store)
    access, found = known.of[id(step)], known.found
    values = pointed(step.op.address, step.op.among, found, thread.number)
    known_place = OTHER not in values or is_element(step.op.address, thread, found)
    if access.sure or step.op.wrong in BOUNDS or not known_place:
        return build.FALSE
    meant = (*access.cells, *of_other_types(step.op, access, values, found.layout))
    return simplified(build.land(*(build.lnot(is_at(step.op.address, c, found.layout)) for c in meant)))


def of_other_types(op: Load | Store, access: Access, values: Values, where: Layout) -> Sequence[int]:
    """The cells of another type that an address may be of, unless an index has left an array.

    To access these is defined for bytes, and what they are is not known here (`OTHER_TYPE`).
    """
    if op.key not in ("int8", "uint8") and op.wrong != "pointer":
        return []
    meant = {cell_at(v, where) for v in values if v is not OTHER}
    return sorted(n for n in meant if n is not None and n not in access.cells)


def is_element(address: Term, thread: Thread, found: Found) -> bool:
    """Whether an address is that of an object and a number: it is in this object, or the access is undefined."""
    addresses, homes = found.layout.addresses, found.layout.homes
    _, parts = linear_parts(address)
    named = [p for p in parts if p in addresses]
    free = frozenset[Var]().union(*(p.free for p in parts if p not in addresses))
    held = (found.registers.get((thread.number, v), frozenset()) for v in free)
    return len(named) == 1 and parts[named[0]] == 1 and not any(v in homes for values in held for v in values)
