"""`refine`: the goals of a question, each decided, its evidence checked, and one answer put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os.path import basename, dirname

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Program, Refinement
from sa.base.clock import clock
from sa.base.diagnostic import Diagnostic
from sa.base.limits import LimitReached
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.certificates.play import Loss
from sa.checker.family_question import asked_of
from sa.checker.question import NoQuestion
from sa.conditions.blocked import blocked
from sa.conditions.joint_inductiveness import uncut as together_uncut
from sa.engines.judging import QuestionsDiffer, same_question
from sa.engines.options import Options
from sa.engines.outcome import Found, Outcome, Result, combined
from sa.engines.portfolio_of_goals import Depth
from sa.engines.results import answered, stopped
from sa.engines.tried import Diary, each_once
from sa.question.goals import closes, goals, is_large, thread_goals
from sa.question.unblocked_invariants import uncut
from sa.question.vacuous import check_not_empty
from sa.refinement.claim import about_parameters, about_unrelated, claim_of, misspelled
from sa.smt.session import Session

#: Once one of these is reached the goals that are left are not begun.
_LIMITS = {Reason.TIMEOUT, Reason.MEMORY, Reason.INTERRUPTED}


class _Decided(Struct, frozen=True):
    """What came of a question: its goals, or those of its texts; what was noticed there; when the search began.

    `alone` says that relies are declared and were not used.
    """

    goals: tuple[Goal, ...]
    alone: bool
    warnings: tuple[Diagnostic, ...]
    begun: float
    found: Found


def refine(abstract: Program, concrete: Program, block: Refinement | None, options: Options) -> Outcome:
    """Decide whether the concrete program refines the abstract one, as the block says. Raises InputError.

    A limit that is reached makes the goals that are left UNKNOWN. Raises QuestionsDiffer on an internal error.
    """
    started, done, options = clock(), options.limits.work.done, replace(options, diary=Diary())
    name = block.name if block is not None else _name(abstract, concrete)
    expected = block.expect if block is not None and block.expect is not None else concrete.expect
    of_families = bool(abstract.families or concrete.families)
    if not of_families:
        made = _of_threads(abstract, concrete, block, options)
    else:
        made = _of_families(abstract, concrete, block, options)
    found, decided = made.found, clock()
    if found.composition is not None or any(r.verdict is not Verdict.UNKNOWN for r in found.results):
        try:
            asked = asked_of(abstract, concrete, block, options.whole)
            same_question(asked, found)
        except NoQuestion as problem:
            raise QuestionsDiffer(f"the checker derives no question from the two programs: {problem}") from problem
    if block is not None and block.opaque is not None:
        found = replace(found, results=tuple(_of_opaque(r, block.opaque) for r in found.results))
    checking = sum(r.statistics.seconds.get("check", 0.0) for r in found.results)
    verdict = combined(found.results)
    losses = {r.loss for r in found.results if r.play is not None}
    followed = verdict is Verdict.REFUTED and losses.isdisjoint((Loss.BEHAVIOUR, Loss.RELATION))
    claim = claim_of(made.goals, made.alone, followed)
    return Outcome(
        name,
        verdict,
        f"for any number of copies, {claim}" if of_families else claim,
        found.results,
        (*made.warnings, *_blocked(found.results, options)),
        # Without the relies that are declared it is another question than the files have in mind.
        None if made.alone else expected,
        {"prepare": made.begun - started, "simulate": decided - made.begun - checking, "check": checking},
        found.composition,
        found.inferred,
        (*found.notes, *about_unrelated(made.goals), *about_parameters(made.goals)),
        copies=found.copies,
        tried=each_once(options.diary.turns),
        families=of_families,
        units=round(options.limits.work.done - done),
        reduced=found.reduced,
    )


def _of_opaque(result: Result, name: str) -> Result:
    """A result without a play, where a function is called of which more is known."""
    if result.play is None:
        return result
    told = f"the play has `{name}` do anything, and more is known of it than is modelled"
    unknown = Unknown(Reason.ENVIRONMENT, told)
    return replace(result, verdict=Verdict.UNKNOWN, play=None, loss=None, unknown=unknown)


def _of_threads(abstract: Program, concrete: Program, block: Refinement | None, options: Options) -> _Decided:
    """The goals about threads, or about both programs, decided."""
    closed = closes(abstract, concrete, block)
    # The product of many threads is too large to be looked at, so nobody makes it.
    together = not options.whole and closed
    apart = together and len(concrete.threads) > 1 and (is_large(concrete) or is_large(abstract))
    if apart:
        asked = thread_goals(abstract, concrete, block)
    else:
        asked = goals(abstract, concrete, block, options.whole)
    stop: Unknown | None = None
    try:
        check_not_empty(asked, block.pre if block is not None else (), options.limits)
        cuts = (together_uncut(p.threads, p.axioms, options.limits) for p in (concrete, abstract)) if apart else ()
        if (doubt := uncut(asked, options.limits) or next((d for d in cuts if d is not None), None)) is not None:
            stop = Unknown(Reason.SOLVER, doubt)
    except LimitReached as limit:
        stop = Unknown(limit.reason, "before the search began")
    begun = clock()
    if stop is not None:
        found = Found(_one_by_one(asked, stop, options))
    elif together and len(concrete.threads) > 1:
        from sa.engines.programs import decide_programs

        product = None if apart else asked[0]
        found = _found(lambda own: decide_programs(abstract, concrete, block, product, own), options, asked)
    else:
        found = _found(lambda own: Found(_one_by_one(asked, None, own)), options, asked)
    return _Decided(asked, options.whole and not closed, tuple(misspelled(asked)), begun, found)


def _of_families(abstract: Program, concrete: Program, block: Refinement | None, options: Options) -> _Decided:
    """The same for any number of copies of the families."""
    from sa.engines.families import asked_about, decide_families
    from sa.engines.met_pairs import texts_of

    asked = asked_about(abstract, concrete, block, options.whole)
    alone = options.whole and not closes(abstract, concrete, block)
    texts, found = texts_of(asked), None
    try:
        check_not_empty(texts, block.pre if block is not None else (), options.limits)
    except LimitReached as limit:
        found = Found(tuple(stopped(goal, Unknown(limit.reason, "before the search began")) for goal in texts))
    begun = clock()
    found = found or _found(lambda own: decide_families(asked, own), options, (asked, texts))
    return _Decided(texts, alone, tuple(misspelled(texts)), begun, found)


def _found(decide: Callable[[Options], Found], options: Options, shared: object) -> Found:
    """What is found in one process or in two. Raises LimitReached, InputError."""
    if options.jobs < 2:
        return decide(options)
    # Only who wants several processes pays for what makes them.
    from sa.engines.together import found_together

    try:
        return found_together(decide, options, shared)
    except LimitReached as limit:
        return Found((), notes=(f"the search was cut short: {limit.reason.value}",))


def _one_by_one(asked: Sequence[Goal], stop: Unknown | None, options: Options) -> tuple[Result, ...]:
    """The goals' results in turn; once a limit is reached the others are not begun."""
    results = list[Result]()
    depth = Depth.PLAYS if options.plays_first else Depth.FULL
    for goal in asked:
        if stop is not None:
            results.append(stopped(goal, stop))
            continue
        result = answered(goal, options, depth)
        results.append(result)
        if result.unknown is not None and result.unknown.reason in _LIMITS:
            stop = Unknown(result.unknown.reason, "before this goal began")
    return tuple(results)


def _name(abstract: Program, concrete: Program) -> str:
    """Who refines whom, by their files; a folder that both are in is named once."""
    first, second = concrete.source.name, abstract.source.name
    return f"{first} refines {basename(second) if dirname(first) == dirname(second) else second}"


def _blocked(results: Sequence[Result], options: Options) -> tuple[Diagnostic, ...]:
    """Warnings about proofs that hold because a thread waits for ever."""
    found = list[Diagnostic]()
    for result in results:
        if result.relation is not None:
            session = Session(options.limits, tuple(a.formula for a in result.goal.axioms))
            try:
                found.extend(blocked(session, result.goal, result.relation))
            except LimitReached:
                break
    return tuple(dict.fromkeys(found))
