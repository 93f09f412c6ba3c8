"""Steps that claim refinements: decided directly, by Theorem 4 from pairs of threads, chained by Theorems 2 and 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from sa.automata.proof import Refines
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.checker.composition import composition_fault
from sa.proofs import chain_closed, chain_open, parallel_refinement
from sa.proofs.facts import Fact, Refinement, Side, made_of
from sa.proofs.result import Leaf
from sa.proofs.statements import alone_goal, outer, pair_goals, whole_goal
from sa.proofs.work import Unfit, Unshown, Work, add, settle, sound
from sa.proofs.worlds import assumes, side_of
from sa.refinement.judged import result_of
from sa.refinement.outcome import Result
from sa.refinement.recall import decided

_ALONE = "nobody else has to move in this play, so no environment helps"


def directly(work: Work, claim: Refines) -> Fact:
    """One pair of threads in the environments of their programs, or two whole programs. Raises Unfit, LimitReached."""
    left, right = side_of(work.worlds, claim.left), side_of(work.worlds, claim.right)
    if not (left.whole and right.whole):
        if len(claim.left) > 1:
            raise Unfit("several threads among others need a rule: show each of them, then `by parallel`")
        return _pair(work, claim)
    if len(claim.left) > 1 and not (claim.rely or claim.choose_init):
        fact = _pair_by_pair(work, claim)
        if fact is not None:
            return fact
    work.rule = "simulation"
    goal = whole_goal(work.worlds, work.script, work.step, claim)
    result = _decided(work, goal)
    work.results.append(result)
    pairs = ((goal, result.relation),) if result.relation is not None and len(claim.left) == 1 else ()
    kappa, iota = outer(goal, left, right)
    sound(work, left, right)
    return Refinement(left, right, kappa, iota, pairs, bool(claim.rely), claim.silent_exit, claim.choose_init)


def _pair(work: Work, claim: Refines) -> Refinement:
    work.rule = "simulation"
    left, right = side_of(work.worlds, claim.left), side_of(work.worlds, claim.right)
    if assumes(work.worlds[left.program]) and work.worlds[right.program].inferred:
        raise Unfit("the left side declares relies and the right side does not: declare what its threads rely on, too")
    (goal,) = pair_goals(work.worlds, work.script, work.step, claim)
    result = _decided(work, goal)
    if result.play is not None and not (goal.closed or goal.matched):
        result = _alone(work, claim, result)
    work.results.append(result)
    pairs = ((goal, result.relation),) if result.relation is not None else ()
    kappa, iota = outer(goal, left, right)
    sound(work, left, right)
    return Refinement(left, right, kappa, iota, pairs, bool(claim.rely), claim.silent_exit, claim.choose_init)


def _decided(work: Work, goal: Goal, briefly: bool = False) -> Result:
    started = perf_counter()
    decision = decided(goal, work.options, briefly)
    return result_of(goal, decision, perf_counter() - started, work.options)


def _alone(work: Work, claim: Refines, result: Result) -> Result:
    """A play in an inferred environment refutes nothing, for that may be too coarse, unless nobody else has to move.

    An environment may always do nothing: what fails for the two threads by themselves fails in every environment.
    Inferred invariants hold wherever the threads get by themselves, so nothing is lost without them.
    """
    by_themselves = _decided(work, alone_goal(work.worlds, work.script, work.step, claim), briefly=True)
    if by_themselves.play is not None:
        return replace(by_themselves, notes=(*by_themselves.notes, _ALONE))
    unknown = Unknown(Reason.ENVIRONMENT, "it fails in the environment inferred for it")
    return replace(result, verdict=Verdict.UNKNOWN, unknown=unknown)


def _pair_by_pair(work: Work, claim: Refines) -> Refinement | None:
    """Whole programs by Theorem 4, where each pair of threads has a relation that is found soon; None otherwise."""
    results = list[Result]()
    parts = list[Refinement]()
    every = pair_goals(work.worlds, work.script, work.step, claim)
    for goal, lower, upper in zip(every, claim.left, claim.right, strict=True):
        result = _decided(work, goal, briefly=True)
        if result.relation is None:
            return None
        left, right = side_of(work.worlds, (lower,)), side_of(work.worlds, (upper,))
        kappa, iota = outer(goal, left, right)
        parts.append(Refinement(left, right, kappa, iota, ((goal, result.relation),), silent=claim.silent_exit))
        results.append(result)
    before = tuple(work.leaves)
    fact, holds = _composed(work, claim, parts)
    if not holds:
        work.leaves[:] = before
        return None
    work.results.extend(results)
    return fact


# ---------------------------------------------------------------- Theorem 4


def parallel(work: Work, claim: Refines, cited: Sequence[Fact]) -> Fact:
    """Theorem 4 from cited refinements of the pairs of threads. Raises Unfit and LimitReached."""
    parts = _refinements(cited)
    left, right = side_of(work.worlds, claim.left), side_of(work.worlds, claim.right)
    if not (made_of(left, [p.left for p in parts]) and made_of(right, [p.right for p in parts])):
        raise Unfit("the cited refinements are not those of the claim's threads, in this order")
    _alike(claim, parts)
    if all(p.links for p in parts):
        return _parallel_chains(work, claim, parts)
    if any(not p.pairs for p in parts):
        if any(p.links for p in parts):
            raise Unfit("chains go with chains of as many links: cite for each pair of threads one, or none")
        raise Unshown("a cited refinement was not shown for its pair of threads")
    return _composed(work, claim, parts)[0]


def _composed(work: Work, claim: Refines, parts: Sequence[Refinement]) -> tuple[Refinement, bool]:
    work.rule = "Theorem 4"
    left, right = side_of(work.worlds, claim.left), side_of(work.worlds, claim.right)
    work.aliases = {"conc": left.program, "abs": right.program}
    kappa, iota = outer(whole_goal(work.worlds, work.script, None, claim), left, right)
    made = parallel_refinement.composed(left, right, parts, work.script.axioms, claim.silent_exit)
    pairs = tuple(pair for p in parts for pair in p.pairs)
    fact = Refinement(left, right, kappa, iota, pairs, silent=claim.silent_exit)
    fault = composition_fault(made)
    if fault is not None:
        add(work, Leaf("well-formed composition", "", Verdict.UNKNOWN, fault, 0.0))
        return fact, False
    among_others = not (left.whole and right.whole)
    matched = not work.worlds[left.program].inferred
    holds = settle(work, parallel_refinement.obligations(made, parts, kappa, iota, among_others, matched))
    return fact, sound(work, left, right) and holds


def _parallel_chains(work: Work, claim: Refines, parts: Sequence[Refinement]) -> Refinement:
    """Chains side by side: each level by Theorem 4, the levels, of whole programs, by Theorem 2."""
    sizes = {len(p.links) for p in parts}
    if len(sizes) > 1:
        raise Unfit("the cited chains have different lengths")
    levels = [_level(work, claim, [p.links[i] for p in parts]) for i in range(sizes.pop())]
    fact = _closed_chain(work, claim, levels)
    work.rule = "Theorems 4 and 2"
    return fact


def _level(work: Work, claim: Refines, links: Sequence[Refinement]) -> Refinement:
    """One link of each chain, put together: of whole programs, or nothing is known of the middle one's environment."""
    threads = tuple(tuple((s.program, t.thread.name) for s in sides for t in s.threads) for sides in _ends(links))
    left, right = (side_of(work.worlds, t) if len({a for a, _ in t}) == 1 else None for t in threads)
    if left is None or right is None:
        raise Unfit("the cited chains go through different programs")
    if not (left.whole and right.whole):
        raise Unfit("chains side by side must be of all threads of their programs, on every level")
    if any(not link.pairs for link in links):
        raise Unshown("a link of a cited chain was not shown for its pair of threads")
    kappa = tuple(dict.fromkeys(f for link in links for f in link.kappa))
    iota = tuple(dict.fromkeys(f for link in links for f in link.iota))
    work.aliases = {"conc": left.program, "abs": right.program}
    made = parallel_refinement.composed(left, right, links, work.script.axioms, claim.silent_exit)
    fault = composition_fault(made)
    if fault is not None:
        add(work, Leaf("well-formed composition", "", Verdict.UNKNOWN, fault, 0.0))
    else:
        settle(work, parallel_refinement.obligations(made, links, kappa, iota, False, False))
    sound(work, left, right)
    return Refinement(left, right, kappa, iota, (), silent=claim.silent_exit)


