"""Which rule a step is worked on with: the one that it names, or with `by auto` the first that does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from sa.automata.proof import Preserves, Refines, Rule, Step
from sa.base.verdict import Verdict
from sa.certificates.argument import ByRule, Way
from sa.rules.annotated_programs import World, side_of
from sa.rules.application import Unfit
from sa.rules.facts import Fact, Invariance, Refinement, sides_of
from sa.rules.named import rule_of
from sa.scripts import invariances, refinements
from sa.scripts.statements import check_claim
from sa.scripts.work import Work, establish, sound

#: So many ways are tried with earlier steps that nobody cited.
WAYS = 12


def needed(step: Step, earlier: Sequence[Step]) -> tuple[str, ...]:
    """The earlier steps that must be done before this one: those that it cites, or all that it may look at."""
    return tuple(s.name for s in earlier) if _looks_around(step) else step.cited


def _looks_around(step: Step) -> bool:
    return step.rule is Rule.AUTO and not step.cited


def apply(work: Work) -> Fact:
    """What the step says, with its side conditions settled in `work`. Raises Unfit, NoQuestion and LimitReached."""
    step = work.step
    if isinstance(step.claim, Refines):
        check_claim(work.stage, step.claim)
    cited = [work.facts[name] for name in step.cited]
    match step.claim, step.rule:
        case _, None:
            return _directly(work)
        case _, Rule.AUTO:
            return _first_that_fits(work, cited) if cited else _found(work)
        case Preserves() as claim, Rule.PARALLEL if not cited:
            return invariances.by_threads(work, claim)
        case _, rule:
            return _by_rule(work, Way(rule.value), cited)


def _directly(work: Work) -> Fact:
    match work.step.claim:
        case Refines() as claim:
            return refinements.directly(work, claim)
        case Preserves() as claim:
            return invariances.directly(work, claim)


def _by_rule(work: Work, way: Way, cited: Sequence[Fact]) -> Fact:
    """What follows from cited steps by a rule. Raises Unfit, NoQuestion and LimitReached."""
    applied = rule_of(work.stage, work.step.claim, way, cited)
    work.way = way
    holds = establish(work, applied)
    if sound(work, *sides_of(applied.fact)) and holds:
        work.argument = ByRule(way)
    return applied.fact


#: The rules with citations that claims have, in the order in which they are tried.
_WAYS = {Refines: (Way.PARALLEL, Way.CHAIN), Preserves: (Way.PRESERVATION, Way.PARALLEL)}


def _first_that_fits(work: Work, cited: Sequence[Fact]) -> Fact:
    problems = list[str]()
    for way in _WAYS[type(work.step.claim)]:
        try:
            return _by_rule(work, way, cited)
        except Unfit as problem:
            problems.append(f"{way.value}: {problem}")
            _forget(work)
    raise Unfit("; ".join(problems))


def _found(work: Work) -> Fact:
    """By earlier steps that are proved, the first of which everything follows; directly, if there are none."""
    tried = 0
    for way, names in _choices(work):
        if tried == WAYS:
            break
        tried += 1
        try:
            fact = _by_rule(work, way, [work.facts[n] for n in names])
        except Unfit:
            _forget(work)
            continue
        if all(leaf.verdict is Verdict.PROVED for leaf in work.leaves):
            work.cited = names
            return fact
        _forget(work)
    return _directly(work)


def _forget(work: Work) -> None:
    work.leaves.clear()
    work.results.clear()
    work.rule, work.way, work.argument = "", None, None


def _choices(work: Work) -> Iterator[tuple[Way, tuple[str, ...]]]:
    """Rules, and earlier steps that are proved and are about the right threads."""
    known = {n: f for n, f in work.facts.items() if work.verdicts[n] is Verdict.PROVED}
    related = {n: f for n, f in known.items() if isinstance(f, Refinement)}
    kept = {n: f for n, f in known.items() if isinstance(f, Invariance)}
    match work.step.claim:
        case Refines(left=left, right=right):
            parts = [
                [n for n, f in related.items() if _is(f, work.stage.worlds, (one,), (other,))]
                for one, other in zip(left, right, strict=True)
            ]
            yield from ((Way.PARALLEL, names) for names in product(*parts) if len(names) > 1)
            begin, end = side_of(work.stage.worlds, left), side_of(work.stage.worlds, right)
            yield from ((Way.CHAIN, names) for names in _paths(related, begin, end, ()))
        case Preserves(side=members):
            side = side_of(work.stage.worlds, members)
            for (n, f), (m, i) in product(related.items(), kept.items()):
                if f.left == side and i.side == f.right:
                    yield Way.PRESERVATION, (n, m)
            alone = [[n for n, i in kept.items() if i.side == side_of(work.stage.worlds, (one,))] for one in members]
            yield from ((Way.PARALLEL, names) for names in product(*alone))


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
