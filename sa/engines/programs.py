"""Whole programs: pairs of threads in inferred environments, or the game on the two products where they do not do.

Cheap tries come first: the pairs at a glance, and as if others might do anything, a quick look for a play of the
products, the pairs briefly, in exact environments, and with what holds where two meet, and the products briefly. Then
come the pairs in environments with more facts, on a higher level of visibility, with patience; then the products with
patience. Each has the time of a round; what that cuts short has the longer time of the next one. Only the products
refute: a pair that is lost shows only that its environment is too coarse.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from time import perf_counter

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.program import Program, Refinement
from sa.base.budget import Budget, Shared
from sa.base.limits import LimitReached, Limits, Pace, remaining, share
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.relation import Relation
from sa.checker.ruling import Accepted
from sa.engines.besides import Besides, at_rest, block_besides, related_besides, with_besides
from sa.engines.engine import ROUNDS
from sa.engines.options import Options
from sa.engines.outcome import Found, Inferred, Result
from sa.engines.portfolio_of_goals import Depth
from sa.engines.recall import decided
from sa.engines.results import answered, shortcoming, statistics_of
from sa.generation.checks import NotGenerated
from sa.generation.visibility import Level
from sa.invariants.efforts import Effort as Needed
from sa.question.asked import Decision
from sa.question.goals import some_threads
from sa.refinement.compositional import Attempt, Effort, Work, attempt, begin, blame, in_any_environment
from sa.refinement.ways import Ways
from sa.terms.term import Term

#: What looking for samples may use of the time of a round.
SHARE_OF_SAMPLES = 0.6


class Pairs(Struct, frozen=True):
    """The pairs are tried on this level of visibility.

    `besides`: with more related than is asked, if something is found there.
    """

    level: Level
    effort: Effort
    besides: Besides | None = None


class Met(Struct, frozen=True):
    """The pairs with what holds where two threads meet, at a glance.

    `closures`: in closures of environments, where more than one variable may change at once. `mirrored`: with ghosts
    of the concrete program that follow abstract variables. `met` is how much is done to know more. `besides`: with more
    related than is asked, if something is found there.
    """

    closures: bool
    mirrored: Ways | None = None
    met: Needed = Needed.NUMBERS
    besides: Besides | None = None


class Products(Struct, frozen=True):
    """The two products are compared to this depth, for so many times a round's seconds; if `once`, in one round."""

    depth: Depth
    rounds: float = 1.0
    once: bool = False


#: What is tried, in order.
PLAN: tuple[Pairs | Met | Products, ...] = (
    Pairs(Level.HIDDEN, Effort.GLANCE),
    Pairs(Level.HIDDEN, Effort.ANYWHERE),
    Products(Depth.QUICK),
    Pairs(Level.HIDDEN, Effort.BRIEF),
    # What is wrong often shows in a few random runs, and what ends soon is proved by then.
    Products(Depth.BRIEF, 0.7, once=True),
    Pairs(Level.HIDDEN, Effort.BRIEF, Besides.REST),
    Pairs(Level.HIDDEN, Effort.BRIEF, Besides.PLAYS),
    Pairs(Level.HIDDEN, Effort.BRIEF, Besides.SAMPLES),
    Pairs(Level.HIDDEN, Effort.EXACT),
    Met(closures=True),
    Met(closures=True, besides=Besides.PLAYS),
    Met(closures=True, mirrored=Ways.FIRST),
    Met(closures=True, mirrored=Ways.FIRST, met=Needed.PLACES),
    Met(closures=True, mirrored=Ways.FIRST, met=Needed.ELEMENTS),
    Met(closures=True, met=Needed.NEEDS, besides=Besides.PLAYS),
    # What the pairs do not settle most often ends here.
    Products(Depth.BRIEF, 2.0),
    Met(closures=False, mirrored=Ways.FIRST),
    Met(closures=True, mirrored=Ways.OTHERS),
    Met(closures=True, mirrored=Ways.FIRST, met=Needed.NEEDS),
    Met(closures=True, mirrored=Ways.OTHERS, met=Needed.PLACES),
    Met(closures=False, mirrored=Ways.OTHERS),
    Met(closures=True, mirrored=Ways.OTHERS, met=Needed.NEEDS),
    Pairs(Level.HIDDEN, Effort.SHARPEN),
    Pairs(Level.LOCATIONS, Effort.SHARPEN),
    Pairs(Level.HIDDEN, Effort.PERSIST),
    Products(Depth.FULL),
)

#: The same where plays are to be found first.
PLAYS: tuple[Pairs | Met | Products, ...] = (
    Products(Depth.QUICK),
    Products(Depth.PLAYS),
    Pairs(Level.HIDDEN, Effort.SHARPEN),
)

