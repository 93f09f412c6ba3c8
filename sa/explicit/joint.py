"""Threads side by side on numbered states: each thread's own steps, without the composition that they have together.

A composition has as many locations as there are ways to stand in the threads; of these only the ones that runs come to
are made here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton, Edge, Kind, Location, composed, edges_from
from sa.explicit.instantiate import Row
from sa.explicit.live_variables import Kept, kept
from sa.explicit.machine import Machine, Steps, Stride, machine
from sa.terms.build import conjuncts, land
from sa.terms.compile import predicate
from sa.terms.sort import default_value
from sa.terms.term import Term, Var

#: Where each of the threads stands.
Places: TypeAlias = tuple[int, ...]


class Joint(Struct, eq=False):
    """Threads on concrete states. `places` and `rows` say what a state's number stands for.

    `demands` has, by thread and place, what the invariant there asks of others' steps.
    """

    threads: tuple[Automaton, ...]
    machines: tuple[Machine, ...]
    order: tuple[Var, ...]
    demands: tuple[tuple[Callable[[Row], bool] | None, ...], ...]
    places: list[Places] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    _numbers: dict[tuple[Places, Row], int] = field(default_factory=dict)
    _steps: dict[int, Steps] = field(default_factory=dict)
    _places_of: dict[int, int] = field(default_factory=dict)

    def number(self, places: Places, row: Row) -> int:
        """The number of a state."""
        key = places, row
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.rows)
            self.places.append(places)
            self.rows.append(row)
        return found

    def start(self, row: Row) -> int:
        """The number of the initial state with these values."""
        places = tuple(m.number_of[m.automaton.initial] for m in self.machines)
        matter = frozenset.intersection(*(m.kept[p] for m, p in zip(self.machines, places, strict=True)))
        looks = tuple(x if v in matter else default_value(v.sort) for v, x in zip(self.order, row, strict=True))
        return self.number(places, looks)

    def place(self, edge: Edge) -> int:
        """Which of the edges that leave a place of a thread it is."""
        if not self._places_of:
            for thread in self.threads:
                for edges in edges_from(thread).values():
                    self._places_of.update((id(e), k) for k, e in enumerate(edges))
        return self._places_of[id(edge)]

    def steps(self, state: int) -> Steps:
        """The steps from a state. Raises Unevaluable."""
        found = self._steps.get(state)
        if found is None:
            found = self._steps[state] = self._made(state)
        return found

    def _made(self, state: int) -> Steps:
        places, row = self.places[state], self.rows[state]
        strides, more = list[Stride](), set[str | None]()
        for thread, m in enumerate(self.machines):
            own = m.steps(m.number(places[thread], row))
            more |= own.open
            for stride in own.strides:
                there, after = m.places[stride.after], m.rows[stride.after]
                if self._others_allow(thread, places, after):
                    target = self.number((*places[:thread], there, *places[thread + 1 :]), after)
                    strides.append(Stride(stride.edge, stride.picked, stride.action, target, stride.cost))
        return Steps(tuple(strides), frozenset(more))

    def _others_allow(self, mover: int, places: Places, after: Row) -> bool:
        for thread, (asked, place) in enumerate(zip(self.demands, places, strict=True)):
            demand = asked[place]
            if thread != mover and demand is not None and not demand(after):
                return False
        return True


def joint(composition: Automaton, watched: frozenset[Var], pool: tuple[int, ...], few: int) -> Joint:
    """The threads of a composition, without any states yet. What is `watched` matters everywhere."""
    threads = apart(composition)
    own = [frozenset(v.var for v in t.variables if v.kind is Kind.LOCAL) for t in threads]
    matter = [kept(t, watched.union(*(q.inv.free for q in t.locations))) for t in threads]
    ever = frozenset[Var]().union(*(vs for by_place in matter for vs in by_place)).union(*own)
    known: list[Kept] = [
        tuple((ever - mine) | (mine & here) for here in by_place) for mine, by_place in zip(own, matter, strict=True)
    ]
    whole = (replace(t, variables=composition.variables) for t in threads)
    machines = tuple(machine(t, pool, what, few) for t, what in zip(whole, known, strict=True))
    order = tuple(v.var for v in composition.variables)
    return Joint(threads, machines, order, _demands(threads, order))


def apart(composition: Automaton) -> tuple[Automaton, ...]:
    """The threads of a composition, each with its own locals; who is not composed is a thread by itself.

    From each joint location a thread has its own edges in their own order, so those of one stand for all.
    """
    names = composed(composition)
    if len(names) == 1:
        return (replace(composition, edges=tuple(replace(e, thread=names[0]) for e in composition.edges)),)
    leaving, invariants = edges_from(composition), dict[tuple[int, str], frozenset[Term]]()
    standing: list[dict[str, Location]] = [{} for _ in names]
    for location in composition.locations:
        asked = frozenset(conjuncts(location.inv))
        for n, part in enumerate(location.parts):
            standing[n].setdefault(part, location)
            invariants[n, part] = invariants.get((n, part), asked) & asked
    return tuple(_thread(composition, n, name, standing[n], leaving, invariants) for n, name in enumerate(names))


def _thread(
    composition: Automaton,
    n: int,
    name: str,
    standing: Mapping[str, Location],
    leaving: Mapping[str, tuple[Edge, ...]],
    invariants: Mapping[tuple[int, str], frozenset[Term]],
) -> Automaton:
    parts = {q.name: q.parts[n] for q in composition.locations}
    edges = tuple(
        replace(e, source=part, target=parts[e.target])
        for part, location in standing.items()
        for e in leaving[location.name]
        if e.thread == name
    )
    touched = frozenset[Var]().union(*(_touched(e) for e in edges))
    locations = tuple(Location(part, land(*invariants[n, part]), None, q.origin) for part, q in standing.items())
    variables = tuple(v for v in composition.variables if v.kind is not Kind.LOCAL or v.var in touched)
    return Automaton(
        name, variables, locations, parts[composition.initial], composition.init, edges, composition.origin
    )


def _touched(edge: Edge) -> frozenset[Var]:
    shown = () if edge.label is None else edge.label.values
    return edge.guard.free.union(*(t.free | {v} for v, t in edge.updates), *(t.free for t in shown))


def _demands(
    threads: Sequence[Automaton], order: tuple[Var, ...]
) -> tuple[tuple[Callable[[Row], bool] | None, ...], ...]:
    """What invariants ask beyond what each location of each thread asks anyway: the others see to that themselves."""
    everywhere = frozenset.intersection(*(frozenset(conjuncts(q.inv)) for t in threads for q in t.locations))
    found = list[tuple[Callable[[Row], bool] | None, ...]]()
    for thread in threads:
        rests = (land(*(c for c in conjuncts(q.inv) if c not in everywhere)) for q in thread.locations)
        found.append(tuple(predicate(rest, order) if rest.free else None for rest in rests))
    return tuple(found)
