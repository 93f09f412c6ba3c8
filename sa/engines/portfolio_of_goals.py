"""The engines of `refine` for one goal, and in which order they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from sa.base.budget import Budget, Report
from sa.engines.engine import Decider, GoalEngine, Prover, Refuter, Turn
from sa.engines.resting import by_resting
from sa.engines.technique import BMC, CHC, EXPLICIT_STATE, GAME, RANDOM_WALKS, SIMULATION, picked
from sa.game.runs import Bounds
from sa.question.asked import GoalAsked, Related
from sa.refinement import along_runs, deciders
from sa.refinement.function_models import by_meanings
from sa.refinement.idle import by_short_search
from sa.simulation.endings import Patience, Tactics
from sa.values.search_bounds import Sought

START: GoalEngine = Refuter(SIMULATION, {"states": "initial"}, deciders.at_start)
VALUES: GoalEngine = Refuter(GAME, {}, deciders.by_values)
HORN: GoalEngine = Prover(CHC, {}, deciders.by_horn)

#: Tactics of the search, in order of preference. Short answers make general lemmas; what needs long ones comes later.
TACTICS = (
    Tactics("first", 100, 4, Bounds(100, 1, 1), Patience.FULL),
    Tactics("likely", 200, 4, Bounds(100, 1, 1), Patience.SOME, known=True),
    Tactics("late", 200, 4, Bounds(100, 1, 1), Patience.NONE, known=True, late=True),
    Tactics("short", 400, 4, Bounds(100, 1, 1, detours=True), Patience.NONE, known=True),
    Tactics("long", 2000, 4, Bounds(400, None, None), Patience.NONE, known=True),
)

GoalPortfolio: TypeAlias = tuple[Turn[GoalEngine], ...]


def _search(tactics: Tactics) -> GoalEngine:
    return Decider(SIMULATION, {"answers": tactics.name}, partial(by_short_search, tactics))


def _by_points(tactics: Sequence[Tactics], asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
    # Most questions are settled before it is needed.
    from sa.refinement.points import by_points

    yield from by_points(tactics, asked, budget, report)


def _points(parameters: Mapping[str, str], *tactics: Tactics) -> GoalEngine:
    return Prover(SIMULATION, {"control": "flags", **parameters}, partial(_by_points, tactics))


#: Between control points: first what hardly needs a lemma, then with patience. What is known of a side alone is mostly
#: part of its points, and takes long to find out where there are many. Answers that move late meet the fewest pairs of
#: points, so with patience they come first.
QUICK_POINTS = _points({"effort": "little"}, replace(TACTICS[0], lemmas=20, each=0))
LATE_POINTS = _points({"answers": "late", "effort": "little"}, replace(TACTICS[2], lemmas=20, each=0, known=False))
POINTS = _points({}, *(replace(TACTICS[n], known=False) for n in (2, 0, 3)))

#: The two compositions side by side, where that hardly needs a lemma either.
QUICK_FIRST = _search(replace(TACTICS[0], lemmas=40, each=0))

#: With what is known of a side alone, a relation is often found at once: before what takes long where none is.
QUICK_LIKELY = _search(replace(TACTICS[1], lemmas=40, each=0))

#: The same with answers that wait, which are right where reads or writes have moved, and with the shortest.
QUICK_LATE, QUICK_SHORT = (_search(replace(TACTICS[n], lemmas=40, each=0)) for n in (2, 3))

#: Where abstract threads rest only where they have to, there are few pairs of locations: short answers find a relation
#: soon, if there is one.
RESTING, RESTING_SHORT = (
    Prover(
        SIMULATION,
        {"answers": answers},
        partial(by_resting, partial(deciders.by_relation, replace(tactics, lemmas=most, each=0))),
    )
    # Who shows later what was read must not stay at the read, though nothing is lost by that yet.
    for answers, tactics, most in (("resting", TACTICS[0], 150), ("resting-short", TACTICS[3], 60))
)
RESTING_POINTS: GoalEngine = Prover(
    SIMULATION,
    {"answers": "resting", "control": "flags"},
    partial(by_resting, partial(_by_points, (replace(TACTICS[0], lemmas=60, each=0),))),
)


def _by_moments(tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
    # Most questions are settled before it is needed.
    from sa.refinement.by_moments import by_moments

    engine = partial(by_moments, tactics)
    yield from by_resting(engine, asked, budget, report)
    if asked.shared.made.get(("resting", asked.goal)) is None:
        yield from engine(asked, budget, report)


#: When abstract steps are made is read off runs, and fixed: then each lemma says one thing, and many are soon found.
LINEARIZED: GoalEngine = Prover(
    SIMULATION,
    {"answers": "linearization-points"},
    partial(_by_moments, Tactics("given", 500, 10, Bounds(100, 1, 1), Patience.GIVEN, known=True)),
)

#: Steps of the game on small values that are made before anything else: they take a fraction of a second.
FIRST_STEPS = 20_000

QUICK_VALUES: GoalEngine = Refuter(GAME, {"effort": "little"}, partial(deciders.by_plays, FIRST_STEPS))

FEW_STATES: GoalEngine = Decider(
    EXPLICIT_STATE,
    {"effort": "least"},
    partial(deciders.by_states, Sought(FIRST_STEPS)),
)

#: Steps through all pairs of states: some 20 seconds, half a gigabyte.
STEPS = 1_000_000


def _states(steps: int, states: int, parameters: Mapping[str, str]) -> GoalEngine:
    sought = Sought(steps, few=10_000, states=states, all_or_nothing=True)
    return Decider(EXPLICIT_STATE, parameters, partial(deciders.by_states, sought))


STATES = _states(STEPS, 100_000, {})

#: The same for some two seconds: long before it is known what an engine would do that looks for formulas.
SOME_STATES = _states(150_000, 5_000, {"effort": "little"})


def _guesses(steps: int, values: tuple[int, ...], parameters: Mapping[str, str]) -> GoalEngine:
    decide = partial(deciders.by_guess, steps, values)
    return Refuter(GAME, {"moves": "guessed", **parameters}, decide)


#: Steps that are guessed: at a glance, briefly, and on more values with patience. Two values are found fastest; but two
#: that are positive are among the first four only.
QUICK_GUESSES = _guesses(10_000, (2, 4), {"effort": "little"})
GUESSES = _guesses(40_000, (2, 4), {})
LONG_GUESSES = _guesses(300_000, (2, 3, 4, 6), {"effort": "much"})


#: Runs at random: some seconds where all are made.
TRIALS: GoalEngine = Refuter(RANDOM_WALKS, {}, partial(along_runs.by_trials, 4_000))


def _inclusion(steps: int, parameters: Mapping[str, str]) -> GoalEngine:
    return Refuter(EXPLICIT_STATE, {"search": "inclusion", **parameters}, partial(along_runs.by_inclusion, steps))


#: Steps of runs that are followed by sets of abstract states: less than a second, and some ten of them.
QUICK_INCLUSION = _inclusion(20_000, {"effort": "little"})
INCLUSION = _inclusion(300_000, {})

#: What is wrong is wrong for most functions: few steps each.
MEANINGS: GoalEngine = Refuter(
    GAME,
    {"functions": "simple"},
    partial(
        by_meanings,
        (
            deciders.at_start,
            partial(deciders.by_plays, FIRST_STEPS),
            partial(deciders.by_search, replace(TACTICS[3], lemmas=80, each=0)),
            partial(along_runs.by_trials, 500),
        ),
    ),
)

#: Strategies, states with few values for each of them, bounds that grow.
BOUNDED: GoalEngine = Refuter(BMC, {}, partial(along_runs.by_rounds, 6, 20_000, 5))

ARRAYS: GoalEngine = Prover(
    SIMULATION,
    {"functions": "arrays"},
    partial(deciders.by_arrays, (TACTICS[0], TACTICS[1], TACTICS[3])),
)


#: How long a relation is looked for with answers that are fixed, before Horn clauses are.
FIXED = Tactics("fixed", 40, 2, Bounds(100, 1, 1), Patience.FIXED)


def _by_alignment(tactics: Tactics, asked: GoalAsked, budget: Budget, report: Report) -> Iterator[Related]:
    # Most questions are settled before, and it takes as long to load as a twentieth of a short answer.
    from sa.refinement.by_alignment import by_alignment

    yield from by_alignment(tactics, asked, budget, report)


#: Answers read off aligned runs are few, and right or wrong at once.
ALIGNED: GoalEngine = Prover(SIMULATION, {"answers": "aligned"}, partial(_by_alignment, FIXED))


class Depth(Enum):
    """How much is tried.

    Only quick refutations; only answers that rest where they have to, at a glance or not; only short runs on few
    values, briefly or not, only runs at random, and only runs on values, none of which looks at a location that it does
    not come to; only short searches for a relation; what is cheap, where there is another way around, or to see whether
    a rely is enough; everything; everything that ends in plays or in relations written as formulas, for those who
    reason about them; plays first, then everything.
    """

    QUICK = "quick"
    RESTING = "resting"
    RESTED = "rested"
    SHORT_RUNS = "short-runs"
    INCLUSION = "inclusion"
    TRIALS = "trials"
    RUNS = "runs"
    GLANCE = "glance"
    BRIEF = "brief"
    RELY = "rely"
    FULL = "full"
    FORMULAS = "formulas"
    PLAYS = "plays"


def _cheap(*lemmas: int) -> GoalPortfolio:
    """The tactics with short answers, in their order, each for so many lemmas at most."""
    return tuple(
        turn
        for tactics, most in zip(TACTICS, lemmas, strict=False)
        for turn in (
            Turn(_search(replace(tactics, lemmas=min(tactics.lemmas, most), each=1)), 0.5),
            Turn(VALUES, 0.5, follows=True),
        )
    )


_BRIEF = _cheap(150, 150, 150, 150)

_BRIEF_REST: GoalPortfolio = (
    Turn(STATES, 0.5),
    *_BRIEF[:1],
    Turn(MEANINGS, 0.3),
    # Facts about one side alone, such as remainders, often decide whether a search succeeds.
    *(replace(turn, share=0.5) for turn in _BRIEF[2:3]),
    Turn(GUESSES, 0.5),
    # It takes many lemmas where points are many: all that it is given.
    Turn(POINTS, 0.4),
    Turn(BOUNDED, 0.5),
    *_BRIEF[3:],
)

_FULL: GoalPortfolio = tuple(
    turn
    for tactics, part in zip(TACTICS, (0.3, 0.35, 0.35, 0.4, 0.6), strict=True)
    for turn in (Turn(_search(tactics), part), Turn(VALUES, 0.3, follows=True), Turn(HORN, 0.3, follows=True))
)

#: Engines of `refine` for one goal in their order, with few lemmas and no long answers where it is to be brief.
PORTFOLIOS: Mapping[Depth, GoalPortfolio] = {
    Depth.QUICK: (
        Turn(START, 0.5),
        Turn(QUICK_FIRST, 0.5),
        Turn(SOME_STATES, 0.6),
        # They end soon by themselves where they need lemmas.
        Turn(LATE_POINTS, 0.7),
        Turn(QUICK_POINTS, 0.7),
        # It finds the shortest plays; the next one finds others by fewer steps.
        Turn(FEW_STATES, 0.5),
        Turn(QUICK_VALUES, 0.7),
        Turn(QUICK_INCLUSION, 0.7),
        Turn(QUICK_GUESSES, 0.7),
        Turn(MEANINGS, 0.7),
    ),
    Depth.RESTING: (Turn(RESTING, 0.5), Turn(RESTING_SHORT, 0.3), Turn(RESTING_POINTS, 1.0)),
    Depth.RESTED: (
        Turn(RESTING, 0.5),
        # Where another thread's step is a thread's own abstract one, more patience with lemmas is in vain.
        Turn(LINEARIZED, 0.7),
        Turn(RESTING_SHORT, 0.3),
        Turn(RESTING_POINTS, 1.0),
    ),
    Depth.SHORT_RUNS: (Turn(QUICK_INCLUSION, 1.0),),
    Depth.INCLUSION: (Turn(INCLUSION, 1.0),),
    Depth.TRIALS: (Turn(TRIALS, 0.9),),
    Depth.RUNS: (Turn(QUICK_VALUES, 0.5), Turn(TRIALS, 0.5)),
    Depth.GLANCE: (Turn(START, 0.5), Turn(ARRAYS, 0.5), *_cheap(80, 80, 60)),
    Depth.BRIEF: (
        Turn(START, 0.5),
        Turn(ARRAYS, 0.5),
        *_BRIEF_REST,
    ),
    Depth.RELY: (
        Turn(START, 0.5),
        Turn(ARRAYS, 0.5),
        # Few lemmas each: a rely is mostly soon found to be enough, by answers that wait, or soon refuted.
        Turn(QUICK_FIRST, 0.5),
        Turn(QUICK_LATE, 0.5),
        Turn(QUICK_LIKELY, 0.5),
        *_BRIEF_REST,
    ),
    Depth.FULL: (
        Turn(START, 0.3),
        Turn(ARRAYS, 0.5),
        # Easy proofs have been found before. It ends by itself where it needs lemmas.
        Turn(QUICK_FIRST, 0.65),
        Turn(ALIGNED, 0.3),
        Turn(MEANINGS, 0.35),
        Turn(TRIALS, 0.35),
        *_FULL[:1],
        Turn(QUICK_LIKELY, 0.2),
        Turn(QUICK_LATE, 0.2),
        Turn(QUICK_SHORT, 0.2),
        Turn(POINTS, 0.3),
        Turn(QUICK_VALUES, 0.3),
        Turn(STATES, 0.4),
        Turn(GUESSES, 0.4),
        Turn(BOUNDED, 0.4),
        *_FULL[1:4],
        Turn(LONG_GUESSES, 0.4),
        *_FULL[4:],
    ),
    Depth.PLAYS: (
        Turn(START, 0.3),
        Turn(QUICK_VALUES, 0.3),
        Turn(MEANINGS, 0.35),
        Turn(TRIALS, 0.3),
        Turn(GUESSES, 0.3),
        Turn(BOUNDED, 0.4),
        Turn(STATES, 0.4),
        Turn(LONG_GUESSES, 0.5),
        *_FULL,
    ),
    Depth.FORMULAS: (Turn(START, 0.3), Turn(ARRAYS, 0.5), *_FULL[:1], Turn(POINTS, 0.3), *_FULL[1:]),
}


def portfolio(depth: Depth, names: tuple[str, ...] = ()) -> GoalPortfolio:
    """The engines for a depth; if there are names, those of them that have one."""
    return tuple(turn for turn in PORTFOLIOS[depth] if not names or turn.engine.name in names)


def known(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the engines that are meant. Raises InputError."""
    return picked(names, engines_of_goals())


def engines_of_goals() -> tuple[GoalEngine, ...]:
    """All engines for goals, in the order in which they are first asked."""
    found = {turn.engine.name: turn.engine for turns in PORTFOLIOS.values() for turn in turns}
    return tuple(found.values())
