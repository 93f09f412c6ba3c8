"""Steps that a fair run does not take for ever, since another thread can step whenever one of them is taken.

Where counted loops are excluded, what is left waits: a thread polls what another one is to write, or tries again to
take a lock. At last each of the others passes some of its locations for ever, or rests at one, where it can take no
step again and again. So what is asked is that certain states are never reached: those in which the thread goes on, and
all the others are at such spots (justice, thread by thread; which one helps may be another one in each state).
"""

from __future__ import annotations

from collections.abc import Iterator

from sa.automata.standstill import possible
from sa.certificates.ends import Condition, Spot, bad_of
from sa.certificates.run import Bad
from sa.ranking.left import Search, Thread
from sa.ranking.points import Step
from sa.terms.build import FALSE, TRUE, conjoined, conjuncts, land, lnot, lor, variable
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term


def spots_beside(search: Search, number: int) -> tuple[Spot, ...]:
    """What seems to hold at last where the other threads are."""
    return tuple(s for n in range(len(search.threads)) if n != number for s in _spots(search, n))


def never(search: Search, number: int, step: Step, spots: tuple[Spot, ...]) -> Bad:
    """That the step is taken while each other thread is at one of the spots, as something bad."""
    thread = search.threads[number]
    place = thread.graph.points[step.passage[0]].places[0]
    automaton = thread.graph.separate[number]
    beside = lnot(land(*(_somewhere(search, n, spots) for n in range(len(search.threads)) if n != number)))
    choices = tuple(c.var for c in automaton.edges[step.passage[2]].choices)
    return bad_of(Condition(((automaton.name, place),), known_before(thread, step), choices, beside))


def known_before(thread: Thread, step: Step) -> tuple[Term, ...]:
    """What holds at last when a step is taken."""
    place = step.passage[0]
    return conjoined((*thread.graph.known[place], *thread.settled.get(place, ()), *step.premise))


def _somewhere(search: Search, number: int, spots: tuple[Spot, ...]) -> Term:
    """Where a thread is at last."""
    thread, found = search.threads[number], list[Term]()
    passed = {s.passage[0] for s in thread.steps}
    automaton = thread.graph.separate[number]
    for place, location in enumerate(automaton.locations):
        said = [s for s in spots if (s.thread, s.location) == (number, place)]
        ways = [land(*(s.formula for s in said if not s.passes))] if _can_step(thread, place) is not TRUE else []
        if place in passed:
            ways.append(land(*thread.settled.get(place, ()), *(s.formula for s in said if s.passes)))
        at = variable(at_place(automaton.name, location.name), BOOL)
        found += (land(at, w) for w in ways if w is not FALSE)
    return lor(*found)


def _can_step(thread: Thread, place: int) -> Term:
    automaton = thread.graph.separate[thread.graph.threads[0]]
    return possible(e for e in automaton.edges if e.source == automaton.locations[place].name)


def _spots(search: Search, number: int) -> Iterator[Spot]:
    thread = search.threads[number]
    for place in range(len(thread.graph.points)):
        blocked = lnot(_can_step(thread, place))
        if blocked not in (FALSE, TRUE):
            if search.session.implied(FALSE, (*thread.graph.known[place], blocked)):
                yield Spot(number, place, False, FALSE, True)
            else:
                yield from _resting(search, thread, place, blocked)
        steps = [s for s in thread.steps if s.passage[0] == place]
        if steps:
            yield from _passing(search, thread, place, steps)


def _resting(search: Search, thread: Thread, place: int, blocked: Term) -> Iterator[Spot]:
    number = thread.graph.threads[0]
    for formula in conjuncts(blocked):
        if formula.free <= search.variables:
            if _is_kept(search, thread, place, formula, ()):
                yield Spot(number, place, False, formula, True)
            elif _is_kept(search, thread, place, lnot(formula), ()):
                yield Spot(number, place, False, formula, False)


def _passing(search: Search, thread: Thread, place: int, steps: list[Step]) -> Iterator[Spot]:
    """What a step from here needs, if it cannot become true while the thread waits."""
    known = frozenset(thread.graph.known[place])
    needed = [[f for f in s.premise if f not in known and f.free <= search.variables] for s in steps]
    for formula in needed[0] if len(steps) == 1 else conjuncts(lor(*(land(*n) for n in needed))):
        if formula is not TRUE and _is_kept(search, thread, place, lnot(formula), tuple(thread.settled.get(place, ()))):
            yield Spot(thread.graph.threads[0], place, True, formula, False)


def _is_kept(search: Search, thread: Thread, place: int, formula: Term, settled: tuple[Term, ...]) -> bool:
    """Whether no step of others that is left seems to make a formula false while the thread is here."""
    here = (*thread.graph.known[place], *thread.guessed[place], *settled, formula)
    return all(
        search.session.implied(substitute(formula, s.updates), (*here, *other.known(s.passage[0]), *s.premise))
        for other, s in search.others(thread.graph.threads[0])
        if not formula.free.isdisjoint(s.updates) and search.may_meet(thread, place, other, s.passage[0])
    )
