"""One function as a thread among others that may do anything to what is shared, at any time.

Nothing is known of the others. So what the translation finds out, it finds out beside a thread that writes any value to
anything shared, again and again. The program has the thread of the function alone, and says nothing of an environment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Program
from sa.base.diagnostic import InputError, error
from sa.base.source import Source
from sa.frontends.flow.actions import Show
from sa.frontends.flow.claims import Asked
from sa.frontends.flow.graph import (
    ANY,
    Begin,
    End,
    Graph,
    Havoc,
    Load,
    Object,
    Op,
    Register,
    Step,
    Storage,
    Store,
    Unit,
    base,
    fresh,
)
from sa.frontends.flow.inline import inline
from sa.frontends.flow.naming import named
from sa.frontends.flow.observables import is_shared
from sa.frontends.flow.program import Analysed, analysed, automaton_of, first_values, program_with
from sa.frontends.flow.steps import joints
from sa.frontends.flow.threads import MAX_THREADS, Thread
from sa.terms import build
from sa.terms.term import Var

#: The numbers of the threads that stand for the others: no thread of a program has them. There are two, so that what
#: only others access is shared as well.
OTHERS = (MAX_THREADS + 1, MAX_THREADS + 2)


class _Open(Struct, frozen=True):
    """A function, and what is known of it beside others that do anything."""

    unit: Unit
    found: Analysed


def open_functions(units: Sequence[Unit], sources: Sequence[Source], reserved: frozenset[str]) -> tuple[Program, ...]:
    """The functions that units begin with, each as a program of one thread. Raises InputError.

    Shared variables have any values at the start; parameters are what the action `begins` shows. All programs have the
    variables that any of them uses: who writes one that nobody reads writes it.
    """
    opened = [_opened(unit) for unit in units]
    used = frozenset(name for each in opened for name in _used(each))
    return tuple(_program(each, source, reserved, used) for each, source in zip(opened, sources, strict=True))


def _opened(unit: Unit) -> _Open:
    unit = replace(unit, objects=tuple(map(_arbitrary, unit.objects)))
    others = tuple(Thread(f"others {number}", number, _anything(unit), always=True) for number in OTHERS)
    made = _Open(unit, analysed(unit, Asked(), beside=others, begun=_begun))
    if len(made.found.threads) != 1 + len(OTHERS):
        where = unit.procedures[unit.entry].origin.span
        hint = "compare the functions that the threads run"
        raise InputError((error("SA705", "a rely is inferred for a function that creates no threads", where, hint),))
    _refuse(made)
    return made


def _used(made: _Open) -> Iterator[str]:
    """The shared objects that a function accesses, by their names."""
    places = made.found.where.places
    for cell, users in made.found.known.users.items():
        if 1 in users and is_shared(places[cell].object):
            yield places[cell].object.name


def _program(made: _Open, source: Source, reserved: frozenset[str], used: frozenset[str]) -> Program:
    threads, where, known = made.found
    names = named(threads, where, known, reserved)
    first = first_values(names, where, known)
    joined = joints(threads[0], known, names.names[1], Asked())
    claimed = frozenset(v for cell, v in names.cells.items() if where.places[cell].object.name in used)
    automaton = automaton_of(threads[0], joined, names, first, made.unit.shows)
    return program_with([automaton], first, names.shared, source, claimed)


def _arbitrary(obj: Object) -> Object:
    """The object as a function finds it that is called some time."""
    if not is_shared(obj):
        return obj
    return replace(obj, cells=tuple(replace(c, initial=None) for c in obj.cells))


def _refuse(made: _Open) -> None:
    """Refuse what depends on others in ways that writes to shared variables do not tell. Raises InputError."""
    procedure, where = made.unit.procedures[made.unit.entry], made.found.where
    own = {*made.found.threads[0].graph.objects, *(o.name for o in made.unit.objects)}
    problem = None
    if any(r.words.pointers for r in procedure.registers if r.var in procedure.parameters):
        problem = "whose parameters and shared variables are no pointers"
    for cell, users in made.found.known.users.items():
        obj = where.places[cell].object
        if 1 not in users:
            continue
        if is_shared(obj) and where.places[cell].cell.words.pointers:
            problem = "whose parameters and shared variables are no pointers"
        elif obj.storage is Storage.THREAD:
            # Earlier calls have changed it.
            problem = "that reads no variables of its thread"
        elif not {obj.name, obj.life_of} & own:
            # Nothing is known of what only others change, and is no variable of the file.
            problem = "that uses nothing that the library keeps between threads"
    if problem is not None:
        hint = "write what each side does as a thread in `.sa`"
        raise InputError((error("SA705", f"a rely is inferred for a function {problem}", procedure.origin.span, hint),))


def _begun(unit: Unit, graph: Graph) -> None:
    """Have the environment choose the parameters, in the first step of a graph, which shows them."""
    _, parameters, _ = inline(unit, unit.entry, unit.entry)
    if not parameters:
        return
    origin = replace(unit.procedures[unit.entry].origin, text="the function begins")
    before, graph.entry = graph.entry, fresh(graph)
    here = graph.entry
    chosen: tuple[Op, ...] = tuple(Havoc(p, graph.registers[p].range) for p in parameters)
    for op in (Begin(), *chosen, Show("begins", tuple(parameters))):
        after = fresh(graph)
        graph.steps.append(Step(here, op, after, origin))
        here = after
    graph.steps.append(Step(here, End(), before, origin))


def _anything(unit: Unit) -> Graph:
    """Any value to any cell of what is shared, again and again; each is read, too."""
    graph = Graph()
    graph.entry, graph.exit = fresh(graph), fresh(graph)

    def register(obj: Object) -> Var:
        var = build.variable(f"__any{len(graph.registers)}")
        graph.registers[var] = Register(var, ANY, obj.origin, temporary=True)
        return var

    for obj in (o for o in unit.objects if is_shared(o) and o.storage is Storage.STATIC):
        for number, cell in enumerate(obj.cells):
            before, change, one, two = register(obj), register(obj), fresh(graph), fresh(graph)
            place = build.add(base(obj.name), build.integer(number))
            graph.steps += (
                Step(graph.entry, Load(before, place, cell.key, "pointer"), one, obj.origin),
                Step(one, Havoc(change, ANY), two, obj.origin),
                Step(two, Store(place, build.add(before, change), cell.key, "pointer"), graph.entry, obj.origin),
            )
    return graph