#: How deep a pair is looked into.
_DEPTHS: Mapping[Effort, Depth] = {
    Effort.GLANCE: Depth.GLANCE,
    Effort.ANYWHERE: Depth.GLANCE,
    Effort.BRIEF: Depth.BRIEF,
    Effort.EXACT: Depth.GLANCE,
    Effort.SHARPEN: Depth.BRIEF,
    Effort.PERSIST: Depth.FULL,
}


def decide_programs(
    abstract: Program, concrete: Program, block: Refinement | None, product: Goal | None, options: Options
) -> Found:
    """The answer about two programs without relies; `product` is the goal about them, unless it is too large.

    Raises InputError, and NotGenerated on an internal error.
    """
    if block is not None and block.choose_init:
        # Initial values are chosen for all threads at once.
        if product is not None:
            return Found((answered(product, options),))
        return Found((), notes=("`choose init` needs the whole programs, which are too large",))
    pairs, whole = _by_plan(abstract, concrete, block, product, options)
    if pairs.composition is not None:
        return pairs
    if whole is None:
        return replace(pairs, notes=(*pairs.notes, *pairs.imprecise))
    match whole.verdict:
        case Verdict.REFUTED:
            notes: tuple[str, ...] = ()
        case Verdict.PROVED:
            # Why the pairs alone were not enough is no longer of interest.
            notes = ("proved for the whole programs, not thread by thread",)
        case Verdict.UNKNOWN:
            notes = (*pairs.notes, *pairs.imprecise)
    return Found((whole,), notes=notes)


def _by_plan(
    abstract: Program, concrete: Program, block: Refinement | None, product: Goal | None, options: Options
) -> tuple[Found, Result | None]:
    """What came of the pairs and of the products, in the order of the plan, as far as it was needed."""
    pairs: Found | None = None
    whole: Result | None = None
    memory, pace = _Memory(options.limits), Pace()
    waiting = PLAYS if options.plays_first else PLAN
    for seconds in ROUNDS:
        again = list[Pairs | Met | Products]()
        for tried in waiting:
            longer = tried.rounds if isinstance(tried, Products) else 1.0
            bounds = pace.soon(options.limits, longer * seconds)
            begun, left, own = time.monotonic(), remaining(bounds), replace(options, limits=bounds)
            cut_short = False
            match tried:
                case Pairs(besides=Besides()):
                    more = _pairs_besides(abstract, concrete, block, product, own, tried, memory)
                    if more.composition is not None:
                        return more, whole
                case Pairs(level, effort):
                    # A play in the environments that were inferred is one in any.
                    in_vain = pairs is not None and pairs.lost and effort is Effort.ANYWHERE
                    if not in_vain and (pairs is None or pairs.hopeful):
                        pairs = _pairs(abstract, concrete, block, own, level, effort, memory)
                        if pairs.composition is not None:
                            return pairs, whole
                case Met():
                    try:
                        knowing = _met(abstract, concrete, block, product, own, tried, memory)
                    except LimitReached as limit:
                        knowing, cut_short = None, limit.reason is Reason.TIMEOUT
                    if knowing is not None and knowing.composition is not None:
                        return knowing, whole
                case Products(depth):
                    if product is not None:
                        # What a short share has found is not lost for want of time to check it.
                        whole = answered(product, own, depth, options.limits, memory.of(product))
                        if whole.verdict is not Verdict.UNKNOWN:
                            return pairs or Found(()), whole
            if _is_over(options, whole):
                return pairs or Found(()), whole
            # Engines end at shares of these seconds, so what took a quarter of them was perhaps cut short.
            cut_short |= left is not None and time.monotonic() - begun >= left / 4
            if cut_short and not (isinstance(tried, Products) and tried.once):
                again.append(tried)
        waiting = tuple(again)
    return pairs or Found(()), whole


class _Memory(Struct, frozen=True, eq=False):
    """What one part of the plan leaves to those that come later: the engines' common work, and what was settled; and
    the limits of the whole plan.
    """

    whole: Limits
    shared: dict[Goal, Shared] = field(default_factory=dict)
    settled: dict[tuple[Goal, Depth], Decision] = field(default_factory=dict)
    besides: Shared = field(default_factory=Shared)
    begun: Shared = field(default_factory=Shared)
    met: Shared = field(default_factory=Shared)

    def of(self, goal: Goal) -> Shared:
        """What the engines share about a goal."""
        return self.shared.setdefault(goal, Shared())

    def decided(self, goal: Goal, options: Options, depth: Depth) -> Decision:
        """As `recall.decided`; what would only be found out again, or not, is not asked again."""
        key = goal, depth
        if key not in self.settled:
            left, begun = remaining(options.limits), time.monotonic()
            decision = decided(goal, options, depth, self.of(goal))
            # Engines end at shares of the time, so what took a quarter of it was perhaps cut short.
            if isinstance(decision.evidence, Unknown) and left and time.monotonic() - begun >= left / 4:
                return decision
            self.settled[key] = decision
        return self.settled[key]


