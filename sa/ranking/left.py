"""Steps that a run may take for ever, thread by thread, and what seems to hold at last where they are taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.components import components
from sa.certificates.ends import Settled
from sa.ranking.points import Graph, Step, leading
from sa.smt.session import Session
from sa.terms.build import TRUE, ZERO, conjoined, land, le, lnot, lt
from sa.terms.substitute import substitute
from sa.terms.term import Term, Var
from sa.transform.facts import Facts


class Thread(Struct):
    """A thread's graph, the steps that are left, what settles by location, and what is guessed of it."""

    graph: Graph
    steps: tuple[Step, ...]
    guessed: tuple[tuple[Term, ...], ...]
    settled: dict[int, list[Term]] = field(default_factory=dict)
    order: list[tuple[int, Term]] = field(default_factory=list)

    def known(self, place: int) -> tuple[Term, ...]:
        """What seems to hold at a location at last."""
        return (*self.graph.known[place], *self.guessed[place], *self.settled.get(place, ()))


class Search(Struct):
    """The threads, and what a formula or a rank may speak of."""

    threads: tuple[Thread, ...]
    variables: frozenset[Var]
    facts: Facts | None
    session: Session

    def others(self, number: int) -> Iterator[tuple[Thread, Step]]:
        """The steps of other threads that are left."""
        return ((t, s) for n, t in enumerate(self.threads) if n != number for s in t.steps)

    def may_meet(self, thread: Thread, place: int, other: Thread, there: int) -> bool:
        """Whether two threads seem to be at these locations at the same time."""
        if self.facts is None:
            return True
        spots = ((t.graph.threads[0], t.graph.points[q].places[0]) for t, q in ((thread, place), (other, there)))
        return self.facts.meet(*spots)


def disturbed(thread: Thread, place: int, other: Thread, step: Step) -> tuple[Term, ...]:
    """What holds where another thread takes a step while this one is at a location."""
    return (*thread.known(place), *other.known(step.passage[0]), *step.premise)


def not_lowering(step: Step, ranks: Mapping[int, Term]) -> Step:
    """The step as it may be taken for ever when nobody raises the rank: where it does not lower it, from 0 or more."""
    first, _, _, second = step.passage
    if first not in ranks or second not in ranks:
        return step
    before, after = ranks[first], substitute(ranks[second], step.updates)
    kept = lnot(land(le(ZERO, before), lt(after, before)))
    return step if kept is TRUE else replace(step, premise=conjoined((*step.premise, kept)))


def on_cycles(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps on cycles of locations."""
    number = {place: n for n, c in enumerate(components_of(steps)) for place in c}
    return (s for s in steps if number[s.passage[0]] == number[s.passage[3]])


def components_of(steps: Sequence[Step]) -> list[tuple[int, ...]]:
    """The strongly connected components of locations."""
    return components(leading(steps), leading(steps))


def within(thread: Thread, component: Sequence[int]) -> list[Step]:
    """The steps of a component."""
    return [s for s in thread.steps if s.passage[0] in component]


def exclude(thread: Thread, component: Sequence[int], strict: Set[int]) -> None:
    """Steps, by their edges, are not left any more."""
    left = (s for s in thread.steps if s.passage[0] not in component or s.passage[2] not in strict)
    thread.steps = tuple(on_cycles(list(left)))


def settled_in(thread: Thread) -> Iterator[Settled]:
    """What settles of a thread, and is not yet said."""
    for component in components_of(thread.steps):
        formulas = tuple((q, f) for q, f in thread.order if q in component)
        if formulas:
            yield Settled(thread.graph.threads[0], component, formulas)
    thread.order = []
