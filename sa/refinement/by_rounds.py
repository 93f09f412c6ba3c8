"""`bmc` of `refine`: concrete runs within bounds that no abstract run matches.

The concrete threads take abstract states along that answer by a strategy (`bounded/followers.py`), and a run in which
these are lost is looked for as any other run into what is bad. Then it is followed against all abstract states
there are. Where one survives, its answers are one more strategy, which all runs have to beat from then on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.trace import Configuration, Move
from sa.base.budget import Budget, Event, Report
from sa.base.limits import Unsupported
from sa.bounded.bounded_model_checking import reached
from sa.bounded.context_bounds import switching
from sa.bounded.followers import Followed, Step, Strategy, followed
from sa.bounded.parts import names_in
from sa.bounded.wanted import Wanted
from sa.certificates.goal import Goal
from sa.certificates.run import Run
from sa.explicit.evidence import run_into
from sa.explicit.search import Effort, search
from sa.explicit.system import system
from sa.game.board import lay_out
from sa.plays.abstract_run_tracking import Survivor, survivor
from sa.question.asked import GoalAsked, Lost
from sa.refinement.play_against_all import play_against_all
from sa.smt.session import Session
from sa.terms.evaluate import Unevaluable, evaluate

#: How often threads take turns in runs that are looked for before, and ranges that are tried as a whole there.
SWITCHES, FEW = (0, 1, 2), 64

#: The first of these.
USUAL = (Strategy(), Strategy(alike=True), Strategy(prompt=1), Strategy(prompt=4))


class Reach(Struct, frozen=True):
    """How many strategies are tried, how many states with few values for each of them, and how many growing bounds."""

    strategies: int
    states: int
    stages: int


def by_rounds(reach: Reach, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Lost]:
    """A play along a run in few turns, or within bounds that grow. Raises LimitReached."""
    goal = asked.goal
    if not goal.closed or goal.choose_init or goal.axioms:
        return
    board, session = lay_out(goal), Session(budget.bounds, (), budget.seed)
    strategies = [USUAL[0]]
    while len(strategies) <= reach.strategies:
        report(Event("runs in rounds", {"strategies": len(strategies)}))
        laid_out = followed(goal, strategies, budget.bounds)
        laid_out, run = _run(laid_out, reach, budget, report)
        if run is None:
            return
        try:
            steps, moves = _steps(laid_out, run), _moves(goal, laid_out, run)
            starts = _starts(goal, laid_out, run)
            left = survivor(board, session, *starts, moves)
            play = play_against_all(goal, session, *starts, moves) if left is None else None
        except Unevaluable as problem:
            raise Unsupported(f"a play that depends on {problem}") from problem
        if play is not None:
            yield Lost(play)
            return
        # Where no abstract run is left but no play is made of that, a run that beats one more strategy does no better.
        better = None if left is None else _better(goal, laid_out, strategies, left, steps)
        if better is None:
            return
        strategies.append(better)


def _run(laid_out: Followed, reach: Reach, budget: Budget, report: Report) -> tuple[Followed, Run | None]:
    """A run in which all followers are lost, and the threads that it is of. Raises LimitReached."""
    effort = Effort(reach.states, FEW, reduced=False, inexact=reach.states)
    for most in (*SWITCHES, None):
        threads = laid_out.threads if most is None else switching(laid_out.threads, most)
        found = search(system(threads, (laid_out.bad,)), effort, budget.bounds, report)
        run = run_into(found, 0) if found.bad else None
        if run is not None:
            return replace(laid_out, threads=threads), run
        if most is None and found.complete:
            return laid_out, None
    return laid_out, reached(Wanted(stages=reach.stages), laid_out.threads, laid_out.bad, budget, report)


def _better(
    goal: Goal, laid_out: Followed, strategies: Sequence[Strategy], left: Survivor, steps: Sequence[Step]
) -> Strategy | None:
    """A strategy that has not been tried, if there is one: a prompt one, then that of the abstract run that is left."""
    if len(strategies) < len(USUAL):
        return USUAL[len(strategies)]
    joint = {q.name: q.parts or (q.name,) for q in goal.abstract.locations}
    own = {
        number: (i, n)
        for i, part in enumerate(laid_out.abstract)
        for n, numbers in enumerate(part.numbers)
        for number in numbers.values()
    }
    learned = {
        (step, joint[at][step[0]]): tuple(own[number] for number in edges)
        for step, (at, edges) in zip(steps, left.answers, strict=True)
    }
    better = Strategy(learned)
    return None if better in strategies else better


def _steps(laid_out: Followed, run: Run) -> list[Step]:
    """The thread and the number of its edge for each step."""
    found = {id(e): (i, n) for i, thread in enumerate(laid_out.threads) for n, e in enumerate(thread.edges)}
    return [found[id(turn.move.edge)] for turn in run.turns]


def _moves(goal: Goal, laid_out: Followed, run: Run) -> list[tuple[int, Move]]:
    """The run in the composition: the numbers of its edges, and its moves. Raises Unevaluable."""
    here, found = _concrete(goal, laid_out, run), list[tuple[int, Move]]()
    for (thread, own), turn in zip(_steps(laid_out, run), run.turns, strict=True):
        number = laid_out.concrete[thread].numbers[own].get(here.location)
        if number is None:
            raise Unsupported("a composition that could not be taken apart")
        edge, known = goal.concrete.edges[number], {**here.values, **turn.move.choices}
        here = Configuration(edge.target, {**here.values, **{v: evaluate(t, known) for v, t in edge.updates}})
        found.append((number, Move(edge, turn.move.choices, here)))
    return found


def _starts(goal: Goal, laid_out: Followed, run: Run) -> tuple[Configuration, Configuration]:
    """Where the run and its first follower begin."""
    shared, concrete = run.start.shared, _concrete(goal, laid_out, run)
    values = {v.var: shared[laid_out.first[v.var]] for v in goal.abstract.variables if v.var in laid_out.first}
    params = {v.var: concrete.values[v.var] for v in goal.abstract.variables if v.var not in laid_out.first}
    return concrete, Configuration(goal.abstract.initial, {**params, **values})


def _concrete(goal: Goal, laid_out: Followed, run: Run) -> Configuration:
    """The initial state of the composition: each thread has its locals under names of its own."""
    values = dict(run.start.shared)
    for part in laid_out.concrete:
        own = names_in(goal.concrete, part, frozenset())
        start = run.start.threads[part.name].values
        values.update((v, start[w]) for v, w in own.items() if w in start)
    return Configuration(goal.concrete.initial, {v.var: values[v.var] for v in goal.concrete.variables})
