"""The independent checker's word on the questions that engines were asked, and on their evidence.

The checker makes every question itself from the program. What the engines were asked must be the same, and evidence is
judged as evidence for the checker's question. A difference is a fault of sacheck and never an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from sa.base.limits import Limits
from sa.base.verdict import Reason, Unknown
from sa.certificates.family_composition import CrowdComposition
from sa.certificates.goal import Goal
from sa.certificates.identity import meaning
from sa.certificates.reduced import ReducedThreads
from sa.certificates.threads import Composition
from sa.checker.family_question import FamilyQuestion, with_copies, with_ghosts, without_families
from sa.checker.question import Question, asked_besides, pair_goal, thread_goals, whole_goal
from sa.checker.ruling import Failure, Rejected, Undecided
from sa.engines.outcome import Found


class QuestionsDiffer(Exception):
    """The engines were asked something else than the checker reads in the program: an internal error."""


def same_question(asked: Question | FamilyQuestion, found: Found) -> None:
    """That an answer is about the question that the checker reads. Raises QuestionsDiffer, and NoQuestion."""
    composition = found.composition
    for stage in found.reduced:
        asked = _of_blocks(asked, stage)
    if isinstance(asked, Question) and isinstance(composition, CrowdComposition):
        asked = without_families(asked)
    if isinstance(asked, Question):
        if composition is None:
            same_goals(asked, [r.goal for r in found.results])
        else:
            same_pairs(asked, composition)
    elif composition is None:
        same([r.goal for r in found.results], (whole_goal(with_copies(asked, found.copies)),))
    else:
        if not isinstance(composition, CrowdComposition) or composition.copies != asked.identities:
            raise QuestionsDiffer("what is composed differs in what stands for copies")
        same_pairs(with_ghosts(asked, composition.ghosts).one, composition)


def _of_blocks(asked: Question | FamilyQuestion, made: ReducedThreads) -> Question:
    """The question with blocks as concrete steps, which the checker composes. Raises QuestionsDiffer."""
    # Most programs are not reduced.
    from sa.checker.reduced_threads import question_of_blocks

    reduced = question_of_blocks(asked, made, Limits()) if isinstance(asked, Question) else "there are families"
    if isinstance(reduced, str):
        raise QuestionsDiffer(f"the reduction is of another question: {reduced}")
    return reduced


def same_goals(asked: Question, goals: Sequence[Goal]) -> None:
    """That goals are those that the checker makes of the question. Raises QuestionsDiffer, and NoQuestion."""
    same(goals, (whole_goal(asked),) if asked.closed else thread_goals(asked))


def same(goals: Sequence[Goal], made: Sequence[Goal]) -> None:
    """That goals mean what those mean that the checker made. Raises QuestionsDiffer."""
    if list(map(meaning, goals)) != list(map(meaning, made)):
        raise QuestionsDiffer("the engines and the checker derive different goals from the two programs")


def same_pairs(asked: Question, composition: Composition) -> None:
    """That what is composed is about the threads of the question, and its goals are the checker's.

    Raises QuestionsDiffer, and NoQuestion.
    """
    threads = [(p.concrete, p.abstract) for p in asked.pairs]
    composed = zip(composition.concrete, composition.abstract, strict=True)
    strong = asked_besides(asked, composition.besides)
    made = [pair_goal(strong, n, g.concrete, g.abstract) for n, g in enumerate(composition.goals[: len(threads)])]
    same = (
        asked.closed
        and [(first.thread, second.thread) for first, second in composed] == threads
        and list(map(meaning, composition.goals)) == list(map(meaning, made))
        and composition.axioms == asked.axioms
    )
    if not same:
        raise QuestionsDiffer("what is composed differs from what the checker derives from the two programs")


def unaccepted(failure: Failure) -> Unknown:
    """Why evidence that was found is no answer: the checker rejects it, or its solver could not settle a question."""
    where = f", at {failure.where}" if failure.where else ""
    match failure:
        case Rejected(obligation, why):
            return Unknown(Reason.CHECKER, f"{obligation}: {why}{where}")
        case Undecided(obligation, why):
            return Unknown(Reason.SOLVER, f"evidence was found that it could not confirm: {obligation}: {why}{where}")
        case _ as never:
            assert_never(never)
