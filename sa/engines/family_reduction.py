"""`verify` of families by Lipton's reduction: copies with blocks as steps go to the engines of families as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, product

from sa.automata.family import in_place_of
from sa.base.budget import Budget, Event, Report
from sa.base.limits import LimitReached, part_of
from sa.certificates.families import CrowdJoint, CrowdKeeps
from sa.certificates.family_reduction import Crowd, OfCrowds
from sa.certificates.run import Bad
from sa.checker.ruling import Accepted, Ruling
from sa.engines.engine import ClaimEngine, Turn
from sa.engines.runner import Ruled, run
from sa.invariants.interval_facts import Facts, bounded_of_crowd, facts_of_intervals
from sa.question.asked import Asked, Excluded, Settled
from sa.terms.substitute import substitution
from sa.transform.facts import Proved
from sa.transform.family_reduce import COPIES, CrowdReduction, crowd_reduction, each_once
from sa.transform.reduce import AVOIDABLE, places

#: The parts of the work that intervals may take, and facts, movers and blocks.
BOUNDING, PREPARING = 0.3, 0.6


def by_reduction_of_families(
    inner: Sequence[Turn[ClaimEngine]], asked: Asked, budget: Budget, report: Report
) -> Iterator[Excluded]:
    """What the inner engines show of blocks. Raises LimitReached."""
    made = _reduction(asked, budget)
    if made is None:
        return
    steps, blocks = (sum(len(t.edges) for t in each_once(p)) for p in (made.written, made.blocks))
    report(Event("reduction", {"steps": steps, "blocks": blocks}))
    parts = {bad: made.bads_of(bad) for bad in asked.bads}
    bads = tuple(dict.fromkeys(chain.from_iterable(parts.values())))
    about = asked.shared.once(("crowd of blocks", made.blocks, bads), lambda: _question(made, bads))
    proofs, how, stopped = list[tuple[OfCrowds, tuple[Bad, ...]]](), dict[str, None](), list[LimitReached]()
    try:
        for said in run(inner, about, budget, _unjudged, lambda _: report):
            match said:
                case Ruled(settled=Excluded(some, CrowdKeeps() | CrowdJoint() as proof, words)):
                    proofs.append((proof, some))
                    how[words] = None
    except LimitReached as limit:
        stopped.append(limit)
    excluded = {b for _, some in proofs for b in some}
    proved = tuple(bad for bad, some in parts.items() if excluded.issuperset(some))
    if proved:
        evidence = made.evidence(proved, tuple(p for p, _ in proofs))
        words = ", ".join(how) or "no block ends in a violation"
        yield Excluded(proved, evidence, f"{steps} steps reduced to {blocks}: {words}")
    if stopped:
        raise stopped[0]


def _question(made: CrowdReduction, bads: tuple[Bad, ...]) -> Asked:
    program = made.blocks
    return Asked(program.threads, bads, program.axioms, families=program.families, init=program.init)


def _unjudged(settled: Settled) -> Ruling:
    """All evidence is taken: it is judged as part of what is said of the written program."""
    return Accepted()


def _reduction(asked: Asked, budget: Budget) -> CrowdReduction | None:
    """The reduction by what each thread knows alone, or by what excludes locations of two if that joins more steps;
    None where neither joins any. Raises LimitReached.
    """
    program = Crowd(asked.threads, asked.families, asked.init, asked.axioms)
    proved, best = _proved(asked, budget), None
    with part_of(budget.bounds, PREPARING) as bounds:
        for joint in (False, True):
            make = partial(crowd_reduction, program, asked.bads, proved, joint, bounds, budget.seed)
            made = asked.shared.once(("reduction", asked.bads, joint, proved is None), make)
            best = made if best is None or _locations(made.blocks) < _locations(best.blocks) else best
            if not any(why in AVOIDABLE for cuts in made.cuts for why in cuts.why.values()):
                break
    # Steps of copies that are joined are seen by any number of others, so few are a gain.
    return best if best is not None and _locations(best.blocks) < _locations(program) else None


def _locations(program: Crowd) -> int:
    return places(each_once(program))


def _proved(asked: Asked, budget: Budget) -> Proved | None:
    """What intervals say of threads and of each copy; None where their part of the work is used up before they do."""
    with part_of(budget.bounds, BOUNDING) as bounds:
        facts = facts_of_intervals(bounded_of_crowd(asked, bounds))
        return _of_copies(asked, facts)
    return None


def _of_copies(asked: Asked, facts: Facts) -> Proved:
    """Facts about threads and two copies of each family as facts about `symbolic_threads`."""
    once, families = len(asked.threads), len(asked.families)
    # By the number of a thread, or of the first copy of a family among two, those that it stands for, each with names.
    meant: dict[int, list[int]] = {n: [n] for n in range(once)}
    said_at = {spot: said for spot, said in facts.places.items() if spot[0] < once}
    for f, family in enumerate(asked.families):
        first = once + 2 * f
        meant[first] = [once + f + families * c for c in range(COPIES)]
        for c, number in enumerate(meant[first], 1):
            named = substitution(in_place_of(family, 1, c))
            said_at |= {(number, q): tuple(map(named, said)) for (n, q), said in facts.places.items() if n == first}
    # The second copy of a family is any but the first.
    one_of = {n + other: n for n in meant for other in (0, 1) if n >= once} | {n: n for n in range(once)}
    excluded = {
        frozenset({(i, p), (j, q)})
        for (one, p), (two, q) in map(tuple, facts.excluded)
        for i, j in product(meant[one_of[one]], meant[one_of[two]])
        if i != j
    }
    return Proved(said_at, frozenset(excluded), facts.lemmas)
