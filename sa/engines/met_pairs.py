"""Proofs from pairs of threads, or of copies, that know what holds where two of them meet.

Where that is not enough the concrete program has ghosts that follow abstract variables.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from sa.base.clock import clock
from sa.base.limits import LimitReached, Limits, allot, remaining
from sa.base.verdict import Reason, Verdict
from sa.certificates.family_composition import CrowdComposition
from sa.certificates.goal import Goal
from sa.certificates.pairs import StatePairs
from sa.certificates.relation import Relation
from sa.certificates.run import Bad
from sa.checker.composition import check_composition
from sa.checker.ghosts import program_with_ghosts
from sa.checker.ruling import Accepted
from sa.engines.auxiliary_relations import Besides, block_besides, with_besides
from sa.engines.evidence_cache import decided
from sa.engines.options import Options
from sa.engines.outcome import Found, Inferred, Result
from sa.engines.portfolio_of_goals import Depth
from sa.engines.results import shortcoming, statistics_of
from sa.invariants.efforts import Effort
from sa.question.asked import Decision
from sa.question.families import Crowds, with_one_copy
from sa.question.goals import thread_goals
from sa.refinement.auxiliary_variables import Mirrors, mirrors
from sa.refinement.families import Pairs, composition_of, pairs_of
from sa.refinement.family_facts import Known, known_of, met_of, with_elements
from sa.refinement.ghost_strategies import Ways
from sa.terms.printer import show
from sa.terms.term import Term

#: How much longer than a part of a plan that may take which several parts use.
LONGER = 2.0


class Proving(Struct, frozen=True):
    """Pairs in closures, or in exact environments, are decided to this depth.

    `met` is how much is done to know what holds where two meet; None for nothing. `besides`: with more related than is
    asked, if something is found there; `mirrored`: with ghosts that follow abstract variables, in these ways.
    """

    closures: bool
    depth: Depth
    met: Effort | None = None
    besides: Besides | None = None
    mirrored: Ways | None = None


def texts_of(asked: Crowds) -> tuple[Goal, ...]:
    """Goals about the threads and a copy by themselves, for questions about their texts. Raises InputError."""
    one = with_one_copy(asked)
    return thread_goals(one.abstract, one.concrete, one.block)


class Work(Struct, eq=False):
    """What is known of both programs by what was done for it, pairs of them, and what is related besides, made once.

    `wished` are formulas over shared concrete variables of which some may hold, `claims` should hold. `in_vain` are the
    units that were there for what was begun.
    """

    asked: Crowds
    wished: tuple[Term, ...] = ()
    claims: tuple[Bad, ...] = ()
    known: dict[tuple[int, Effort | None], Known] = field(default_factory=dict)
    pairs: dict[tuple[bool, Effort | None, tuple[Term, ...]], Pairs] = field(default_factory=dict)
    besides: dict[Besides, tuple[Term, ...]] = field(default_factory=dict)
    mirrored: tuple[tuple[Mirrors, Work], ...] | None = None
    in_vain: dict[tuple[int, Effort | None], float] = field(default_factory=dict)


def pairs_in(work: Work, tried: Proving, besides: tuple[Term, ...], options: Options, whole: Limits) -> Pairs:
    """The pairs in environments, with formulas besides what is asked. Raises LimitReached."""
    begun = remaining(options.limits)
    abstract, concrete = (_known(work, side, tried.met, _for_all(options.limits, whole)) for side in (0, 1))
    asked, key = work.asked, (tried.closures, tried.met, besides)
    if key not in work.pairs:
        also = replace(asked, block=block_besides(asked.block, besides)) if besides else asked
        bounds = _with_time(options, begun, whole).limits
        work.pairs[key] = pairs_of(also, abstract, concrete, tried.closures, bounds)
    return work.pairs[key]


def knows_more(work: Work, met: Effort, options: Options, whole: Limits) -> bool:
    """Whether the effort told anything of where two meet, or of all elements. Raises LimitReached."""
    known = [_known(work, side, met, _for_all(options.limits, whole)) for side in (0, 1)]
    return any(k.met or k.elements for k in known)


def proved_in(work: Work, tried: Proving, own: Options, whole: Limits) -> Found | None:
    """The proof that this way of proving finds, or how far it got. Raises LimitReached."""
    begun = remaining(own.limits)
    if tried.mirrored is not None:
        return _with_mirrors(work, tried, tried.mirrored, own, whole)
    pairs = pairs_in(work, tried, (), own, whole)
    return proved_from(pairs, tried, _with_time(own, begun, whole), whole)


def _with_time(own: Options, begun: float | None, whole: Limits) -> Options:
    """The options with half of the units that there were when a part of the plan `begun`, if less is left: what is
    known is kept for others, and it would be a waste to come back for the pairs much later.
    """
    left = remaining(own.limits)
    if left is None or begun is None or left >= begun / 2:
        return own
    return replace(own, limits=allot(whole, begun / 2))


def _with_mirrors(work: Work, tried: Proving, ways: Ways, own: Options, whole: Limits) -> Found | None:
    """The proof with ghosts that follow abstract variables. Raises LimitReached."""
    begun = remaining(own.limits)
    if work.mirrored is None:
        work.mirrored = tuple(
            (
                made,
                Work(
                    replace(work.asked, concrete=program_with_ghosts(made.ghosts, work.asked.concrete)),
                    made.wished,
                    made.claims,
                ),
            )
            for made in mirrors(work.asked, texts_of(work.asked))
        )
    first, others = work.mirrored[:1], work.mirrored[1:]
    for followed, beside in (*(first if ways is not Ways.OTHERS else ()), *(others if ways is not Ways.FIRST else ())):
        pairs = pairs_in(beside, tried, followed.equations, own, whole)
        found = proved_from(pairs, tried, _with_time(own, begun, whole), whole)
        if isinstance(found.composition, CrowdComposition):
            made = replace(found.composition, besides=followed.equations, ghosts=followed.ghosts)
            said = ", ".join(f"`{show(e)}`" for e in followed.equations)
            note = f"proved with ghost variables that follow abstract ones: {said}"
            return replace(with_besides(found, followed.equations), composition=made, notes=(note, *found.notes))
    return None


def _for_all(own: Limits, whole: Limits) -> Limits:
    """The limits of what several parts of a plan use: more than what is left to one of them."""
    left = remaining(own)
    return own if left is None else allot(whole, LONGER * left)


def _known(work: Work, side: int, met: Effort | None, bounds: Limits) -> Known:
    """What is known of the abstract program, side 0, or of the concrete one. Raises LimitReached.

    What took too much is not begun again where there is no more left than there was.
    """
    key, left = (side, met), remaining(bounds)
    if key not in work.known:
        if left is not None and left <= work.in_vain.get(key, 0.0):
            raise LimitReached(Reason.WORK)
        try:
            work.known[key] = _made(work, side, met, bounds)
        except LimitReached as limit:
            if limit.reason is Reason.WORK and left is not None:
                work.in_vain[key] = left
            raise
    return work.known[key]


def _made(work: Work, side: int, met: Effort | None, bounds: Limits) -> Known:
    match met:
        case None:
            program = (work.asked.abstract, work.asked.concrete)[side]
            wished, claims = (work.wished, work.claims) if side == 1 else ((), ())
            return known_of(program, work.asked.identities, wished, bounds, claims)
        case Effort.CLAIMS if side == 0 or not work.claims:
            return _known(work, side, Effort.NUMBERS, bounds)
        case Effort.ELEMENTS:
            places = _known(work, side, Effort.PLACES, bounds)
            # Of the abstract side searches have to know all that is said of environments.
            return with_elements(places, bounds) if side == 1 else places
        case _:
            return met_of(_known(work, side, None, bounds), met, bounds)


def proved_from(pairs: Pairs, tried: Proving, options: Options, whole: Limits) -> Found:
    """The proof from pairs, or how far it got."""
    started = clock()
    decisions = list[Decision]()
    for goal in pairs.goals:
        decisions.append(decided(goal, options, tried.depth))
        if not isinstance(decisions[-1].evidence, Relation | StatePairs):
            break
    composition = composition_of(pairs, decisions)
    if composition is None:
        # The pairs are shown one by one, so that nothing need be said of the first one again.
        return replace(shortcoming(pairs.goals, decisions, clock() - started), notes=())
    settled = clock()
    ruling = check_composition(composition, whole)
    if not isinstance(ruling, Accepted):
        where = f" ({ruling.where})" if ruling.where else ""
        note = f"the checker rejected the proof from pairs of threads: {ruling.obligation}{where}: {ruling.why}"
        return replace(shortcoming(pairs.goals, decisions, settled - started), notes=(note,))
    deciding, checking = ((s / len(decisions)) for s in (settled - started, clock() - settled))
    results = tuple(
        Result(goal, Verdict.PROVED, r, None, None, statistics_of(decision, r, deciding, checking))
        for goal, decision, r in zip(pairs.goals, decisions, composition.relations, strict=True)
    )
    inferred = tuple(_inferred(pairs))
    places = [{q.env for q in t.locations} for side in (pairs.concrete, pairs.abstract) for t in side.strong]
    notes = ("environments differ by location; those of the initial locations are shown",)
    return Found(results, composition, inferred, notes if any(len(envs) > 1 for envs in places) else ())


def _inferred(pairs: Pairs) -> list[Inferred]:
    found = list[Inferred]()
    for goal in pairs.goals:
        mine, theirs = (
            next(t for t in side.strong if t.name == name).locations[0].env
            for side, name in ((pairs.concrete, goal.concrete.name), (pairs.abstract, goal.abstract.name))
        )
        assert mine is not None and theirs is not None
        found.append(Inferred(goal.name, mine, theirs, ()))
    return found
