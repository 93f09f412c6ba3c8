"""The fixed point over all threads (Algorithm 1): states at each location, and what each thread does to the others.

Values only grow. A location's value is widened at the heads of loops and wherever the environment makes it grow; after
many changes, wherever it comes from: so every chain is one of widenings in the end.

Of a family of threads that rotate into each other one is looked at; what the others do to it is what it does itself,
turned (`symmetry`). A thread that stands for any number of copies disturbs itself: what one copy does to the shared
variables, another one does as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Generic, TypeAlias

from sa.automata.automaton import Automaton, Edge, Kind, edges_from, variables_of
from sa.automata.ranges import within
from sa.base.limits import Limits, spend
from sa.domains.lattice import Domain, V
from sa.domains.thresholds import Thresholds, thresholds_of
from sa.generation.effect import Effect, Shape, effect_of, joined, shape_of, step, taking
from sa.generation.order import Order, order_of
from sa.generation.parts import Parts, disturbed, is_kept
from sa.generation.symmetry import turns
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var

#: Changes of one location after which every change is widened, whatever makes it.
STEADY = 60

#: Rounds that make values smaller again.
NARROWINGS = 2

#: An edge with its place in its thread, and what it does to shared variables.
_Step: TypeAlias = tuple[int, Edge, Shape | None]


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread as the fixed point sees it."""

    automaton: Automaton
    order: Order
    outgoing: Mapping[str, Sequence[_Step]]
    private: tuple[Var, ...]
    written: Mapping[str, Term]


def thread_of(automaton: Automaton) -> Thread:
    """A thread, its locals named apart from those of others."""
    places = {id(e): i for i, e in enumerate(automaton.edges)}
    order = order_of(automaton)
    outgoing = {
        name: tuple((places[id(e)], e, shape_of(automaton, e, places[id(e)])) for e in edges)
        for name, edges in edges_from(automaton).items()
    }
    written = {q.name: q.inv for q in automaton.locations}
    return Thread(automaton, order, outgoing, variables_of(automaton, Kind.LOCAL), written)


#: Units of a part of a value: a node of a diagram, or what comes of two nodes.
A_PART = 10


@dataclass(slots=True)
class Reach(Generic[V]):
    """The state of the iteration: values by thread and location, effects by thread and shape.

    `hidden` are the locals of all threads. Of a family `threads` is its first member, `turns` what becomes of variables
    on the way to the others, `turned` what these do, by place, and `fresh` what is still to be turned. Threads that are
    `copied` are known by their places.
    """

    domain: Domain[V]
    threads: tuple[Thread, ...]
    thresholds: Thresholds
    bounds: Limits
    hidden: frozenset[Var]
    turns: tuple[Mapping[Var, Var], ...]
    copied: frozenset[int]
    values: list[dict[str, V]] = field(init=False)
    effects: list[dict[Shape, Effect[V]]] = field(init=False)
    changes: list[dict[str, int]] = field(init=False)
    waiting: list[list[tuple[int, str]]] = field(init=False)
    queued: list[set[str]] = field(init=False)
    loosened: list[set[Var]] = field(init=False)
    turned: dict[tuple[int, Shape], Effect[V]] = field(default_factory=dict)
    fresh: set[Shape] = field(default_factory=set)
    #: The parts of values that were made when work was counted last.
    made: int = 0
    parts: Parts[V] = field(init=False)

    def __post_init__(self) -> None:
        self.parts = Parts(self.domain)
        self.values = [{q.name: self.domain.bottom() for q in t.automaton.locations} for t in self.threads]
        self.effects = [{} for _ in self.threads]
        self.changes = [dict.fromkeys(values, 0) for values in self.values]
        self.waiting = [[] for _ in self.threads]
        self.queued = [set() for _ in self.threads]
        self.loosened = [set() for _ in self.threads]


