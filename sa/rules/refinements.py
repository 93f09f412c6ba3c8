"""When Theorems 2, 3 and 4 fit a claim and what is cited, and what they ask for then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sa.automata.proof import Member, Refines
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.composition import composition_fault
from sa.rules import theorem_2_chain_closed as chain_closed
from sa.rules import theorem_3_chain_open as chain_open
from sa.rules import theorem_4_parallel_refinement as parallel_refinement
from sa.rules.annotated_programs import Stage, declares, matching, side_of
from sa.rules.application import Applied, Asked, Unfit, Unshown
from sa.rules.facts import Fact, Refinement, Side, in_words, made_of
from sa.rules.statements import goals_of_pairs, outer, refinement_of


def about_pair(stage: Stage, claim: Refines) -> None:
    """Whether a claim about threads among others can be a goal. Raises Unfit."""
    if len(claim.left) > 1:
        raise Unfit("several threads among others need a rule: show each of them, then `by parallel`")
    comparable(stage, claim)


def comparable(stage: Stage, claim: Refines) -> None:
    """Whether the environments of the two sides can be compared. Raises Unfit."""
    lower, upper = (stage.worlds[side[0][0]] for side in (claim.left, claim.right))
    if declares(lower.program) and upper.inferred:
        raise Unfit("the left side declares relies and the right side does not: declare what its threads rely on, too")


def pair_by_pair(stage: Stage, claim: Refines, shown: Iterable[tuple[Goal, Relation]]) -> Applied:
    """Theorem 4 from goals and relations of the claim's pairs of threads, in order. Raises Unfit and NoQuestion."""
    comparable(stage, claim)
    parts = list[Refinement]()
    for (goal, relation), lower, upper in zip(shown, claim.left, claim.right, strict=True):
        left, right = side_of(stage.worlds, (lower,)), side_of(stage.worlds, (upper,))
        kappa, iota = outer((goal.kappa, goal.iota), left, right)
        parts.append(Refinement(left, right, kappa, iota, ((goal, relation),), silent=claim.silent_exit))
    _alike(claim, parts)
    return _composed(stage, claim, parts)


# ---------------------------------------------------------------- Theorem 4


def parallel(stage: Stage, claim: Refines, cited: Sequence[Fact]) -> Applied:
    """Theorem 4 from cited refinements of the pairs of threads. Raises Unfit and NoQuestion."""
    parts = _refinements(cited)
    left, right = side_of(stage.worlds, claim.left), side_of(stage.worlds, claim.right)
    if not (made_of(left, [p.left for p in parts]) and made_of(right, [p.right for p in parts])):
        raise Unfit(f"the cited refinements do not lead, in this order, from {in_words(left)} to {in_words(right)}")
    _alike(claim, parts)
    if all(p.links for p in parts):
        return _parallel_chains(stage, claim, parts)
    if any(not p.pairs for p in parts):
        if any(p.links for p in parts):
            raise Unfit("chains go with chains of as many links: cite for each pair of threads one, or none")
        raise Unshown("a cited refinement was not proved for its pair of threads")
    return _composed(stage, claim, parts)


def _composed(stage: Stage, claim: Refines, parts: Sequence[Refinement]) -> Applied:
    fact = refinement_of(stage, claim)
    pairs = tuple(pair for p in parts for pair in p.pairs)
    shown = Refinement(fact.left, fact.right, fact.kappa, fact.iota, pairs, silent=claim.silent_exit)
    among_others = not (fact.left.whole and fact.right.whole)
    matched = matching(stage.worlds[fact.left.program], stage.worlds[fact.right.program])
    return Applied("Theorem 4", shown, (_side_by_side(stage, shown, parts, among_others, matched),))


def _side_by_side(
    stage: Stage, fact: Refinement, parts: Sequence[Refinement], among_others: bool, matched: bool
) -> Asked:
    made = parallel_refinement.composed(fact.left, fact.right, parts, stage.axioms, fact.silent)
    aliases = {"conc": fact.left.program, "abs": fact.right.program}
    fault = composition_fault(made)
    if fault is not None:
        return Asked((), aliases, fault)
    return Asked(parallel_refinement.obligations(made, parts, fact.kappa, fact.iota, among_others, matched), aliases)


