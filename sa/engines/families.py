"""Programs with families of any number: a proof from one copy that stands for all, or a play with some copies.

That the claim holds with so many copies is no answer, so of those the games with few copies only plays are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from sa.automata.program import Program, Refinement
from sa.base.diagnostic import InputError, error
from sa.base.limits import LimitReached, Limits, Pace, remaining
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.crowd_composition import CrowdComposition
from sa.certificates.goal import Goal
from sa.certificates.pairs import StatePairs
from sa.certificates.relation import Relation
from sa.checker.composition import check_composition
from sa.checker.ghosts import program_with_ghosts
from sa.checker.ruling import Accepted
from sa.engines.besides import block_besides, related_besides, with_besides
from sa.engines.engine import ROUNDS
from sa.engines.options import Options
from sa.engines.outcome import Found, Inferred, Result
from sa.engines.portfolio_of_goals import Depth
from sa.engines.programs import shortcoming
from sa.engines.recall import decided
from sa.engines.results import answered, statistics_of
from sa.invariants.crowd_meetings import Effort
from sa.question.asked import Decision
from sa.question.families import Crowds, crowds, few_copies, with_copies, with_one_copy
from sa.question.goals import closes, goals, is_large, thread_goals
from sa.question.uncut import uncut
from sa.refinement.crowds import Known, Pairs, composition_of, known_of, met_of, pairs_of
from sa.refinement.mirrors import Mirrors, mirrors
from sa.terms.printer import show
from sa.terms.term import Term

#: The most copies of each family in a play.
MANY = 4


class Proving(Struct, frozen=True):
    """Pairs in closures, or in exact environments, are decided to this depth.

    `met` is how much is done to know what holds where two meet; None for nothing. `besides`: with more related than is
    asked, if something is found; `mirrored`: with ghosts that follow abstract variables.
    """

    closures: bool
    depth: Depth
    met: Effort | None = None
    besides: bool = False
    mirrored: bool = False


class Refuting(Struct, frozen=True):
    """Plays of so many copies at most are looked for to this depth."""

    most: int
    depth: Depth


#: What is tried, in order.
PLAN: tuple[Proving | Refuting, ...] = (
    # What is proved at a glance is proved in less time than plays are looked for.
    Proving(True, Depth.GLANCE),
    Refuting(2, Depth.QUICK),
    Proving(True, Depth.GLANCE, Effort.NUMBERS),
    Proving(True, Depth.GLANCE, Effort.NUMBERS, besides=True),
    Proving(True, Depth.GLANCE, Effort.NUMBERS, mirrored=True),
    # In closures more than one variable may change at once.
    Proving(False, Depth.GLANCE, Effort.NUMBERS, besides=True),
    Proving(False, Depth.GLANCE, Effort.NUMBERS, mirrored=True),
    Proving(True, Depth.GLANCE, Effort.NEEDS),
    Proving(True, Depth.GLANCE, Effort.NEEDS, besides=True),
    Proving(True, Depth.GLANCE, Effort.NEEDS, mirrored=True),
    Proving(False, Depth.GLANCE, Effort.NEEDS),
    Refuting(3, Depth.BRIEF),
    Proving(True, Depth.BRIEF, Effort.NUMBERS, mirrored=True),
    Proving(False, Depth.BRIEF, Effort.NUMBERS, mirrored=True),
    Proving(True, Depth.BRIEF, Effort.NEEDS),
    Proving(False, Depth.BRIEF, Effort.NEEDS),
    Proving(True, Depth.FULL, Effort.NEEDS),
    Proving(False, Depth.FULL, Effort.NEEDS),
    Refuting(MANY, Depth.FULL),
)

#: The same where plays are to be found first.
PLAYS: tuple[Proving | Refuting, ...] = (
    *(tried for tried in PLAN if isinstance(tried, Refuting)),
    *(tried for tried in PLAN if isinstance(tried, Proving)),
)


def asked_about(abstract: Program, concrete: Program, block: Refinement | None, whole: bool) -> Crowds:
    """The question about two programs with families. Raises InputError."""
    asked = crowds(abstract, concrete, block)
    if not whole and not closes(abstract, concrete, block):
        hint = "leave out the relies: environments are inferred from the programs; or ask with `--whole`"
        first = (*concrete.families, *abstract.families)[0]
        raise InputError(
            (error("SA411", "a family of any number beside declared environments", first.thread.origin.span, hint),)
        )
    return asked


def texts_of(asked: Crowds) -> tuple[Goal, ...]:
    """Goals about the threads and a copy by themselves, for questions about their texts. Raises InputError."""
    one = with_one_copy(asked)
    return thread_goals(one.abstract, one.concrete, one.block)


def decide_families(asked: Crowds, options: Options) -> Found:
    """The answer for every number of copies. Raises InputError."""
    notes = dict[str, None]()
    chosen = asked.block is not None and asked.block.choose_init
    if chosen:
        notes["`choose init` chooses for all copies at once, which is not looked into for any number of them"] = None
    work, last, pace = _Work(asked), None, Pace()
    waiting = tuple(t for t in (PLAYS if options.plays_first else PLAN) if isinstance(t, Refuting) or not chosen)
    for seconds in ROUNDS:
        again = list[Proving | Refuting]()
        for tried in waiting:
            own, turns = replace(options, limits=pace.soon(options.limits, seconds)), len(options.diary.turns)
            cut = False
            try:
                found = _tried(work, tried, own, options.limits, notes)
            except LimitReached as limit:
                notes[f"a part of the search was cut short: {limit.reason.value}"] = None
                if limit.reason is not Reason.TIMEOUT:
                    return _as_far_as(asked, last, notes)
                found, cut = None, True
            if found is not None and found.is_answer:
                return found
            last = found if found is not None and (last is None or _tells(found)) else last
            if cut or any(t.ended is Reason.TIMEOUT for t in options.diary.turns[turns:]):
                again.append(tried)
        waiting = tuple(again)
        if remaining(options.limits) == 0.0:
            break
    return _as_far_as(asked, last, notes)


def _tells(found: Found) -> bool:
    """Whether what is missing is more than time."""
    return any(r.unknown is not None and r.unknown.reason is not Reason.TIMEOUT for r in found.results)


def _as_far_as(asked: Crowds, last: Found | None, notes: dict[str, None]) -> Found:
    if last is None:
        return Found(_unknown(asked), notes=tuple(notes))
    return replace(last, notes=(*last.notes, *notes))


def _tried(work: _Work, tried: Proving | Refuting, own: Options, whole: Limits, notes: dict[str, None]) -> Found | None:
    """What a part of the plan finds, or how far the pairs got. Raises LimitReached."""
    asked = work.asked
    match tried:
        case Refuting():
            return _refuted(asked, tried, own, whole, notes)
        case Proving(besides=True):
            if work.besides is None:
                few = tuple(_with_copies(asked, 2))
                work.besides = related_besides(few, own) if few else ()
            said = work.besides
            found = _proved(_pairs(work, tried, said, own), tried, own, whole) if said else None
            return with_besides(found, said) if found is not None and found.composition is not None else None
        case Proving(mirrored=True):
            return _with_mirrors(work, tried, own, whole)
        case Proving():
            return _proved(_pairs(work, tried, (), own), tried, own, whole)
        case _ as never:
            assert_never(never)


def _with_mirrors(work: _Work, tried: Proving, own: Options, whole: Limits) -> Found | None:
    """The proof with ghosts that follow abstract variables. Raises LimitReached."""
    if work.mirrored is None:
        work.mirrored = tuple(
            (made, _Work(replace(work.asked, concrete=program_with_ghosts(made.ghosts, work.asked.concrete))))
            for made in mirrors(work.asked, texts_of(work.asked))
        )
    for followed, beside in work.mirrored:
        found = _proved(_pairs(beside, tried, followed.equations, own), tried, own, whole)
        if isinstance(found.composition, CrowdComposition):
            made = replace(found.composition, besides=followed.equations, ghosts=followed.ghosts)
            said = ", ".join(f"`{show(e)}`" for e in followed.equations)
            note = f"proved with variables that concrete threads set and never read, which follow abstract ones: {said}"
            return replace(with_besides(found, followed.equations), composition=made, notes=(note, *found.notes))
    return None


class _Work(Struct, eq=False):
    """What is known of both programs by what was done for it, pairs of them, and what is related besides, made once."""

    asked: Crowds
    known: dict[tuple[int, Effort | None], Known] = field(default_factory=dict)
    pairs: dict[tuple[bool, Effort | None, tuple[Term, ...]], Pairs] = field(default_factory=dict)
    besides: tuple[Term, ...] | None = None
    mirrored: tuple[tuple[Mirrors, _Work], ...] | None = None


def _pairs(work: _Work, tried: Proving, besides: tuple[Term, ...], options: Options) -> Pairs:
    """The pairs in environments, with formulas besides what is asked. Raises LimitReached."""
    abstract, concrete = (_known(work, side, tried.met, options.limits) for side in (0, 1))
    asked, key = work.asked, (tried.closures, tried.met, besides)
    if key not in work.pairs:
        also = replace(asked, block=block_besides(asked.block, besides)) if besides else asked
        work.pairs[key] = pairs_of(also, abstract, concrete, tried.closures, options.limits)
    return work.pairs[key]


def _with_copies(asked: Crowds, most: int) -> Iterator[Goal]:
    """The goals about both programs with one copy of each family, two, and so on, that are not too large."""
    for count in range(1, most + 1):
        sides = with_copies(asked, tuple(count for _ in asked.concrete.families))
        if not is_large(sides.concrete) and not is_large(sides.abstract):
            yield from goals(sides.abstract, sides.concrete, sides.block, whole=True)


def _unknown(asked: Crowds) -> tuple[Result, ...]:
    """The goals about one copy, of which nothing is known."""
    nothing = Decision(Unknown(Reason.ENVIRONMENT, "environments were not inferred"))
    return tuple(
        Result(g, Verdict.UNKNOWN, None, None, nothing.evidence, statistics_of(nothing, None, 0.0, 0.0))
        for g in texts_of(asked)
        if isinstance(nothing.evidence, Unknown)
    )


def _known(work: _Work, side: int, met: Effort | None, bounds: Limits) -> Known:
    """What is known of the abstract program, side 0, or of the concrete one. Raises LimitReached."""
    key = side, met
    if key not in work.known:
        program = (work.asked.abstract, work.asked.concrete)[side]
        plain = known_of(program, work.asked.identities, bounds) if met is None else _known(work, side, None, bounds)
        work.known[key] = plain if met is None else met_of(plain, met, bounds)
    return work.known[key]


def _refuted(asked: Crowds, tried: Refuting, options: Options, whole: Limits, notes: dict[str, None]) -> Found | None:
    """A play with some copies. Only that is an answer: what holds of so many is not known of more."""
    large = list[tuple[int, ...]]()
    for counts in few_copies(asked, tried.most):
        sides = with_copies(asked, counts)
        if is_large(sides.concrete) or is_large(sides.abstract):
            large.append(counts)
            continue
        (goal,) = goals(sides.abstract, sides.concrete, sides.block, whole=True)
        if uncut((goal,), options.limits) is not None:
            return None
        result = answered(goal, options, tried.depth, whole)
        if result.verdict is Verdict.REFUTED:
            return Found((result,), notes=(f"the play has {_copies(asked, counts)}",), copies=counts)
    if large:
        notes[_too_large(asked, large)] = None
    return None


def _too_large(asked: Crowds, large: Sequence[tuple[int, ...]]) -> str:
    """How many copies were too many: the least numbers say it, since with more of them there are more locations."""
    least = [c for c in large if not any(d != c and all(m <= n for m, n in zip(d, c, strict=True)) for d in large)]
    told = ", or with ".join(_copies(asked, counts) for counts in least)
    return f"plays with {told}, or more, were not looked for: too many joint locations"


def _copies(asked: Crowds, counts: tuple[int, ...]) -> str:
    named = zip(asked.concrete.families, counts, strict=True)
    return " and ".join(f"{n} cop{'y' if n == 1 else 'ies'} of {f.thread.name}" for f, n in named)


def _proved(pairs: Pairs, tried: Proving, options: Options, whole: Limits) -> Found:
    """The proof from pairs, or how far it got."""
    started = perf_counter()
    decisions = list[Decision]()
    for goal in pairs.goals:
        decisions.append(decided(goal, options, tried.depth))
        if not isinstance(decisions[-1].evidence, Relation | StatePairs):
            break
    composition = composition_of(pairs, decisions)
    if composition is None:
        # The pairs are shown one by one, so that nothing need be said of the first one again.
        return replace(shortcoming(pairs.goals, decisions, perf_counter() - started), notes=())
    settled = perf_counter()
    ruling = check_composition(composition, whole)
    if not isinstance(ruling, Accepted):
        where = f" ({ruling.where})" if ruling.where else ""
        note = f"the proof from pairs was not accepted: {ruling.obligation}{where}: {ruling.why}"
        return replace(shortcoming(pairs.goals, decisions, settled - started), notes=(note,))
    deciding, checking = ((s / len(decisions)) for s in (settled - started, perf_counter() - settled))
    results = tuple(
        Result(goal, Verdict.PROVED, r, None, None, statistics_of(decision, r, deciding, checking))
        for goal, decision, r in zip(pairs.goals, decisions, composition.relations, strict=True)
    )
    inferred = tuple(_inferred(pairs))
    places = [{q.env for q in t.locations} for side in (pairs.concrete, pairs.abstract) for t in side.strong]
    notes = ("environments differ from location to location; shown is what they are at the start",)
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
