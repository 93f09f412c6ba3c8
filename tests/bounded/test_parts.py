"""A composition taken apart has the steps of each of its threads, and nobody else's."""

from __future__ import annotations

from sa.bounded.parts import parts_of
from sa.conditions.composition import product
from tests.language.texts import program_of


def test_a_step_that_stays_where_it_is_belongs_to_the_thread_that_makes_it() -> None:
    text = "thread T { skip; } automaton U { local n : int; location c initial; edge c -> c { n := n + 1; } }"
    first, second = parts_of(product(program_of(text).threads))
    assert [len(part.edges) for part in (first, second)] == [2, 1]
    assert [bool(e.updates) for part in (first, second) for e in part.edges] == [False, False, True]