def reach(
    domain: Domain[V],
    automata: tuple[Automaton, ...],
    init: Term,
    bounds: Limits,
    names: Mapping[Var, Var] | None = None,
    copied: frozenset[str] = frozenset(),
) -> Reach[V]:
    """Values that contain every state that the threads can reach together from `init`. Raises LimitReached.

    The automata's locals have different names, `init` is over all of their variables. `names` is the rotation of a
    family (`symmetry.rotation`). Of each automaton whose name is among the `copied` there is any number.
    """
    looked = automata if names is None else automata[:1]
    every = dict.fromkeys(v for a in automata for v in a.variables)
    onward = () if names is None else turns(names, len(automata))
    seen = tuple(thread_of(a) for a in looked)
    edges = [e for a in automata for e in a.edges]
    formulas = [init, *(q.inv for a in automata for q in a.locations), *(e.guard for e in edges)]
    formulas += [within(c) for e in edges for c in e.choices]
    thresholds = thresholds_of(formulas, (u for e in edges for u in e.updates))
    hidden = frozenset(v.var for v in every if v.kind is Kind.LOCAL)
    several = frozenset(n for n, a in enumerate(automata) if a.name in copied)
    run = Reach(domain, seen, thresholds, bounds, hidden, onward, several)
    start = domain.of_formula(init)
    for index in range(len(looked)):
        name, value = _first(run, index, start)
        _grow(run, index, name, value, False)
    _settle(run)
    _sharpen(run, start)
    return run


def _first(run: Reach[V], index: int, start: V) -> tuple[str, V]:
    """The initial location of a thread and its states there."""
    thread = run.threads[index]
    name = thread.automaton.initial
    others = run.hidden.difference(thread.private)
    return name, run.domain.guard(run.domain.forget(start, others), thread.written[name])


def _spend(run: Reach[V], units: float) -> None:
    """Count work, and the parts of values that were made since the last time. Raises LimitReached."""
    made = run.domain.made()
    new, run.made = max(0, made - run.made), made
    spend(run.bounds, units + A_PART * new)


def _settle(run: Reach[V]) -> None:
    """Work until nothing changes, one thread after the other."""
    while any(run.waiting):
        for index, waiting in enumerate(run.waiting):
            while waiting:
                _spend(run, 500)
                _, name = heappop(waiting)
                run.queued[index].discard(name)
                _process(run, index, name)
        _pass_on(run)


def _enqueue(run: Reach[V], index: int, name: str) -> None:
    if name not in run.queued[index]:
        run.queued[index].add(name)
        heappush(run.waiting[index], (run.threads[index].order.position[name], name))


def _process(run: Reach[V], index: int, name: str) -> None:
    _absorb(run, index, name)
    thread, value = run.threads[index], run.values[index][name]
    for _, edge, shape in thread.outgoing[name]:
        _spend(run, 400)
        after = step(run.domain, edge, thread.written[edge.target], value)
        if run.domain.is_bottom(after):
            continue
        if shape is not None:
            taken = taking(run.domain, edge, value)
            _publish(run, index, effect_of(run.domain, edge, shape, thread.private, taken, after))
        after = run.domain.forget(after, (c.var for c in edge.choices))
        _grow(run, index, edge.target, after, edge.target in thread.order.heads)


def _absorb(run: Reach[V], index: int, name: str) -> None:
    """What the other threads can make of a location's value, until they make nothing new of it."""
    grown = True
    while grown:
        grown = False
        for effect in _others(run, index):
            if is_kept(run.parts, effect, run.values[index][name]):
                continue
            _spend(run, 350)
            moved = disturbed(run.parts, effect, run.values[index][name])
            moved = run.domain.guard(moved, run.threads[index].written[name])
            grown = _grow(run, index, name, moved, True) or grown


def _others(run: Reach[V], index: int) -> Iterator[Effect[V]]:
    yield from run.turned.values()
    for other, effects in enumerate(run.effects):
        if other != index or index in run.copied:
            yield from effects.values()


def _grow(run: Reach[V], index: int, name: str, more: V, widened: bool) -> bool:
    """Add states to a location's value; whether there were any new ones."""
    old = run.values[index][name]
    if run.domain.leq(more, old):
        return False
    count = run.changes[index][name] = run.changes[index][name] + 1
    if widened or count > STEADY:
        new = run.domain.widen(old, more, run.thresholds, count)
        exact = run.domain.join(old, more)
        if new != exact:
            run.loosened[index].update(_unbounded(run.domain, new) - _unbounded(run.domain, exact))
    else:
        new = run.domain.join(old, more)
    run.values[index][name] = new
    _enqueue(run, index, name)
    return True


def _unbounded(domain: Domain[V], value: V) -> set[Var]:
    """The variables of which a value gives no lower or no upper bound."""
    return {v for v, ends in (domain.hull(value) or {}).items() if None in ends}


def loosened(run: Reach[V], index: int) -> tuple[Var, ...]:
    """The variables of which widening has lost a bound in some location of a thread, and narrowing has not found it."""
    still = set[Var]().union(*(_unbounded(run.domain, value) for value in run.values[index].values()))
    return tuple(sorted(run.loosened[index] & still, key=lambda v: v.key))


