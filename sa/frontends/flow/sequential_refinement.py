"""Two functions, each alone in any environment, as a pair of programs and the relation to compare them by.

Actions carry everything that the environment chooses, so the programs are closed. What the target has written since its
last release the source has written too, or writes in any case (SEQ, PLDI 2022): that is the relation, at all times.
*Undefined* is a location of the source from which every action is possible, for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from sa.automata.automaton import FAIL, UNDEFINED, Automaton, Edge, Kind, Label, Location, Origin, Variable
from sa.automata.program import Program, Refinement, Related
from sa.base.source import Source
from sa.frontends.flow.access import Accesses, accesses
from sa.frontends.flow.actions import Show, Sync
from sa.frontends.flow.both import Both, Function, both_of
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.flags import without_counters
from sa.frontends.flow.forwarded import forward_addresses
from sa.frontends.flow.fused import fused
from sa.frontends.flow.graph import Begin, Cell, End, Load, Object, Range, Step, Storage, Store, Unit, fresh
from sa.frontends.flow.held import Held, Wanted, called_otherwise, held, known_by_place
from sa.frontends.flow.impossible import without_impossible
from sa.frontends.flow.inline import inline
from sa.frontends.flow.layout import Layout, layout
from sa.frontends.flow.liveness import only_reachable, prune
from sa.frontends.flow.must_execute import loops, pass_loops
from sa.frontends.flow.naming import named
from sa.frontends.flow.observables import (
    bounded,
    changes_of,
    is_published,
    is_shared,
    not_compared,
    refuse,
    refuse_choices,
    refuse_comparisons,
)
from sa.frontends.flow.permissions import under_permissions
from sa.frontends.flow.program import automaton_of, first_values, program_with
from sa.frontends.flow.published import addresses_of, published, renamed
from sa.frontends.flow.shared_inputs import Common, chosen
from sa.frontends.flow.slicing import decisive
from sa.frontends.flow.steps import joints
from sa.frontends.flow.things import Key, key_of, things_of
from sa.frontends.flow.threads import Thread, threads_of
from sa.frontends.flow.told_apart import told_apart
from sa.frontends.flow.values import OTHER, evaluate
from sa.frontends.flow.webs import split
from sa.frontends.flow.wraps import ranged
from sa.terms import build
from sa.terms.name import ABSTRACT, CONCRETE
from sa.terms.substitute import sided
from sa.terms.term import Var, sort_of

_UNDEFINED_BEHAVIOUR = "behaviour is undefined"

#: Of columns with so many elements it is known which of them others get and give.
MOST_ELEMENTS = 64


class Misread(Exception):
    """An internal error: two functions are not compared as they should be."""


def function_of(unit: Unit, source: Source, given: Sequence[Range], common: Common) -> Function:
    """The function that a unit begins with, whose parameters are in the ranges that are `given`, or point somewhere.

    Raises InputError for what cannot be compared alone.
    """
    begun = {(o.name, c.path): c.initial for o in unit.objects if is_shared(o) for c in o.cells}
    thread, where, extra = _beginning(unit, given, common)
    refuse_comparisons(thread, accesses((thread,), where, False, False), common)
    known = _known(thread, where)
    if names := published(thread, known):
        renamed(thread.graph, names)
        where = _layout(unit, thread, extra, common, addresses_of(names))
        known = _known(thread, where)
    refuse(thread, known, common)
    used = _used(thread, known)
    columns = {k: where.columns[a] for a, p in where.places.items() if a in where.columns and (k := key_of(p)) in used}
    changes, late = changes_of(thread, known, where.columns)
    if late is not None and any(c.count > MOST_ELEMENTS for c in columns.values()):
        hint = f"access arrays of more than {MOST_ELEMENTS} elements before the first action"
        raise not_compared("an action that others see before an access of a large array", late, hint)
    things = things_of(thread, known, common.hidden)
    used |= {
        key_of(p): p.cell for p in where.places.values() if key_of(p) in things.atomic and is_published(key_of(p)[0])
    }
    return Function(unit, source, thread, where, known, used, begun, things, common, columns, changes)


def follows(unit: Unit, given: Sequence[Range], common: Common) -> bool:
    """Whether an access is of what is not known: pointers are followed that were given. Raises InputError."""
    thread, where, _ = _beginning(unit, given, common)
    found = _known(thread, where).found
    addresses = (s.op.address for s in thread.graph.steps if isinstance(s.op, Load | Store))
    return any(
        OTHER in evaluate(a, found, thread.number) and not any(v in where.addresses for v in a.free) for a in addresses
    )


def _beginning(unit: Unit, given: Sequence[Range], common: Common) -> tuple[Thread, Layout, tuple[Object, ...]]:
    """The thread that begins with what the environment chooses, the layout, and objects that it has beside."""
    objects = tuple(map(_arbitrary, unit.objects))
    _, parameters, _ = inline(replace(unit, objects=objects), unit.entry, unit.entry)
    (thread,), extra = threads_of(replace(unit, objects=objects))
    graph = thread.graph
    where_from = replace(unit.procedures[unit.entry].origin, text="the function begins")
    before = graph.entry
    graph.entry = here = fresh(graph)
    ranges = given or [graph.registers[p].range for p in parameters]
    ops, shown = chosen(graph, parameters, ranges, common)
    for op in (Begin(), *ops, Show("begins", tuple(shown), Sync.BEGIN)):
        after = fresh(graph)
        graph.steps.append(Step(here, op, after, where_from))
        here = after
    graph.steps.append(Step(here, End(), before, where_from))
    only_reachable(graph)
    prune(graph)
    without_counters(graph)
    split(graph)
    forward_addresses(graph)
    return thread, _layout(unit, thread, extra, common, {}), extra


def _layout(
    unit: Unit, thread: Thread, extra: Sequence[Object], common: Common, published: Mapping[str, int]
) -> Layout:
    """Where everything is; objects that both files share, and that others get to see, are where they are in both."""
    objects = (*map(_arbitrary, unit.objects), *thread.graph.objects.values(), *extra)
    return layout(objects, common.procedures, {**common.addresses, **published})


def _used(thread: Thread, known: Accesses) -> dict[Key, Cell]:
    """The cells that others share and the thread accesses. Raises InputError for those that cannot be compared."""
    where, used = known.found.layout, dict[Key, Cell]()
    for step in thread.graph.steps:
        if id(step) in known.of and known.of[id(step)].kept:
            hint = "C leaves it undefined: leave out `const`, or copy the text into an array"
            raise not_compared("a write to a constant or a text", step.origin, hint)
        for address in known.of[id(step)].cells if id(step) in known.of else ():
            place = where.places[address]
            if place.object.storage is Storage.THREAD:
                name = place.object.name.split(".", 1)[1]
                hint = "give it to the function as a parameter"
                raise not_compared(f"`{name}`, which the thread keeps from call to call,", step.origin, hint)
            if not is_shared(place.object):
                continue
            if place.cell.synchronises or not place.cell.key.startswith(("i", "uint", "bool")):
                what = f"`{place.object.told or place.object.name}{place.cell.path}`, which is no plain number,"
                raise not_compared(what, step.origin, "shared variables that the function uses are integers")
            used[key_of(place)] = place.cell
    return used


def _arbitrary(obj: Object) -> Object:
    """The object as a function finds it that is called some time."""
    if not is_shared(obj):
        return obj
    return replace(obj, cells=tuple(replace(c, initial=None) for c in obj.cells))


def _known(thread: Thread, where: Layout) -> Accesses:
    """The accesses of a thread, without ways that its constants exclude."""
    known = accesses((thread,), where, False, False)
    while without_impossible((thread,), known.found):
        only_reachable(thread.graph)
        known = accesses((thread,), where, False, False)
    return known


def compared(
    abstract: Function, concrete: Function, reserved: frozenset[str], beginning: bool = False
) -> tuple[Program, Program, Refinement]:
    """The two programs, and the block that relates them; are they the `beginning` of all? Raises InputError."""
    both = both_of(abstract, concrete, beginning)
    loops_end, _ = loops(abstract.thread, abstract.known)
    pass_loops(abstract.thread, abstract.known)
    first, theirs = _automaton(abstract, both, True, reserved)
    second, mine = _automaton(concrete, both, False, reserved)
    if both.columns:
        refuse_choices(first)
    second = _showing(second)
    first = _answering(first, second, tuple(theirs[k].wrote for k in both.cells if k in both.noted))
    related = tuple(_written(theirs[k], mine[k], "".join(k), first.origin) for k in both.cells if k in both.noted)
    block = Refinement(first.name, None, None, related, (), (), (), (), False, False, None, first.origin)
    block = replace(block, loops_end=loops_end)
    return _program(first, abstract), _program(second, concrete), block


def _program(automaton: Automaton, function: Function) -> Program:
    return program_with([automaton], {}, (), function.source)


def _written(theirs: Held, mine: Held, told: str, origin: Origin) -> Related:
    """What the target has written the source has written or will write."""
    term = build.lor(
        build.ne(sided(mine.wrote, CONCRETE), build.ONE),
        build.eq(sided(theirs.wrote, ABSTRACT), build.ONE),
        build.eq(sided(theirs.owes, ABSTRACT), build.ONE),
    )
    return Related(term, replace(origin, text=f"`{told}` is written by both"))


def _automaton(
    function: Function, both: Both, source: bool, reserved: frozenset[str]
) -> tuple[Automaton, Mapping[Key, Held]]:
    """The function under permissions, and what its variables are called for each cell."""
    thread, where = function.thread, function.where
    addresses = {key_of(p): a for a, p in where.places.items() if is_shared(p.object)}
    # A cell that this function does not know has an address that nothing has.
    meant = {addresses.get(k, -1 - n): k for n, k in enumerate(both.cells)}
    if not {k for a, k in meant.items() if a in where.places} >= function.used.keys():
        raise Misread("a shared variable that is accessed has no registers")
    made = _held(function, both, meant)
    under_permissions(thread, function.known, made, source, both.spelling)
    only_reachable(thread.graph)
    known = _known(thread, where)
    names = named((thread,), where, known, reserved)
    first = first_values(names, where, known)
    found = joints(thread, known, names.names[thread.number], Asked(deadlock=True))
    for joint in found:
        if joint.bound:
            said = "" if joint.edge.failure is None else joint.edge.failure.what
            what = said.rpartition(" (")[2].removesuffix(")") or "this"
            raise bounded(what, joint.edge.origin)
    called = names.names[thread.number].registers
    told = {meant[a]: called_otherwise(h, called) for a, h in made.items()}
    kept = frozenset(v for k, h in told.items() if k in both.noted for v in (h.wrote, h.owes))
    # Before the function begins nothing is written, so that each first state has a related one at once.
    first |= dict.fromkeys(kept, build.ZERO)
    automata = decisive([automaton_of(thread, found, names, first, False, kept)], kept)
    (automaton,), _ = ranged(automata, {}, names)
    places = [v for h in told.values() for v in known_by_place(h)]
    automaton = told_apart(told_apart(automaton, _pointing(automaton, kept)), places)
    (automaton,) = decisive([fused(automaton)], kept)
    return automaton, told


def _held(function: Function, both: Both, meant: Mapping[int, Key]) -> Mapping[int, Held]:
    """Registers for the cells of both, by the addresses that they have in this function."""
    made, places = dict[int, Held](), function.where.places
    for address, key in meant.items():
        obj = places[address].object if address in places else None
        ends = (obj is None or obj.storage is Storage.AUTO) if is_published(key[0]) else None
        told = f"{key[0] if obj is None or not obj.told else obj.told}{key[1]}"
        wanted = Wanted(
            "".join(key), told, both.cells[key], both.columns.get(key), key in both.mixed, ends, both.changes
        )
        cell = replace(held(function.thread.graph, wanted), fixed=key[0] in both.fixed)
        begun = both.begun
        made[address] = cell if begun is None else replace(cell, alone=True, first=begun.get(key))
    return made


def _pointing(automaton: Automaton, kept: frozenset[Var]) -> list[Var]:
    """The variables that get one of some addresses at the beginning, by a choice of the environment.

    Bits that are `kept` are none of them.
    """
    return [
        var
        for edge in automaton.edges
        if edge.label is not None and edge.label.action == "begins"
        for var, term in edge.updates
        if var not in kept and not isinstance(term, Var) and term.free and term.free <= {c.var for c in edge.choices}
    ]


def _is_failing(edge: Edge) -> bool:
    return edge.label is not None and edge.label.action == FAIL


def _showing(target: Automaton) -> Automaton:
    """The target, of which is seen that it is undefined, again and again: only an undefined source answers that."""
    edges, ends = list[Edge](), dict[str, Edge]()
    for edge in target.edges:
        if _is_failing(edge):
            edge = replace(edge, label=Label(UNDEFINED), failure=None)
            ends[edge.target] = replace(edge, source=edge.target, guard=build.TRUE, updates=(), choices=())
        edges.append(edge)
    return replace(target, edges=(*edges, *ends.values()))


def _answering(source: Automaton, target: Automaton, wrote: tuple[Var, ...]) -> Automaton:
    """The source with a location for what is undefined, where it does whatever the target may do."""
    place = "anything" if all(q.name != "anything" for q in source.locations) else "anything_at_all"
    why = Origin(source.origin.span, _UNDEFINED_BEHAVIOUR)
    everything = tuple((w, build.ONE) for w in wrote)
    edges, failing = list[Edge](), dict[object, Edge]()
    for edge in source.edges:
        if _is_failing(edge):
            # Several reasons to be undefined are one step.
            edge = replace(edge, target=place, label=None, updates=everything, failure=None)
            failing.setdefault((edge.source, edge.guard, tuple(c.var for c in edge.choices)), edge)
        else:
            edges.append(edge)
    if not failing:
        return source
    edges += failing.values()
    locations = (*source.locations, Location(place, build.TRUE, None, why))
    return replace(source, locations=locations, edges=(*edges, *_anything(place, target, why)))


def _anything(place: str, target: Automaton, why: Origin) -> Iterator[Edge]:
    """A step for every action of the target, with any values."""
    labels = [e.label for e in target.edges if e.label is not None]
    for action, sorts in dict.fromkeys((label.action, tuple(map(sort_of, label.values))) for label in labels):
        choices = tuple(
            Variable(build.variable(f"any?{number}", sort), Kind.LOCAL, None, None, why)
            for number, sort in enumerate(sorts, 1)
        )
        label = Label(action, tuple(c.var for c in choices))
        yield Edge(place, place, label, build.TRUE, (), choices, why)


def never_ending(source: Program) -> Program:
    """The source that may also do nothing visible for ever where its behaviour is undefined."""
    (thread,) = source.threads
    places = [q for q in thread.locations if q.origin.text == _UNDEFINED_BEHAVIOUR]
    loops = (Edge(q.name, q.name, None, build.TRUE, (), (), q.origin) for q in places)
    return replace(source, threads=(replace(thread, edges=(*thread.edges, *loops)),)) if places else source
