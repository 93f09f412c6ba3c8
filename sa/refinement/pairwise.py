"""Whole programs: pairs of threads in inferred environments first, the game on the two products where they do not do.

Four tries, cheap ones first: the pairs briefly, the products briefly, the pairs with smaller environments, the products
with patience. Only the products refute: a pair's loss shows no more than that its environment is too coarse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter

from sa.automata.program import Program, Refinement
from sa.base.limits import LimitReached
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.certificates.threads import Composition
from sa.checker.composition import check_composition
from sa.checker.ruling import Accepted
from sa.generation.checks import NotGenerated
from sa.refinement.compositional import Attempt, attempt
from sa.refinement.judged import result_of, statistics_of, stopped
from sa.refinement.options import Options
from sa.refinement.outcome import Inferred, Result
from sa.simulation.decide import Decision, decide


@dataclass(frozen=True, slots=True)
class Found:
    """The results that answer a question about whole programs, and how they came about."""

    results: tuple[Result, ...]
    composition: Composition | None = None
    inferred: tuple[Inferred, ...] = ()
    notes: tuple[str, ...] = ()


def decide_programs(
    abstract: Program, concrete: Program, block: Refinement | None, product: Goal, options: Options
) -> Found:
    """The answer about two programs without relies; `product` is the goal about them as a whole."""
    last = stopped(product, Unknown(Reason.BOUND, "nothing was tried"))
    notes = list[str]()
    for briefly in (True, False):
        pairs = _pairs(abstract, concrete, block, options, briefly)
        if isinstance(pairs, Found):
            return pairs
        notes = [pairs] if pairs else notes
        last = _product(product, options, briefly)
        if last.verdict is not Verdict.UNKNOWN or _is_limit(last):
            break
    return Found((last,), notes=tuple(notes) if last.verdict is not Verdict.REFUTED else ())


def _is_limit(result: Result) -> bool:
    return result.unknown is not None and result.unknown.reason in (Reason.TIMEOUT, Reason.MEMORY, Reason.INTERRUPTED)


def _product(product: Goal, options: Options, briefly: bool) -> Result:
    started = perf_counter()
    decision = decide(product, options.limits, options.seed, briefly)
    return result_of(product, decision, perf_counter() - started, options)


def _pairs(
    abstract: Program, concrete: Program, block: Refinement | None, options: Options, briefly: bool
) -> Found | str:
    """The proof from pairs of threads, or in words what kept it from being one."""
    started = perf_counter()
    try:
        tried = attempt(abstract, concrete, block, options, briefly=briefly)
        if tried.composition is None:
            return _shortcoming(tried)
        decided = perf_counter()
        ruling = check_composition(tried.composition, options.limits)
    except LimitReached as limit:
        return f"the pairs of threads were not settled: {limit.reason.value}"
    except NotGenerated as fault:
        if fault.certain:
            raise
        return f"what was inferred could not be checked: {fault}"
    if not isinstance(ruling, Accepted):
        return f"the proof from pairs was not accepted: {ruling.obligation}: {ruling.why}"
    spent = (decided - started, perf_counter() - decided)
    results = tuple(_proved(g, d, spent, len(tried.goals)) for g, d in zip(tried.goals, tried.decisions, strict=True))
    return Found(results, tried.composition, tuple(_inferred(tried)))


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


def _shortcoming(tried: Attempt) -> str:
    for goal, decision in zip(tried.goals, tried.decisions, strict=False):
        if not isinstance(decision.evidence, Relation):
            return f"`{goal.name}` could not be shown in the environment inferred for it"
    return "the pairs of threads could not be put together"
