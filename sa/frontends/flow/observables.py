"""What a function that is compared alone must not do, mostly with addresses: which numbers they are nobody knows.

Objects that both files share have the same addresses in both, so that pointers to them may be shown, and compared for
equality: nothing but which object is meant decides. Where pointers are made numbers no address is like that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations

from sa.automata.automaton import EXIT, Automaton, Edge, Origin
from sa.automata.components import reachable
from sa.base.diagnostic import InputError, error
from sa.frontends.flow.access import Accesses
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.graph import UNKNOWN_CALL, Fail, Node, Object, Storage, Store, Test
from sa.frontends.flow.heap import BOUNDS
from sa.frontends.flow.held import Changes
from sa.frontends.flow.layout import object_named
from sa.frontends.flow.shared_inputs import Common, moved
from sa.frontends.flow.stale import stale
from sa.frontends.flow.terms import read_by
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Values, evaluate
from sa.terms import build
from sa.terms.build import linear_parts
from sa.terms.sort import INT
from sa.terms.term import IsZero, Le, Term, Var, children, sort_of, subterms

#: No object has a smaller address.
_LEAST = 2**40

#: How the names of objects begin whose addresses the function hands on: those of C do not.
PUBLISHED = "#"


def refuse(thread: Thread, known: Accesses, common: Common) -> None:
    """Raises InputError for what has no meaning where a function is compared alone."""
    for step in thread.graph.steps:
        if isinstance(step.op, Fail) and step.op.what in BOUNDS:
            raise bounded(step.op.what, step.origin)
    _shown(thread, known, common)
    _calls(thread, known)
    if common.pointed and (where := moved(thread, known.found)) is not None:
        hint = "give the function a pointer to a structure that has the array"
        raise not_compared("an element other than the one that a parameter points to", where, hint)
    if (left := stale(thread, known)) is not None:
        told = left[0].split(".", 1)[-1]
        hint = "declare the variable where it lives as long as its address is used"
        raise not_compared(f"an address of `{told}` that is kept longer than the variable lives", left[1], hint)


def _shown(thread: Thread, known: Accesses, common: Common) -> None:
    """Raises InputError where the number of an address is seen, unless both files give the object the same one."""
    places = known.found.layout
    handed_on = {places.addresses[v] for v in places.addresses if is_published(v.name.removeprefix("&"))}
    handed_on |= common.constants
    for step in thread.graph.steps:
        match step.op:
            case Show(values=terms, things=things):
                own = handed_on if not common.numbers else set[int]()
                pointed = (t.address for t in things if object_named(t.address, places) is None)
                if not _homes(pointed, thread, known) <= common.same | own:
                    what = "an atomic or volatile access of a variable or lock of the function's own"
                    raise not_compared(what, step.origin, "hand its address on, or make it a plain variable")
            case Store(_, term, _, _, _) if any(is_shared(places.places[c].object) for c in known.of[id(step)].cells):
                terms, own = (term,), set[int]()
            case _:
                continue
        codes = any(places.codes & evaluate(t, known.found, thread.number) for t in terms)
        if codes or not _homes(terms, thread, known) <= common.same | own:
            hint = "hand integers on, or addresses that never become numbers; keep pointers out of what others share"
            raise not_compared("an address that others get to see", step.origin, hint)


def _homes(terms: Iterable[Term], thread: Thread, known: Accesses) -> set[int]:
    """The objects, by their addresses, to which values may lead."""
    homes = known.found.layout.homes
    values = {v for t in terms for v in evaluate(t, known.found, thread.number) if v is not OTHER}
    return {homes[v][0] for v in values if v in homes}


def changes_of(thread: Thread, known: Accesses, columns: Collection[int]) -> tuple[Changes, Origin | None]:
    """What can be told of how others change columns, and an action by which they do."""
    steps = thread.graph.steps
    touching = [s for s in steps if id(s) in known.of and not set(columns).isdisjoint(known.of[id(s)].cells)]
    accessed = _before(thread, {s.source for s in touching})
    shown = [(s, s.op.sync) for s in steps if isinstance(s.op, Show) and s.op.action != EXIT]
    acquiring = [s for s, sync in shown if sync in (Sync.ACQUIRE, Sync.UPDATE, Sync.CALL)]
    gaining = [s for s in acquiring if s.target in accessed]
    losing = [s for s, sync in shown if sync in (Sync.RELEASE, Sync.UPDATE, Sync.CALL) and s.target in accessed]
    acquired = _before(thread, {s.source for s in acquiring})
    merged = any(s.target in acquired for s in touching)
    where = next((s.origin for s in (*gaining, *losing)), None)
    return Changes(bool(gaining), merged, bool(losing)), where


def _before(thread: Thread, nodes: set[Node]) -> set[Node]:
    """The nodes from which some way leads to one of these, these included."""
    came = dict[Node, list[Node]]()
    for step in thread.graph.steps:
        came.setdefault(step.target, []).append(step.source)
    return reachable(nodes, lambda node: came.get(node, ()))


def refuse_choices(source: Automaton) -> None:
    """Raises InputError where a source with a large array chooses: for each picked element it might do so otherwise.

    What decides nothing but values that are shown is what the target shows, whichever element is picked.
    """
    for edge in source.edges:
        shown = () if edge.label is None else edge.label.values
        if any(c.var not in shown and _decides(edge, c.var) for c in edge.choices):
            hint = "give variables a value before they are read"
            raise not_compared("a value that nobody knows, beside a large array,", edge.origin, hint)


def _decides(edge: Edge, choice: Var) -> bool:
    """Whether what a step leads to depends on a choice."""
    bound = (f.free for f in build.conjuncts(edge.guard) if choice in f.free)
    return any(choice in t.free for _, t in edge.updates) or any(free != {choice} for free in bound)


def refuse_comparisons(thread: Thread, known: Accesses, common: Common) -> None:
    """Raises InputError where a comparison depends on which numbers addresses are.

    That is to be asked before what is known of addresses decides which ways there are.
    """
    if common.pointed:
        _constants(thread, known)
    for step in thread.graph.steps:
        for atom in subterms(read_by(step.op)):
            if isinstance(atom, Le | IsZero) and _depends(atom, thread, known, common):
                hint = "compare pointers with NULL, or two that point into the same object"
                raise not_compared("a comparison that depends on where objects are", step.origin, hint)


def _depends(atom: Le | IsZero, thread: Thread, known: Accesses, common: Common) -> bool:
    places = known.found.layout
    distance, _ = linear_parts(*children(atom))
    held = [evaluate(v, known.found, thread.number) for v in atom.free]
    seen = [vs for vs in held if any(v in places.homes or v in places.codes for v in vs)]
    if not seen:
        return False
    if len(held) == 1 and isinstance(atom, Le) and abs(distance) < _LEAST and not common.numbers:
        # Every object lies behind what pointers to nothing are.
        return OTHER in held[0]
    if len(held) == 1:
        return distance != 0 and not (isinstance(atom, Le) and _are_same(held[0], known, common))
    if any(OTHER in vs for vs in held):
        # Which shared object is meant may be asked of any pointer, but nothing else.
        pair = isinstance(atom, IsZero) and distance == 0 and len(held) == 2
        return not (pair and all(_are_same(v, known, common) for v in seen))
    addresses = [{v for v in vs if v is not OTHER and (v in places.homes or v in places.codes)} for vs in held]
    homes = [{places.homes.get(v, (v,))[0] for v in vs} for vs in addresses if vs]
    apart = any(len(one | two) > 1 for one, two in combinations(homes, 2))
    ends = any(v in places.homes and places.homes[v][1] == v for vs in addresses for v in vs)
    return apart and (isinstance(atom, Le) or distance != 0 or len(held) != 2 or ends)


def _are_same(values: Values, known: Accesses, common: Common) -> bool:
    """Whether all addresses among some values are the same ones in both files, none of them behind its object."""
    homes, codes = known.found.layout.homes, known.found.layout.codes
    return not any(v in codes for v in values) and all(
        homes[v][0] in common.same and homes[v][1] != v for v in values if v is not OTHER and v in homes
    )


def _constants(thread: Thread, known: Accesses) -> None:
    """Raises InputError where the address of a constant is compared: no parameter is taken to point to one."""
    places = known.found.layout
    kept = {a for a, p in places.places.items() if p.object.kept and p.object.storage is Storage.STATIC}
    for step in thread.graph.steps:
        parts = (part for term in read_by(step.op) for part in _summands(term) if not isinstance(part, Var))
        if any(kept & evaluate(v, known.found, thread.number) for part in parts for v in part.free):
            raise not_compared("a comparison with the address of a constant", step.origin, "compare what is there")


def _summands(term: Term) -> Iterator[Term]:
    yield from linear_parts(term)[1] if sort_of(term) == INT else (term,)


def _calls(thread: Thread, known: Accesses) -> None:
    """Raises InputError where a function is called that may be none of the file's."""
    wrong = {s.source for s in thread.graph.steps if isinstance(s.op, Fail) and s.op.what == UNKNOWN_CALL}
    for step in thread.graph.steps:
        called = step.op.formula.free if isinstance(step.op, Test) and step.target in wrong else ()
        if any(OTHER in evaluate(v, known.found, thread.number) for v in called):
            hint = "call a function by its name, or choose among functions of the file"
            raise not_compared("a call of a function that the environment may give", step.origin, hint)


def is_shared(obj: Object) -> bool:
    """Whether others may change the object, or know its values, which this file does not."""
    known = obj.kept and all(c.initial is not None for c in obj.cells)
    return (obj.storage is Storage.STATIC and not known) or is_published(obj.name)


def is_published(name: str) -> bool:
    """Whether it is an object whose address the function hands on."""
    return name.startswith(PUBLISHED)


def not_compared(what: str, origin: Origin, hint: str) -> InputError:
    """The error for something in a function that is compared alone."""
    message = f"{what} is not supported when functions are compared alone"
    return InputError((error("SA718", message, origin.span, hint),))


def bounded(what: str, origin: Origin) -> InputError:
    """The error where the translation does not know what happens."""
    return not_compared(f"{what} (a bound of the translation)", origin, "write the function without it")
