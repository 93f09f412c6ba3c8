"""What a step of a script claims, as goals of the engine. The checker makes them too, and they must be the same."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.automata.program import Program
from sa.automata.proof import Refines, Step
from sa.certificates.goal import Goal
from sa.checker.question import NoQuestion
from sa.conditions.environment import closed
from sa.engines.judging import QuestionsDiffer, same
from sa.question.goals import goals, pairings
from sa.rules.annotated_programs import Stage, World, matching, members_only
from sa.rules.statements import block_of, goal_of_pair_alone, goal_of_whole, goals_of_pairs


def check_claim(stage: Stage, claim: Refines) -> None:
    """Raises InputError where a claim makes no question."""
    pairings(*_programs(stage, claim), block_of(claim, "", Origin(None)))


def pair_goals(stage: Stage, step: Step, claim: Refines) -> tuple[Goal, ...]:
    """The claim's pairs of threads, each in the environments of their programs.

    Of declared environments it is part of the goal that they match.
    """
    found = goals(*_programs(stage, claim), block_of(claim, step.name, step.origin), whole=False)
    matched = matching(stage.worlds[claim.left[0][0]], stage.worlds[claim.right[0][0]])
    made = tuple(replace(goal, matched=matched, axioms=stage.axioms) for goal in found)
    _compared(made, lambda: goals_of_pairs(stage, claim))
    return made


def alone_goal(stage: Stage, step: Step, claim: Refines) -> Goal:
    """A pair of threads as they are written, by themselves: nobody else moves."""
    first, second = claim.left[0], claim.right[0]
    lower, upper = (_by_itself(stage.worlds[alias], name) for alias, name in (first, second))
    (goal,) = goals(upper, lower, block_of(claim, step.name, step.origin), whole=True)
    made = replace(goal, axioms=stage.axioms)
    _compared((made,), lambda: (goal_of_pair_alone(stage, claim),))
    return made


def _by_itself(world: World, name: str) -> Program:
    return replace(world.program, threads=(closed(world.threads[name].thread),))


def whole_goal(stage: Stage, step: Step, claim: Refines) -> Goal:
    """The compositions of the claim's threads as two products."""
    (goal,) = goals(*_programs(stage, claim), block_of(claim, step.name, step.origin), whole=True)
    made = replace(goal, axioms=stage.axioms)
    _compared((made,), lambda: (goal_of_whole(stage, claim),))
    return made


def _compared(goals_of_engine: tuple[Goal, ...], of_checker: Callable[[], tuple[Goal, ...]]) -> None:
    """Raises QuestionsDiffer on an internal error."""
    try:
        made = of_checker()
    except NoQuestion as problem:
        raise QuestionsDiffer(f"the checker derives no question from the step: {problem}") from problem
    same(goals_of_engine, made)


def _programs(stage: Stage, claim: Refines) -> tuple[Program, Program]:
    first, second = (stage.worlds[side[0][0]] for side in (claim.left, claim.right))
    return members_only(second, claim.right), members_only(first, claim.left)
