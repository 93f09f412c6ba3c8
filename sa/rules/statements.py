"""What the steps of a script claim, as the checker reads it: goals, and facts over the names that rules use."""

from __future__ import annotations

from msgspec.structs import replace

from sa.automata.automaton import Kind, Origin, variables_of
from sa.automata.program import Formula, Pairing
from sa.automata.program import Refinement as Block
from sa.automata.proof import Claim, Preserves, Refines
from sa.certificates.goal import Goal
from sa.checker.question import Question, question, related, thread_goals, whole_goal
from sa.rules.annotated_programs import Stage, matching, members_only, side_of
from sa.rules.facts import Fact, Invariance, Refinement, Side
from sa.terms.substitute import local_of, sided, substitute
from sa.terms.term import Term, Var


def block_of(claim: Refines, name: str, origin: Origin) -> Block:
    """The claim as a refinement block; its threads are paired in the order in which they are written."""
    pairs = zip(claim.left, claim.right, strict=True)
    return Block(
        name,
        None,
        None,
        claim.relate,
        claim.pre,
        claim.inv,
        claim.rely,
        tuple(Pairing(c, a, origin) for (_, c), (_, a) in pairs),
        claim.choose_init,
        claim.silent_exit,
        None,
        origin,
    )


def question_of(stage: Stage, claim: Refines, whole: bool) -> Question:
    """The claim as a question about two programs. Raises NoQuestion."""
    lower, upper = (members_only(stage.worlds[side[0][0]], side) for side in (claim.left, claim.right))
    return question(upper, lower, block_of(claim, "", Origin(None)), whole)


def goals_of_pairs(stage: Stage, claim: Refines) -> tuple[Goal, ...]:
    """The claim's pairs of threads, each in the environments of their programs. Raises NoQuestion.

    Of declared environments it is part of the goal that they match.
    """
    matched = matching(stage.worlds[claim.left[0][0]], stage.worlds[claim.right[0][0]])
    found = thread_goals(question_of(stage, claim, whole=False))
    return tuple(replace(goal, matched=matched, axioms=stage.axioms) for goal in found)


def goal_of_whole(stage: Stage, claim: Refines) -> Goal:
    """The compositions of the claim's threads as two products, where nobody else moves. Raises NoQuestion."""
    return replace(whole_goal(question_of(stage, claim, whole=True)), axioms=stage.axioms)


def goal_of_pair_alone(stage: Stage, claim: Refines) -> Goal:
    """A pair of threads as they are written, by themselves. Raises NoQuestion."""
    (lower,), (upper,) = (
        [replace(stage.worlds[alias].program, threads=(stage.worlds[alias].threads[name].thread,))]
        for alias, name in (claim.left[0], claim.right[0])
    )
    made = question(upper, lower, block_of(claim, "", Origin(None)), whole=True)
    return replace(whole_goal(made), axioms=stage.axioms)


def refinement_of(stage: Stage, claim: Refines) -> Refinement:
    """The refinement that a step claims, which says nothing about whether it was shown. Raises NoQuestion."""
    left, right = side_of(stage.worlds, claim.left), side_of(stage.worlds, claim.right)
    kappa, iota = outer(related(question_of(stage, claim, whole=True)), left, right)
    return Refinement(left, right, kappa, iota, (), bool(claim.rely), claim.silent_exit, claim.choose_init)


def invariance_of(stage: Stage, claim: Preserves) -> Invariance:
    """The invariant that a step claims."""
    return Invariance(side_of(stage.worlds, claim.side), claim.formula, claim.strong, claim.parts)


def fact_of(stage: Stage, claim: Claim) -> Fact:
    """What a step claims, of either kind. Raises NoQuestion."""
    return refinement_of(stage, claim) if isinstance(claim, Refines) else invariance_of(stage, claim)


def outer(
    related: tuple[tuple[Formula, ...], tuple[Formula, ...]], left: Side, right: Side
) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
    """κ and ι of a goal over the names that rules use: every local with its own thread's name before it."""
    names = dict[Var, Term]()
    for first, second in zip(left.threads, right.threads, strict=True):
        for side, thread in (("conc", first), ("abs", second)):
            for v in variables_of(thread.automaton, Kind.LOCAL):
                own = sided(local_of(v, thread.automaton.name), side)
                # In a product both sides' locals carry the concrete thread's name; alone they carry none.
                names[sided(local_of(v, first.automaton.name), side)] = own
                if len(left.threads) == 1:
                    names[sided(v, side)] = own
    kappa, iota = (tuple(replace(f, term=substitute(f.term, names)) for f in formulas) for formulas in related)
    return kappa, iota
