"""Scripts: each step by its rule, each side condition a leaf that is proved, refuted or not settled.

A step's own conditions do not depend on whether what it cites was shown, only on what that says; the step is PROVED
where everything below it is. Nothing becomes PROVED without the checker: relations are checked as they are found, and
rules are made of the checker's obligations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from sa.automata.proof import Preserves, Refines, Rule, Script, Step
from sa.base.limits import LimitReached
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.checker.composition import composition_fault
from sa.checker.obligation import Obligation, discharge
from sa.checker.ruling import Rejected
from sa.proofs import chain_closed, chain_open, parallel_invariants, parallel_refinement, preservation
from sa.proofs.facts import Invariance, Refinement, Side
from sa.proofs.local import Shown, shown_invariant
from sa.proofs.result import Leaf, Proof, StepResult
from sa.proofs.statements import outer, pair_goal, whole_goal
from sa.proofs.worlds import World, compatible, faults, side_of, worlds_of
from sa.refinement.judged import result_of
from sa.refinement.options import Options
from sa.refinement.outcome import Result
from sa.simulation.decide import decide
from sa.smt.session import Session

Fact = Refinement | Invariance


class Unfit(Exception):
    """A rule that does not fit its claim or what is cited: why."""


@dataclass(slots=True)
class _Run:
    """The script while it is worked on: what each step says, whether or not it was shown."""

    script: Script
    options: Options
    session: Session
    worlds: Mapping[str, World]
    facts: dict[str, Fact] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Applied:
    """A rule applied: what it says when all its leaves hold."""

    rule: str
    fact: Fact
    leaves: tuple[Leaf, ...] = ()
    results: tuple[Result, ...] = ()


def prove(script: Script, options: Options) -> Iterator[StepResult]:
    """The steps' answers, in order, each as soon as it is known. Raises LimitReached."""
    session = Session(options.limits, tuple(a.formula for a in script.axioms), options.seed)
    run = _Run(script, options, session, worlds_of(script, session, options))
    for step in script.steps:
        started = perf_counter()
        result = _step(run, step)
        yield replace(result, seconds=perf_counter() - started)


def proof_of(script: Script, steps: tuple[StepResult, ...]) -> Proof:
    """All answers together: refuted before unknown before proved."""
    verdicts = {s.verdict for s in steps}
    worst = next((v for v in (Verdict.REFUTED, Verdict.UNKNOWN) if v in verdicts), Verdict.PROVED)
    return Proof(script, steps, worst if steps else Verdict.UNKNOWN, sum(s.seconds for s in steps))


def _step(run: _Run, step: Step) -> StepResult:
    unknown = None
    try:
        applied = _applied(run, step)
    except Unfit as problem:
        unknown = Unknown(Reason.UNSUPPORTED, str(problem))
        return StepResult(step, Verdict.UNKNOWN, "", (), (), unknown, 0.0)
    except LimitReached as limit:
        return StepResult(step, Verdict.UNKNOWN, "", (), (), Unknown(limit.reason), 0.0)
    run.facts[step.name] = applied.fact
    verdicts = [*(leaf.verdict for leaf in applied.leaves), *(r.verdict for r in applied.results)]
    below = [run.verdicts.get(name, Verdict.UNKNOWN) for name in step.cited]
    if Verdict.REFUTED in verdicts:
        verdict = Verdict.REFUTED
    elif {*verdicts, *below} <= {Verdict.PROVED} and (verdicts or below):
        verdict = Verdict.PROVED
    else:
        verdict = Verdict.UNKNOWN
        unproved = [n for n, v in zip(step.cited, below, strict=True) if v is not Verdict.PROVED]
        if unproved:
            unknown = Unknown(Reason.BOUND, f"it rests on {', '.join(unproved)}, which is not proved")
    run.verdicts[step.name] = verdict
    return StepResult(step, verdict, applied.rule, applied.leaves, applied.results, unknown, 0.0)


def _applied(run: _Run, step: Step) -> _Applied:
    """The rule that the step names, or the one that fits. Raises Unfit and LimitReached."""
    cited = [run.facts[name] for name in step.cited if name in run.facts]
    if len(cited) < len(step.cited):
        raise Unfit("a cited step says nothing, since its rule does not fit")
    match step.claim:
        case Refines() as claim:
            match _fitting(claim, cited) if step.rule in (None, Rule.AUTO) else step.rule:
                case Rule.PARALLEL:
                    return _parallel(run, claim, _refinements(cited))
                case Rule.CHAIN:
                    return _chain(run, step, claim, _refinements(cited))
                case Rule.PRESERVATION:
                    raise Unfit("preservation is about invariants, and this claims a refinement")
                case _:
                    return _directly(run, step, claim)
        case Preserves() as claim:
            if step.rule is Rule.PRESERVATION or (
                step.rule in (None, Rule.AUTO) and any(isinstance(f, Refinement) for f in cited)
            ):
                return _preserved(run, claim, cited)
            if step.rule is Rule.CHAIN:
                raise Unfit("chains are of refinements, and this claims an invariant")
            return _invariant(run, claim, cited)


