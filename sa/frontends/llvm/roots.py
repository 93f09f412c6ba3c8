"""Where pointers come from: the parameters and variables that they begin with, and which of them are moved."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from sa.frontends.llvm import syntax as s


def moves_of(function: s.Function) -> Mapping[str, s.Element]:
    """The pointers that come from others, and how."""
    lines = (line for block in function.blocks for line in block.lines)
    return {line.result or "": line.instruction.element for line in lines if isinstance(line.instruction, s.Offset)}


def _flows(function: s.Function, slots: Collection[str]) -> Iterator[tuple[str, tuple[s.Operand, ...]]]:
    """Pointers and slots that get the values of others, perhaps moved."""
    for line in (line for b in function.blocks for line in b.lines):
        match line.instruction:
            case s.Load(s.PointerType(), s.Local(slot)) if slot in slots:
                yield line.result or "", (s.Local(slot),)
            case s.Store(s.Typed(s.PointerType(), value), s.Local(slot)) if slot in slots:
                yield slot, (value,)
            case s.Select(_, s.Typed(s.PointerType(), yes), s.Typed(_, no)):
                yield line.result or "", (yes, no)
            case s.Phi(s.PointerType(), incoming):
                yield line.result or "", tuple(value for value, _ in incoming)
            case _:
                continue


def pointer_roots(
    function: s.Function, slots: Collection[str], moves: Mapping[str, s.Element]
) -> Mapping[str, frozenset[s.Operand]]:
    """By pointer the parameters and variables of the module that its value begins with, also where it is moved.

    What is not known to come from another pointer is a root of its own.
    """
    found: dict[str, frozenset[s.Operand]] = {
        p.operand.name: frozenset((p.operand,))
        for p in function.signature.parameters
        if isinstance(p.type, s.PointerType) and isinstance(p.operand, s.Local)
    }
    flows = [*_flows(function, slots), *((name, (element.base,)) for name, element in moves.items())]
    found |= {name: frozenset() for name, _ in flows}

    def of(operand: s.Operand) -> frozenset[s.Operand]:
        match operand:
            case s.Local(name):
                return found.get(name, frozenset((operand,)))
            case s.Element(base=base):
                return of(base)
            case _:
                return frozenset((operand,))

    while True:
        before = dict(found)
        for name, values in flows:
            found[name] = found[name].union(*map(of, values))
        if found == before:
            return found


def distant_of(function: s.Function, slots: Collection[str]) -> Mapping[str, s.Operand]:
    """The pointers that get moved ones among others, with the one parameter or variable that all of them begin with."""
    moves, flows = moves_of(function), list(_flows(function, slots))
    roots, found = pointer_roots(function, slots, moves), set[str]()
    given = {p.operand for p in function.signature.parameters}

    def is_moved(operand: s.Operand) -> bool:
        match operand:
            case s.Element():
                return not _is_still(operand) or is_moved(operand.base)
            case s.Local(name):
                return name in found or (name in moves and is_moved(moves[name]))
            case _:
                return False

    while True:
        before = len(found)
        found |= {name for name, values in flows if any(map(is_moved, values))}
        if len(found) == before:
            break
    single = {name: next(iter(roots[name])) for name in found if len(roots[name]) == 1}
    return {name: root for name, root in single.items() if isinstance(root, s.Global) or root in given}


def _is_still(element: s.Element) -> bool:
    """Whether nothing is moved, for all indices are 0."""
    zero = (isinstance(o := i.operand, s.Zero) or (isinstance(o, s.Number) and not o.value) for i in element.indices)
    return all(zero)