def _publish(run: Reach[V], index: int, effect: Effect[V]) -> None:
    """Add to what a thread does to the others, who have to look at it where it is new."""
    known = run.effects[index].get(effect.shape)
    if known is not None:
        effect = joined(run.domain, known, effect)
        if effect == known:
            return
    run.effects[index][effect.shape] = effect
    run.fresh.add(effect.shape)
    for other, values in enumerate(run.values):
        if other != index or index in run.copied:
            for name, value in values.items():
                if not is_kept(run.parts, effect, value, plainly=True):
                    _enqueue(run, other, name)


def _pass_on(run: Reach[V]) -> None:
    """In a family: what the first member does is what all others do, turned; it looks at what is new of that."""
    for place, names in enumerate(run.turns):
        for shape in run.fresh:
            effect = run.turned[place, shape] = _turned(run.domain, run.effects[0][shape], names)
            for name, value in run.values[0].items():
                if not is_kept(run.parts, effect, value, plainly=True):
                    _enqueue(run, 0, name)
    run.fresh.clear()


def _turned(domain: Domain[V], effect: Effect[V], names: Mapping[Var, Var]) -> Effect[V]:
    shape = effect.shape
    updates = tuple((names.get(v, v), substitute(t, names)) for v, t in shape.updates)
    loose = tuple(names.get(v, v) for v in shape.loose)
    moved = Shape(substitute(shape.test, names), updates, loose, shape.apart)
    return Effect(moved, domain.rename(effect.before, names), domain.rename(effect.after, names))


def _sharpen(run: Reach[V], start: V) -> None:
    """A few steps down, kept only where the result is closed under all steps again."""
    for round_ in range(NARROWINGS):
        kept = ([dict(v) for v in run.values], [dict(e) for e in run.effects], dict(run.turned))
        smaller = _images(run, start)
        narrowed = [
            {name: run.domain.narrow(old, smaller[i][name], round_) for name, old in values.items()}
            for i, values in enumerate(run.values)
        ]
        if narrowed == run.values:
            return
        run.values = narrowed
        run.effects = [{} for _ in run.threads]
        for index in range(len(run.threads)):
            for name in run.values[index]:
                _spend(run, 50)
                _effects_at(run, index, name)
        run.turned = {
            (place, shape): _turned(run.domain, effect, names)
            for place, names in enumerate(run.turns)
            for shape, effect in run.effects[0].items()
        }
        again = _images(run, start)
        if not all(run.domain.leq(again[i][n], v) for i, values in enumerate(run.values) for n, v in values.items()):
            run.values, run.effects, run.turned = kept
            return


def _effects_at(run: Reach[V], index: int, name: str) -> None:
    for _, effect in _effects_from(run, index, name):
        known = run.effects[index].get(effect.shape)
        run.effects[index][effect.shape] = effect if known is None else joined(run.domain, known, effect)


def effects_of(run: Reach[V], index: int) -> Iterator[tuple[int, Effect[V]]]:
    """What a thread's edges do to the shared variables, with their numbers; those that never happen are left out."""
    for name in run.values[index]:
        yield from _effects_from(run, index, name)


def _effects_from(run: Reach[V], index: int, name: str) -> Iterator[tuple[int, Effect[V]]]:
    domain, thread, value = run.domain, run.threads[index], run.values[index][name]
    for number, edge, shape in thread.outgoing[name]:
        if shape is None:
            continue
        after = step(domain, edge, thread.written[edge.target], value)
        if not domain.is_bottom(after):
            yield number, effect_of(domain, edge, shape, thread.private, taking(domain, edge, value), after)


def _images(run: Reach[V], start: V) -> list[dict[str, V]]:
    """For each location all states that a start or one step from the present values leads to."""
    domain, found = run.domain, list[dict[str, V]]()
    for index, thread in enumerate(run.threads):
        values = run.values[index]
        images = dict.fromkeys(values, domain.bottom())
        first, begun = _first(run, index, start)
        images[first] = begun
        for name, value in values.items():
            _spend(run, 225)
            for _, edge, _ in thread.outgoing[name]:
                after = step(domain, edge, thread.written[edge.target], value)
                after = domain.forget(after, (c.var for c in edge.choices))
                images[edge.target] = domain.join(images[edge.target], after)
            for effect in (e for e in _others(run, index) if not is_kept(run.parts, e, value)):
                after = domain.guard(disturbed(run.parts, effect, value), thread.written[name])
                images[name] = domain.join(images[name], after)
        found.append(images)
    return found
