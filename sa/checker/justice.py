"""Checks that a fair run does not take certain steps for ever, thread by thread.

Suppose that it does. At last, each other thread passes some of its locations for ever, by steps that are left, or rests
at one of them, where it cannot step infinitely often. What the evidence says of these spots holds at last, since steps
that are left keep it so. If all that excludes the step, the run takes it only finitely often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sa.automata.automaton import Edge
from sa.automata.standstill import possible
from sa.certificates.ends import Spot, Unanswered, Unjust
from sa.checker.control_points import Question, Wrong, is_open, require, require_everywhere
from sa.checker.left import Thread, others, require_kept
from sa.checker.ruling import Rejected
from sa.terms.build import FALSE, TRUE, land, lnot, lor, variable
from sa.terms.name import at_place
from sa.terms.sort import BOOL
from sa.terms.substitute import substitute
from sa.terms.term import Term, sort_of


def check_unjust(question: Question, threads: Sequence[Thread], made: Unjust) -> None:
    """Whenever one of the steps is taken, some other thread is at no spot. Raises Wrong and LimitReached."""
    if not question.ends.fair:
        raise Wrong(Rejected("justice", "the claim does not assume fairness"))
    for number, spot in enumerate(made.spots):
        _checked(question, threads, spot, made.spots[:number])
    elsewhere = (n for n in range(len(threads)) if n != made.thread)
    beside = lnot(land(*(lor(*_spots(question, threads, n, made.spots)) for n in elsewhere)))
    own = threads[made.thread]
    for step in own.left:
        first = step.passage[0]
        if first in made.locations and step.passage[2] in made.strict:
            require(question, own.graph, first, (*own.known(first), *step.premise), step.choices, beside)


def check_unanswered(question: Question, threads: Sequence[Thread], made: Unanswered) -> None:
    """While the claim is open, not all threads are at spots. Raises Wrong and LimitReached.

    A run that stands still at its end has all threads at rest there.
    """
    if not question.ends.fair:
        raise Wrong(Rejected("justice", "the claim does not assume fairness"))
    if not made.kept.free <= question.numbers or sort_of(made.kept) != BOOL:
        raise Wrong(Rejected("what is kept", "it is no formula over variables of the program"))
    opened = is_open(question)
    require_everywhere(question, (question.ends.since, opened), made.kept)
    for thread in threads:
        for step in thread.graph.taken:
            if not made.kept.free.isdisjoint(step.updates):
                after = substitute(made.kept, step.updates)
                require(question, thread.graph, step.passage[0], (*step.premise, made.kept), step.choices, after)
    for number, spot in enumerate(made.spots):
        _checked(question, threads, spot, made.spots[:number])
    somewhere = (lor(*_spots(question, threads, n, made.spots)) for n in range(len(threads)))
    require_everywhere(question, (made.kept, opened), lnot(land(*somewhere)))


def _spots(question: Question, threads: Sequence[Thread], number: int, spots: Sequence[Spot]) -> Iterator[Term]:
    """Where a thread is at last, location by location, for the checker's own reasons and with what spots say."""
    thread, automaton = threads[number], question.separate[number]
    passed = {s.passage[0] for s in thread.left}
    for place, location in enumerate(automaton.locations):
        said = [s for s in spots if (s.thread, s.location) == (number, place)]
        rests = land(*(s.formula for s in said if not s.passes))
        ways = [rests] if possible(_leaving(question, number, place)) is not TRUE else []
        if place in passed:
            ways.append(land(*thread.settled.get(place, ()), *(s.formula for s in said if s.passes)))
        at = variable(at_place(automaton.name, location.name), BOOL)
        yield from (land(at, w) for w in ways if w is not FALSE)


def _checked(question: Question, threads: Sequence[Thread], spot: Spot, earlier: Sequence[Spot]) -> None:
    fault = None
    if spot.thread not in range(len(threads)) or spot.location not in range(len(threads[spot.thread].graph.known)):
        fault = "there is no such location"
    elif not spot.formula.free <= question.numbers or sort_of(spot.formula) != BOOL:
        fault = "it is no formula over variables of the program"
    elif spot.passes and spot.keep:
        fault = "that it was not so before it is needed is not said"
    if fault is not None:
        raise Wrong(Rejected("spot", fault))
    own, place = threads[spot.thread], spot.location
    known = own.known(place) if spot.passes else own.graph.known[place]
    if spot.passes:
        for step in (s for s in own.left if s.passage[0] == place):
            then = (e for e in earlier if e.passes and (e.thread, e.location) == (spot.thread, step.passage[3]))
            after = (substitute(e.formula, step.updates) for e in then)
            require(question, own.graph, place, (*known, *step.premise, *after), step.choices, spot.formula)
    else:
        still = lnot(possible(_leaving(question, spot.thread, place)))
        require(question, own.graph, place, (*known, still), (), spot.formula)
    kept = spot.formula if spot.keep else lnot(spot.formula)
    for other in others(threads, spot.thread):
        require_kept(question, own, other, place, (*known, kept), kept)


def _leaving(question: Question, number: int, place: int) -> Iterator[Edge]:
    thread = question.separate[number]
    return (e for e in thread.edges if e.source == thread.locations[place].name)
