"""What a step of a script claims, as goals of the engine."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Origin
from sa.automata.program import Program
from sa.automata.proof import Refines, Step
from sa.certificates.goal import Goal
from sa.conditions.environment import closed
from sa.question.goals import goals, pairings
from sa.rules.statements import block_of
from sa.rules.worlds import Stage, World, matching, members_only


def check_claim(stage: Stage, claim: Refines) -> None:
    """Raises InputError where a claim makes no question."""
    pairings(*_programs(stage, claim), block_of(claim, "", Origin(None)))


def pair_goals(stage: Stage, step: Step, claim: Refines) -> tuple[Goal, ...]:
    """The claim's pairs of threads, each in the environments of their programs.

    Of declared environments it is part of the goal that they match.
    """
    found = goals(*_programs(stage, claim), block_of(claim, step.name, step.origin), whole=False)
    matched = matching(stage.worlds[claim.left[0][0]], stage.worlds[claim.right[0][0]])
    return tuple(replace(goal, matched=matched, axioms=stage.axioms) for goal in found)


def alone_goal(stage: Stage, step: Step, claim: Refines) -> Goal:
    """A pair of threads as they are written, by themselves: nobody else moves."""
    first, second = claim.left[0], claim.right[0]
    lower, upper = (_by_itself(stage.worlds[alias], name) for alias, name in (first, second))
    (goal,) = goals(upper, lower, block_of(claim, step.name, step.origin), whole=True)
    return replace(goal, axioms=stage.axioms)


def _by_itself(world: World, name: str) -> Program:
    return replace(world.program, threads=(closed(world.threads[name].thread),))


def whole_goal(stage: Stage, step: Step, claim: Refines) -> Goal:
    """The compositions of the claim's threads as two products."""
    (goal,) = goals(*_programs(stage, claim), block_of(claim, step.name, step.origin), whole=True)
    return replace(goal, axioms=stage.axioms)


def _programs(stage: Stage, claim: Refines) -> tuple[Program, Program]:
    first, second = (stage.worlds[side[0][0]] for side in (claim.left, claim.right))
    return members_only(second, claim.right), members_only(first, claim.left)
