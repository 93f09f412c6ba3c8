"""Checks that threads come to an end by rounds: which steps no run takes for ever, thread by thread.

Consider a run, and the steps that it takes again and again. Those of one thread are a part of a strongly connected
component of its graph, where the thread stays from some moment on. What a round says of the steps that are left holds
of these from some moment on, so none of them lowers a rank that none raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from sa.automata.components import components
from sa.base.limits import spend
from sa.certificates.ends import Part, Point, Round
from sa.checker.control_points import (
    Graph,
    Question,
    Taken,
    Wrong,
    graph_of,
    in_words,
    require,
    require_lowered,
    where_at,
)
from sa.checker.ruling import Rejected
from sa.terms.build import conjoined, le
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, sort_of


class _Thread(Struct):
    """A thread's graph, the steps that may be taken for ever, and what then holds at last by location."""

    graph: Graph
    left: tuple[Taken, ...]
    settled: dict[int, list[Term]]

    def known(self, place: int) -> tuple[Term, ...]:
        """What holds at a location at last."""
        return (*self.graph.known[place], *self.settled.get(place, ()))


def check_rounds(question: Question, rounds: Sequence[Round]) -> None:
    """No thread that the claim is about is left with steps that it may take for ever.

    Raises Wrong and LimitReached.
    """
    if question.ends.until is not None:
        raise Wrong(Rejected("rounds", "the claim is not that something ends"))
    threads = [_thread(question, number) for number in range(len(question.separate))]
    for made in rounds:
        spend(question.bounds, 200)
        if made.thread not in range(len(threads)):
            raise Wrong(Rejected("round", "there is no such thread"))
        _round(question, threads, made)
    for own, thread in zip(threads, question.separate, strict=True):
        if own.left and thread.name in question.ends.threads:
            at = own.graph.part.points[own.left[0].passage[0]]
            raise Wrong(
                Rejected("rounds", "a thread may go on for ever", in_words(where_at(question, own.graph.part, at)))
            )


def _thread(question: Question, number: int) -> _Thread:
    points = tuple(Point((q.name,)) for q in question.separate[number].locations)
    graph = graph_of(question, Part((number,), points, ()))
    return _Thread(graph, tuple(_on_cycles(graph.taken)), {})


def _on_cycles(steps: Sequence[Taken]) -> Iterator[Taken]:
    number = {place: n for n, c in enumerate(_components(steps)) for place in c}
    return (s for s in steps if number[s.passage[0]] == number[s.passage[3]])


def _components(steps: Sequence[Taken]) -> list[tuple[int, ...]]:
    targets = dict[int, list[int]]()
    for step in steps:
        targets.setdefault(step.passage[0], []).append(step.passage[3])
    return components(targets, targets)


def _round(question: Question, threads: Sequence[_Thread], made: Round) -> None:
    own, inside = threads[made.thread], frozenset(made.locations)
    if len(made.locations) != len(inside) or inside not in map(frozenset, _components(own.left)):
        raise Wrong(Rejected("round", "it is not about a component of the steps that are left"))
    steps = [s for s in own.left if s.passage[0] in inside]
    others = [(t, s) for n, t in enumerate(threads) if n != made.thread for s in t.left]
    for place, formula in made.settled:
        if place not in inside or not formula.free <= question.numbers or sort_of(formula) != BOOL:
            raise Wrong(Rejected("what settles", "it is no formula over variables of the program at such a location"))
        for step in (s for s in steps if s.passage[3] == place):
            first = step.passage[0]
            after = substitute(formula, step.updates)
            require(question, own.graph, first, (*own.known(first), *step.premise), step.choices, after)
        _kept(question, own, others, place, formula, (formula,))
        own.settled.setdefault(place, []).append(formula)
    if len(made.ranks) != len(made.locations):
        raise Wrong(Rejected("rank", "it is not given at each location"))
    if any(not r.free <= question.numbers or sort_of(r) != INT for r in made.ranks):
        raise Wrong(Rejected("rank", "it is no number over variables of the program"))
    _lowered(question, own, steps, dict(zip(made.locations, made.ranks, strict=True)), frozenset(made.strict))
    for place, rank in zip(made.locations, made.ranks, strict=True):
        _kept(question, own, others, place, rank, ())
    left = tuple(s for s in own.left if s.passage[0] not in inside or s.passage[2] not in made.strict)
    if len(left) == len(own.left):
        raise Wrong(Rejected("rank", "no step lowers it"))
    own.left = tuple(_on_cycles(left))


def _lowered(
    question: Question, own: _Thread, steps: Sequence[Taken], ranks: Mapping[int, Term], strict: frozenset[int]
) -> None:
    for step in steps:
        known = own.settled.get(step.passage[0], ())
        require_lowered(question, own.graph, step, ranks, known, step.passage[2] in strict)


def _kept(
    question: Question,
    own: _Thread,
    others: Sequence[tuple[_Thread, Taken]],
    place: int,
    term: Term,
    premise: tuple[Term, ...],
) -> None:
    """No step of others that is left makes a formula false, or raises a number."""
    for thread, step in others:
        if not term.free.isdisjoint(step.updates):
            first = step.passage[0]
            known = conjoined((*own.known(place), *thread.known(first), *premise, *step.premise))
            after = substitute(term, step.updates)
            wanted = after if premise else le(after, term)
            at = where_at(question, thread.graph.part, thread.graph.part.points[first])
            require(question, own.graph, place, known, step.choices, wanted, *at)