def _fitting(claim: Refines, cited: list[Fact]) -> Rule | None:
    if not cited:
        return None
    refinements = [f for f in cited if isinstance(f, Refinement)]
    is_chain = len(refinements) > 1 and len(claim.left) == len(refinements[0].left.threads)
    return Rule.CHAIN if is_chain else Rule.PARALLEL


def _refinements(cited: list[Fact]) -> list[Refinement]:
    if not cited or not all(isinstance(f, Refinement) for f in cited):
        raise Unfit("this rule cites refinements")
    return [f for f in cited if isinstance(f, Refinement)]


def _leaf(run: _Run, obligation: Obligation) -> Leaf:
    started = perf_counter()
    failure = discharge(run.session, frozenset(), obligation)
    if failure is None:
        verdict, why = Verdict.PROVED, ""
    else:
        # A model that a function or a quantifier kept from being evaluated refutes nothing.
        certain = isinstance(failure, Rejected) and not run.script.axioms
        verdict, why = Verdict.REFUTED if certain else Verdict.UNKNOWN, failure.why
    return Leaf(obligation.name, obligation.where, verdict, why, perf_counter() - started)


def _leaves(run: _Run, obligations: Iterable[Obligation]) -> tuple[Leaf, ...]:
    """The obligations settled; equal ones that hold, one after the other, are told once."""
    found = dict[str, Leaf]()
    failed = list[Leaf]()
    for obligation in obligations:
        leaf = _leaf(run, obligation)
        if leaf.verdict is not Verdict.PROVED:
            failed.append(leaf)
            continue
        known = found.get(leaf.name)
        if known is not None:
            leaf = replace(known, where="", seconds=known.seconds + leaf.seconds, count=known.count + 1)
        found[leaf.name] = leaf
    return (*found.values(), *failed)


def _directly(run: _Run, step: Step, claim: Refines) -> _Applied:
    """One pair of threads in the environments of their programs, or two whole programs."""
    left, right = side_of(run.worlds, claim.left), side_of(run.worlds, claim.right)
    if len(claim.left) == 1 and not (left.whole and right.whole):
        goal = pair_goal(run.worlds, run.script, step, claim)
    elif left.whole and right.whole:
        goal = whole_goal(run.worlds, run.script, step, claim)
    else:
        raise Unfit("several threads among others need a rule: show each of them, then `by parallel`")
    started = perf_counter()
    decision = decide(goal, run.options.limits, run.options.seed)
    result = _settled(goal, result_of(goal, decision, perf_counter() - started, run.options))
    kappa, iota = outer(goal, left, right)
    pairs = ((goal, result.relation),) if result.relation is not None and len(claim.left) == 1 else ()
    leaves = _sound(run, left, right)
    flags = (bool(claim.rely), claim.silent_exit, claim.choose_init)
    return _Applied("simulation", Refinement(left, right, kappa, iota, pairs, *flags), leaves, (result,))


def _settled(goal: Goal, result: Result) -> Result:
    """A play of a thread among others refutes nothing: its environment may be too coarse."""
    if result.play is None or goal.closed or goal.matched:
        return result
    unknown = Unknown(Reason.ENVIRONMENT, "it fails in the environment inferred for it")
    return replace(result, verdict=Verdict.UNKNOWN, unknown=unknown)


def _sound(run: _Run, *sides: Side) -> tuple[Leaf, ...]:
    """That annotated threads are the written ones; what was inferred of them was checked before the first step."""
    wrong = [fault for side in sides for fault in faults(side)]
    return tuple(Leaf("annotated threads", "", Verdict.UNKNOWN, fault, 0.0) for fault in wrong)


def _parallel(run: _Run, claim: Refines, parts: list[Refinement]) -> _Applied:
    left, right = side_of(run.worlds, claim.left), side_of(run.worlds, claim.right)
    if not (_made_of(left, [p.left for p in parts]) and _made_of(right, [p.right for p in parts])):
        raise Unfit("the cited refinements are not those of the claim's threads, in this order")
    if any(not p.pairs for p in parts):
        raise Unfit("a cited refinement was not shown for its pair of threads")
    _alike(claim, parts)
    kappa, iota = outer(whole_goal(run.worlds, run.script, None, claim), left, right)
    made = parallel_refinement.composed(left, right, parts, run.script.axioms, claim.silent_exit)
    fault = composition_fault(made)
    wrong = () if fault is None else (Leaf("well-formed composition", "", Verdict.UNKNOWN, fault, 0.0),)
    leaves = _leaves(run, parallel_refinement.obligations(made, parts, kappa, iota)) if fault is None else wrong
    pairs = tuple(pair for p in parts for pair in p.pairs)
    fact = Refinement(left, right, kappa, iota, pairs, silent=claim.silent_exit)
    return _Applied("Theorem 4", fact, (*_sound(run, left, right), *leaves))