def _parallel_chains(stage: Stage, claim: Refines, parts: Sequence[Refinement]) -> Applied:
    """Chains side by side: each level by Theorem 4, the levels, of whole programs, by Theorem 2."""
    sizes = {len(p.links) for p in parts}
    if len(sizes) > 1:
        raise Unfit("the cited chains have different lengths")
    levels = [_level(stage, claim, [p.links[i] for p in parts]) for i in range(sizes.pop())]
    last = _closed_chain(stage, claim, [fact for fact, _ in levels])
    return Applied("Theorems 4 and 2", last.fact, (*(asked for _, asked in levels), *last.asked))


def _level(stage: Stage, claim: Refines, links: Sequence[Refinement]) -> tuple[Refinement, Asked]:
    """One link of each chain, put together: of whole programs, or nothing is known of the middle one's environment."""
    left, right = (_together(stage, [end(link) for link in links]) for end in (_left, _right))
    if not (left.whole and right.whole):
        raise Unfit("chains side by side must be of all threads of their programs, on every level")
    if any(not link.pairs for link in links):
        raise Unshown("a link of a cited chain was not proved for its pair of threads")
    kappa = tuple(dict.fromkeys(f for link in links for f in link.kappa))
    iota = tuple(dict.fromkeys(f for link in links for f in link.iota))
    fact = Refinement(left, right, kappa, iota, (), silent=claim.silent_exit)
    return fact, _side_by_side(stage, fact, links, among_others=False, matched=False)


def _together(stage: Stage, sides: Sequence[Side]) -> Side:
    members: tuple[Member, ...] = tuple((s.program, t.thread.name) for s in sides for t in s.threads)
    if len({program for program, _ in members}) > 1:
        raise Unfit("the cited chains go through different programs")
    return side_of(stage.worlds, members)


def _left(link: Refinement) -> Side:
    return link.left


def _right(link: Refinement) -> Side:
    return link.right


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
        raise Unfit("initial values that are chosen for one part need not suit the others")
    if any(p.silent != claim.silent_exit for p in parts):
        raise Unfit("`silent exit` must be said of all parts and of the claim, or of none")


# ---------------------------------------------------------------- Theorems 2 and 3


def chain(stage: Stage, claim: Refines, cited: Sequence[Fact]) -> Applied:
    """Theorem 2 or 3 from cited refinements, one behind the other. Raises Unfit and NoQuestion."""
    links = _refinements(cited)
    left, right = side_of(stage.worlds, claim.left), side_of(stage.worlds, claim.right)
    if len(links) < 2:
        raise Unfit("a chain has at least two links")
    ends = [left, *(link.right for link in links)]
    if any(link.left != end for link, end in zip(links, ends, strict=False)) or ends[-1] != right:
        raise Unfit("the cited refinements do not meet: each begins where the one before it ends")
    _alike(claim, links)
    if all(end.whole for end in ends):
        return _closed_chain(stage, claim, links)
    if len(left.threads) > 1:
        raise Unfit("chains of several threads are of whole programs: chain each thread, or all of them")
    if any(not link.pairs for link in links):
        raise Unshown(
            "the links between threads among others must have been shown directly, for a pair of threads each"
        )
    (goal,) = goals_of_pairs(stage, claim)
    kappa, iota = outer((goal.kappa, goal.iota), left, right)
    fact = Refinement(left, right, kappa, iota, (), silent=claim.silent_exit, links=tuple(links))
    return Applied("Theorem 3", fact, (Asked(chain_open.obligations(links, kappa, iota, goal), _aliases(links)),))


def _closed_chain(stage: Stage, claim: Refines, links: Sequence[Refinement]) -> Applied:
    fact = refinement_of(stage, claim)
    conditions = chain_closed.obligations(links, fact.kappa, fact.iota)
    return Applied("Theorem 2", fact, (Asked(conditions, _aliases(links)),))


def _aliases(links: Sequence[Refinement]) -> dict[str, str]:
    ends = [links[0].left, *(link.right for link in links)]
    return {chain_closed.inside(i, len(links)): end.program for i, end in enumerate(ends)}
