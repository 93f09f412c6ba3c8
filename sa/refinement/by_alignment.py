"""The engine `simulation:answers=aligned`: answers read off runs whose loops are aligned, fixed; then a relation.

Random concrete runs, each with an abstract run that shows the same, tell at which rates the loops of both sides go
around (`alignment.py`). The answers are those of all these runs together. Whether a relation keeps them is for the
search and for Horn clauses to find out, and for the checker to judge: an alignment that is wrong makes no relation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from random import Random

from msgspec.structs import replace

from sa.base.budget import Budget, Event, Report
from sa.base.limits import LimitReached, check_memory, share, spend
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.explicit.live_variables import everything
from sa.explicit.machine import Action, Machine, Stride
from sa.game.board import Board
from sa.game.choices import instances_of, narrowed
from sa.game.rounds import Challenge, Round, play_round
from sa.game.runs import Run, extend, start
from sa.game.unrolling import as_it_is, unrolled
from sa.question.asked import GoalAsked, Related
from sa.refinement.alignment import Aligned, Couple, Course, aligned, loops_of, rates, unrollings
from sa.refinement.deciders import answers_fixed
from sa.refinement.points import Points, folded
from sa.refinement.sides import Sides, numbered, opened, sides
from sa.simulation.algorithm_2_search import Search
from sa.simulation.endings import Tactics
from sa.simulation.preference import answering_all
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable

#: Runs, their steps, the abstract states that are looked at for one, and after how many that are not new it is enough.
RUNS, STEPS, LOOKED_AT, ENOUGH = 1_000, 400, 4_000, 60

#: Numbers that runs choose from in turn: few, so that tests come out either way; many, so that loops go around often.
NUMBERS = ((-1, 0, 1, 2), (*range(3, 14), 17, 22, 101))

#: Ways to make the choices of an answer that are tried.
WAYS = 4


def by_alignment(tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
    """A relation with answers that runs with aligned loops give. Raises LimitReached."""
    goal = asked.goal
    first, second = loops_of(goal.concrete), loops_of(goal.abstract)
    alone = all(len(q.parts) <= 1 for side in (goal.concrete, goal.abstract) for q in side.locations)
    # In a composition other threads move between the turns of a loop.
    if not (goal.closed and alone and first.heads and second.heads) or goal.choose_init:
        return
    report(Event("runs with the same actions"))
    couples = asked.shared.once(("couples", goal), lambda: couples_of(goal, budget))
    found = rates(first, second, couples)
    loops = unrollings(first, found)
    if not couples or not found or loops is None:
        return
    report(Event("runs aligned", {"runs": len(couples), "rates": len(found)}))
    unfolded = unrolled(goal.concrete, loops)
    points = Points(replace(goal, concrete=unfolded.automaton), unfolded, as_it_is(goal.abstract))
    other = GoalAsked(points.goal, asked.shared)
    copies = {
        (e.source, number): (copy, e.target)
        for copy, (number, e) in enumerate(zip(unfolded.edge, unfolded.automaton.edges, strict=True))
    }
    tried = list[Aligned]()
    for ahead in (True, False):
        initial = unfolded.automaton.initial, goal.abstract.initial
        course = Course(first, second, copies, initial, found, answering_all(goal), ahead)
        answers = aligned(course, couples)
        if answers is None or any(answers.answers == other.answers for other in tried):
            continue
        tried.append(answers)
        own = replace(budget, bounds=share(budget.bounds, 0.5))
        with suppress(LimitReached):
            found_one = answers_fixed(tactics, other, own, report, partial(_propose, answers))
            if found_one is not None and isinstance(found_one.evidence, Relation):
                yield Related(folded(points, goal, found_one.evidence), found_one.effort)
                return


def couples_of(goal: Goal, budget: Budget) -> tuple[Couple, ...]:
    """Runs of both sides that show the same actions. Raises LimitReached."""
    session = Session(budget.bounds, tuple(a.formula for a in goal.axioms), budget.seed)
    known = everything(goal.concrete), everything(goal.abstract)
    boards = [sides(goal, session, known, 4 * n, LOOKED_AT, more) for n, more in enumerate(NUMBERS)]
    dice = Random(budget.seed)
    numbers = {id(e): n for n, e in enumerate(goal.abstract.edges)}
    found, old = dict[Couple, None](), 0
    for run in range(RUNS):
        spend(budget.bounds, 300)
        check_memory(budget.bounds)
        try:
            couple = _couple(boards[run % len(boards)], numbers, dice)
        except Unevaluable:
            break
        old = old + 1 if couple is None or couple in found else 0
        if couple is not None:
            found[couple] = None
        if old > ENOUGH:
            break
    return tuple(found)


def _couple(both: Sides, numbers: dict[int, int], dice: Random) -> Couple | None:
    """A random concrete run up to its last action, and an abstract run with the same actions. Raises Unevaluable."""
    begun = opened(both, dice)
    if begun is None:
        return None
    here, strides = numbered(both.concrete, begun[0]), list[Stride]()
    for _ in range(STEPS):
        stride = both.concrete.any(here, dice)
        if stride is None:
            break
        strides.append(stride)
        here = stride.after
    while strides and strides[-1].action is None:
        strides.pop()
    actions = [s.action for s in strides if s.action is not None]
    found = _following(both.abstract, numbered(both.abstract, begun[1]), actions)
    if not strides or found is None:
        return None
    return Couple(
        tuple(both.numbers[id(s.edge)] for s in strides),
        tuple(numbers[id(s.edge)] for s in found),
    )


def _following(side: Machine, begun: int, actions: Sequence[Action]) -> list[Stride] | None:
    """The steps of a run from a state that shows these actions, the next action as soon as it is possible."""
    came = dict[tuple[int, int], tuple[tuple[int, int], Stride] | None]({(begun, 0): None})
    pending = [(begun, 0)]
    while pending and len(came) < LOOKED_AT:
        here = pending.pop()
        state, shown = here
        if shown == len(actions):
            return _back(came, here)
        silent, showing = side.silent(state).strides, side.showing(state, actions[shown]).strides
        for stride in (*reversed(silent), *reversed(showing)):
            there = stride.after, shown + (stride.action is not None)
            if there not in came:
                came[there] = here, stride
                pending.append(there)
    return None


def _back(came: dict[tuple[int, int], tuple[tuple[int, int], Stride] | None], end: tuple[int, int]) -> list[Stride]:
    """The steps that led somewhere."""
    found = list[Stride]()
    while (before := came[end]) is not None:
        end = before[0]
        found.append(before[1])
    return found[::-1]


def _propose(answers: Aligned, search: Search) -> bool:
    """Give a search these answers; whether each step that was met has one that can be written down."""
    board = search.board
    for (concrete, abstract, number), paths in answers.answers.items():
        spend(search.session.bounds, 300)
        step = search.challenge(number)
        rounds = [r for path in paths for r in _rounds(board, step, abstract, path)]
        if not rounds:
            return False
        search.propose((concrete, abstract), number, rounds)
    return True


def _rounds(board: Board, step: Challenge, location: str, path: Sequence[int]) -> Iterator[Round]:
    """A path as answers to a step, with its choices as actions and guards determine them."""
    runs = [start(board, location)]
    for number in path:
        edge, longer = board.abstract.automaton.edges[number], list[Run]()
        for run in runs:
            ways, opened_choices = instances_of(edge, len(run.edges), step.label)
            for choice in ways[:WAYS]:
                _, after = extend(board, run, number, edge, choice, step.label)
                longer.append(narrowed(replace(after, open=(*run.open, *opened_choices)), ())[0])
        runs = longer[:WAYS]
    return (play_round(board, step, run) for run in runs if not run.open)
