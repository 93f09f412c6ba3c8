"""Whole programs: pairs of threads in inferred environments, or the game on the two products where they do not do.

Cheap tries come first: the pairs at a glance, and as if others might do anything, a quick look for a play of the
products, the pairs briefly, in exact environments, and with what holds where two meet, and the products briefly. Then
come the pairs in environments with more facts, on a higher level of visibility, with patience; then the products with
patience. Each has the time of a round; what that cuts short has the longer time of the next one. Only the products
refute: a pair that is lost shows only that its environment is too coarse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.program import Program, Refinement
from sa.base.budget import Budget, Shared
from sa.base.clock import clock
from sa.base.limits import LimitReached, Limits, allot, apart, is_over, remaining, share
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import Position
from sa.certificates.relation import Relation
from sa.checker.ruling import Accepted
from sa.engines.auxiliary_relations import Besides, always_shown, at_rest, block_besides, related_besides, with_besides
from sa.engines.blocks import facts_of_blocks, of_blocks
from sa.engines.engine import ROUNDS
from sa.engines.evidence_cache import decided
from sa.engines.expanding import play_of_steps
from sa.engines.options import Options
from sa.engines.outcome import Found, Inferred, Result
from sa.engines.plan_of_programs import DEPTHS, PLAN, PLAYS, REDUCED, Blocks, Met, Pairs, Products, Tried
from sa.engines.portfolio_of_goals import Depth
from sa.engines.results import answered, result_of, shortcoming, statistics_of
from sa.generation.checks import NotGenerated
from sa.generation.visibility import Level
from sa.question.asked import Decision
from sa.question.goals import LARGE, LARGE_FOR_PLAYS, goals, is_large, some_threads
from sa.refinement.compositional import Attempt, Effort, Work, attempt, begin, blame, in_any_environment
from sa.simulation.state import give
from sa.terms.term import Term

#: What looking for samples may use of the time of a round.
SHARE_OF_SAMPLES = 0.6


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
    memory, plan = _Memory(options.limits), PLAYS if options.plays_first else PLAN
    pairs, whole = _by_plan(abstract, concrete, block, product, options, memory, (plan, ROUNDS))
    if pairs.reduced:
        return pairs
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
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    product: Goal | None,
    options: Options,
    memory: _Memory,
    plan: tuple[Sequence[Tried], Sequence[float]],
) -> tuple[Found, Result | None]:
    """What came of the pairs and of the products, in the order of the plan and its rounds, as far as it was needed."""
    pairs: Found | None = None
    whole: Result | None = None
    (waiting, rounds), ended = plan, set[tuple[Level, Effort]]()
    for units in rounds:
        again = list[Tried]()
        for tried in waiting:
            longer = 1.0 if isinstance(tried, Met) else tried.rounds
            bounds = allot(options.limits, longer * units)
            begun, left, own = bounds.work.done, remaining(bounds), replace(options, limits=bounds)
            cut_short = False
            match tried:
                case Pairs(besides=Besides()):
                    more = _pairs_besides(abstract, concrete, block, product, own, tried, memory)
                    if more.composition is not None:
                        return more, whole
                case Pairs(level, effort):
                    if _is_promising(pairs, effort) and (level, effort) not in ended:
                        pairs = _pairs(abstract, concrete, block, own, level, effort, memory)
                        if pairs.composition is not None:
                            return pairs, whole
                case Met():
                    try:
                        knowing = _met(abstract, concrete, block, product, own, tried, memory)
                    except LimitReached as limit:
                        knowing, cut_short = None, limit.reason is Reason.WORK
                    if knowing is not None and knowing.composition is not None:
                        return knowing, whole
                case Blocks(only=depth):
                    inner = (REDUCED if depth is None else (Products(depth, tried.rounds),), (units,))
                    proof, refuted = _by_blocks(abstract, concrete, block, product, own, memory, inner)
                    if proof is not None:
                        return proof, whole
                    if refuted is not None:
                        return pairs or Found(()), refuted
                case Products():
                    said = _compared(abstract, concrete, block, product, own, tried, memory)
                    if said is not None and said.verdict is not Verdict.UNKNOWN:
                        return pairs or Found(()), said
                    whole = whole if product is None else said or whole
            if _is_over(options, whole):
                return pairs or Found(()), whole
            # Engines end at shares of these units, so what took a quarter of them was perhaps cut short.
            cut_short |= left is not None and bounds.work.done - begun >= left / 4
            if isinstance(tried, Pairs) and tried.besides is None and not cut_short:
                ended.add((tried.level, tried.effort))
            if cut_short and not (isinstance(tried, Products) and tried.once):
                again.append(tried)
        waiting = tuple(again)
    return pairs or Found(()), whole


def _is_promising(pairs: Found | None, effort: Effort) -> bool:
    """Whether more effort may be worth while after what came of the pairs before."""
    # A play in the environments that were inferred is one in any.
    return pairs is None or (pairs.hopeful and not (pairs.lost and effort is Effort.ANYWHERE))


def _by_blocks(
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    product: Goal | None,
    options: Options,
    memory: _Memory,
    plan: tuple[Sequence[Tried], Sequence[float]],
) -> tuple[Found | None, Result | None]:
    """The proof with blocks as the steps of the concrete threads, or the refutation step by step, if one is found."""
    parts = memory.blocks
    try:
        made = parts.once("blocks", lambda: of_blocks(abstract, concrete, block, options))
        if made is None or "refuted" in parts.made:
            return None, None
        inside = parts.once("memory", lambda: _Memory(options.limits))
        goal = parts.once("product", lambda: _product(abstract, made.program, block))
        if goal is not None:
            known = parts.once("facts", lambda: facts_of_blocks(goal, made.evidence, options))
            give(inside.of(goal), goal, known)
        pairs, whole = _by_plan(abstract, made.program, block, goal, options, inside, plan)
        if pairs.composition is not None:
            return replace(pairs, reduced=made.evidence, notes=(*pairs.notes, made.note)), None
        if whole is not None and whole.verdict is Verdict.PROVED:
            return Found((whole,), notes=(made.note,), reduced=made.evidence), None
        if whole is not None and isinstance(whole.play, Position):
            # Blocks are not asked again: they only prove what is true.
            parts.made["refuted"] = True
            # Where it is too large to be searched, the product of the written threads is made for the play alone.
            written = product or _large(abstract, concrete, block, memory)
            if written is None:
                return None, None
            threads = made.evidence[0].threads
            play = play_of_steps(written, whole.goal, threads, made.made, whole.play, apart(options.limits))
            if play is not None:
                decision = Decision(play, strategy=whole.statistics.strategy)
                return None, result_of(written, decision, 0.0, options)
    except LimitReached:
        pass
    return None, None


def _compared(
    abstract: Program,
    concrete: Program,
    block: Refinement | None,
    product: Goal | None,
    options: Options,
    tried: Products,
    memory: _Memory,
) -> Result | None:
    """What comes of comparing the products; nothing where they are too large, or not as large as that."""
    goal = product
    if tried.large:
        goal = _large(abstract, concrete, block, memory) if product is None else None
    return None if goal is None else answered(goal, options, tried.depth, memory.of(goal))


def _product(abstract: Program, concrete: Program, block: Refinement | None, most: int = LARGE) -> Goal | None:
    if is_large(concrete, most) or is_large(abstract, most):
        return None
    return goals(abstract, concrete, block, whole=True)[0]


def _large(abstract: Program, concrete: Program, block: Refinement | None, memory: _Memory) -> Goal | None:
    """The goal about products that are too large to be compared, for plays on values and their evidence."""
    return memory.blocks.once("large", lambda: _product(abstract, concrete, block, LARGE_FOR_PLAYS))


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
    blocks: Shared = field(default_factory=Shared)

    def of(self, goal: Goal) -> Shared:
        """What the engines share about a goal."""
        return self.shared.setdefault(goal, Shared())

    def decided(self, goal: Goal, options: Options, depth: Depth) -> Decision:
        """As `recall.decided`; what would only be found out again, or not, is not asked again."""
        key = goal, depth
        if key not in self.settled:
            left, begun = remaining(options.limits), options.limits.work.done
            decision = decided(goal, options, depth, self.of(goal))
            # Engines end at shares of the work, so what took a quarter of it was perhaps cut short.
            if isinstance(decision.evidence, Unknown) and left and options.limits.work.done - begun >= left / 4:
                return decision
            self.settled[key] = decision
        return self.settled[key]


def _is_over(options: Options, whole: Result | None) -> bool:
    """Whether no more is to be tried: the limits are reached, or something else stops the work."""
    reason = None if whole is None or whole.unknown is None else whole.unknown.reason
    return is_over(options.limits) or reason in (Reason.MEMORY, Reason.INTERRUPTED)


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
    started = clock()

    def decide(goal: Goal) -> Decision:
        return memory.decided(goal, options, DEPTHS[effort])

    def begun() -> Work:
        return memory.begun.once((level, block), lambda: begin(abstract, concrete, block, options.limits, level))

    try:
        if effort is Effort.ANYWHERE:
            tried = in_any_environment(abstract, concrete, block, decide)
        else:
            tried = attempt(begun(), options.limits, decide, effort)
        if tried.composition is None:
            found = shortcoming(tried.goals, tried.decisions, clock() - started)
            return replace(found, hopeful=tried.hopeful, imprecise=tried.imprecise)
        settled = clock()
        # Where there is nothing to check, much need not be loaded.
        from sa.checker.composition import check_composition

        ruling = check_composition(tried.composition, apart(options.limits))
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
    spent = (settled - started, clock() - settled)
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
            case Besides.SHOWN:
                return always_shown(whole)
            case Besides.REST:
                return at_rest(whole)
            case Besides.PLAYS:
                return related_besides((whole,), options)
            case Besides.SAMPLES:
                budget = Budget(share(options.limits, SHARE_OF_SAMPLES), options.seed)
                # Loaded only where pairs of threads are not enough as they are.
                from sa.refinement.sampled_relations import suggested

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