def _is_over(options: Options, whole: Result | None) -> bool:
    """Whether no more is to be tried: the time is over, or something else stops the work."""
    reason = None if whole is None or whole.unknown is None else whole.unknown.reason
    return remaining(options.limits) == 0.0 or reason in (Reason.MEMORY, Reason.INTERRUPTED)


def _pairs(
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    options: Options,
    level: Level,
    effort: Effort,
    memory: _Memory,
) -> Found:
    """The proof from pairs of threads, or how far it got."""
    started = perf_counter()

    def decide(goal: Goal) -> Decision:
        return memory.decided(goal, options, _DEPTHS[effort])

    def begun() -> Work:
        return memory.begun.once((level, block), lambda: begin(abstract, concrete, block, options.limits, level))

    try:
        if effort is Effort.ANYWHERE:
            tried = in_any_environment(abstract, concrete, block, decide)
        else:
            tried = attempt(begun(), options.limits, decide, effort)
        if tried.composition is None:
            found = shortcoming(tried.goals, tried.decisions, perf_counter() - started)
            return replace(found, hopeful=tried.hopeful, imprecise=tried.imprecise)
        settled = perf_counter()
        # Where there is nothing to check, much need not be loaded.
        from sa.checker.composition import check_composition

        ruling = check_composition(tried.composition, options.limits)
        if not isinstance(ruling, Accepted) and effort is not Effort.ANYWHERE:
            blame(begun())
    except LimitReached as limit:
        return Found((), notes=(f"the pairs of threads were not decided: {limit.reason.value}",))
    except NotGenerated as fault:
        if fault.certain:
            raise
        return Found((), notes=(f"the inferred environments could not be checked: {fault}",))
    if not isinstance(ruling, Accepted):
        return Found(
            (), notes=(f"the checker rejected the proof from pairs of threads: {ruling.obligation}: {ruling.why}",)
        )
    spent = (settled - started, perf_counter() - settled)
    results = tuple(_proved(g, d, spent, len(tried.goals)) for g, d in zip(tried.goals, tried.decisions, strict=True))
    notes = (f"invariants may mention {level.value}",) if level is not Level.HIDDEN else ()
    return Found(results, tried.composition, tuple(_inferred(tried)), notes)


def _pairs_besides(
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    product: Goal | None,
    options: Options,
    tried: Pairs,
    memory: _Memory,
) -> Found:
    """The proof from pairs of threads with more related than is asked, or nothing."""
    assert tried.besides is not None
    said = _related(abstract, concrete, block, product, options, tried.besides, memory)
    if not said:
        return Found(())
    found = _pairs(abstract, concrete, block_besides(block, said), options, tried.level, tried.effort, memory)
    # About what is asked, only a proof says something.
    return Found(()) if found.composition is None else with_besides(found, said)


def _related(
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    product: Goal | None,
    options: Options,
    besides: Besides,
    memory: _Memory,
) -> tuple[Term, ...]:
    """What may be related besides what is asked; nothing where the time was not enough."""
    # What is related of some of the threads need not be right of all: it is only tried.
    whole = product or memory.besides.once("some threads", lambda: some_threads(abstract, concrete, block))
    if whole is None:
        return ()

    def related() -> tuple[Term, ...]:
        match besides:
            case Besides.REST:
                return at_rest(whole)
            case Besides.PLAYS:
                return related_besides((whole,), options)
            case Besides.SAMPLES:
                budget = Budget(share(options.limits, SHARE_OF_SAMPLES), options.seed)
                # Loaded only where pairs of threads are not enough as they are.
                from sa.refinement.by_samples import suggested

                return memory.of(whole).once(("samples", whole), lambda: suggested(whole, budget))

    try:
        return memory.besides.once(besides, related)
    except LimitReached:
        return ()


def _met(
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    product: Goal | None,
    options: Options,
    tried: Met,
    memory: _Memory,
) -> Found | None:
    """The proof from pairs that know what holds where two threads meet, or how far it got. Raises LimitReached."""
    # Loaded only where pairs of threads are not enough as they are.
    from sa.engines.met_pairs import Proving, Work, pairs_in, proved_from, proved_in
    from sa.question.families import crowds

    work = memory.met.once(block, lambda: Work(crowds(abstract, concrete, block)))
    proving = Proving(tried.closures, Depth.GLANCE, tried.met, mirrored=tried.mirrored)
    if tried.besides is None:
        return proved_in(work, proving, options, memory.whole)
    said = _related(abstract, concrete, block, product, options, tried.besides, memory)
    if not said:
        return None
    pairs = pairs_in(work, proving, said, options, memory.whole)
    found = proved_from(pairs, proving, options, memory.whole)
    return None if found.composition is None else with_besides(found, said)


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
