"""Judges evidence from outside that a program preserves termination or progress, or does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Ends
from sa.automata.scheduler import serving
from sa.automata.standstill import no_standstill
from sa.base.verdict import Verdict
from sa.certificates.ends import Finite, Ranked
from sa.certificates.ends_json import read_finite, read_lasso, read_ranked, with_proofs
from sa.certificates.goal import Goal
from sa.certificates.preservation import Kept, Parting, Unmatched
from sa.certificates.preservation_json import read_following, read_matched
from sa.certificates.proof import excluded_by
from sa.certificates.proof_json import read_plain
from sa.certificates.run import Bad
from sa.certificates.run_json import read_run
from sa.certificates.shape import Entry
from sa.checker.finite import check_finite
from sa.checker.followers import ends, followers
from sa.checker.following import check_following
from sa.checker.judgement import Judged
from sa.checker.matched import check_matched, check_unmatched
from sa.checker.obligation import discharge
from sa.checker.parting import check_parting, seen_of
from sa.checker.proofs import making
from sa.checker.question import Question, thread_goals, whole_goal
from sa.checker.ranked import Conditions, check_ranked, conditions_of
from sa.checker.reduced import check_composed
from sa.checker.resources import Resources, consistent
from sa.checker.ruling import Accepted, Rejected, Ruling
from sa.checker.surroundings import with_surroundings
from sa.checker.written import uncut

#: A verdict that evidence is for, and whether it is accepted.
_Ruled: TypeAlias = tuple[Verdict, Ruling]


def judge_preservation(asked: Question, entry: Entry, resources: Resources) -> Judged:
    """The ruling about what is preserved. Raises Malformed, LimitReached, and NoQuestion."""
    kept, evidence = entry.fields("kept", "evidence")
    what = kept.choice(Kept)
    name = f"{what.value} is preserved"
    if evidence.value is None:
        return Judged(name, Verdict.UNKNOWN, None)
    if asked.closed:
        goals: tuple[Goal, ...] = (whole_goal(asked),)
        verdict, found = _judged(asked, goals[0], what, evidence, resources)
    else:
        goals = tuple(thread_goals(asked))
        verdict, found = _of_threads(goals, what, evidence, resources)
    sound = next((r for g in goals if not isinstance(r := _is_sound(g, resources), Accepted)), found)
    return Judged(name, verdict, sound)


def _is_sound(goal: Goal, resources: Resources) -> Ruling:
    """Whether axioms do not contradict each other, and written invariants cut no steps."""
    ruling = consistent(goal.axioms, resources)
    if not isinstance(ruling, Accepted):
        return ruling
    session = resources.solvers.session(resources.bounds, [a.formula for a in goal.axioms], resources.seed)
    written = (o for s in (goal.concrete, goal.abstract) for o in uncut(s, goal.closed))
    failure = next((f for o in written if (f := discharge(session, frozenset(), o)) is not None), None)
    return Accepted() if failure is None else failure


def _of_threads(goals: Sequence[Goal], kept: Kept, entry: Entry, resources: Resources) -> _Ruled:
    kind, what = entry.only()
    match kind, kept:
        case "threads", _:
            return Verdict.PROVED, _thread_by_thread(goals, kept, what, resources)
        case "thread", Kept.TERMINATION:
            number, parting = what.fields("number", "parting")
            goal = with_surroundings(goals[number.index(len(goals))])
            if goal is None:
                return Verdict.REFUTED, Rejected("environment", "globals are not equal on both sides")
            return Verdict.REFUTED, _parting(goal, parting, resources)
        case _:
            raise entry.wrong("this kind of evidence is not known")


def _thread_by_thread(goals: Sequence[Goal], kept: Kept, listed: Entry, resources: Resources) -> Ruling:
    items = listed.items()
    if len(items) != len(goals):
        raise listed.wrong(f"the evidence for {len(goals)} threads is expected")
    for goal, item in zip(goals, items, strict=True):
        made = read_following(item, goal)
        ruling = check_following(goal, kept, made, resources.bounds, resources.seed, resources.solvers)
        if not isinstance(ruling, Accepted):
            return ruling
    return Accepted()


def _judged(asked: Question, goal: Goal, kept: Kept, entry: Entry, resources: Resources) -> _Ruled:
    kind, what = entry.only()
    bounds, seed, solvers = resources.bounds, resources.seed, resources.solvers
    match kind, kept:
        case "following", _:
            made = read_following(what, goal)
            return Verdict.PROVED, check_following(goal, kept, made, bounds, seed, solvers)
        case "matched", _:
            return Verdict.PROVED, check_matched(goal, kept, read_matched(what, goal), bounds)
        case "unmatched", _:
            run = Unmatched(read_run(what, (goal.concrete,)))
            return Verdict.REFUTED, check_unmatched(goal, kept, run, bounds)
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


def _parting(goal: Goal, entry: Entry, resources: Resources) -> Ruling:
    run, reason = entry.fields("lasso", "ended")
    lasso = read_lasso(run, (goal.concrete,))
    (begun,) = lasso.run.start.threads.values()
    threads = followers(goal, begun.values, [s for t in lasso.run.turns if (s := seen_of(t)) is not None])
    ended, ruling = _ended(reason, threads, ends(goal, threads), goal.axioms, resources)
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
            ranked = with_proofs(ranked, what, found.asked, making(bounds))
            return ranked, check_ranked(ranked, bounds, seed, solvers)
        case _:
            raise entry.wrong("finite or ranked is expected")


def _never_stuck(asked: Question, entry: Entry, resources: Resources) -> Ruling:
    bad = Bad(None, no_standstill(asked.concrete.threads, serving(asked.concrete.scheduler)))
    proof = read_plain(entry, asked.concrete.threads, {(0, 0): bad}, asked.concrete.axioms)
    if bad not in excluded_by(proof):
        return Rejected("proof", "it is about something else")
    bounds, seed, solvers = resources.bounds, resources.seed, resources.solvers
    return check_composed(proof, bounds, seed, solvers)
