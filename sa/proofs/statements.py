"""What a step of a script claims, as goals of the engine, and back as formulas that rules speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sa.automata.automaton import Kind, Origin, variables_of
from sa.automata.program import Formula, Pairing, Program, Refinement
from sa.automata.proof import Refines, Script, Step
from sa.certificates.goal import Goal
from sa.composition.environment import closed
from sa.proofs.facts import Side
from sa.proofs.worlds import World, members_only
from sa.refinement.goals import goals
from sa.terms.substitute import prefixed, substitute
from sa.terms.term import Term, Var


def block_of(claim: Refines, name: str, origin: Origin) -> Refinement:
    """The claim as a refinement block; its threads are paired in the order in which they are written."""
    pairs = zip(claim.left, claim.right, strict=True)
    return Refinement(
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


def pair_goals(worlds: Mapping[str, World], script: Script, step: Step, claim: Refines) -> tuple[Goal, ...]:
    """The claim's pairs of threads, each in the environments of their programs.

    Declared environments must be matched (THEORY section 7), inferred ones are larger than the real ones.
    """
    found = goals(*_programs(worlds, claim), block_of(claim, step.name, step.origin), whole=False)
    inferred = worlds[claim.left[0][0]].inferred
    return tuple(replace(goal, matched=not inferred, axioms=script.axioms) for goal in found)


def alone_goal(worlds: Mapping[str, World], script: Script, step: Step, claim: Refines) -> Goal:
    """A pair of threads as they are written, by themselves: nobody else moves."""
    first, second = claim.left[0], claim.right[0]
    lower, upper = (_by_itself(worlds[alias], name) for alias, name in (first, second))
    (goal,) = goals(upper, lower, block_of(claim, step.name, step.origin), whole=True)
    return replace(goal, axioms=script.axioms)


def _by_itself(world: World, name: str) -> Program:
    return replace(world.program, threads=(closed(world.threads[name].thread),))


def whole_goal(worlds: Mapping[str, World], script: Script, step: Step | None, claim: Refines) -> Goal:
    """The compositions of the claim's threads as two products; κ and ι are what matters to rules."""
    origin = Origin(None) if step is None else step.origin
    (goal,) = goals(*_programs(worlds, claim), block_of(claim, "" if step is None else step.name, origin), whole=True)
    return replace(goal, axioms=script.axioms)


def _programs(worlds: Mapping[str, World], claim: Refines) -> tuple[Program, Program]:
    first, second = claim.left[0][0], claim.right[0][0]
    return members_only(worlds[second], claim.right), members_only(worlds[first], claim.left)


def outer(goal: Goal, left: Side, right: Side) -> tuple[tuple[Formula, ...], tuple[Formula, ...]]:
    """κ and ι of a goal over the names that rules use: every local with its own thread's name before it."""
    names = dict[Var, Term]()
    for first, second in zip(left.threads, right.threads, strict=True):
        for side, thread in (("conc", first), ("abs", second)):
            for v in variables_of(thread.automaton, Kind.LOCAL):
                own = prefixed(prefixed(v, thread.automaton.name), side)
                # In a product both sides' locals carry the concrete thread's name; alone they carry none.
                names[prefixed(prefixed(v, first.automaton.name), side)] = own
                if len(left.threads) == 1:
                    names[prefixed(v, side)] = own
    return _named(goal.kappa, names), _named(goal.iota, names)


def _named(formulas: tuple[Formula, ...], names: Mapping[Var, Term]) -> tuple[Formula, ...]:
    return tuple(replace(f, term=substitute(f.term, names)) for f in formulas)
