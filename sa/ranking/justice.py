"""Steps that a fair run does not take for ever, since another thread can step whenever one of them is taken.

Where counted loops are excluded, what is left waits: a thread polls what another one is to write, or tries again to
take a lock. At last each of the others passes some of its locations for ever, or rests at one, where it can take no
step again and again. So what is asked is that certain states are never reached: those in which the thread goes on, and
all the others are at such spots (justice, thread by thread; which one helps may be another one in each state).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sa.automata.program import Ends
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

#: So many formulas are said of a location that a thread passes.
_FORMULAS = 12


def spots_everywhere(search: Search) -> tuple[Spot, ...]:
    """What seems to hold at last where threads are."""
    return tuple(s for n in range(len(search.threads)) for s in _spots(search, n))


def spots_beside(search: Search, number: int) -> tuple[Spot, ...]:
    """What seems to hold at last where the other threads are."""
    return tuple(s for n in range(len(search.threads)) if n != number for s in _spots(search, n))


def never(search: Search, number: int, step: Step) -> Bad:
    """That the step is taken, as something bad."""
    return _taken(search, number, step, FALSE)


def never_beside(search: Search, number: int, step: Step, spots: tuple[Spot, ...]) -> Bad:
    """That the step is taken while each other thread is at one of the spots, as something bad."""
    elsewhere = (n for n in range(len(search.threads)) if n != number)
    return _taken(search, number, step, lnot(land(*(_somewhere(search, n, spots) for n in elsewhere))))


def _taken(search: Search, number: int, step: Step, conclusion: Term) -> Bad:
    thread = search.threads[number]
    place = thread.graph.points[step.passage[0]].places[0]
    automaton = thread.graph.separate[number]
    choices = tuple(c.var for c in automaton.edges[step.passage[2]].choices)
    return bad_of(Condition(((automaton.name, place),), known_before(thread, step), choices, conclusion))


def unanswered(search: Search, kept: Term, opened: Term, spots: tuple[Spot, ...]) -> Bad:
    """That all threads are at spots while the claim is open, as something bad."""
    somewhere = (_somewhere(search, n, spots) for n in range(len(search.threads)))
    return bad_of(Condition((), conjoined((kept, opened)), (), lnot(land(*somewhere))))


def kept_while_open(search: Search, ends: Ends) -> Term:
    """What holds where the claim begins to be open, and as long as it stays so: parts of what it begins with."""
    kept = [f for f in conjuncts(ends.since) if f.free <= search.variables]
    steps = [s for t in search.threads for s in t.graph.steps]
    while lost := [f for f in kept if not all(_keeps(search, f, kept, s) for s in steps)]:
        kept = [f for f in kept if f not in lost]
    return land(*kept)


def _keeps(search: Search, formula: Term, known: Sequence[Term], step: Step) -> bool:
    if formula.free.isdisjoint(step.updates):
        return True
    return search.session.implied(substitute(formula, step.updates), (*known, *step.premise))


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
    yield from _passing(search, thread)


def _resting(search: Search, thread: Thread, place: int, blocked: Term) -> Iterator[Spot]:
    number = thread.graph.threads[0]
    for formula in conjuncts(blocked):
        if formula.free <= search.variables:
            if _is_kept(search, thread, place, formula, ()):
                yield Spot(number, place, False, formula, True)
            elif _is_kept(search, thread, place, lnot(formula), ()):
                yield Spot(number, place, False, formula, False)


def _passing(search: Search, thread: Thread) -> Iterator[Spot]:
    """What steps need, if it cannot become true while the thread waits: to be taken, or for what comes after them."""
    number, leaving, found = thread.graph.threads[0], dict[int, list[Step]](), dict[int, list[Term]]()
    for step in thread.steps:
        leaving.setdefault(step.passage[0], []).append(step)
    pending = list(leaving)
    while pending:
        place = pending.pop(0)
        here = found.setdefault(place, [])
        count = len(here)
        for formula in _needed(search, thread, leaving[place], found):
            if (
                len(here) < _FORMULAS
                and formula not in here
                and _is_passed(search, thread, formula, leaving[place], found)
            ):
                here.append(formula)
                yield Spot(number, place, True, formula, False)
        if len(here) > count:
            pending += [
                q for q, steps in leaving.items() if q not in pending and place in (s.passage[3] for s in steps)
            ]


def _needed(
    search: Search, thread: Thread, steps: Sequence[Step], found: Mapping[int, Sequence[Term]]
) -> Iterator[Term]:
    """What one of the steps from a location asks of the state before it."""
    for step in steps:
        known = frozenset((*thread.graph.known[step.passage[0]], *thread.settled.get(step.passage[0], ())))
        later = (substitute(f, step.updates) for f in found.get(step.passage[3], ()))
        for formula in conjoined((*step.premise, *later)):
            if formula not in known and formula.free <= search.variables:
                yield formula


def _is_passed(
    search: Search, thread: Thread, formula: Term, steps: Sequence[Step], found: Mapping[int, Sequence[Term]]
) -> bool:
    """Whether all steps from a location ask for a formula, and others cannot make it true before."""
    place = steps[0].passage[0]
    settled = tuple(thread.settled.get(place, ()))
    for step in steps:
        later = (substitute(f, step.updates) for f in found.get(step.passage[3], ()))
        known = (*thread.graph.known[place], *settled, *step.premise, *later)
        if formula not in known and not search.session.implied(formula, known):
            return False
    return _is_kept(search, thread, place, lnot(formula), settled)


def _is_kept(search: Search, thread: Thread, place: int, formula: Term, settled: tuple[Term, ...]) -> bool:
    """Whether no step of others that is left seems to make a formula false while the thread is here."""
    here = (*thread.graph.known[place], *thread.guessed[place], *settled, formula)
    return all(
        search.session.implied(substitute(formula, s.updates), (*here, *other.known(s.passage[0]), *s.premise))
        for other, s in search.others(thread.graph.threads[0])
        if not formula.free.isdisjoint(s.updates) and search.may_meet(thread, place, other, s.passage[0])
    )
