"""Judges evidence from outside that a program preserves termination or progress, or does not."""

from __future__ import annotations

from typing import TypeAlias

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Ends
from sa.automata.standstill import no_standstill
from sa.base.verdict import Verdict
from sa.certificates.ends import Finite, Ranked
from sa.certificates.ends_json import read_finite, read_lasso, read_proof, read_ranked, with_proofs
from sa.certificates.goal import Goal
from sa.certificates.preservation import Kept, Parting
from sa.certificates.preservation_json import read_following
from sa.certificates.run import Bad
from sa.certificates.shape import Entry
from sa.certificates.states import States
from sa.certificates.threads import Joint, Keeps, Lemmas
from sa.checker.enumeration import Endless
from sa.checker.finite import check_finite
from sa.checker.followers import ends, followers
from sa.checker.following import check_following
from sa.checker.judgement import Judged
from sa.checker.lemmas import check_lemmas
from sa.checker.never import check_joint, check_keeps
from sa.checker.obligation import discharge
from sa.checker.parting import check_parting, seen_of
from sa.checker.preservation import TooMany, broken
from sa.checker.question import Question, whole_goal
from sa.checker.ranked import Conditions, check_ranked, conditions_of
from sa.checker.resources import Resources, consistent
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.states import check_states
from sa.checker.written import uncut
from sa.terms.evaluate import Unevaluable

#: A verdict that evidence is for, and whether it is accepted.
_Ruled: TypeAlias = tuple[Verdict, Ruling]


def judge_preservation(asked: Question, entry: Entry, resources: Resources) -> Judged:
    """The ruling about what is preserved. Raises Malformed, LimitReached, and NoQuestion."""
    kept, evidence = entry.fields("kept", "evidence")
    what = kept.choice(Kept)
    if not asked.closed:
        raise entry.wrong("what is preserved is asked of closed programs")
    name = f"{what.value} is preserved"
    if evidence.value is None:
        return Judged(name, Verdict.UNKNOWN, None)
    goal = whole_goal(asked)
    ruling = consistent(goal.axioms, resources)
    if isinstance(ruling, Accepted):
        session = resources.solvers.session(resources.bounds, [a.formula for a in goal.axioms], resources.seed)
        written = (o for s in (goal.concrete, goal.abstract) for o in uncut(s, True))
        failure = next((f for o in written if (f := discharge(session, frozenset(), o)) is not None), None)
        ruling = Accepted() if failure is None else failure
    verdict, found = _judged(asked, goal, what, evidence, resources)
    return Judged(name, verdict, found if isinstance(ruling, Accepted) else ruling)


def _judged(asked: Question, goal: Goal, kept: Kept, entry: Entry, resources: Resources) -> _Ruled:
    kind, what = entry.only()
    bounds, seed, solvers = resources.bounds, resources.seed, resources.solvers
    match kind, kept:
        case "following", _:
            made = read_following(what, goal)
            return Verdict.PROVED, check_following(goal, kept, made, bounds, seed, solvers)
        case "states", _:
            return _by_states(goal, kept, resources)
        case "parting", Kept.TERMINATION:
            return Verdict.REFUTED, _parting(goal, what, resources)
        case "ends", Kept.TERMINATION:
            threads = asked.concrete.threads
            claim = Ends("terminates", tuple(t.name for t in threads), threads[0].origin)
            return Verdict.PROVED, _ended(what, threads, claim, asked.concrete.axioms, resources)[1]
        case "proof", Kept.PROGRESS:
            return Verdict.PROVED, _never_stuck(asked, what, resources)
        case _:
            raise entry.wrong("this kind of evidence is not known")


def _by_states(goal: Goal, kept: Kept, resources: Resources) -> _Ruled:
    try:
        found = broken(goal, kept, resources.bounds)
    except (TooMany, Endless, Unevaluable):
        return Verdict.UNKNOWN, Rejected("states", "they are too many to be looked at")
    return Verdict.PROVED if found is None else Verdict.REFUTED, Accepted()


def _parting(goal: Goal, entry: Entry, resources: Resources) -> Ruling:
    run, reason = entry.fields("lasso", "ended")
    lasso = read_lasso(run, (goal.concrete,))
    (begun,) = lasso.run.start.threads.values()
    threads = followers(goal, begun.values, [s for t in lasso.run.turns if (s := seen_of(t)) is not None])
    ended, ruling = _ended(reason, threads, ends(threads), goal.axioms, resources)
    if not isinstance(ruling, Accepted):
        return ruling
    return check_parting(goal, Parting(lasso, ended), resources.bounds, resources.seed, resources.solvers)


def _ended(
    entry: Entry, threads: tuple[Automaton, ...], claim: Ends, axioms: tuple[Axiom, ...], resources: Resources
) -> tuple[Ranked | Finite, Ruling]:
    """Why threads come to an end, and whether that is accepted."""
    bounds, seed, solvers = resources.bounds, resources.seed, resources.solvers
    kind, what = entry.only()
    match kind:
        case "finite":
            made = read_finite(what, threads, claim, axioms)
            return made, check_finite(made, bounds, seed, solvers)
        case "ranked":
            ranked = read_ranked(what, threads, claim, axioms)
            found = conditions_of(ranked, bounds, seed, solvers)
            if not isinstance(found, Conditions):
                return ranked, found
            ranked = with_proofs(ranked, what, found.asked)
            return ranked, check_ranked(ranked, bounds, seed, solvers)
        case _:
            raise entry.wrong("finite or ranked is expected")


def _never_stuck(asked: Question, entry: Entry, resources: Resources) -> Ruling:
    bad = Bad(None, no_standstill(asked.concrete.threads))
    proof = read_proof(entry, asked.concrete.threads, {(0, 0): bad}, asked.concrete.axioms)
    never = {n.bad for n in proof.never} if isinstance(proof, Keeps) else set(proof.never)
    if bad not in never:
        return Rejected("proof", "it is about something else")
    bounds, seed, solvers = resources.bounds, resources.seed, resources.solvers
    match proof:
        case Keeps():
            return check_keeps(proof, bounds, seed, solvers)
        case Joint():
            return check_joint(proof, bounds, seed, solvers)
        case Lemmas():
            return check_lemmas(proof, bounds, seed, solvers)
        case States():
            return check_states(proof, bounds)