def _ends(links: Sequence[Refinement]) -> tuple[list[Side], list[Side]]:
    return [link.left for link in links], [link.right for link in links]


def _refinements(cited: Sequence[Fact]) -> list[Refinement]:
    found = [f for f in cited if isinstance(f, Refinement)]
    if not found or len(found) < len(cited):
        raise Unfit("this rule cites refinements")
    return found


def _alike(claim: Refines, parts: Sequence[Refinement]) -> None:
    """Raises Unfit where parts are about other ends, starts or environments than the claim."""
    if claim.rely or any(p.narrow for p in parts):
        raise Unfit("a rely narrows what others may do, which this rule does not know of: declare it in the programs")
    if claim.choose_init or any(p.chosen for p in parts):
        raise Unfit("initial values that are chosen for a part need not fit the others")
    if any(p.silent != claim.silent_exit for p in parts):
        raise Unfit("`silent exit` must be said of all parts and of the claim, or of none")


# ---------------------------------------------------------------- Theorems 2 and 3


def chain(work: Work, claim: Refines, cited: Sequence[Fact]) -> Fact:
    """Theorem 2 or 3 from cited refinements, one behind the other. Raises Unfit and LimitReached."""
    links = _refinements(cited)
    left, right = side_of(work.worlds, claim.left), side_of(work.worlds, claim.right)
    if len(links) < 2:
        raise Unfit("a chain has at least two links")
    ends = [left, *(link.right for link in links)]
    if any(link.left != end for link, end in zip(links, ends, strict=False)) or ends[-1] != right:
        raise Unfit("the cited refinements do not meet: each begins where the one before it ends")
    _alike(claim, links)
    if all(end.whole for end in ends):
        return _closed_chain(work, claim, links)
    if len(left.threads) > 1:
        raise Unfit("chains of several threads are of whole programs: chain each thread, or all of them")
    if any(not link.pairs for link in links):
        raise Unshown(
            "the links between threads among others must have been shown directly, for a pair of threads each"
        )
    work.rule = "Theorem 3"
    work.aliases = _aliases(links)
    (goal,) = pair_goals(work.worlds, work.script, work.step, claim)
    kappa, iota = outer(goal, left, right)
    settle(work, chain_open.obligations(links, kappa, iota, goal))
    return Refinement(left, right, kappa, iota, (), silent=claim.silent_exit, links=tuple(links))


def _closed_chain(work: Work, claim: Refines, links: Sequence[Refinement]) -> Refinement:
    work.rule = "Theorem 2"
    left, right = side_of(work.worlds, claim.left), side_of(work.worlds, claim.right)
    kappa, iota = outer(whole_goal(work.worlds, work.script, work.step, claim), left, right)
    work.aliases = _aliases(links)
    settle(work, chain_closed.obligations(links, kappa, iota))
    return Refinement(left, right, kappa, iota, (), silent=claim.silent_exit)


def _aliases(links: Sequence[Refinement]) -> dict[str, str]:
    ends = [links[0].left, *(link.right for link in links)]
    return {chain_closed.inside(i, len(links)): end.program for i, end in enumerate(ends)}
