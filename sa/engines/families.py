"""Programs with families of any number: a proof from one copy that stands for all, or a play with some copies.

That the claim holds with so many copies is no answer, so of those the games with few copies only plays are taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from sa.automata.program import Program, Refinement
from sa.base.diagnostic import InputError, error
from sa.base.limits import LimitReached, Limits, allot, is_over
from sa.base.verdict import Reason, Unknown, Verdict
from sa.certificates.goal import Goal
from sa.engines.auxiliary_relations import Besides, at_rest, related_besides, with_besides
from sa.engines.engine import ROUNDS
from sa.engines.met_pairs import Proving, Work, knows_more, pairs_in, proved_from, proved_in, texts_of
from sa.engines.options import Options
from sa.engines.outcome import Found, Result
from sa.engines.portfolio_of_goals import Depth
from sa.engines.results import answered, statistics_of
from sa.invariants.efforts import Effort
from sa.question.asked import Decision
from sa.question.families import Crowds, crowds, few_copies, with_copies
from sa.question.goals import LARGE, LARGE_FOR_PLAYS, closes, goals, is_large
from sa.question.unblocked_invariants import uncut
from sa.refinement.ghost_strategies import Ways
from sa.terms.term import Term

#: The most copies of each family in a play.
MANY = 4


class Refuting(Struct, frozen=True):
    """Plays of so many copies at most are looked for to this depth, for so many times a round's seconds.

    `large`: also where there are too many joint locations for a search of all.
    """

    most: int
    depth: Depth
    rounds: float = 1.0
    large: bool = False


#: What is tried, in order.
PLAN: tuple[Proving | Refuting, ...] = (
    # A short search for a proof takes less time than the search for plays.
    Proving(True, Depth.GLANCE),
    # What is wrong mostly shows in a short run.
    Refuting(2, Depth.SHORT_RUNS, 0.3),
    Refuting(2, Depth.QUICK),
    Proving(True, Depth.GLANCE, Effort.NUMBERS),
    Proving(True, Depth.GLANCE, Effort.NUMBERS, besides=Besides.PLAYS),
    Proving(True, Depth.GLANCE, Effort.NUMBERS, mirrored=Ways.FIRST),
    Proving(True, Depth.GLANCE, Effort.CLAIMS, mirrored=Ways.FIRST),
    # Runs come to few of the joint locations.
    Refuting(3, Depth.INCLUSION, large=True),
    Proving(True, Depth.GLANCE, Effort.PLACES),
    Proving(True, Depth.GLANCE, Effort.PLACES, mirrored=Ways.FIRST),
    Proving(True, Depth.GLANCE, Effort.ELEMENTS),
    Proving(True, Depth.GLANCE, Effort.ELEMENTS, mirrored=Ways.FIRST),
    # In closures more than one variable may change at once.
    Proving(False, Depth.GLANCE, Effort.NUMBERS, besides=Besides.PLAYS),
    Proving(False, Depth.GLANCE, Effort.NUMBERS, mirrored=Ways.FIRST),
    Proving(True, Depth.GLANCE, Effort.NUMBERS, mirrored=Ways.OTHERS),
    # An abstract thread takes a lock and gives it back in one answer: that is a detour.
    Proving(True, Depth.BRIEF, besides=Besides.REST),
    Proving(True, Depth.GLANCE, Effort.NEEDS),
    Proving(True, Depth.GLANCE, Effort.NEEDS, besides=Besides.PLAYS),
    Proving(True, Depth.GLANCE, Effort.NEEDS, mirrored=Ways.FIRST),
    Proving(False, Depth.GLANCE, Effort.NEEDS),
    Proving(True, Depth.GLANCE, Effort.PLACES, mirrored=Ways.OTHERS),
    Proving(False, Depth.GLANCE, Effort.NUMBERS, mirrored=Ways.OTHERS),
    Proving(True, Depth.GLANCE, Effort.NEEDS, mirrored=Ways.OTHERS),
    Refuting(3, Depth.BRIEF),
    Proving(True, Depth.BRIEF, Effort.NUMBERS, mirrored=Ways.ALL),
    Proving(False, Depth.BRIEF, Effort.NUMBERS, mirrored=Ways.ALL),
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


def decide_families(asked: Crowds, options: Options) -> Found:
    """The answer for every number of copies. Raises InputError."""
    notes = dict[str, None]()
    chosen = asked.block is not None and asked.block.choose_init
    if chosen:
        notes["`choose init` is not supported for any number of copies"] = None
    work, last = Work(asked), None
    waiting = tuple(t for t in (PLAYS if options.plays_first else PLAN) if isinstance(t, Refuting) or not chosen)
    for units in ROUNDS:
        again = list[Proving | Refuting]()
        for tried in waiting:
            longer = tried.rounds if isinstance(tried, Refuting) else 1.0
            own, turns = replace(options, limits=allot(options.limits, longer * units)), len(options.diary.turns)
            cut = False
            try:
                found = _tried(work, tried, own, options.limits, notes)
            except LimitReached as limit:
                notes[f"part of the search was cut short: {limit.reason.value}"] = None
                if limit.reason is not Reason.WORK:
                    return _as_far_as(asked, last, notes)
                found, cut = None, True
            if found is not None and found.is_answer:
                return found
            last = found if found is not None and (last is None or _tells(found)) else last
            if cut or any(t.ended is Reason.WORK for t in options.diary.turns[turns:]):
                again.append(tried)
        waiting = tuple(again)
        if is_over(options.limits):
            break
    return _as_far_as(asked, last, notes)


def _tells(found: Found) -> bool:
    """Whether what is missing is more than time or work."""
    return any(r.unknown is not None and r.unknown.reason not in (Reason.TIMEOUT, Reason.WORK) for r in found.results)


def _as_far_as(asked: Crowds, last: Found | None, notes: dict[str, None]) -> Found:
    if last is None:
        return Found(_unknown(asked), notes=tuple(notes))
    return replace(last, notes=(*last.notes, *notes))


def _tried(work: Work, tried: Proving | Refuting, own: Options, whole: Limits, notes: dict[str, None]) -> Found | None:
    """What a part of the plan finds, or how far the pairs got. Raises LimitReached."""
    asked = work.asked
    match tried:
        case Refuting():
            return _refuted(asked, tried, own, notes)
        case Proving(besides=Besides() as kind):
            if kind not in work.besides:
                work.besides[kind] = _related(tuple(_with_copies(asked, 2)), kind, own)
            said = work.besides[kind]
            found = proved_from(pairs_in(work, tried, said, own, whole), tried, own, whole) if said else None
            return with_besides(found, said) if found is not None and found.composition is not None else None
        case Proving(closures=True, depth=Depth.GLANCE, met=Effort() as met, mirrored=None) if not knows_more(
            work, met, own, whole
        ):
            # The same pairs have been tried without it.
            return None
        case Proving():
            return proved_in(work, tried, own, whole)
        case _ as never:
            assert_never(never)


def _related(few: Sequence[Goal], kind: Besides, options: Options) -> tuple[Term, ...]:
    """What may be related besides what is asked, of goals with few copies. Raises LimitReached."""
    if not few:
        return ()
    return at_rest(few[-1]) if kind is Besides.REST else related_besides(few, options)


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


def _refuted(asked: Crowds, tried: Refuting, options: Options, notes: dict[str, None]) -> Found | None:
    """A play with some copies. Only that is an answer: what holds of so many is not known of more."""
    large, locations = list[tuple[int, ...]](), LARGE_FOR_PLAYS if tried.large else LARGE
    for counts in few_copies(asked, tried.most):
        sides = with_copies(asked, counts)
        if is_large(sides.concrete, locations) or is_large(sides.abstract, locations):
            large.append(counts)
            continue
        (goal,) = goals(sides.abstract, sides.concrete, sides.block, whole=True)
        if uncut((goal,), options.limits) is not None:
            return None
        result = answered(goal, options, tried.depth)
        if result.verdict is Verdict.REFUTED:
            return Found((result,), notes=(f"the play has {_copies(asked, counts)}",), copies=counts)
    if large:
        notes[_too_large(asked, large)] = None
    return None


def _too_large(asked: Crowds, large: Sequence[tuple[int, ...]]) -> str:
    """How many copies were too many: the least numbers say it, since with more of them there are more locations."""
    least = [c for c in large if not any(d != c and all(m <= n for m, n in zip(d, c, strict=True)) for d in large)]
    told = ", or with ".join(_copies(asked, counts) for counts in least)
    return f"plays with {told}, or more, were not tried: too many joint locations"


def _copies(asked: Crowds, counts: tuple[int, ...]) -> str:
    named = zip(asked.concrete.families, counts, strict=True)
    return " and ".join(f"{n} cop{'y' if n == 1 else 'ies'} of {f.thread.name}" for f, n in named)
