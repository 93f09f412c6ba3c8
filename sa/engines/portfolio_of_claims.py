"""Which engines there are, and in which order they are asked: cheap ones first, and no one may use up all the time."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from sa.bounded.wanted import Wanted
from sa.engines import technique
from sa.engines.engine import ClaimEngine, Decide, Decider, Prover, Refuter, Turn, when_asked
from sa.engines.technique import ABSTRACT_INTERPRETATION, BMC, CHC, EXPLICIT_STATE, HOUDINI, ICE, Row, picked
from sa.explicit.concretization import by_few_preemptions
from sa.explicit.deciders import by_all_states, by_far_states, by_few_states, by_walks
from sa.hybrid import exploring
from sa.hybrid.by_unbounded_counters import by_growing
from sa.hybrid.engine import (
    by_control,
    by_coordinates,
    by_elements,
    by_equalities,
)
from sa.invariants import inductive_claims, interval_lemmas
from sa.question.asked import Asked, Excluded, Note, Refuted

Both: TypeAlias = Decide[Asked, Excluded | Refuted | Note]
Proofs: TypeAlias = Decide[Asked, Excluded | Note]


def _by_rounds(wanted: Wanted) -> Both:
    from sa.bounded.bounded_model_checking import by_rounds

    return partial(by_rounds, wanted)


def _by_ending_states() -> Both:
    from sa.bounded.bounded_model_checking import by_ending_states

    return by_ending_states


def _by_environments(main: str | None) -> Proofs:
    from sa.invariants.environments import by_environments

    return partial(by_environments, main)


def _by_runs() -> Decide[Asked, Excluded]:
    from sa.invariants.ice import by_runs

    return by_runs


def _by_conjunctions() -> Proofs:
    from sa.invariants.joint_conjunctions import by_conjunctions

    return by_conjunctions


def _by_sums() -> Proofs:
    from sa.invariants.joint_conjunctions import by_sums

    return by_sums


CLAIMED: ClaimEngine = Prover(HOUDINI, {"candidates": "claims"}, inductive_claims.by_claims)
INTERVALS: ClaimEngine = Prover(ABSTRACT_INTERPRETATION, {"domain": "intervals"}, interval_lemmas.by_intervals)
ENVIRONMENTS: ClaimEngine = Prover(
    ABSTRACT_INTERPRETATION, {"domain": "polyhedra"}, when_asked(partial(_by_environments, None))
)
PRECONDITIONS: ClaimEngine = Prover(HOUDINI, {"candidates": "preconditions"}, inductive_claims.by_preconditions)
STATES: ClaimEngine = Decider(EXPLICIT_STATE, {}, by_few_states)
FEW_PREEMPTIONS: ClaimEngine = Refuter(EXPLICIT_STATE, {"search": "preemptions"}, by_few_preemptions)
FAR_STATES: ClaimEngine = Decider(EXPLICIT_STATE, {"search": "beam"}, by_far_states)
MORE_STATES: ClaimEngine = Decider(EXPLICIT_STATE, {"effort": "much"}, by_all_states)
WALKS: ClaimEngine = Refuter(EXPLICIT_STATE, {"search": "random"}, by_walks)
CONTROL: ClaimEngine = Decider(CHC, {"encoding": "control-points"}, partial(by_control, exploring.CLAUSES))
ELEMENTS: ClaimEngine = Prover(
    CHC,
    {"encoding": "control-points", "domain": "arrays"},
    partial(by_elements, exploring.CLAUSES),
)
EQUALITIES: ClaimEngine = Prover(
    ABSTRACT_INTERPRETATION,
    {"domain": "equalities"},
    partial(by_equalities, exploring.EQUALITIES),
)
CANDIDATES: ClaimEngine = Prover(
    ABSTRACT_INTERPRETATION,
    {"domain": "predicates"},
    partial(by_equalities, exploring.CANDIDATES),
)
GROWING: ClaimEngine = Prover(
    technique.REDUCTION,
    {"transform": "unbounded-counters"},
    partial(
        by_growing,
        (
            # What is in a ring of numbers that grow is known by equations where places in it are control.
            (partial(by_coordinates, replace(exploring.CLAUSES, rlimit=None)), 0.65),
            # Equations are looked for here, too.
            (partial(by_equalities, exploring.CANDIDATES), 0.8),
            (when_asked(_by_runs), 0.3),
            (partial(by_elements, exploring.CLAUSES), 0.4),
            (partial(by_coordinates, exploring.CLAUSES), 1.0),
        ),
    ),
)
COORDINATES: ClaimEngine = Prover(
    CHC,
    {"encoding": "control-points", "variables": "remainders"},
    partial(by_coordinates, exploring.CLAUSES),
)
QUICK_COORDINATES: ClaimEngine = Prover(
    ABSTRACT_INTERPRETATION,
    {"domain": "equalities", "variables": "remainders"},
    partial(by_coordinates, replace(exploring.CLAUSES, rlimit=None)),
)
CONJUNCTIONS: ClaimEngine = Prover(HOUDINI, {}, when_asked(_by_conjunctions))
SUMS: ClaimEngine = Prover(HOUDINI, {"candidates": "sums"}, when_asked(_by_sums))
LEARNED: ClaimEngine = Prover(ICE, {}, when_asked(_by_runs))
#: Bounds that grow.
USUAL_BOUNDS = Wanted()
BOUNDED: ClaimEngine = Decider(BMC, {}, when_asked(partial(_by_rounds, USUAL_BOUNDS)))


def bounds_of(rounds: int | None, unwind: int | None, schedule: str | None, jobs: int) -> Wanted:
    """The bounds that a user names. Raises ValueError with what is wrong with a schedule."""
    if schedule is None:
        return Wanted(rounds, unwind, (), jobs)
    from sa.bounded.schedule import read_schedule

    return Wanted(rounds, unwind, read_schedule(schedule), jobs)


#: A look that takes little time from the provers behind it: runs over large data that few switches lead to.
QUICK_BOUNDED: ClaimEngine = Decider(
    BMC,
    {"effort": "little"},
    when_asked(partial(_by_rounds, Wanted(stages=2, effort=250_000, by_the_way=True))),
)

ENDING_STATES: ClaimEngine = Decider(EXPLICIT_STATE, {"search": "ending-loops"}, when_asked(_by_ending_states))

Portfolio: TypeAlias = tuple[Turn[ClaimEngine], ...]


def _by_reduction() -> Both:
    from sa.engines.reduction import by_reduction

    return partial(by_reduction, BLOCKS)


#: Engines that blocks go to, in their order.
BLOCKS: Portfolio = (
    Turn(STATES, 0.2),
    # It knows the facts of the reduction, too.
    Turn(CLAIMED, 0.3),
    # Its work grows with the sum of the threads' sizes.
    Turn(INTERVALS, 0.7),
    Turn(EQUALITIES, 0.35),
    Turn(QUICK_COORDINATES, 0.2),
    Turn(CANDIDATES, 0.3),
    Turn(GROWING, 0.4),
    Turn(LEARNED, 0.4),
    Turn(CONTROL, 1.0),
)


def _by_turns() -> Both:
    from sa.engines.reduction import by_turns

    return partial(by_turns, IN_TURN)


#: Engines that blocks go to where one thread has the turn: the scheduler's state is control, so points come first.
IN_TURN: Portfolio = (
    Turn(EQUALITIES, 0.9),
    Turn(STATES, 0.2, since=1),
    Turn(CONTROL, 1.0, since=1),
)


def _by_ownership() -> Proofs:
    from sa.engines.ownership import by_ownership

    return partial(by_ownership, IN_PLACE)


#: Engines that stores in place go to. Few states show soon which of them are not the owner's.
IN_PLACE: Portfolio = (
    Turn(STATES, 0.1),
    Turn(EQUALITIES, 0.3),
    Turn(QUICK_COORDINATES, 0.4),
    Turn(CANDIDATES, 0.5),
    Turn(COORDINATES, 1.0),
)


OWNERSHIP: ClaimEngine = Prover(technique.REDUCTION, {"transform": "owners"}, when_asked(_by_ownership))

REDUCTION: ClaimEngine = Decider(technique.REDUCTION, {}, when_asked(_by_reduction))

TURNS: ClaimEngine = Decider(technique.REDUCTION, {"transform": "turns"}, when_asked(_by_turns))

#: Engines of `verify` in their order. Those of the first round settle most programs, and end soon or with little.
CLAIMS: Portfolio = (
    Turn(STATES, 0.25),
    # Of many threads others see no more than a beginning, and take long to prepare.
    Turn(WALKS, 0.05),
    # It is soon seen whether there are turns. Where there are, this is what settles most.
    Turn(TURNS, 1.0),
    Turn(CLAIMED, 0.1),
    # Its work grows with the sum of the threads' sizes.
    Turn(INTERVALS, 0.7),
    # Most errors need few preemptions, however long their runs are.
    Turn(FEW_PREEMPTIONS, 0.3),
    # Where values grow there may be finitely many states all the same, if more than at first sight.
    Turn(FAR_STATES, 0.25),
    # Its work grows with the number of threads, not with their combinations.
    Turn(ENVIRONMENTS, 0.25),
    # Before all that sees each interleaving.
    Turn(REDUCTION, 0.5),
    Turn(EQUALITIES, 0.5),
    Turn(QUICK_COORDINATES, 0.4),
    # Some hundred thousand are soon enumerated, if there are no more.
    Turn(MORE_STATES, 0.8, since=1),
    # Where no numbers wrap around it has nothing to do.
    Turn(GROWING, 0.9),
    Turn(OWNERSHIP, 0.2, since=1),
    Turn(PRECONDITIONS, 0.15, since=1),
    # It mostly ends by itself.
    Turn(CANDIDATES, 0.25, since=1),
    Turn(QUICK_BOUNDED, 0.15, since=1),
    # There are finitely many, if perhaps more than can be looked at.
    Turn(ENDING_STATES, 0.1, since=1),
    Turn(COORDINATES, 0.15, since=2),
    # Before those that go through many control points, or bound variables thread by thread.
    Turn(LEARNED, 0.3, since=2),
    Turn(ELEMENTS, 0.15, since=2),
    # Where loops add up nothing it has nothing to do, and elsewhere it looks for what the next one does, too.
    Turn(SUMS, 0.1, since=2),
    Turn(CONJUNCTIONS, 0.1, since=2),
    Turn(CONTROL, 0.2, since=2),
    Turn(BOUNDED, 0.15, since=2),
)


def without_reduction(portfolio: Portfolio) -> Portfolio:
    """The engines that look at single steps."""
    return tuple(turn for turn in portfolio if turn.engine not in (REDUCTION, TURNS))


def of_few_locations(portfolio: Portfolio) -> Portfolio:
    """The engines where few locations matter: cheap searches and what looks at blocks are asked before the others."""
    early = (STATES, FEW_PREEMPTIONS, TURNS, REDUCTION)
    first = (replace(t, share=max(t.share, 1.0)) if t.engine is REDUCTION else t for t in portfolio)
    later = tuple(replace(t, since=max(t.since, 1)) for t in portfolio if t.engine not in early)
    return (*(t for t in first if t.engine in early), *later)


def about(main: str) -> Portfolio:
    """All engines, the first of which proves what one thread claims, and tells what it needs of the others."""
    first = replace(ENVIRONMENTS, decide=when_asked(partial(_by_environments, main)))
    return (Turn(first, 1.0), *(turn for turn in CLAIMS if turn.engine is not ENVIRONMENTS))


def chosen(
    names: tuple[str, ...], wanted: Wanted = USUAL_BOUNDS, others: Portfolio = (), besides: tuple[Row, ...] = ()
) -> Portfolio:
    """The engines of `verify` that these names mean, in their order; all where there are none. Raises InputError.

    `others` are engines for families of any number, which may be named too. Given bounds are for the technique `bmc`,
    which is then the only one unless others are named. Engines for other questions may be named `besides`.
    """
    if not names and wanted == USUAL_BOUNDS:
        return CLAIMS
    # Whoever names it wants to see how far it gets.
    bounded = replace(BOUNDED, decide=when_asked(partial(_by_rounds, replace(wanted, stages=None))))
    known = {**{turn.engine.name: turn.engine for turn in (*others, *CLAIMS)}, bounded.name: bounded}
    meant = picked(names, (*known.values(), *besides)) if names else (bounded.name,)
    meant = tuple(name for name in meant if name in known)
    # Each of those that are left gets an equal part of the time.
    return tuple(Turn(known[name], 1 / (len(meant) - place)) for place, name in enumerate(meant))
