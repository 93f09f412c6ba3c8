"""Claims about infinite runs: reasons are looked for, states are looked at, and the checker judges what is found.

What a reason needs of states goes to the engines of `verify` as something bad that never happens.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import inf
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.automaton import Automaton
from sa.automata.program import Axiom, Ends
from sa.base.budget import Budget, Report, unheard
from sa.base.clock import clock
from sa.base.limits import LimitReached, Limits, Unsupported, allot, apart, is_over
from sa.base.verdict import Reason, Unknown
from sa.certificates.ends import Ending, Finite, Lasso, Part, Ranked
from sa.certificates.proof import OfThreads, excluded_by
from sa.certificates.run import Bad
from sa.certificates.threads import Lemmas
from sa.checker.finite import check_finite
from sa.checker.lasso import check_lasso
from sa.checker.lemmas import check_lemmas
from sa.checker.ranked import Conditions, check_ranked, conditions_of
from sa.checker.ruling import Accepted, Ruling
from sa.engines.judging import unaccepted
from sa.engines.judging_claims import judged
from sa.engines.portfolio_of_claims import Portfolio, of_few_locations, without_reduction
from sa.engines.runner import Ruled, run
from sa.engines.technique import EXPLICIT_STATE, RANKING, Row
from sa.engines.tried import Diary
from sa.question.asked import Asked, Excluded, Settled
from sa.ranking.by_states import Shows
from sa.ranking.elimination import Guesses, eliminated
from sa.ranking.lassos import growing, lasso
from sa.ranking.reasons import together
from sa.ranking.states import BEAM, FAR, FEW, MANY, Explored, endless, explored, finite
from sa.terms.term import Term

#: Units that a way may take in each round; in the last one it ends by itself.
ROUNDS = (1_000_000, 4_000_000, 16_000_000, 64_000_000, inf)

#: Units for each group of what justice may need of states, in each round.
GROUPS = (4_000_000, 40_000_000, inf)

#: Such a cycle may be an unfair one, or not be repeated after all: it is only tried.
_GROWS = "a cycle in which numbers grow"


class Ended(Struct, frozen=True):
    """What became of a claim: accepted evidence with how it was found, or why there is none."""

    evidence: Ending | Unknown
    how: str
    seconds: float
    engine: str = ""


class Work(Struct):
    """A claim, what may be used, why there is no answer so far, and what became of questions about states."""

    threads: tuple[Automaton, ...]
    axioms: tuple[Axiom, ...]
    ends: Ends
    bounds: Limits
    seed: int
    portfolio: Portfolio
    report: Report
    why: Unknown
    diary: Diary
    asked: dict[tuple[Bad, ...], Asked] = field(default_factory=dict)
    settled: dict[tuple[Bad, ...], list[Settled]] = field(default_factory=dict)


#: Evidence that a way finds, and how.
Way: TypeAlias = Callable[[Work, Limits], Iterator[tuple[Ending, str]]]


def decided(
    threads: tuple[Automaton, ...],
    axioms: tuple[Axiom, ...],
    ends: Ends,
    budget: Budget,
    portfolio: Portfolio,
    report: Report = unheard,
    ways: Sequence[Way] | None = None,
    diary: Diary | None = None,
) -> Ended:
    """The answer to a claim about infinite runs; what became of the ways is written to a diary. Raises LimitReached."""
    started = clock()
    why = Unknown(Reason.BOUND, "neither a reason why it ends nor a run in which it does not was found")
    work = Work(
        threads, axioms, ends, budget.bounds, budget.seed, portfolio, report, why, Diary() if diary is None else diary
    )
    for evidence, how, engine in _found(work, WAYS if ways is None else ways):
        ruling = accepted(threads, axioms, ends, evidence, budget.bounds, budget.seed)
        if isinstance(ruling, Accepted):
            return Ended(evidence, how, clock() - started, engine)
        if how != _GROWS:
            work.why = unaccepted(ruling)
    return Ended(work.why, "", clock() - started)


def accepted(
    threads: tuple[Automaton, ...],
    axioms: tuple[Axiom, ...],
    ends: Ends,
    evidence: Ending,
    bounds: Limits,
    seed: int,
) -> Ruling:
    """What the checker says of evidence about this claim. Raises LimitReached."""
    match evidence:
        case Lasso():
            return check_lasso(threads, axioms, ends, evidence, bounds, seed)
        case Finite():
            asked = replace(evidence, threads=threads, ends=ends)
            return check_finite(asked, bounds, seed)
        case Ranked():
            asked_of = replace(evidence, threads=threads, ends=ends, axioms=axioms)
            return check_ranked(asked_of, bounds, seed)


def _found(work: Work, ways: Sequence[Way]) -> Iterator[tuple[Ending, str, str]]:
    """Evidence with the name of its engine, way by way. One that takes long is asked again behind the others.

    Raises LimitReached where the limits of the whole are reached.
    """
    for units in ROUNDS:
        again = list[Way]()
        for way in ways:
            cuts = work.bounds.work.cuts
            trying = work.diary.begin(ROWS[way].name, work.ends.name, work.bounds.work)
            try:
                # There are so many states at most that they are all looked at with a larger share.
                share = 4 * units if way is by_states and units > ROUNDS[0] else units
                for evidence, how in way(work, allot(work.bounds, share)):
                    yield evidence, how, trying.engine
            except Unsupported as problem:
                trying.ended, trying.stuck = problem.reason, problem.what
                continue
            except LimitReached as limit:
                trying.ended = limit.reason
                if limit.reason is not Reason.WORK or is_over(work.bounds):
                    raise
            finally:
                work.diary.end(trying, work.bounds.work)
            # It may have ended by itself when a part of its share was used up.
            if work.bounds.work.cuts > cuts:
                again.append(way)
        # All states are looked at before reasons that cost more than those of threads by themselves.
        ways = sorted(again, key=lambda way: (way is not by_threads_alone, way is not by_states))


def by_threads_alone(work: Work, bounds: Limits) -> Iterator[tuple[Ending, str]]:
    """Ranks thread by thread, with what is known of locks and flags."""
    yield from _by_elimination(work, bounds, Guesses.NONE)
    yield from _by_elimination(work, bounds, Guesses.FACTS)


def by_each_thread(work: Work, bounds: Limits) -> Iterator[tuple[Ending, str]]:
    """Ranks thread by thread, with what seems to hold of numbers."""
    yield from _by_elimination(work, bounds, Guesses.NUMBERS)


def _by_elimination(work: Work, bounds: Limits, guesses: Guesses) -> Iterator[tuple[Ending, str]]:
    if work.ends.until is not None and (guesses is Guesses.NONE or not work.ends.fair):
        return
    known = list[OfThreads]()

    def shows(lemmas: Sequence[Term]) -> Shows:
        def shown(groups: Sequence[tuple[Bad, ...]]) -> frozenset[Bad]:
            found = _shown(work, groups, tuple(lemmas), bounds)
            known.extend(found)
            return frozenset(b for p in found for b in excluded_by(p))

        return shown

    found = eliminated(work.threads, work.axioms, work.ends, guesses, shows, bounds, work.seed)
    if found is not None:
        yield from _with_proofs(
            work, found.reason, bounds, "thread by thread", (found.lemmas, found.guesses), tuple(known)
        )


def _shown(
    work: Work, groups: Sequence[tuple[Bad, ...]], lemmas: tuple[Term, ...], bounds: Limits
) -> tuple[OfThreads, ...]:
    """Proofs that some of a group never happens, of the first group of which there are any. Raises LimitReached."""
    if lemmas:
        for group in groups:
            by_lemmas = (Lemmas(work.threads, lemmas, (b,), work.axioms) for b in group)
            shown = tuple(k for k in by_lemmas if isinstance(check_lemmas(k, bounds, work.seed), Accepted))
            if shown:
                return shown
    waiting = list(groups)
    for units in GROUPS:
        again = list[tuple[Bad, ...]]()
        for group in waiting:
            open_, found = set(group), list[OfThreads]()
            try:
                for settled in _remembered(work, group, allot(bounds, units)):
                    open_ -= set(settled.bads)
                    if isinstance(settled, Excluded) and isinstance(settled.evidence, OfThreads):
                        found.append(settled.evidence)
            except LimitReached as limit:
                if limit.reason is not Reason.WORK or is_over(bounds):
                    raise
            if found:
                return tuple(found)
            if open_:
                again.append(tuple(b for b in group if b in open_))
        waiting = again
    return ()


def _remembered(work: Work, bads: tuple[Bad, ...], bounds: Limits) -> Iterator[Settled]:
    """What is found out about something bad, now or before: the same is asked in each round. Raises LimitReached."""
    known = work.settled.setdefault(bads, [])
    yield from known
    open_ = tuple(b for b in bads if not any(b in s.bads for s in known))
    if open_:
        asked = work.asked.setdefault(open_, Asked(work.threads, open_, work.axioms))
        for settled in _asked_of_engines(work, of_few_locations(work.portfolio), asked, bounds):
            known.append(settled)
            yield settled


def by_all_threads(work: Work, bounds: Limits) -> Iterator[tuple[Ending, str]]:
    """Ranks and justice at joint control points."""
    found = together(work.threads, work.axioms, work.ends, bounds, work.seed)
    if isinstance(found, Ranked):
        yield from _with_proofs(work, found, bounds, "of all threads together")


def _with_proofs(
    work: Work,
    found: Ranked,
    bounds: Limits,
    whose: str,
    lemmas: tuple[tuple[Term, ...], ...] = (),
    known: tuple[OfThreads, ...] = (),
) -> Iterator[tuple[Ending, str]]:
    """The reason with proofs of what it needs of states, if there are any; some are `known`."""
    conditions = conditions_of(found, bounds, work.seed)
    if isinstance(conditions, Conditions):
        asked = frozenset(conditions.asked)
        used = tuple(p for p in known if asked.issuperset(excluded_by(p)))
        shown = {b for p in used for b in excluded_by(p)}
        proofs = _proofs(work, tuple(b for b in conditions.left if b not in shown), lemmas, bounds)
        if proofs is not None:
            cycles = found.reason.stages if isinstance(found.reason, Part) else found.reason
            how = f"ranks {whose}" if cycles else "no cycles"
            yield replace(found, proofs=(*used, *proofs)), how


def _proofs(
    work: Work, bads: tuple[Bad, ...], lemmas: tuple[tuple[Term, ...], ...], bounds: Limits
) -> tuple[OfThreads, ...] | None:
    """Proofs that none of these happens; None where one is missing. Raises LimitReached."""
    if not bads:
        return ()
    for known in (Lemmas(work.threads, some, bads, work.axioms) for some in lemmas if some):
        if isinstance(check_lemmas(known, bounds, work.seed), Accepted):
            return (known,)
    found, open_ = list[OfThreads](), set(bads)
    # What holds of steps one by one is asked for.
    asked = Asked(work.threads, bads, work.axioms)
    for settled in _asked_of_engines(work, without_reduction(work.portfolio), asked, bounds):
        if not isinstance(settled, Excluded):
            # What was guessed of states is false.
            return None
        if isinstance(settled.evidence, OfThreads):
            found.append(settled.evidence)
            open_ -= set(settled.bads)
    return None if open_ else tuple(found)


def _asked_of_engines(work: Work, portfolio: Portfolio, asked: Asked, bounds: Limits) -> Iterator[Settled]:
    """What the engines of `verify` find out about something bad, and the checker accepts. Raises LimitReached."""

    def judge(settled: Settled) -> Ruling:
        return judged(work.threads, work.axioms, settled, apart(bounds), work.seed)

    budget = Budget(bounds, work.seed)
    for said in run(portfolio, asked, budget, judge, lambda _: work.report, refutes=lambda _: False):
        if isinstance(said, Ruled) and isinstance(said.ruling, Accepted):
            yield said.settled


def by_few_states(work: Work, bounds: Limits) -> Iterator[tuple[Ending, str]]:
    """All states, where there are few, or a cycle."""
    yield from _by_states(work, FEW, bounds)


def by_states(work: Work, bounds: Limits) -> Iterator[tuple[Ending, str]]:
    """All states, or a cycle."""
    yield from _by_states(work, MANY, bounds)


def _by_states(work: Work, most: int, bounds: Limits) -> Iterator[tuple[Ending, str]]:
    found = explored(work.threads, work.ends, most, bounds, work.report)
    all_states = finite(found, work.threads, work.ends, work.axioms)
    yield from _of_cycles(work, found, bounds, all_states)


def _of_cycles(
    work: Work, found: Explored, bounds: Limits, all_states: Finite | None = None
) -> Iterator[tuple[Ending, str]]:
    """A cycle of states, or one in which numbers grow; all states where there is none."""
    way = next(endless(found, work.ends, bounds), None)
    if way is not None:
        evidence = lasso(found, way)
        if evidence is not None:
            yield evidence, f"a cycle of {len(way.cycle)} steps" if way.cycle else "a run that stands still"
    elif all_states is not None:
        yield all_states, f"all {len(found.steps)} states"
    else:
        for evidence in growing(found, work.ends, work.axioms, bounds, work.seed):
            yield evidence, _GROWS


def by_far_states(work: Work, bounds: Limits) -> Iterator[tuple[Ending, str]]:
    """A cycle far from the start, where there are too many states on the way to look at all of them."""
    found = explored(work.threads, work.ends, FAR, bounds, work.report, BEAM)
    yield from _of_cycles(work, found, bounds)


#: How a claim is decided: cheap ways first.
WAYS: tuple[Way, ...] = (by_threads_alone, by_few_states, by_each_thread, by_far_states, by_all_threads, by_states)

#: What the ways are called, by users who name them and where they are told what was tried.
ROWS: Mapping[Way, Row] = {
    by_threads_alone: Row(RANKING, {"scope": "threads"}),
    by_few_states: Row(EXPLICIT_STATE, {}),
    by_each_thread: Row(RANKING, {"scope": "threads", "invariants": "guessed"}),
    by_all_threads: Row(RANKING, {"scope": "joint"}),
    by_states: Row(EXPLICIT_STATE, {"effort": "much"}),
    by_far_states: Row(EXPLICIT_STATE, {"search": "beam"}),
}


def ways_of(names: Collection[str] | None) -> tuple[Way, ...]:
    """The ways of these names; all where none were named."""
    return WAYS if names is None else tuple(w for w in WAYS if ROWS[w].name in names)
