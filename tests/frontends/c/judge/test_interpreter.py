"""The interpreter finds the faults that are known, and no others."""

from __future__ import annotations

import pytest

from tests.frontends.c.judge.explore import Asked, explore
from tests.frontends.c.judge.idioms import IDIOMS
from tests.frontends.c.judge.known import FAULTS, LOST, ORDERED, STUCK
from tests.frontends.c.judge.machine import Fault
from tests.frontends.c.judge.parsing import read
from tests.frontends.c.judge.printing import text


@pytest.mark.parametrize("name", ORDERED)
def test_two_conflicting_accesses_race_unless_one_happens_before_the_other(name: str) -> None:
    source, races = ORDERED[name]
    found = explore(read(source), Asked(races=True))
    assert found.complete
    assert (Fault.RACE in found.faults) == races


@pytest.mark.parametrize("name", FAULTS)
def test_what_goes_wrong_with_objects_and_locks_is_found_with_its_kind(name: str) -> None:
    source, faults = FAULTS[name]
    found = explore(read(source), Asked())
    assert found.complete
    assert found.faults == faults


@pytest.mark.parametrize("name", STUCK)
def test_a_deadlock_is_a_state_without_steps_before_the_end_of_the_process(name: str) -> None:
    source, stuck = STUCK[name]
    assert (Fault.DEADLOCK in explore(read(source), Asked(deadlocks=True, spurious=False)).faults) == stuck


@pytest.mark.parametrize("name", LOST)
def test_memory_is_lost_where_no_static_variable_leads_to_it_at_the_end(name: str) -> None:
    source, lost = LOST[name]
    assert (Fault.LEAK in explore(read(source), Asked(leaks=True)).faults) == lost


@pytest.mark.parametrize("name", IDIOMS)
def test_programs_that_the_generator_begins_with_are_right(name: str) -> None:
    found = read(IDIOMS[name])
    for asked in (Asked(races=True, leaks=True), Asked(deadlocks=True, spurious=False)):
        assert explore(found, asked).faults == frozenset()


@pytest.mark.parametrize("name", IDIOMS)
def test_the_text_of_a_program_is_read_as_this_program(name: str) -> None:
    shown = text(read(IDIOMS[name]))
    assert text(read(shown)) == shown
