"""Steps that claim invariants: by induction and Theorem 1, of whole programs as `verify` does, or by Theorem 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from time import perf_counter

from sa.automata.automaton import Automaton
from sa.automata.program import Formula
from sa.automata.proof import Preserves
from sa.base.verdict import Verdict
from sa.certificates.run import Bad, Run
from sa.certificates.threads import Annotated, Joint, Keeps
from sa.checker.never import check_joint, check_keeps, settled
from sa.checker.ruling import Accepted, Ruling
from sa.checker.run import check_run
from sa.composition.environment import closed
from sa.composition.product import SEPARATOR, product
from sa.invariants.decide import SHORT, Imprecise, decide
from sa.invariants.violation import find_run
from sa.proofs import parallel_invariants, preservation
from sa.proofs.facts import Fact, Invariance, Refinement, Side, made_of
from sa.proofs.functions import called
from sa.proofs.local import at_locations, show_invariant
from sa.proofs.parallel_invariants import apart_formula, names_apart
from sa.proofs.result import Counterexample, Leaf, Shown
from sa.proofs.work import Unfit, Work, add, settle, sound
from sa.proofs.worlds import compatible, side_of
from sa.terms import build
from sa.terms.evaluate import holds
from sa.terms.sort import Value, show_value
from sa.terms.substitute import prefixed, substitute
from sa.terms.term import Term, Var

#: Joint locations up to which induction goes over all of them.
JOINT = 400

_RUN = "the run is below"


def claimed(work: Work, claim: Preserves) -> Invariance:
    """What the step says."""
    return Invariance(side_of(work.worlds, claim.side), claim.formula, claim.strong, claim.parts)


def combined(work: Work, claim: Preserves, cited: Sequence[Fact]) -> Fact:
    """Theorem 1 from cited invariants of the claim's threads. Raises Unfit and LimitReached."""
    fact = claimed(work, claim)
    parts = [f for f in cited if isinstance(f, Invariance)]
    if len(parts) < len(cited):
        raise Unfit("this rule cites invariants")
    if not made_of(fact.side, [p.side for p in parts]):
        raise Unfit("the cited invariants are not those of the claim's threads, in this order")
    if claim.strong and any(not p.strong for p in parts):
        raise Unfit("a strong invariant needs strong parts")
    work.rule = "Theorem 1" if len(fact.side.threads) > 1 else "induction"
    _composed(work, parts, fact)
    return fact


def _composed(work: Work, parts: Sequence[Invariance], fact: Invariance) -> bool:
    return all(
        [
            settle(work, parallel_invariants.obligations(parts, fact)),
            settle(work, compatible(fact.side)),
            sound(work, fact.side),
        ]
    )


def thread_by_thread(work: Work, claim: Preserves) -> Fact:
    """Theorem 1 from the claim itself, which is shown of each thread. Raises Unfit and LimitReached."""
    fact = claimed(work, claim)
    parts = _by_thread(fact)
    if parts is None:
        raise Unfit("a part of the formula is about several threads, so it is no invariant of each: leave the rule out")
    work.rule = "Theorem 1" if len(parts) > 1 else "induction"
    _inductive_parts(work, parts, fact)
    return fact


def directly(work: Work, claim: Preserves) -> Fact:
    """An invariant without a rule: thread by thread, then of a whole program, then over joint locations.

    Raises LimitReached. What is told of failures is that of the first way, or a run that refutes the claim.
    """
    fact = claimed(work, claim)
    several = len(fact.side.threads) > 1
    work.rule = "Theorem 1" if several else "induction"
    parts = _by_thread(fact)
    if parts is not None and _inductive_parts(work, parts, fact):
        return fact
    told = tuple(work.leaves) if parts is not None else ()
    rule, run = work.rule, work.run
    if not several and run is not None:
        return fact
    work.run = None
    # Runs are evaluated, which functions without a body keep from being done.
    ways = (_by_joint_locations,) if called(fact.formula) else (_by_verification, _by_joint_locations)
    for way in ways:
        work.leaves.clear()
        if way(work, fact):
            return fact
        if work.run is not None:
            return fact
        if not told and work.leaves:
            told, rule = tuple(work.leaves), work.rule
    work.leaves[:], work.rule, work.run = told, rule, run
    return fact