def _made_of(side: Side, parts: Sequence[Side]) -> bool:
    """Whether a composition is just that of the parts, in order."""
    threads = tuple(t for p in parts for t in p.threads)
    return threads == side.threads and all(p.program == side.program for p in parts)


def _alike(claim: Refines, parts: Sequence[Refinement]) -> None:
    """Raises Unfit where parts are about other ends, starts or environments than the claim."""
    if claim.rely or any(p.narrow for p in parts):
        raise Unfit("a rely narrows what others may do, which this rule does not know of: declare it in the programs")
    if claim.choose_init or any(p.chosen for p in parts):
        raise Unfit("initial values that are chosen for a part need not fit the others")
    if any(p.silent != claim.silent_exit for p in parts):
        raise Unfit("`silent exit` must be said of all parts and of the claim, or of none")


def _chain(run: _Run, step: Step, claim: Refines, parts: list[Refinement]) -> _Applied:
    left, right = side_of(run.worlds, claim.left), side_of(run.worlds, claim.right)
    if len(parts) != 2:
        raise Unfit("a chain has two links; chain longer ones step by step")
    first, second = parts
    if first.left != left or second.right != right or first.right != second.left:
        raise Unfit("the cited refinements do not meet: the first ends where the second begins")
    _alike(claim, parts)
    if left.whole and first.right.whole and right.whole:
        rule = "Theorem 2"
        kappa, iota = outer(whole_goal(run.worlds, run.script, step, claim), left, right)
        leaves = _leaves(run, chain_closed.obligations(first, second, kappa, iota))
    elif len(left.threads) == 1 and first.pairs and second.pairs:
        rule, goal = "Theorem 3", pair_goal(run.worlds, run.script, step, claim)
        kappa, iota = outer(goal, left, right)
        leaves = _leaves(run, chain_open.obligations(first, second, kappa, iota, goal))
    else:
        raise Unfit("chains are of whole programs, or of single threads whose refinements were shown directly")
    return _Applied(rule, Refinement(left, right, kappa, iota, (), silent=claim.silent_exit), leaves)


def _invariant(run: _Run, claim: Preserves, cited: list[Fact]) -> _Applied:
    side = side_of(run.worlds, claim.side)
    if not all(isinstance(f, Invariance) for f in cited):
        raise Unfit("this rule cites invariants")
    parts = [f for f in cited if isinstance(f, Invariance)]
    _no_locations(claim)
    if parts and not _made_of(side, [p.side for p in parts]):
        raise Unfit("the cited invariants are not those of the claim's threads, in this order")
    if claim.strong and any(not p.strong for p in parts):
        raise Unfit("a strong invariant needs strong parts")
    shown = list[Shown]()
    if not parts:
        shown = [shown_invariant(run.session, t, claim.formula, claim.strong) for t in side.threads]
        parts = [Invariance(Side(side.program, (t,), False), claim.formula, claim.strong) for t in side.threads]
    leaves = [leaf for s in shown for leaf in s.leaves]
    if len(side.threads) > 1 or cited:
        leaves += _leaves(run, parallel_invariants.obligations(parts, claim.formula, claim.strong, side.whole))
    leaves += _leaves(run, compatible(side))
    rule = "Theorem 1" if len(side.threads) > 1 else "induction"
    return _Applied(rule, Invariance(side, claim.formula, claim.strong), (*_sound(run, side), *leaves))


def _no_locations(claim: Preserves) -> None:
    if any(v.name.startswith("at ") for v in claim.formula.free):
        raise Unfit("`at` is for `verify`: rules do not know locations by name")


def _preserved(run: _Run, claim: Preserves, cited: list[Fact]) -> _Applied:
    refinements = [f for f in cited if isinstance(f, Refinement)]
    invariants = [f for f in cited if isinstance(f, Invariance)]
    if len(refinements) != 1 or len(invariants) != 1 or len(cited) != 2:
        raise Unfit("preservation cites one refinement and one invariant")
    (fact,), (above,) = refinements, invariants
    side = side_of(run.worlds, claim.side)
    if fact.left != side or fact.right != above.side:
        raise Unfit("the refinement leads from the claim's threads to those of the cited invariant")
    if not side.whole and (len(side.threads) > 1 or not fact.pairs):
        raise Unfit("threads among others: show each refinement directly, carry its invariant over, then `by parallel`")
    _no_locations(claim)
    if fact.narrow:
        raise Unfit("a rely narrows what others may do, which this rule does not know of: declare it in the programs")
    if claim.strong and not above.strong:
        raise Unfit("a strong invariant needs a strong one")
    leaves = _leaves(run, preservation.obligations(fact, above.formula, claim.formula, claim.strong))
    return _Applied("Theorem 5", Invariance(side, claim.formula, claim.strong), leaves)
