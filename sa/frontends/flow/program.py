"""A unit as a program of automata."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from sa.automata.automaton import EXIT, Automaton, Edge, Kind, Label, Location, Origin, Variable, innermost
from sa.automata.family import Family
from sa.automata.live import live
from sa.automata.program import Invariant, Program
from sa.automata.ranges import within
from sa.base.diagnostic import InputError
from sa.base.source import Source, position
from sa.frontends.flow.access import Accesses, accesses, disturbs
from sa.frontends.flow.choosing import narrowed, without_idle_choices
from sa.frontends.flow.chosen_elements import with_chosen_arrays
from sa.frontends.flow.claims import Asked, ends_of
from sa.frontends.flow.constant_after_init import knowing, possible, with_settled
from sa.frontends.flow.flags import without_copies, without_flags
from sa.frontends.flow.graph import Graph, Node, Storage, Unit
from sa.frontends.flow.heap import MOST_COPIES, told_apart
from sa.frontends.flow.impossible import without_impossible
from sa.frontends.flow.instances import with_instances
from sa.frontends.flow.joins import calm
from sa.frontends.flow.layout import Layout, Place, layout, unset_value
from sa.frontends.flow.lifetimes import with_lives
from sa.frontends.flow.liveness import only_reachable, prune, registers
from sa.frontends.flow.monitor import is_needed, nothing_seen
from sa.frontends.flow.naming import Named, named, with_monitor
from sa.frontends.flow.narrow_words import with_narrow_words
from sa.frontends.flow.rows import filled
from sa.frontends.flow.sequential_prefix import begun_with
from sa.frontends.flow.slicing import decisive
from sa.frontends.flow.steps import FAILED, STOPPED, Joint, joints
from sa.frontends.flow.threads import MOST_THREADS, Thread, threads_of
from sa.frontends.flow.touches import claims_of, spoken_of, spurious_of
from sa.frontends.flow.webs import split
from sa.frontends.flow.wraps import ranged
from sa.terms import build
from sa.terms.name import unused
from sa.terms.sort import INT, default_value
from sa.terms.substitute import substitute
from sa.terms.term import Int, Term, Var

#: What cannot be said of any number of threads.
_OF_FAMILIES = frozenset({"SA721", "SA724"})


def program_of(unit: Unit, source: Source, reserved: frozenset[str], asked: Asked) -> Program:
    """The program of a unit; `reserved` are words that cannot be names. Raises InputError.

    Deadlocks of any number of threads are looked for beside it, in a program with a few threads for each family. Where
    what threads do cannot be said of any number of them (a thread waits for each, their release sequences), and where
    nothing else is asked for, that program is all there is. What it refutes is refuted of the program; more threads
    than it has are a limit of the translation.
    """
    alone = asked.deadlock and asked.kinds == frozenset() and not asked.races
    try:
        made = translated(unit, source, reserved, asked)
    except InputError as problem:
        if any(d.code not in _OF_FAMILIES for d in problem.diagnostics):
            raise
        return translated(unit, source, reserved, asked, MOST_COPIES)
    if not (asked.deadlock and made.families):
        return made
    few = translated(unit, source, reserved, replace(asked, kinds=frozenset(), races=False), MOST_COPIES)
    return few if alone else replace(made, beside=(few,))


def race_program(unit: Unit, source: Source, reserved: frozenset[str]) -> Program | None:
    """The program that claims that there are no data races, None where no two accesses may race. Raises InputError.

    Families have a few threads each.
    """
    asked = Asked(frozenset(), True, False)
    found = analysed(unit, asked, MOST_COPIES)
    return _assembled(found, unit, source, reserved, asked) if found.known.racing.may else None


def translated(
    unit: Unit, source: Source, reserved: frozenset[str], asked: Asked, copies: int | None = None
) -> Program:
    """The program with families, or with at most so many `copies` for each. Raises InputError."""
    return _assembled(analysed(unit, asked, copies), unit, source, reserved, asked)


class Analysed(NamedTuple):
    """The threads of a unit, where their objects lie, and what is known of their accesses."""

    threads: Sequence[Thread]
    where: Layout
    known: Accesses


def analysed(
    unit: Unit,
    asked: Asked,
    copies: int | None = None,
    beside: tuple[Thread, ...] = (),
    begun: Callable[[Unit, Graph], None] | None = None,
) -> Analysed:
    """What the threads of a unit do, and other threads `beside` them; `begun` says how the first one begins.

    Raises InputError.
    """
    threads, extra = threads_of(unit, asked.deadlock, copies)
    if begun is not None:
        begun(unit, threads[0].graph)
    threads = (*threads, *beside)
    for thread in threads:
        only_reachable(thread.graph)
        prune(thread.graph)
        if thread.identity is not None:
            without_copies(thread.graph, thread.identity)
        without_flags(thread.graph)
        split(thread.graph)
    shared = tuple(o for o in unit.objects if o.storage is not Storage.THREAD)
    if not unit.shows:
        # Programs that are compared have the same variables.
        shared = with_chosen_arrays(threads, (*shared, *extra), tuple(unit.procedures))[: len(shared)]
    with_instances(threads, (*shared, *extra), tuple(unit.procedures), unit.heap)
    own = (o for t in threads for o in t.graph.objects.values())
    every = told_apart((t.graph for t in threads), (*shared, *own, *extra))
    objects = with_lives(threads, every, tuple(unit.procedures), unit.reuses, unit.tracks)
    where = layout(objects, unit.procedures)
    known = accesses(threads, where, asked.races, not unit.shows)
    if calm(threads[0].graph, lambda s: disturbs(s, known)):
        prune(threads[0].graph)
        known = accesses(threads, where, asked.races, not unit.shows)
    while without_impossible(threads, known.found):
        for thread in threads:
            only_reachable(thread.graph)
            prune(thread.graph)
        known = accesses(threads, where, asked.races, not unit.shows)
    return Analysed(threads, where, known)


def _assembled(facts: Analysed, unit: Unit, source: Source, reserved: frozenset[str], asked: Asked) -> Program:
    threads, where, known = facts
    names = named(threads, where, known, reserved)
    if is_needed(threads, known):
        names = with_monitor(names, threads, known)
    first = first_values(names, where, known) | nothing_seen(names.names[threads[0].number].monitor)
    found = [joints(t, known, names.names[t.number], asked) for t in threads]
    claimed = frozenset(spoken_of(threads, found, names, where))
    automata = [
        automaton_of(t, made, names, first, unit.shows, claimed) for t, made in zip(threads, found, strict=True)
    ]
    creating = frozenset(v for a, v in names.cells.items() if where.places[a].cell.key == "thread")
    alone = True
    while alone and (begun := begun_with(automata[0], first)) != (automata[0], first):
        # Until it creates a thread, the first one moves alone: its only step is the first one of all.
        alone = all(begun[1].get(v) is first.get(v) for v in creating)
        automata[0], first = begun
    automata, first, constants = _without_constants(automata, first)
    automata = with_settled(decisive(automata, claimed), first, creating)
    if not unit.shows:
        automata, names = with_narrow_words(automata, first, names)
    automata, names = ranged(automata, first, names)
    made = program_with(automata, first, names.shared, source, claimed - constants.keys())
    families = {t.name: names.names[t.number].registers[t.identity] for t in threads if t.identity is not None}
    places = [_places(t, joined) for t, joined in zip(threads, found, strict=True)]
    claims, doubtful = claims_of(made, threads, found, places, names, where, asked, constants)
    if not (claims or asked.ends or any(e.failure for t in made.threads for e in t.edges)):
        # What cannot go wrong anywhere is claimed all the same.
        claims = (Invariant("no_step_goes_wrong", build.TRUE, False, None, made.threads[0].origin),)
    return replace(
        made,
        invariants=claims,
        bounds=tuple(
            dict.fromkeys((*(innermost(j.edge.origin) for joined in found for j in joined if j.bound), *doubtful))
        ),
        threads=tuple(t for t in made.threads if t.name not in families),
        families=tuple(Family(t, families[t.name], MOST_THREADS) for t in made.threads if t.name in families),
        ends=ends_of(made.threads, spurious_of(names, where), constants, asked),
    )


def first_values(names: Named, where: Layout, known: Accesses) -> dict[Var, Term]:
    """The first values of cells. One that nobody reads before it is written may have any: it gets one."""
    numbers: dict[Var, Term] = {v: build.integer(a) for v, a in where.addresses.items()}
    result = dict[Var, Term]()
    for address, var in names.cells.items():
        cell = where.places[address].cell
        if cell.initial is not None:
            column = where.columns.get(address)
            value = cell.initial if column is None else filled(column.initials)
            result[var] = substitute(value, numbers)
        elif address in known.unset:
            result[var] = build.integer(unset_value(cell))
        elif address not in known.arbitrary and not _is_outside(where.places[address]):
            result[var] = _some(Variable(var, Kind.LOCAL, cell.range.low))
    return result


def _some(variable: Variable) -> Term:
    """Some value of a variable."""
    if variable.var.sort != INT:
        return build.constant(default_value(variable.var.sort), variable.var.sort)
    return build.integer(max(0, variable.low or 0))


def _is_outside(place: Place) -> bool:
    """Whether a static object has its first value from elsewhere; what threads are given is written before."""
    return place.object.storage is Storage.STATIC and place.cell.key not in ("argument", "result")


def automaton_of(
    thread: Thread,
    made: list[Joint],
    names: Named,
    first: Mapping[Var, Term],
    shows: bool,
    looked_at: frozenset[Var] = frozenset(),
) -> Automaton:
    """The automaton of a thread, with its own variables only; what is shared is added by `program_with`.

    Where it `shows` its end by steps of its own, who waits for ever has not ended, and shows nothing.
    Variables that are `looked_at` stay as they are, although no step may need them.
    """
    places = _places(thread, made)
    order = {name: number for number, name in enumerate(places.values())}
    ends = {thread.graph.exit} if shows else {thread.graph.exit, STOPPED}
    edges = sorted((_named(j, places, ends) for j in made), key=lambda e: order[e.source])
    local = names.local[thread.number]
    bare = Automaton(
        thread.name,
        local,
        tuple(Location(n, build.TRUE, None, _origin(node, made, thread)) for node, n in places.items()),
        places[thread.graph.entry],
        build.TRUE,
        tuple(edges),
        thread.graph.steps[0].origin if thread.graph.steps else Origin(None),
    )
    # Nothing is claimed of a register before it is written, for the step that a claim speaks of reads it.
    own, at_first = names.names[thread.number].registers, registers(thread.graph).get(thread.graph.entry, frozenset())
    written_first = frozenset(own.values()) - {own[v] for v in at_first if v in own}
    known = _without_dead(bare, frozenset(v.var for v in local) - looked_at, first, written_first)
    if thread.identity is None:
        return known
    identity = names.names[thread.number].registers[thread.identity]
    others = tuple(v for v in known.variables if v.var != identity)
    init = build.land(
        *(c for c in build.conjuncts(known.init) if identity not in c.free), build.le(build.ONE, identity)
    )
    return replace(known, variables=(*others, Variable(identity, Kind.LOCAL)), init=init)


def _named(joint: Joint, places: Mapping[Node, str], ends: Collection[Node]) -> Edge:
    """The edge between named locations; one to an end of the thread says so."""
    label = joint.edge.label
    if label is None and joint.target in ends:
        label = Label(EXIT)
    return replace(joint.edge, source=places[joint.source], target=places[joint.target], label=label)


def _places(thread: Thread, made: list[Joint]) -> dict[Node, str]:
    """Names for the nodes that edges connect, after the lines of what comes next."""
    nodes = dict.fromkeys((thread.graph.entry, *(n for j in made for n in (j.source, j.target))))
    names, taken = dict[Node, str](), set[str]()
    order = sorted((n for n in nodes if n >= 0), key=lambda n: (n != thread.graph.entry, _line(n, made), n))
    for node in (*order, *sorted(n for n in nodes if n < 0)):
        if node < 0:
            name = "fail" if node == FAILED else "stopped"
        elif node == thread.graph.exit:
            name = "exit"
        else:
            name = f"L{_line(node, made)}"
        names[node] = unused(name, taken)
        taken.add(names[node])
    return names


def _line(node: Node, made: list[Joint]) -> int:
    spans = (j.edge.origin.span for j in made if j.source == node)
    return min((position(s.source, s.start).line for s in spans if s is not None), default=10**9)


def _origin(node: Node, made: list[Joint], thread: Thread) -> Origin:
    if node == STOPPED:
        return Origin(None, "stopped for ever")
    # What comes next, also where it waits for ever, or else what was last.
    leaving = (j.edge.origin for j in made if j.source == node)
    waiting = (s.origin for s in thread.graph.steps if s.source == node and s.origin.span is not None)
    entering = (j.edge.origin for j in made if j.target == node)
    return next(chain(waiting, leaving, entering), thread.graph.steps[0].origin)


def _without_dead(
    automaton: Automaton, local: frozenset[Var], first: Mapping[Var, Term], written_first: frozenset[Var]
) -> Automaton:
    """The automaton without assignments to locals that nothing reads, and without locals that are left over.

    What is `written_first` may begin with any value, and has one.
    """
    outside = frozenset(v for e in automaton.edges for v in _mentioned(e)) - local
    while True:
        alive = live(automaton, outside)
        edges = tuple(_kept(e, alive[e.target], local) for e in automaton.edges)
        if edges == automaton.edges:
            break
        automaton = replace(automaton, edges=edges)
    used = frozenset[Var]().union(*(alive[q.name] for q in automaton.locations))
    written = frozenset(v for e in edges for v, _ in e.updates)
    variables = tuple(v for v in automaton.variables if v.var in used | written)
    start = alive[automaton.initial]
    init = list[Term]()
    for v in variables:
        if v.var in first:
            init.append(build.eq(v.var, first[v.var]))
        elif v.var not in start or v.var in written_first:
            init.append(build.eq(v.var, _some(v)))
    return replace(automaton, variables=variables, init=build.land(*init))


def _kept(edge: Edge, alive: frozenset[Var], local: frozenset[Var]) -> Edge:
    updates = tuple((v, t) for v, t in edge.updates if v not in local or v in alive)
    read = edge.guard.free.union(*(t.free for _, t in updates), *(t.free for t in _values(edge)))
    choices = tuple(c for c in edge.choices if c.var in read)
    return narrowed(without_idle_choices(replace(edge, updates=updates, choices=choices)))


def _values(edge: Edge) -> tuple[Term, ...]:
    return () if edge.label is None else edge.label.values


def _without_constants(
    automata: list[Automaton], first: dict[Var, Term]
) -> tuple[list[Automaton], dict[Var, Term], dict[Var, Term]]:
    """The automata without shared variables that have one value from the start on, first values, and those values."""
    gone = dict[Var, Term]()
    while True:
        updates = [(v, t) for a in automata for e in a.edges for v, t in e.updates]
        fixed = {v: t for v, t in first.items() if isinstance(t, Int)}
        for v, t in updates:
            if v in fixed and t is not fixed[v] and t is not v:
                del fixed[v]
        used = frozenset(v for a in automata for e in a.edges for v in _mentioned(e))
        fixed = {v: t for v, t in fixed.items() if v in used}
        if not fixed:
            return automata, first, gone
        known: dict[Var, Term] = dict(fixed)
        gone |= known
        automata = [replace(a, edges=tuple(knowing(e, known) for e in a.edges if possible(e, known))) for a in automata]
        first = {v: t for v, t in first.items() if v not in fixed}


def program_with(
    automata: list[Automaton],
    first: Mapping[Var, Term],
    cells: Sequence[Variable],
    source: Source,
    claimed: frozenset[Var] = frozenset(),
) -> Program:
    """The program: variables that are read or `claimed`, their ranges and first values, the threads knowing them."""
    local = {v.var for a in automata for v in a.variables}
    mentioned = claimed.union(v for a in automata for e in a.edges for v in _mentioned(e))
    shared = tuple(v for v in cells if v.var in mentioned)
    ranges = build.land(*map(within, shared))
    init = build.land(ranges, *(build.eq(v.var, first[v.var]) for v in shared if v.var in first))
    threads = list[Automaton]()
    for automaton in automata:
        assert local.isdisjoint(v.var for v in shared)
        bounds = build.land(ranges, *map(within, automaton.variables))
        threads.append(
            replace(
                automaton,
                variables=(*shared, *automaton.variables),
                init=build.land(init, automaton.init, bounds),
                edges=tuple(replace(e, guard=build.land(e.guard, *map(within, e.choices))) for e in automaton.edges),
                locations=tuple(replace(q, inv=build.land(bounds, q.inv)) for q in automaton.locations),
            )
        )
    return Program(source, shared, (), (), init, tuple(threads), (), (), None)


def _mentioned(edge: Edge) -> frozenset[Var]:
    written = frozenset(v for v, _ in edge.updates)
    return edge.guard.free.union(written, *(t.free for _, t in edge.updates), *(t.free for t in _values(edge)))