def _inductive_parts(work: Work, parts: Sequence[Invariance], fact: Invariance) -> bool:
    shown = [_inductive(work, p.side.threads[0].automaton, p) for p in parts]
    if len(parts) > 1:
        return _composed(work, parts, fact) and all(shown)
    return all([settle(work, compatible(fact.side)), sound(work, fact.side), *shown])


def _inductive(work: Work, automaton: Automaton, fact: Invariance) -> bool:
    """Whether an automaton has the invariant; where one thread has not, a run of it alone may refute it."""
    if _shown(work, automaton, fact):
        return True
    run = _run_alone(work, automaton, fact) if len(fact.side.threads) == 1 else None
    if run is not None:
        work.run = work.run or run
        leaf = work.leaves[-1]
        example = _violated(run, fact)
        work.leaves[-1] = replace(leaf, where="", verdict=Verdict.REFUTED, why=_RUN, example=example)
    return False


def _violated(run: Run, fact: Invariance) -> Counterexample:
    """What is false at the end of a run, and the values that it speaks of."""
    last = run.turns[-1].after if run.turns else run.start
    state: dict[Var, Value] = dict(last.shared)
    for name, there in last.threads.items():
        state |= {prefixed(v, name): x for v, x in there.values.items() if v not in last.shared}
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
    run = find_run((automaton,), bad, work.options.limits, SHORT)
    return run if run is not None and isinstance(check_run((automaton,), bad, run), Accepted) else None


def _shown(work: Work, automaton: Automaton, fact: Invariance) -> bool:
    threads = tuple(t.automaton.name for t in fact.side.threads)
    wanted = at_locations(fact.formula, threads, automaton, SEPARATOR)
    clauses = {q: tuple[Formula, ...]() for q in wanted}
    for part in fact.parts:
        for q, term in at_locations(part.term, threads, automaton, SEPARATOR).items():
            clauses[q] = (*clauses[q], replace(part, term=term))
    return show_invariant(work, automaton, wanted, fact.strong, clauses)


# ---------------------------------------------------------------- thread by thread


def _by_thread(fact: Invariance) -> list[Invariance] | None:
    """The claim as invariants of one thread each: a conjunct goes to the thread that it is about, or to all.

    None where a conjunct is about several.
    """
    if len(fact.side.threads) == 1:
        return [replace(fact, side=_alone(fact.side, fact.side.threads[0]))]
    pieces = [replace(p, term=c) for p in fact.parts for c in build.conjuncts(p.term)]
    own = {t.automaton.name: _own(t) for t in fact.side.threads}
    everyone = frozenset[str]().union(*own.values())
    found = list[Invariance]()
    placed = 0
    for annotated in fact.side.threads:
        back: dict[Var, Term] = {v: k for k, v in names_apart((annotated,)).items() if isinstance(v, Var)}
        mine = own[annotated.automaton.name]
        about = [p for p in pieces if _names(p.term) & everyone <= mine]
        placed += sum(1 for p in about if _names(p.term) & mine)
        parts = tuple(replace(p, term=substitute(p.term, back)) for p in about)
        formula = build.land(*(p.term for p in parts))
        found.append(Invariance(_alone(fact.side, annotated), formula, fact.strong, parts))
    return found if placed == sum(1 for p in pieces if _names(p.term) & everyone) else None


def _alone(side: Side, annotated: Annotated) -> Side:
    return Side(side.program, (annotated,), side.whole and len(side.threads) == 1)


def _own(annotated: Annotated) -> frozenset[str]:
    return frozenset(v.name for v in parallel_invariants.own_variables(annotated))


def _names(term: Term) -> frozenset[str]:
    return frozenset(v.name for v in term.free)


# ---------------------------------------------------------------- whole programs, joint locations


