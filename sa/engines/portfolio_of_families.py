"""The engines for programs with families of any number of threads, and their order: no other engine is asked there."""

from __future__ import annotations

from functools import partial

from sa.bounded.wanted import Wanted
from sa.engines import technique
from sa.engines.engine import ClaimEngine, Decide, Prover, Refuter, Turn, when_asked
from sa.engines.portfolio_of_claims import BOUNDED, CLAIMS, FEW_PREEMPTIONS, USUAL_BOUNDS, Portfolio, chosen
from sa.engines.technique import ABSTRACT_INTERPRETATION, CHC, EXPLICIT_STATE, HOUDINI, Row, picked
from sa.hybrid.exploring import CLAUSES
from sa.hybrid.families import by_control, by_elements
from sa.hybrid.most_general_environment import by_most_general_environment
from sa.invariants import families
from sa.question.asked import Asked, Excluded

BOXES: ClaimEngine = Prover(ABSTRACT_INTERPRETATION, {"domain": "boxes"}, families.by_boxes)
APART: ClaimEngine = Prover(HOUDINI, {"encoding": "threads"}, families.by_conjunctions_apart)
CONJUNCTIONS: ClaimEngine = Prover(HOUDINI, {}, families.by_conjunctions)
COUNTS: ClaimEngine = Prover(HOUDINI, {"candidates": "counts"}, families.by_counts)

FEW_STATES: ClaimEngine = Refuter(EXPLICIT_STATE, {"copies": "few"}, families.few_states)

ENVIRONMENT: ClaimEngine = Prover(CHC, {"encoding": "environment"}, by_most_general_environment)

CONTROL: ClaimEngine = Prover(CHC, {"encoding": "control-points"}, partial(by_control, CLAUSES))

ELEMENTS: ClaimEngine = Prover(CHC, {"encoding": "control-points", "domain": "arrays"}, by_elements)


def _by_reduction() -> Decide[Asked, Excluded]:
    from sa.engines.family_reduction import by_reduction_of_families

    return partial(by_reduction_of_families, BLOCKS)


#: Engines that copies with blocks as steps go to, in their order.
BLOCKS: Portfolio = (
    Turn(BOXES, 0.3),
    Turn(APART, 0.5),
    # Where there are no arrays it has nothing to do.
    Turn(ELEMENTS, 0.6),
    Turn(ENVIRONMENT, 0.5),
    Turn(COUNTS, 1.0),
    Turn(CONTROL, 0.3),
)

REDUCTION: ClaimEngine = Prover(technique.REDUCTION, {}, when_asked(_by_reduction))

#: Engines in their order. Runs are looked for briefly at first, and later for longer. Conjunctions of each copy by
#: itself are found at once if at all.
CROWDS: Portfolio = (
    Turn(BOXES, 0.3),
    Turn(APART, 0.5),
    Turn(BOUNDED, 0.05),
    Turn(FEW_STATES, 0.15),
    Turn(FEW_PREEMPTIONS, 0.15),
    Turn(ELEMENTS, 0.6),
    # Before all that sees each interleaving.
    Turn(REDUCTION, 1.0),
    Turn(ENVIRONMENT, 1.0),
    # It settles most of what boxes and conjunctions of each copy leave open, much of it with one or two million units.
    Turn(COUNTS, 1.0),
    Turn(CONTROL, 0.2),
    Turn(CONJUNCTIONS, 0.25),
    Turn(BOUNDED, 0.1),
)


def named(names: tuple[str, ...], wanted: Wanted = USUAL_BOUNDS) -> Portfolio:
    """As `chosen`; engines for families, and for claims about infinite runs, may be named too. Raises InputError."""
    return chosen(names, wanted, CROWDS, _of_infinite_runs())


def named_for_infinite_runs(names: tuple[str, ...]) -> tuple[str, ...]:
    """Which engines for claims about infinite runs are named. Raises InputError."""
    rows = _of_infinite_runs()
    meant = picked(names, (*(turn.engine for turn in (*CROWDS, *CLAIMS)), *rows))
    return tuple(name for name in meant if name in {row.name for row in rows})


def _of_infinite_runs() -> tuple[Row, ...]:
    # Few name engines.
    from sa.engines.endings import ROWS

    return tuple(ROWS.values())


def for_crowds(portfolio: Portfolio) -> Portfolio:
    """Those of the engines that know families, by their names; all that do where the portfolio is everybody's."""
    if portfolio is CLAIMS:
        return CROWDS
    known = {turn.engine.name: turn.engine for turn in CROWDS}
    # With the bounds that were asked for.
    known.update((t.engine.name, t.engine) for t in portfolio if t.engine.name == BOUNDED.name)
    return tuple(Turn(known[t.engine.name], t.share) for t in portfolio if t.engine.name in known)


def for_threads(portfolio: Portfolio) -> Portfolio:
    """Those of the engines that know programs without families."""
    crowds = {id(turn.engine) for turn in CROWDS} - {id(turn.engine) for turn in CLAIMS}
    return tuple(turn for turn in portfolio if id(turn.engine) not in crowds)
