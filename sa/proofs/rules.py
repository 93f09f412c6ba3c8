"""Which rule a step is worked on with: the one that it names, or with `by auto` the first that does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from sa.automata.proof import Preserves, Refines, Rule, Step
from sa.base.verdict import Verdict
from sa.proofs import invariances, refinements
from sa.proofs.facts import Fact, Invariance, Refinement
from sa.proofs.statements import outer, whole_goal
from sa.proofs.work import Unfit, Work
from sa.proofs.worlds import World, side_of

#: So many ways are tried with earlier steps that nobody cited.
WAYS = 12

Way = Callable[[Sequence[Fact]], Fact]


def needed(step: Step, earlier: Sequence[Step]) -> tuple[str, ...]:
    """The earlier steps that must be done before this one: those that it cites, or all that it may look at."""
    return tuple(s.name for s in earlier) if _looks_around(step) else step.cited


def _looks_around(step: Step) -> bool:
    return step.rule is Rule.AUTO and not step.cited


def apply(work: Work) -> Fact:
    """What the step says, with its side conditions settled in `work`. Raises Unfit and LimitReached."""
    step = work.step
    cited = [work.facts[name] for name in step.cited]
    if _looks_around(step):
        return _found(work)
    match step.claim, step.rule:
        case claim, Rule.AUTO:
            return _first_that_fits(work, cited)
        case Refines() as claim, Rule.PARALLEL:
            return refinements.parallel(work, claim, cited)
        case Refines() as claim, Rule.CHAIN:
            return refinements.chain(work, claim, cited)
        case Refines(), Rule.PRESERVATION:
            raise Unfit("preservation is about invariants, and this claims a refinement")
        case Refines() as claim, _:
            return refinements.directly(work, claim)
        case Preserves() as claim, Rule.PRESERVATION:
            return invariances.preserved(work, claim, cited)
        case Preserves(), Rule.CHAIN:
            raise Unfit("chains are of refinements, and this claims an invariant")
        case Preserves() as claim, Rule.PARALLEL:
            return invariances.combined(work, claim, cited) if cited else invariances.thread_by_thread(work, claim)
        case Preserves() as claim, _:
            return invariances.directly(work, claim)
    raise AssertionError(step.claim)


def _ways(work: Work) -> dict[str, Way]:
    """The rules with citations that claims like the step's have."""
    match work.step.claim:
        case Refines() as claim:
            return {
                "parallel": lambda cited: refinements.parallel(work, claim, cited),
                "chain": lambda cited: refinements.chain(work, claim, cited),
            }
        case Preserves() as claim:
            return {
                "preservation": lambda cited: invariances.preserved(work, claim, cited),
                "parallel": lambda cited: invariances.combined(work, claim, cited),
            }


def _first_that_fits(work: Work, cited: Sequence[Fact]) -> Fact:
    problems = list[str]()
    for name, way in _ways(work).items():
        try:
            return way(cited)
        except Unfit as problem:
            problems.append(f"{name}: {problem}")
            _forget(work)
    raise Unfit("; ".join(problems))


def _found(work: Work) -> Fact:
    """By earlier steps that are proved, the first of which everything follows; directly, if there are none."""
    tried = 0
    for name, names in _choices(work):
        if tried == WAYS:
            break
        tried += 1
        try:
            fact = _ways(work)[name]([work.facts[n] for n in names])
        except Unfit:
            _forget(work)
            continue
        if all(leaf.verdict is Verdict.PROVED for leaf in work.leaves):
            work.cited = names
            return fact
        _forget(work)
    match work.step.claim:
        case Refines() as claim:
            return refinements.directly(work, claim)
        case Preserves() as claim:
            return invariances.directly(work, claim)


def _forget(work: Work) -> None:
    work.leaves.clear()
    work.results.clear()
    work.rule = ""


def _choices(work: Work) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Rules, and earlier steps that are proved and are about the right threads."""
    known = {n: f for n, f in work.facts.items() if work.verdicts[n] is Verdict.PROVED}
    related = {n: f for n, f in known.items() if isinstance(f, Refinement)}
    kept = {n: f for n, f in known.items() if isinstance(f, Invariance)}
    match work.step.claim:
        case Refines(left=left, right=right):
            parts = [
                [n for n, f in related.items() if _is(f, work.worlds, (one,), (other,))]
                for one, other in zip(left, right, strict=True)
            ]
            yield from (("parallel", names) for names in product(*parts) if len(names) > 1)
            begin, end = side_of(work.worlds, left), side_of(work.worlds, right)
            yield from (("chain", names) for names in _paths(related, begin, end, ()))
        case Preserves(side=members):
            side = side_of(work.worlds, members)
            for (n, f), (m, i) in product(related.items(), kept.items()):
                if f.left == side and i.side == f.right:
                    yield "preservation", (n, m)
            alone = [[n for n, i in kept.items() if i.side == side_of(work.worlds, (one,))] for one in members]
            yield from (("parallel", names) for names in product(*alone))


def _is(
    fact: Refinement, worlds: Mapping[str, World], left: tuple[tuple[str, str], ...], right: tuple[tuple[str, str], ...]
) -> bool:
    return fact.left == side_of(worlds, left) and fact.right == side_of(worlds, right)


def _paths(
    related: Mapping[str, Refinement], here: object, end: object, seen: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """Steps that lead from one side to another by way of others, none twice."""
    for name, fact in related.items():
        if name not in seen and fact.left == here:
            if fact.right == end and seen:
                yield (*seen, name)
            elif fact.right != end:
                yield from _paths(related, fact.right, end, (*seen, name))


def stated(work: Work) -> Fact:
    """What the step claims, where no rule could be applied: others may rest on it, and are not proved by that."""
    match work.step.claim:
        case Refines() as claim:
            left, right = side_of(work.worlds, claim.left), side_of(work.worlds, claim.right)
            kappa, iota = outer(whole_goal(work.worlds, work.script, None, claim), left, right)
            return Refinement(left, right, kappa, iota, (), bool(claim.rely), claim.silent_exit, claim.choose_init)
        case Preserves() as claim:
            return invariances.claimed(work, claim)