def _by_verification(work: Work, fact: Invariance) -> bool:
    """What `verify` finds: invariants that exclude a violation, or a run into one."""
    if not fact.side.whole:
        return False
    work.rule = "whole program"
    threads = tuple(t.thread for t in fact.side.threads)
    bad = Bad(None, apart_formula(fact.formula, fact.side.threads))
    started = perf_counter()
    for found in decide(threads, (bad,), work.script.axioms, work.options.limits, work.options.seed):
        if isinstance(found, Imprecise):
            continue
        ruling = _ruling(work, threads, bad, found.evidence)
        if isinstance(ruling, Accepted):
            if isinstance(found.evidence, Run):
                work.run = found.evidence
                seconds, example = perf_counter() - started, _violated(found.evidence, fact)
                add(work, Leaf("it is violated", "", Verdict.REFUTED, _RUN, seconds, example=example))
                return False
            add(work, Leaf(f"no violation ({found.how})", "", Verdict.PROVED, "", perf_counter() - started))
            return True
    return False


def _ruling(work: Work, threads: tuple[Automaton, ...], bad: Bad, evidence: Keeps | Joint | Run) -> Ruling | None:
    """What the checker says of evidence that is about the claim; None where it is about something else."""
    bounds, seed, axioms = work.options.limits, work.options.seed, work.script.axioms
    match evidence:
        case Run():
            return check_run(threads, bad, evidence)
        case Keeps(annotated, never, assumed):
            about = (tuple(a.thread for a in annotated), tuple(n.bad for n in never), assumed)
            return check_keeps(evidence, bounds, seed) if about == (threads, (bad,), axioms) else None
        case Joint(own, _, never, assumed):
            return check_joint(evidence, bounds, seed) if (own, never, assumed) == (threads, (bad,), axioms) else None


def _by_joint_locations(work: Work, fact: Invariance) -> bool:
    """Induction for the composition as one automaton (Definitions 3 to 5)."""
    threads = tuple(t.automaton for t in fact.side.threads)
    if len(threads) == 1 or prod(len(t.locations) for t in threads) > JOINT:
        return False
    work.rule = "induction"
    joint = product(threads)
    shown = _inductive(work, closed(joint) if fact.side.whole else joint, fact)
    return all([shown, settle(work, compatible(fact.side)), sound(work, fact.side)])


# ---------------------------------------------------------------- preservation


def preserved(work: Work, claim: Preserves, cited: Sequence[Fact]) -> Fact:
    """Theorem 5 from a cited refinement and an invariant of its abstract side. Raises Unfit and LimitReached."""
    fact = claimed(work, claim)
    refinements = [f for f in cited if isinstance(f, Refinement)]
    invariants = [f for f in cited if isinstance(f, Invariance)]
    if len(refinements) != 1 or len(invariants) != 1 or len(cited) != 2:
        raise Unfit("preservation cites one refinement and one invariant")
    (refined,), (above,) = refinements, invariants
    if refined.left != fact.side or refined.right != above.side:
        raise Unfit("the refinement leads from the claim's threads to those of the cited invariant")
    known_by_pairs = len(refined.pairs) == len(fact.side.threads)
    if not fact.side.whole and (len(fact.side.threads) > 1 or not known_by_pairs):
        if refined.links:
            raise Unfit(
                "a chain of threads among others says nothing of their environments: carry it over link by link"
            )
        raise Unfit("threads among others: show each refinement directly, carry its invariant over, then `by parallel`")
    if refined.narrow:
        raise Unfit("a rely narrows what others may do, which this rule does not know of: declare it in the programs")
    if claim.strong and not above.strong and not fact.side.whole:
        raise Unfit("a strong invariant needs a strong one")
    if any(map(preservation.speaks_of_locations, (above, fact))):
        if not known_by_pairs:
            hint = "show its pairs of threads first, then `by parallel`"
            raise Unfit(f"`at` needs to know which locations meet, which the cited refinement does not say: {hint}")
        if prod(len(relation.pairs) for _, relation in refined.pairs) > JOINT:
            raise Unfit("the threads meet at too many joint locations for `at`")
    work.rule = "Theorem 5"
    work.aliases = {"conc": refined.left.program, "abs": refined.right.program}
    settle(work, preservation.obligations(refined, above, fact))
    return fact
