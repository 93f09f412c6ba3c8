"""Which engines there are, and in which order they are asked: cheap ones first, and no one may use up all the time."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from msgspec.structs import replace

from sa.base.diagnostic import InputError
from sa.bounded.wanted import Wanted
from sa.engines.engine import ClaimEngine, Decide, Decider, Prover, Refuter, Turn, no_engine, when_asked
from sa.explicit.deciders import by_all_states, by_far_states, by_few_states
from sa.hybrid import exploring
from sa.hybrid.engine import (
    by_control,
    by_coordinates,
    by_counters,
    by_counting,
    by_elements,
    by_equalities,
    by_rings,
    by_tests,
)
from sa.hybrid.growing import by_growing
from sa.invariants import direct, interval_lemmas
from sa.question.asked import Asked, Excluded, Note, Refuted

Both: TypeAlias = Decide[Asked, Excluded | Refuted | Note]
Proofs: TypeAlias = Decide[Asked, Excluded | Note]


def _by_rounds(wanted: Wanted) -> Both:
    from sa.bounded.engine import by_rounds

    return partial(by_rounds, wanted)


def _by_ending_states() -> Both:
    from sa.bounded.engine import by_ending_states

    return by_ending_states


def _by_boxes() -> Proofs:
    from sa.invariants.deciders import by_boxes

    return by_boxes


def _by_relations(effort: int) -> Proofs:
    from sa.invariants.deciders import by_relations

    return partial(by_relations, effort)


def _by_joint_relations(effort: int) -> Proofs:
    from sa.invariants.deciders import by_joint_relations

    return partial(by_joint_relations, effort)


def _long_runs() -> Decide[Asked, Refuted | Note]:
    from sa.invariants.deciders import long_runs

    return long_runs


def _by_runs(more: bool) -> Decide[Asked, Excluded]:
    from sa.invariants.learned import by_runs

    return partial(by_runs, more)


def _by_conjunctions() -> Proofs:
    from sa.invariants.joint_conjunctions import by_conjunctions

    return by_conjunctions


def _by_products() -> Proofs:
    from sa.invariants.joint_conjunctions import by_products

    return by_products


def _by_sums(any_form: bool) -> Proofs:
    from sa.invariants.joint_conjunctions import by_sums

    return partial(by_sums, any_form)


CLAIMED: ClaimEngine = Prover("claims", "claims, by induction", direct.by_claims)
INTERVALS: ClaimEngine = Prover(
    "intervals",
    "intervals of each thread's own variables; counters and what else only constants decide are control",
    interval_lemmas.by_intervals,
)
BOXES: ClaimEngine = Prover("boxes", "invariants that bound variables, thread by thread", when_asked(_by_boxes))
PRECONDITIONS: ClaimEngine = Prover(
    "preconditions", "claims with their weakest preconditions along a few steps", direct.by_preconditions
)
STATES: ClaimEngine = Decider("states", "all states, where there are few, or a short run", by_few_states)
FAR_STATES: ClaimEngine = Decider(
    "far-states", "longer searches, and runs found by a beam, where values grow", by_far_states
)
MORE_STATES: ClaimEngine = Decider("more-states", "all states, or a run over small values", by_all_states)
CONTROL: ClaimEngine = Decider(
    "control",
    "explicit control with symbolic data: relations between variables at each control point",
    partial(by_control, exploring.EFFORTS[0]),
)
ELEMENTS: ClaimEngine = Prover(
    "elements",
    "explicit control with invariants of array elements that hold at every index",
    partial(by_elements, exploring.EFFORTS[0]),
)
EQUALITIES: ClaimEngine = Prover(
    "equalities",
    "explicit control with equations and differences between variables",
    partial(by_equalities, exploring.EQUALITIES[0]),
)
CANDIDATES: ClaimEngine = Prover(
    "candidates",
    "the same as `equalities`, with what the program tests and claims, and orders of numbers",
    partial(by_equalities, exploring.CANDIDATES),
)
ALTERNATIVES: ClaimEngine = Prover(
    "alternatives",
    "the same as `equalities`, where a control point may have several sets of equations",
    partial(by_equalities, exploring.ALTERNATIVES[0]),
)
MORE_EQUALITIES: ClaimEngine = Prover(
    "more-equalities",
    "the same as `equalities` and `alternatives`, at more control points",
    partial(by_equalities, exploring.ALTERNATIVES[1]),
)
COUNTERS: ClaimEngine = Decider(
    "counters",
    "the same as `control`; numbers with few values are control too: positions in a ring, bounded counters",
    partial(by_counters, exploring.EFFORTS[0]),
)
GROWING: ClaimEngine = Prover(
    "growing",
    "other engines, where numbers that wrap around are compared as if they did not: rings, tickets, versions",
    partial(
        by_growing,
        (
            (partial(by_equalities, exploring.EQUALITIES[0]), 0.3),
            (partial(by_rings, exploring.RINGS), 0.4),
            (when_asked(partial(_by_runs, False)), 0.3),
            (partial(by_elements, exploring.EFFORTS[0]), 0.4),
            (partial(by_coordinates, exploring.EFFORTS[0]), 1.0),
        ),
    ),
)
QUICK_COUNTERS: ClaimEngine = Prover(
    "quick-counters",
    "the same as `equalities`; numbers that count within few values are control too: how full a buffer is",
    by_counting,
)
COORDINATES: ClaimEngine = Prover(
    "coordinates",
    "relations at control points between remainders and differences: ring buffers, ticket locks",
    partial(by_coordinates, exploring.EFFORTS[0]),
)
RINGS: ClaimEngine = Prover(
    "rings",
    "explicit control with what the elements of a ring between two counters are",
    partial(by_rings, exploring.RINGS),
)
QUICK_COORDINATES: ClaimEngine = Prover(
    "quick-coordinates",
    "the same as `coordinates`, with equations and differences alone",
    partial(by_coordinates, replace(exploring.EFFORTS[0], rlimit=None)),
)
TESTS: ClaimEngine = Prover(
    "tests",
    "the same as `equalities`; how tests come out is control too: copies that may be out of date",
    partial(by_tests, exploring.TESTS[1]),
)
QUICK_TESTS: ClaimEngine = Prover(
    "quick-tests", "the same as `tests`, at few control points", partial(by_tests, exploring.TESTS[0])
)
MORE_CONTROL: ClaimEngine = Decider(
    "more-control", "the same as `control`, with more effort", partial(by_control, exploring.EFFORTS[1])
)
CONJUNCTIONS: ClaimEngine = Prover(
    "conjunctions",
    "joint invariants: conjunctions of formulas from the program's tests and assignments",
    when_asked(_by_conjunctions),
)
PRODUCTS: ClaimEngine = Prover(
    "products", "the same as `conjunctions`, for claims with products or functions", when_asked(_by_products)
)
SUMS: ClaimEngine = Prover(
    "sums",
    "the same as `conjunctions`, with the sums of non-linear terms that loops compute",
    when_asked(partial(_by_sums, False)),
)
MORE_SUMS: ClaimEngine = Prover(
    "more-sums", "the same as `sums`, for terms of any form", when_asked(partial(_by_sums, True))
)
LEARNED: ClaimEngine = Prover(
    "learned",
    "joint invariants learned from random runs: clauses over locations and small values, equations that count these",
    when_asked(partial(_by_runs, False)),
)
MORE_LEARNED: ClaimEngine = Prover(
    "more-learned",
    "the same as `learned`, with tests that follow from the program's own: how a copy compares, what two tests imply",
    when_asked(partial(_by_runs, True)),
)
RELATIONS: ClaimEngine = Prover(
    "relations", "relational invariants, thread by thread", when_asked(partial(_by_relations, 0))
)
JOINT: ClaimEngine = Prover("joint", "relations between all threads", when_asked(partial(_by_joint_relations, 0)))
MORE_RELATIONS: ClaimEngine = Prover(
    "more-relations", "the same as `relations`, with more effort", when_asked(partial(_by_relations, 1))
)
MORE_JOINT: ClaimEngine = Prover(
    "more-joint", "the same as `joint`, with more effort", when_asked(partial(_by_joint_relations, 1))
)
LONG_RUNS: ClaimEngine = Refuter("long-runs", "longer runs, and runs over any values", when_asked(_long_runs))
#: Bounds that grow.
USUAL_BOUNDS = Wanted()
BOUNDED: ClaimEngine = Decider(
    "bounded",
    "runs within growing bounds on rounds and on the unwinding of loops",
    when_asked(partial(_by_rounds, USUAL_BOUNDS)),
)


def bounds_of(rounds: int | None, unwind: int | None, schedule: str | None, jobs: int) -> Wanted:
    """The bounds that a user names. Raises ValueError with what is wrong with a schedule."""
    if schedule is None:
        return Wanted(rounds, unwind, (), jobs)
    from sa.bounded.schedule import read_schedule

    return Wanted(rounds, unwind, read_schedule(schedule), jobs)


#: A look that takes little time from the provers behind it: runs over large data that few switches lead to.
QUICK_BOUNDED: ClaimEngine = Decider(
    "quick-bounded",
    "the same as `bounded`, up to 4 rounds and unwindings, with little effort",
    when_asked(partial(_by_rounds, Wanted(stages=2, effort=250_000, by_the_way=True))),
)

ENDING_STATES: ClaimEngine = Decider(
    "ending-states", "all states, where all loops end soon", when_asked(_by_ending_states)
)

Portfolio: TypeAlias = tuple[Turn[ClaimEngine], ...]


def _by_reduction() -> Both:
    from sa.engines.reduction import by_reduction

    return partial(by_reduction, BLOCKS)


#: Engines that blocks go to, in their order.
BLOCKS: Portfolio = (
    Turn(STATES, 0.2),
    Turn(CLAIMED, 0.1),
    Turn(INTERVALS, 0.1),
    Turn(EQUALITIES, 0.35),
    Turn(QUICK_COORDINATES, 0.2),
    Turn(QUICK_TESTS, 0.1),
    Turn(CANDIDATES, 0.3),
    Turn(ALTERNATIVES, 0.3),
    Turn(RINGS, 0.2),
    Turn(GROWING, 0.4),
    Turn(TESTS, 0.35),
    Turn(LEARNED, 0.4),
    Turn(CONTROL, 1.0),
)


def _by_ownership() -> Proofs:
    from sa.engines.ownership import by_ownership

    return partial(by_ownership, IN_PLACE)


#: Engines that stores in place go to. Few states show soon which of them are not the owner's.
IN_PLACE: Portfolio = (
    Turn(STATES, 0.1),
    Turn(EQUALITIES, 0.3),
    Turn(QUICK_COORDINATES, 0.4),
    Turn(QUICK_TESTS, 0.3),
    Turn(CANDIDATES, 0.5),
    Turn(COORDINATES, 1.0),
)

OWNERSHIP: ClaimEngine = Prover(
    "ownership",
    "other engines, where what a thread loads and stores is its own: a ticket or a turn lets nobody else write it",
    when_asked(_by_ownership),
)

REDUCTION: ClaimEngine = Decider(
    "reduction",
    "Lipton's reduction: steps that commute with those of others are joined to blocks, then other engines",
    when_asked(_by_reduction),
)

#: Engines of `verify` in their order. Those of the first round settle most programs, and end soon or with little.
CLAIMS: Portfolio = (
    Turn(STATES, 0.25),
    Turn(CLAIMED, 0.1),
    Turn(INTERVALS, 0.1),
    # It takes the same little work for many threads as for few.
    Turn(BOXES, 0.25),
    # Before all that sees each interleaving.
    Turn(REDUCTION, 0.3),
    Turn(EQUALITIES, 0.5),
    Turn(QUICK_COORDINATES, 0.1),
    Turn(OWNERSHIP, 0.2, since=1),
    Turn(QUICK_TESTS, 0.1, since=1),
    # Where values grow there are mostly infinitely many states: these are proved sooner than they are looked at.
    Turn(FAR_STATES, 0.1, since=1),
    Turn(QUICK_COUNTERS, 0.1, since=1),
    Turn(PRECONDITIONS, 0.15, since=1),
    # It mostly ends by itself.
    Turn(CANDIDATES, 0.25, since=1),
    Turn(ALTERNATIVES, 0.2, since=1),
    Turn(QUICK_BOUNDED, 0.15, since=1),
    Turn(RINGS, 0.1, since=2),
    Turn(GROWING, 0.2, since=2),
    # There are finitely many, if perhaps more than can be looked at.
    Turn(ENDING_STATES, 0.1, since=1),
    Turn(TESTS, 0.2, since=2),
    Turn(COORDINATES, 0.15, since=2),
    # Before those that go through many control points, or bound variables thread by thread.
    Turn(LEARNED, 0.2, since=2),
    Turn(MORE_EQUALITIES, 0.2, since=2),
    Turn(ELEMENTS, 0.15, since=2),
    Turn(MORE_LEARNED, 0.15, since=2),
    Turn(PRODUCTS, 0.1, since=2),
    Turn(SUMS, 0.1, since=2),
    Turn(CONTROL, 0.2, since=2),
    Turn(COUNTERS, 0.15, since=2),
    Turn(MORE_SUMS, 0.1, since=2),
    Turn(BOUNDED, 0.15, since=2),
    Turn(MORE_STATES, 0.2, since=2),
    Turn(CONJUNCTIONS, 0.1, since=2),
    Turn(RELATIONS, 0.1, since=2),
    Turn(JOINT, 0.15, since=2),
    Turn(MORE_CONTROL, 0.3, since=3),
    Turn(MORE_RELATIONS, 0.15, since=3),
    Turn(MORE_JOINT, 0.15, since=3),
    Turn(LONG_RUNS, 0.2, since=2),
)


def without_reduction(portfolio: Portfolio) -> Portfolio:
    """The engines that look at single steps."""
    return tuple(turn for turn in portfolio if turn.engine is not REDUCTION)


def chosen(names: tuple[str, ...], wanted: Wanted = USUAL_BOUNDS, others: Portfolio = ()) -> Portfolio:
    """The engines of `verify` with these names, in this order; all of them where there are none. Raises InputError.

    `others` are engines for families of any number, which may be named too. Given bounds are for the engine `bounded`,
    which is then the only one unless others are named.
    """
    if not names and wanted == USUAL_BOUNDS:
        return CLAIMS
    # Whoever names it wants to see how far it gets.
    bounded = replace(BOUNDED, decide=when_asked(partial(_by_rounds, replace(wanted, stages=None))))
    known = {**{turn.engine.name: turn.engine for turn in (*others, *CLAIMS)}, bounded.name: bounded}
    names = names or (bounded.name,)
    for name in names:
        if name not in known:
            raise InputError((no_engine(name, list(known)),))
    # Each of those that are left gets an equal part of the time.
    return tuple(Turn(known[name], 1 / (len(names) - place)) for place, name in enumerate(names))
