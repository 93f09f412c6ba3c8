"""Variables of blocks that are entered again while somebody may keep the address of an earlier round.

Each entry of a block makes new variables (C11 6.2.4p6), and a pointer to the old ones stays one to what has ended. So
such a variable becomes several objects, of which each lives once: up to a number of them, as for allocations; one more
is the failing step `ROUNDS`, which as all `BOUNDS` says something of the translation and not of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.automata.components import on_cycles
from sa.frontends.flow.access import Access, Running, looked_at, numbers_of
from sa.frontends.flow.chains import chain, temporary
from sa.frontends.flow.graph import Fail, Graph, Live, Load, Object, Op, Set, Step, Test, base, fresh, outgoing
from sa.frontends.flow.heap import ROUNDS
from sa.frontends.flow.layout import layout
from sa.frontends.flow.lifetimes import known_elsewhere, reached
from sa.frontends.flow.liveness import registers
from sa.frontends.flow.lives import Dead
from sa.frontends.flow.terms import over
from sa.frontends.flow.threads import Thread
from sa.frontends.flow.values import OTHER, Found, Values
from sa.terms import build
from sa.terms.term import Term, Var


class _Seen(Struct, frozen=True):
    """A first look at a program: its threads, values, what steps access by their identity, and who runs when."""

    threads: Sequence[Thread]
    found: Found
    of: Mapping[int, Access]
    running: Running


def with_instances(threads: Sequence[Thread], shared: Sequence[Object], codes: Sequence[str], most: int) -> None:
    """Divide variables of which earlier rounds may be pointed to, in place, into at most so many objects in loops."""
    known = known_elsewhere(threads)
    again = {t.number: _entered_again(t, known) for t in threads}
    if not any(again.values()):
        return
    objects = (*shared, *(o for t in threads for o in t.graph.objects.values()))
    found, of, running = looked_at(threads, layout(objects, codes))
    seen = _Seen(threads, found, of, running)
    # All are looked at before one is divided, since the look is at the steps of the graphs as they are.
    kept = [(t, name) for t in threads for name in sorted(again[t.number]) if _is_kept(name, t, seen)]
    for thread, name in kept:
        _divide(thread.graph, name, most)


def _entered_again(thread: Thread, names: set[str]) -> set[str]:
    """The variables that may begin again after they have ended."""
    begins = {s.source: s.op.name for s in thread.graph.steps if isinstance(s.op, Live) and s.op.name in names}
    found = set[str]()
    for step in thread.graph.steps:
        if isinstance(step.op, Dead) and step.op.name in names and step.op.name not in found:
            behind = reached(thread, [step.target], None)
            found |= {step.op.name} & {name for node, name in begins.items() if node in behind}
    return found


def _is_kept(name: str, thread: Thread, seen: _Seen) -> bool:
    """Whether the address of a variable may be known anywhere when it ends, to who goes on then."""
    found, first = seen.found, seen.found.layout.addresses[base(name)]
    ends = [s.target for s in thread.graph.steps if isinstance(s.op, Dead) and s.op.name == name]
    beside = frozenset[int]().union(*(seen.running.get(n, frozenset()) for n in reached(thread, ends, None)))
    others = [t for t in seen.threads if t is not thread and (thread.number != 1 or beside & numbers_of(t))]
    alive = registers(thread.graph)
    own = {v for node in ends for v in alive.get(node, frozenset())}
    values = [found.registers.get((thread.number, v), frozenset()) for v in own]
    values += [found.registers.get((t.number, v), frozenset()) for t in others for v in t.graph.registers]
    loads = [s for t in (thread, *others) for s in t.graph.steps if isinstance(s.op, Load)]
    cells = {c for s in loads for c in seen.of[id(s)].cells}
    # What a thread is given, it has in a register from its beginning on.
    given = {c for c in cells if found.layout.places[c].cell.key in ("argument", "result")}
    values += [found.cells[c] for c in cells - given if found.layout.homes[c][0] != first]
    return any(_leads_to(first, vs, found) for vs in values)


def _leads_to(first: int, values: Values, found: Found) -> bool:
    homes = found.layout.homes
    return any(v is not OTHER and v in homes and homes[v][0] == first for v in values)


def _divide(graph: Graph, name: str, most: int) -> None:
    """Make a variable several objects: which one is meant, a register says, and another one whether it has ended."""
    steps = outgoing(graph.steps)
    loops = on_cycles((graph.entry,), {n: [s.target for s in out] for n, out in steps.items()})
    begins = [s for s in graph.steps if isinstance(s.op, Live) and s.op.name == name]
    count = max(most, len(begins)) if any(s.source in loops for s in begins) else len(begins)
    template = graph.objects.pop(name)
    names = [f"{name}_{number}" for number in range(1, count + 1)]
    graph.objects.update({own: replace(template, name=own, told=template.told or name) for own in names})
    where = begins[0].origin
    here, ended, used = (temporary(graph, where) for _ in range(3))
    known: dict[Var, Term] = {base(name): here}
    made = list[Step]()
    for step in graph.steps:
        match step.op:
            case Live(own) if own == name:
                made += _begun(graph, step, names, here, ended, used)
            case Dead(own) if own == name:
                for each in names:
                    ops: list[Op] = [Test(build.eq(here, base(each))), Dead(each), Set(ended, build.ONE)]
                    made += chain(graph, step.source, ops, step.target, step.origin)
            case _:
                made.append(replace(step, op=over(step.op, known, lambda v: v)))
    before = fresh(graph)
    first: list[Op] = [Set(here, base(names[0])), Set(ended, build.ONE), Set(used, build.ZERO)]
    graph.steps = [*chain(graph, before, first, graph.entry, Origin(where.span)), *made]
    graph.entry = before


def _begun(graph: Graph, step: Step, names: Sequence[str], here: Var, ended: Var, used: Var) -> list[Step]:
    """The next object where the last one has ended; a declaration that is reached again in its block keeps its own."""
    anew, again = fresh(graph), fresh(graph)
    steps = [
        Step(step.source, Test(build.eq(ended, build.ONE)), anew, step.origin),
        Step(step.source, Test(build.ne(ended, build.ONE)), again, step.origin),
    ]
    for number, name in enumerate(names):
        ops: list[Op] = [
            Test(build.eq(used, build.integer(number))),
            Live(name),
            Set(here, base(name)),
            Set(ended, build.ZERO),
            Set(used, build.integer(number + 1)),
        ]
        steps += chain(graph, anew, ops, step.target, step.origin)
        steps += chain(graph, again, [Test(build.eq(here, base(name))), Live(name)], step.target, step.origin)
    over_all: list[Op] = [Test(build.le(build.integer(len(names)), used)), Fail(ROUNDS)]
    return steps + chain(graph, anew, over_all, fresh(graph), step.origin)
