"""Checks that threads come to an end by rounds: which steps no run takes for ever, thread by thread.

Consider a run, and the steps that it takes again and again. Those of one thread are a part of a strongly connected
component of its graph, where the thread stays from some moment on. What a round says of the steps that are left holds
of these from some moment on, so none of them lowers a rank that none raises, and none of them is unjust.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from msgspec.structs import replace

from sa.automata.components import components
from sa.base.limits import spend
from sa.certificates.ends import Elimination, Part, Point, Round, Settled, Unanswered, Unjust
from sa.checker.control_points import Question, Taken, Wrong, graph_of, in_words, require, require_lowered, where_at
from sa.checker.justice import check_unanswered, check_unjust
from sa.checker.left import Thread, others, require_kept
from sa.checker.ruling import Rejected
from sa.terms.build import ZERO, conjoined, land, le, lnot, lt
from sa.terms.sort import BOOL, INT
from sa.terms.substitute import substitute
from sa.terms.term import Term, sort_of


def check_rounds(question: Question, rounds: Sequence[Elimination]) -> None:
    """No thread that the claim is about is left with steps that it may take for ever, or what `leads` claims is so.

    Raises Wrong and LimitReached.
    """
    threads = [_thread(question, number) for number in range(len(question.separate))]
    for number, made in enumerate(rounds, 1):
        spend(question.bounds, 200)
        if isinstance(made, Unanswered):
            if question.ends.until is None or number < len(rounds):
                raise Wrong(Rejected("rounds", "this belongs to `leads`, as the last round"))
            check_unanswered(question, threads, made)
            return
        if made.thread not in range(len(threads)):
            raise Wrong(Rejected("round", "there is no such thread"))
        _checked(question, threads, made)
    if question.ends.until is not None:
        raise Wrong(Rejected("rounds", "nothing shows that the claim is fulfilled"))
    for own, thread in zip(threads, question.separate, strict=True):
        if own.left and thread.name in question.ends.threads:
            at = own.graph.part.points[own.left[0].passage[0]]
            raise Wrong(
                Rejected("rounds", "a thread may go on for ever", in_words(where_at(question, own.graph.part, at)))
            )


def _thread(question: Question, number: int) -> Thread:
    points = tuple(Point((q.name,)) for q in question.separate[number].locations)
    graph = graph_of(question, Part((number,), points, ()))
    return Thread(graph, tuple(_on_cycles(graph.taken)), {})


def _on_cycles(steps: Sequence[Taken]) -> Iterator[Taken]:
    number = {place: n for n, c in enumerate(_components(steps)) for place in c}
    return (s for s in steps if number[s.passage[0]] == number[s.passage[3]])


def _components(steps: Sequence[Taken]) -> list[tuple[int, ...]]:
    targets = dict[int, list[int]]()
    for step in steps:
        targets.setdefault(step.passage[0], []).append(step.passage[3])
    return components(targets, targets)


def _checked(question: Question, threads: Sequence[Thread], made: Settled | Round | Unjust) -> None:
    own, inside = threads[made.thread], frozenset(made.locations)
    if len(made.locations) != len(inside) or inside not in map(frozenset, _components(own.left)):
        raise Wrong(Rejected("round", "it is not about a component of the steps that are left"))
    match made:
        case Settled():
            _settled(question, threads, made)
        case Round():
            ranks = _round(question, threads, made)
            left = (s if s.passage[0] not in inside else _not_lowering(s, ranks) for s in own.left)
            own.left = tuple(left)
            _exclude(own, inside, made.strict)
        case Unjust():
            check_unjust(question, threads, made)
            _exclude(own, inside, made.strict)
        case _:
            assert_never(made)


def _exclude(own: Thread, inside: frozenset[int], strict: Sequence[int]) -> None:
    own.left = tuple(_on_cycles([s for s in own.left if s.passage[0] not in inside or s.passage[2] not in strict]))


def _not_lowering(step: Taken, ranks: Mapping[int, Term]) -> Taken:
    """The step as a run may take it for ever: where it does not lower the rank, or finds it below 0."""
    first, _, _, second = step.passage
    before, after = ranks[first], substitute(ranks[second], step.updates)
    return replace(step, premise=conjoined((*step.premise, lnot(land(le(ZERO, before), lt(after, before))))))


def _settled(question: Question, threads: Sequence[Thread], made: Settled) -> None:
    own, inside = threads[made.thread], frozenset(made.locations)
    for place, formula in made.formulas:
        if place not in inside or not formula.free <= question.numbers or sort_of(formula) != BOOL:
            raise Wrong(Rejected("what settles", "it is no formula over variables of the program at such a location"))
        for step in (s for s in own.left if s.passage[0] in inside and s.passage[3] == place):
            first = step.passage[0]
            after = substitute(formula, step.updates)
            require(question, own.graph, first, (*own.known(first), *step.premise), step.choices, after)
        for thread, step in others(threads, made.thread):
            require_kept(question, own, (thread, step), place, (*own.known(place), formula), formula)
        own.settled.setdefault(place, []).append(formula)


def _round(question: Question, threads: Sequence[Thread], made: Round) -> dict[int, Term]:
    own, inside = threads[made.thread], frozenset(made.locations)
    if len(made.ranks) != len(made.locations):
        raise Wrong(Rejected("rank", "it is not given at each location"))
    if any(not r.free <= question.numbers or sort_of(r) != INT for r in made.ranks):
        raise Wrong(Rejected("rank", "it is no number over variables of the program"))
    ranks = dict(zip(made.locations, made.ranks, strict=True))
    for step in (s for s in own.left if s.passage[0] in inside):
        known = own.settled.get(step.passage[0], ())
        require_lowered(question, own.graph, step, ranks, known, step.passage[2] in made.strict)
    for place, rank in ranks.items():
        for thread, step in others(threads, made.thread):
            require_kept(question, own, (thread, step), place, own.known(place), rank)
    return ranks
