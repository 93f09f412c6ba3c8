"""Whole programs: pairs of threads in inferred environments first, the game on the two products where they do not do.

Cheap tries come first: the pairs at a glance, the products briefly; then the pairs in smaller environments, on a higher
rung of visibility, with patience; then the products with patience. Only the products refute: a pair's loss shows no
more than that its environment is too coarse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter

from sa.automata.program import Program, Refinement
from sa.base.limits import LimitReached
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.certificates.threads import Composition
from sa.checker.composition import check_composition
from sa.checker.ruling import Accepted
from sa.engines.options import Options
from sa.engines.outcome import Inferred, Result
from sa.engines.recall import decided
from sa.engines.results import answered, statistics_of
from sa.generation.checks import NotGenerated
from sa.generation.visibility import Rung
from sa.question.asked import Decision
from sa.refinement.compositional import Attempt, Effort, attempt
from sa.refinement.missing import step_in_words

#: What is tried with the pairs before the products are looked at, briefly and then with patience.
PLAN = (
    (True, ((Rung.HIDDEN, Effort.GLANCE),)),
    (False, ((Rung.HIDDEN, Effort.SHARPEN), (Rung.LOCATIONS, Effort.SHARPEN), (Rung.HIDDEN, Effort.PERSIST))),
)


@dataclass(frozen=True, slots=True)
class Found:
    """The results that answer a question about whole programs, and how they came about.

    `hopeful` says of pairs that are not proved that smaller environments might help, `imprecise` where precision was
    given up for them.
    """

    results: tuple[Result, ...]
    composition: Composition | None = None
    inferred: tuple[Inferred, ...] = ()
    notes: tuple[str, ...] = ()
    hopeful: bool = True
    imprecise: tuple[str, ...] = ()


def decide_programs(
    abstract: Program, concrete: Program, block: Refinement | None, product: Goal | None, options: Options
) -> Found:
    """The answer about two programs without relies; `product` is the goal about them, unless it is too large.

    Raises InputError, and NotGenerated on an internal error.
    """
    if block is not None and block.choose_init:
        # Initial values are chosen for all threads at once.
        if product is not None:
            return Found((_product(product, options, briefly=False),))
        return Found((), notes=("`choose init` needs the programs as a whole, and they are too large",))
    pairs = whole = None
    for briefly, tries in PLAN:
        for rung, effort in tries:
            if pairs is None or pairs.hopeful:
                pairs = _pairs(abstract, concrete, block, options, rung, effort)
                if pairs.composition is not None:
                    return pairs
        if product is not None:
            whole = _product(product, options, briefly)
            if whole.verdict is not Verdict.UNKNOWN or _is_limit(whole):
                break
    assert pairs is not None
    if whole is None:
        return replace(pairs, notes=(*pairs.notes, *pairs.imprecise))
    match whole.verdict:
        case Verdict.REFUTED:
            notes: tuple[str, ...] = ()
        case Verdict.PROVED:
            notes = ("proved for the programs as a whole", *pairs.notes)
        case Verdict.UNKNOWN:
            notes = (*pairs.notes, *pairs.imprecise)
    return Found((whole,), notes=notes)


def _is_limit(result: Result) -> bool:
    return result.unknown is not None and result.unknown.reason in (Reason.TIMEOUT, Reason.MEMORY, Reason.INTERRUPTED)


def _product(product: Goal, options: Options, briefly: bool) -> Result:
    return answered(product, options, briefly)


def _pairs(
    abstract: Program, concrete: Program, block: Refinement | None, options: Options, rung: Rung, effort: Effort
) -> Found:
    """The proof from pairs of threads, or how far it got."""
    started = perf_counter()
    try:
        tried = attempt(
            abstract,
            concrete,
            block,
            options.limits,
            lambda goal, briefly: decided(goal, options, briefly),
            rung,
            effort,
        )
        if tried.composition is None:
            return _shortcoming(tried, perf_counter() - started)
        settled = perf_counter()
        ruling = check_composition(tried.composition, options.limits)
    except LimitReached as limit:
        return Found((), notes=(f"the pairs of threads were not settled: {limit.reason.value}",))
    except NotGenerated as fault:
        if fault.certain:
            raise
        return Found((), notes=(f"what was inferred could not be checked: {fault}",))
    if not isinstance(ruling, Accepted):
        return Found((), notes=(f"the proof from pairs was not accepted: {ruling.obligation}: {ruling.why}",))
    spent = (settled - started, perf_counter() - settled)
    results = tuple(_proved(g, d, spent, len(tried.goals)) for g, d in zip(tried.goals, tried.decisions, strict=True))
    notes = (f"invariants may speak of {rung.value}",) if rung is not Rung.HIDDEN else ()
    return Found(results, tried.composition, tuple(_inferred(tried)), notes)


def _proved(goal: Goal, decision: Decision, spent: tuple[float, float], shares: int) -> Result:
    assert isinstance(decision.evidence, Relation)
    # The pairs are generated and checked together, so each has its share of the time.
    statistics = statistics_of(decision, decision.evidence, spent[0] / shares, spent[1] / shares)
    return Result(goal, Verdict.PROVED, decision.evidence, None, None, statistics)


def _inferred(tried: Attempt) -> Iterator[Inferred]:
    assert tried.composition is not None
    for goal, first, second in zip(tried.goals, tried.composition.concrete, tried.composition.abstract, strict=True):
        mine, theirs = first.automaton.locations[0].env, second.automaton.locations[0].env
        assert mine is not None and theirs is not None
        yield Inferred(goal.name, mine, theirs, tried.facts.get(first.thread.name, ()))


def _shortcoming(tried: Attempt, seconds: float) -> Found:
    """Pairs that could not all be shown: what is missing is said of the first one, and none counts as proved."""
    results, notes = list[Result](), list[str]()
    for goal, decision in zip(tried.goals, tried.decisions, strict=False):
        if isinstance(decision.evidence, Relation):
            why = Unknown(
                Reason.ENVIRONMENT, "this pair is proved in the environment inferred for it, another one is not"
            )
        elif isinstance(decision.evidence, Unknown):
            why = decision.evidence
        else:
            why = Unknown(Reason.ENVIRONMENT, step_in_words(decision.evidence))
        if not isinstance(decision.evidence, Relation) and not notes:
            notes.append(
                f"the pair `{goal.name}` was not proved: {why.reason.value}{': ' if why.detail else ''}{why.detail}"
            )
        statistics = statistics_of(decision, None, seconds / len(tried.decisions), 0.0)
        results.append(Result(goal, Verdict.UNKNOWN, None, None, why, statistics))
    return Found(tuple(results), notes=tuple(notes), hopeful=tried.hopeful, imprecise=tried.imprecise)
