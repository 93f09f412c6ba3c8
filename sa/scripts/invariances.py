"""Steps that claim invariants: by induction and Theorem 1, or of whole programs as `verify` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.proof import Preserves
from sa.base.budget import Budget, unheard
from sa.base.clock import clock
from sa.base.verdict import Verdict
from sa.bounded.bounded_model_checking import find_run
from sa.bounded.wanted import Wanted
from sa.certificates.argument import Excluded, Inductive, Violated, Way
from sa.certificates.families import CrowdJoint, CrowdKeeps, CrowdRun
from sa.certificates.family_reduction import CrowdReduced
from sa.certificates.run import Bad, Run
from sa.checker.joint_locations import settled
from sa.checker.ruling import Accepted
from sa.checker.run import check_run
from sa.engines.judging_claims import judged
from sa.engines.portfolio_of_claims import CLAIMS
from sa.engines.runner import Ruled, run
from sa.question.asked import Asked
from sa.rules.application import Applied, Unfit
from sa.rules.facts import Fact, Invariance, sides_of
from sa.rules.invariances import JOINT, jointly, thread_by_thread
from sa.rules.statements import invariance_of
from sa.rules.strong_and_weak_invariants import automaton_of
from sa.rules.theorem_1_parallel_invariants import apart_formula
from sa.scripts.local import show_invariant
from sa.scripts.result import Counterexample, Leaf, Shown
from sa.scripts.work import Work, add, begins, establish, sound
from sa.terms.evaluate import holds
from sa.terms.meaning import called
from sa.terms.sort import Value, show_value
from sa.terms.substitute import local_of
from sa.terms.term import Term, Var

_RUN = "the run is below"

#: A short look for a run: so many states, and runs within a few bounds.
_STATES, _BOUNDS = 60_000, Wanted(stages=2, effort=250_000, by_the_way=True)


def by_threads(work: Work, claim: Preserves) -> Fact:
    """Theorem 1 from the claim itself, which is shown of each thread. Raises Unfit and LimitReached."""
    found = thread_by_thread(work.stage, claim)
    if found is None:
        raise Unfit("a part of the formula is about several threads, so it is no invariant of each: leave the rule out")
    _by_induction(work, Way.THREADS, *found)
    return found[0].fact


def directly(work: Work, claim: Preserves) -> Fact:
    """An invariant without a rule: thread by thread, then of a whole program, then over joint locations.

    Raises LimitReached. What is told of failures is that of the first way, or a run that refutes the claim.
    """
    fact = invariance_of(work.stage, claim)
    several = len(fact.side.threads) > 1
    found = thread_by_thread(work.stage, claim)
    if found is not None and _by_induction(work, Way.THREADS, *found):
        return fact
    told = tuple(work.leaves) if found is not None else ()
    rule, run, argument = work.rule, work.run, work.argument
    if not several and run is not None:
        return fact
    work.run = None
    # Runs are evaluated, which functions without a body keep from being done.
    ways = (_by_joint_locations,) if called(fact.formula) else (_by_verification, _by_joint_locations)
    for way in ways:
        work.leaves.clear()
        if way(work, claim, fact):
            return fact
        if work.run is not None:
            return fact
        if not told and work.leaves:
            told, rule = tuple(work.leaves), work.rule
    work.leaves[:], work.rule, work.run, work.argument = told, rule, run, argument
    return fact


def _by_induction(work: Work, way: Way, applied: Applied, parts: Sequence[Invariance]) -> bool:
    """Whether formulas by location are found for each part, and what is asked besides holds."""
    work.rule, work.way = applied.rule, way
    places = [_inductive(work, part, number) for number, part in enumerate(parts)]
    holds = establish(work, applied)
    known = tuple(p for p in places if p is not None)
    if not (sound(work, *sides_of(applied.fact)) and holds and len(known) == len(places)):
        return False
    work.argument = Inductive(way, known)
    return True


def _inductive(work: Work, fact: Invariance, number: int) -> Mapping[str, Term] | None:
    """Formulas by location for an invariant; where one thread has it not, a run of it alone may refute it."""
    places = show_invariant(work, fact)
    if places is not None or len(fact.side.threads) > 1:
        return places
    automaton = automaton_of(fact)
    run = _run_alone(work, automaton, fact)
    if run is not None and work.run is None:
        work.run, work.argument = run, Violated(run, (automaton,), number)
        work.leaves[-1] = replace(
            work.leaves[-1], where="", verdict=Verdict.REFUTED, why=_RUN, example=_violated(run, fact)
        )
    return None


def _violated(run: Run, fact: Invariance) -> Counterexample:
    """What is false at the end of a run, and the values that it speaks of."""
    last = run.turns[-1].after if run.turns else run.start
    state: dict[Var, Value] = dict(last.shared)
    for name, there in last.threads.items():
        state |= {local_of(v, name): x for v, x in there.values.items() if v not in last.shared}
    places = {name: there.location for name, there in last.threads.items()}
    for part in fact.parts:
        formula = settled(apart_formula(part.term, fact.side.threads), places)
        if not holds(formula, state):
            values = tuple(
                Shown(v.name, show_value(state[v], v.sort)) for v in sorted(formula.free, key=lambda v: v.key)
            )
            return Counterexample(values, broken=part.origin)
    return Counterexample(())


def _run_alone(work: Work, automaton: Automaton, fact: Invariance) -> Run | None:
    """A run of the thread into a violation in which nobody else moves: an environment may always do nothing."""
    bad = Bad(None, apart_formula(fact.formula, fact.side.threads))
    budget = Budget(work.options.limits, work.options.seed)
    run = find_run((automaton,), bad, budget, unheard, _STATES, _BOUNDS)
    if run is None or not isinstance(check_run((automaton,), bad, run), Accepted):
        return None
    return run if begins(work, fact.side) else None


# ---------------------------------------------------------------- whole programs, joint locations


def _by_verification(work: Work, claim: Preserves, fact: Invariance) -> bool:
    """What `verify` finds: invariants that exclude a violation, or a run into one."""
    if not fact.side.whole:
        return False
    work.rule = "whole program"
    threads = tuple(t.thread for t in fact.side.threads)
    bad = Bad(None, apart_formula(fact.formula, fact.side.threads))
    started = clock()
    axioms, options = work.script.axioms, work.options
    asked, budget = Asked(threads, (bad,), axioms), Budget(options.limits, options.seed)
    for found in run(CLAIMS, asked, budget, lambda s: judged(threads, axioms, s, options.limits, options.seed)):
        if not (isinstance(found, Ruled) and isinstance(found.ruling, Accepted)):
            continue
        seconds, evidence = clock() - started, found.settled.evidence
        if isinstance(evidence, Run):
            work.run, work.argument = evidence, Violated(evidence, threads, None)
            example = _violated(evidence, fact)
            add(work, Leaf("it is violated", "", Verdict.REFUTED, _RUN, seconds, example=example))
            return False
        assert not isinstance(evidence, CrowdRun | CrowdKeeps | CrowdJoint | CrowdReduced)  # scripts know no families
        work.argument = Excluded(evidence)
        add(work, Leaf(f"no violation ({found.settled.how})", "", Verdict.PROVED, "", seconds))
        return True
    return False


def _by_joint_locations(work: Work, claim: Preserves, fact: Invariance) -> bool:
    """Induction for the composition as one automaton (Definitions 3 to 5)."""
    threads = fact.side.threads
    if len(threads) == 1 or prod(len(t.automaton.locations) for t in threads) > JOINT:
        return False
    return _by_induction(work, Way.JOINT, jointly(work.stage, claim), (fact,))
